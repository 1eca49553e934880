"""What one client gets against what all get together: a curve through the settings of one knob."""

from minigpt.language import say
from minigpt.plots.canvas import described, new_figure, shown
from minigpt.plots.colours import colours_of, ink

# Where a curve's settings stand, of the first curve and of the second: on either side, so that they do not meet between them.
SIDES = dict(xytext=(4, 4), ha="left", va="bottom"), dict(xytext=(-4, -4), ha="right", va="top")


@shown
def frontier(series: dict[str, list[tuple[float, float, str]]], xlabel: str, ylabel: str):
    """Curves of points (x, y, what was set), each point labelled with its setting; put the unit into both labels."""
    figure = new_figure(4.2)
    axes = figure.subplots()
    colours = colours_of(series)
    for number, (name, points) in enumerate(series.items()):
        axes.plot([x for x, _, _ in points], [y for _, y, _ in points], marker="o", markersize=4, color=colours[name], label=name)
        for x, y, setting in points:
            axes.annotate(setting, (x, y), textcoords="offset points", fontsize=8.5, color=ink(colours[name]), **SIDES[number % 2])
    # Such a curve falls: its upper right corner is empty.
    axes.legend(loc="upper right", frameon=False, labelcolor=[ink(colours[name]) for name in series])
    axes.set(xlabel=xlabel, ylabel=ylabel, xlim=(0, None))
    axes.set_ylim(0, 1.1 * max(y for points in series.values() for _, y, _ in points))
    axes.grid()
    return described(figure, "; ".join(_sentence(name, points) for name, points in series.items()) + f" ({xlabel}, {ylabel}).")


def _sentence(name: str, points) -> str:
    (x, y, setting), (last_x, last_y, last) = points[0], points[-1]
    return say(en=f"{name}: from {x:.0f} and {y:.0f} at {setting} to {last_x:.0f} and {last_y:.0f} at {last}",
               es=f"{name}: de {x:.0f} y {y:.0f} con {setting} a {last_x:.0f} y {last_y:.0f} con {last}")
