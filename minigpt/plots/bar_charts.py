"""Bars with their values written at their ends; values of several runs are drawn with their range."""

from matplotlib.patches import Patch

from minigpt.analysis.several_runs import middle_and_range, runs_of
from minigpt.language import say
from minigpt.plots import sentences
from minigpt.plots.canvas import described, new_figure, shown
from minigpt.plots.colours import COLOURS, colours_of, concept_name

BAR_IN = 0.3  # height of a bar


@shown
def bars(labels, values, unit: str, *, xlabel: str | None = None, title: str | None = None, digits: int = 3):
    """Horizontal bars, the first on top, with the values written at their ends; `xlabel` says what is measured.

    A value that is a list holds what several runs gave: the bar ends at their median, a line shows their range.
    """
    labels, values = list(labels), _measured(labels, values)
    figure = new_figure(0.9 + (BAR_IN + 0.08) * len(labels))
    axes = figure.subplots()
    for row, (label, value) in enumerate(zip(labels, values)):
        _bar(axes, row, value, 0.7, COLOURS.get(label, COLOURS["given"]), digits, f" {unit}")
    _label(axes, labels, f"{xlabel} ({unit})" if xlabel else unit, title)
    return described(figure, sentences.of_bars(f"{xlabel} ({unit})" if xlabel else unit, labels, values))


@shown
def grouped_bars(labels, series: dict, xlabel: str, *, title: str | None = None, digits: int = 3):
    """For each label a group of horizontal bars, one per series (name -> values); put the unit into `xlabel`.

    A value that is a list holds what several runs gave, as in `bars`.
    """
    labels = list(labels)
    columns = {name: _measured(labels, values) for name, values in series.items()}
    colours, thickness = colours_of(columns), 0.8 / len(columns)
    figure = new_figure(1.1 + (BAR_IN * len(columns) * 0.85 + 0.15) * len(labels))
    axes = figure.subplots()
    for place, (name, values) in enumerate(columns.items()):
        for row, value in enumerate(values):
            y = row + thickness * (place - (len(columns) - 1) / 2)
            _bar(axes, y, value, thickness * 0.92, colours[name], digits)
    _label(axes, labels, xlabel, title)
    patches = [Patch(facecolor=colours[name], label=concept_name(name)) for name in columns]
    figure.legend(handles=patches, loc="outside lower center", ncols=len(columns), fontsize=9.5)
    return described(figure, sentences.of_groups(xlabel, labels, columns))


def _measured(labels, values) -> list:
    values = list(values)
    if len(labels) != len(values):
        raise ValueError(f"labels and values: {len(labels)} and {len(values)}; give one value per label")
    return values


def _bar(axes, y: float, value, thickness: float, colour: str, digits: int, unit: str = "") -> None:
    middle, low, high = middle_and_range(value)
    axes.barh(y, middle, height=thickness, color=colour)
    text, end = f"{_written(middle, digits)}{unit}", middle
    if len(runs_of(value)) > 1:
        axes.plot([low, high], [y, y], color="black", linewidth=1.3, marker="|", markersize=7)
        text += f" ({_written(low, digits)} – {_written(high, digits)})"
        end = high if middle >= 0 else low
    # Beyond the bar's end, seen from zero: a number never covers its bar.
    side, align = (5, "left") if middle >= 0 else (-5, "right")
    axes.annotate(text, (end, y), xytext=(side, 0), textcoords="offset points", va="center", ha=align)


def _label(axes, labels, xlabel: str, title: str | None) -> None:
    axes.set_yticks(range(len(labels)), [concept_name(label) for label in labels])
    axes.tick_params(axis="y", length=0)
    axes.invert_yaxis()
    longest = max((len(text.get_text()) for text in axes.texts), default=0)
    axes.margins(x=max(0.16, 0.012 * longest))  # room for the numbers
    if axes.get_xlim()[0] < 0 < axes.get_xlim()[1]:
        axes.axvline(0, color="#666666", linewidth=0.8)
    axes.set(xlabel=xlabel, title=title or "")


def _written(value: float, digits: int) -> str:
    # "#" keeps the zeros: 1.00 and 2.35 were measured equally well.
    if abs(value) < 10**digits:
        return f"{value:#.{digits}g}".rstrip(".").replace("-", "−")
    whole = f"{value:,.0f}".replace("-", "−")
    return say(en=whole, es=whole.replace(",", "\u202f"))  # Spanish parts thousands with a (narrow) space
