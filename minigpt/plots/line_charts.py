"""Lines labelled at their ends."""

import numpy as np

from minigpt.analysis.several_runs import middle_and_range
from minigpt.plots import sentences
from minigpt.plots.canvas import described, new_figure, plain_log_ticks, shown
from minigpt.plots.colours import COLOURS, colours_of, concept_name, ink
from minigpt.plots.labels import spread_apart

HEIGHT_IN = 3.8
LABEL_GAP = 0.065  # of the axes' height: one line of text


@shown
def lines(
    x, series: dict, xlabel: str, ylabel: str, *, title: str | None = None, bands: dict | None = None, points=(),
    logx: bool = False, logy: bool = False, targets: dict[str, float] | None = None, from_zero: bool = True,
):
    """Lines over `x`, each named at its right end; put the unit into both labels.

    `series`: label -> values, one per x (None: nothing there); a concept's name ("static") brings its colour. A value
    that is a list holds what several runs gave: the line goes through their medians, a band shows their range.
    `bands`: label -> (low, high), a shaded interval. `points`: labels of what was measured, drawn as dots alone.
    `targets`: label -> value, a dashed horizontal line.
    """
    x, bands = np.asarray(x, dtype=float), {**_ranges(series), **(bands or {})}
    columns = {label: _column(label, _middles(values), x) for label, values in series.items()}
    figure = new_figure(HEIGHT_IN)
    axes = figure.subplots()
    _scale(axes, logx, logy)
    colours = colours_of(columns)
    for label, values in columns.items():
        axes.plot(x, values, color=colours[label], **_look(label, points))
    for label, (low, high) in bands.items():
        low, high = _column(label, low, x), _column(label, high, x)
        axes.fill_between(x, low, high, color=colours[label], alpha=0.2, linewidth=0)
    for value in (targets or {}).values():
        axes.axhline(value, color=COLOURS["target"], linestyle="--", linewidth=1.3)
    if from_zero and not logy:
        axes.set_ylim(bottom=min(0, axes.get_ylim()[0]))
    if logx and len(x) <= 12:
        axes.set_xticks(x, [f"{value:g}" for value in x])  # only the values that were tried: 1, 2, 4, 8
        axes.minorticks_off()
    axes.set(xlabel=xlabel, ylabel=ylabel, title=title or "")
    axes.grid(axis="y")
    _name_ends(axes, columns, colours, targets or {})
    return described(figure, sentences.of_lines(xlabel, ylabel, x, columns))


def _scale(axes, logx: bool, logy: bool) -> None:
    if logx:
        axes.set_xscale("log")
        plain_log_ticks(axes.xaxis)
    if logy:
        axes.set_yscale("log")
        plain_log_ticks(axes.yaxis)


def _look(label: str, points) -> dict:
    """Only dots for measured points; none for a fit to them; other lines mark their values."""
    if label in points:
        return dict(linestyle="", marker="o", markersize=6, zorder=3)
    look = dict(marker="" if points else "o", markersize=4)
    # The student's line often covers the given one: its gaps show both.
    return {**look, "linestyle": (0, (3, 1.5)), "zorder": 3} if label == "student" else look


def _ranges(series: dict) -> dict:
    """Label -> (lows, highs) for the lines whose values are lists of several runs."""
    several = {label: values for label, values in series.items() if any(isinstance(value, list) for value in values)}
    return {label: tuple(zip(*(middle_and_range(value)[1:] for value in values))) for label, values in several.items()}


def _middles(values) -> list:
    return [middle_and_range(value)[0] if isinstance(value, list) else value for value in values]


def _column(label: str, values, x) -> np.ndarray:
    column = np.array([np.nan if value is None else value for value in values], dtype=float)
    if column.shape != x.shape:
        raise ValueError(f"series[{label!r}] has {len(column)} values for {len(x)} x: give one per x, or None")
    return column


def _name_ends(axes, columns: dict, colours: dict, targets: dict) -> None:
    """Write each line's name to the right of the axes, at the height where the line ends."""
    ends = {label: values[np.isfinite(values)][-1] for label, values in columns.items() if np.isfinite(values).any()}
    names = {**{label: colours[label] for label in ends}, **{label: COLOURS["target"] for label in targets}}
    axes.set_xlim(axes.get_xlim())  # fixed, so that the heights below stay right
    to_fraction = axes.transScale + axes.transLimits
    first_x = axes.get_xlim()[0]
    wanted = [to_fraction.transform((first_x, value))[1] for value in (*ends.values(), *targets.values())]
    for (label, colour), height in zip(names.items(), spread_apart(wanted, LABEL_GAP)):
        axes.annotate(
            concept_name(label), (1.015, height), xycoords="axes fraction", color=ink(colour), va="center",
            annotation_clip=False,
        )
