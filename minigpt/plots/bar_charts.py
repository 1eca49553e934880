"""Bars with their values written at their ends."""

from matplotlib.patches import Patch

from minigpt.language import say
from minigpt.plots.canvas import new_figure, shown
from minigpt.plots.colours import COLOURS, colours_of, concept_name

BAR_IN = 0.3  # height of a bar


@shown
def bars(labels, values, unit: str, *, xlabel: str | None = None, title: str | None = None, digits: int = 3):
    """Horizontal bars, the first on top, with the values written at their ends; `xlabel` says what is measured."""
    labels, values = list(labels), _numbers(labels, values)
    figure = new_figure(0.9 + (BAR_IN + 0.08) * len(labels))
    axes = figure.subplots()
    for row, (label, value) in enumerate(zip(labels, values)):
        _bar(axes, row, value, 0.7, COLOURS.get(label, COLOURS["given"]), f"{_written(value, digits)} {unit}")
    _label(axes, labels, f"{xlabel} ({unit})" if xlabel else unit, title)
    return figure


@shown
def grouped_bars(labels, series: dict, xlabel: str, *, title: str | None = None, digits: int = 3):
    """For each label a group of horizontal bars, one per series (name -> values); put the unit into `xlabel`."""
    labels = list(labels)
    columns = {name: _numbers(labels, values) for name, values in series.items()}
    colours, thickness = colours_of(columns), 0.8 / len(columns)
    figure = new_figure(1.1 + (BAR_IN * len(columns) * 0.85 + 0.15) * len(labels))
    axes = figure.subplots()
    for place, (name, values) in enumerate(columns.items()):
        for row, value in enumerate(values):
            y = row + thickness * (place - (len(columns) - 1) / 2)
            _bar(axes, y, value, thickness * 0.92, colours[name], _written(value, digits))
    _label(axes, labels, xlabel, title)
    patches = [Patch(facecolor=colours[name], label=concept_name(name)) for name in columns]
    figure.legend(handles=patches, loc="outside lower center", ncols=len(columns), fontsize=9.5)
    return figure


def _numbers(labels, values) -> list[float]:
    numbers = [float(value) for value in values]
    if len(labels) != len(numbers):
        raise ValueError(f"labels and values: {len(labels)} and {len(numbers)}; give one value per label")
    return numbers


def _bar(axes, y: float, value: float, thickness: float, colour: str, text: str) -> None:
    axes.barh(y, value, height=thickness, color=colour)
    # On the far side of the end, seen from zero: a number never lies on its bar.
    side, align = (5, "left") if value >= 0 else (-5, "right")
    axes.annotate(text, (value, y), xytext=(side, 0), textcoords="offset points", va="center", ha=align)


def _label(axes, labels, xlabel: str, title: str | None) -> None:
    axes.set_yticks(range(len(labels)), [concept_name(label) for label in labels])
    axes.tick_params(axis="y", length=0)
    axes.invert_yaxis()
    axes.margins(x=0.16)  # room for the numbers
    if axes.get_xlim()[0] < 0 < axes.get_xlim()[1]:
        axes.axvline(0, color="#666666", linewidth=0.8)
    axes.set(xlabel=xlabel, title=title or "")


def _written(value: float, digits: int) -> str:
    # "#" keeps the zeros: 1.00 and 2.35 were measured equally well.
    if abs(value) < 10**digits:
        return f"{value:#.{digits}g}".rstrip(".").replace("-", "−")
    whole = f"{value:,.0f}".replace("-", "−")
    return say(en=whole, es=whole.replace(",", "\u202f"))  # Spanish parts thousands with a (narrow) space
