"""What one client gets against what all get together: a curve through the settings of one knob."""

from minigpt.language import say
from minigpt.plots.canvas import described, new_figure, shown
from minigpt.plots.colours import colours_of, ink


@shown
def frontier(series: dict[str, list[tuple[float, float, str]]], xlabel: str, ylabel: str):
    """Curves of points (x, y, what was set), each point labelled with its setting; put the unit into both labels."""
    figure = new_figure(4.2)
    axes = figure.subplots()
    colours = colours_of(series)
    for name, points in series.items():
        axes.plot([x for x, _, _ in points], [y for _, y, _ in points], marker="o", markersize=4, color=colours[name])
        for x, y, setting in points:
            axes.annotate(setting, (x, y), xytext=(4, 4), textcoords="offset points", fontsize=8.5, color=ink(colours[name]))
        x, y, _ = max(points, key=lambda point: point[1])
        axes.annotate(name, (x, y), xytext=(0, 16), textcoords="offset points", color=ink(colours[name]))
    axes.set(xlabel=xlabel, ylabel=ylabel, xlim=(0, None), ylim=(0, None))
    axes.margins(y=0.15)
    axes.set_ylim(0, 1.18 * max(y for points in series.values() for _, y, _ in points))
    axes.grid()
    return described(figure, "; ".join(_sentence(name, points) for name, points in series.items()) + f" ({xlabel}, {ylabel}).")


def _sentence(name: str, points) -> str:
    (x, y, setting), (last_x, last_y, last) = points[0], points[-1]
    return say(en=f"{name}: from {x:.0f} and {y:.0f} at {setting} to {last_x:.0f} and {last_y:.0f} at {last}",
               es=f"{name}: de {x:.0f} y {y:.0f} con {setting} a {last_x:.0f} y {last_y:.0f} con {last}")
