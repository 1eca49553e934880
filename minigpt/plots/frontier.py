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
    for at, (name, points) in enumerate(series.items()):
        axes.plot([x for x, _, _ in points], [y for _, y, _ in points], marker="o", markersize=4, color=colours[name], label=name)
        # Curves that cross run close together: the settings of one stand above it, those of the next below.
        offset, align = ((4, 4), "left") if at % 2 == 0 else ((-4, -11), "right")
        for x, y, setting in points:
            axes.annotate(setting, (x, y), xytext=offset, textcoords="offset points", ha=align, fontsize=8.5, color=ink(colours[name]))
    axes.set(xlabel=xlabel, ylabel=ylabel, xlim=(0, None), ylim=(0, 1.1 * max(y for points in series.values() for _, y, _ in points)))
    axes.grid()
    figure.legend(loc="outside lower center", ncols=len(series), fontsize=9.5)
    return described(figure, "; ".join(_sentence(name, points) for name, points in series.items()) + f" ({xlabel}, {ylabel}).")


def _sentence(name: str, points) -> str:
    (x, y, setting), (last_x, last_y, last) = points[0], points[-1]
    return say(en=f"{name}: from {x:.0f} and {y:.0f} at {setting} to {last_x:.0f} and {last_y:.0f} at {last}",
               es=f"{name}: de {x:.0f} y {y:.0f} con {setting} a {last_x:.0f} y {last_y:.0f} con {last}")
