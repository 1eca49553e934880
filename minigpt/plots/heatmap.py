"""A map of where one scheduler beats another."""

import math

import numpy as np
from matplotlib.colors import LinearSegmentedColormap, TwoSlopeNorm
from matplotlib.lines import Line2D

from minigpt.analysis.several_runs import middle_and_range
from minigpt.language import say
from minigpt.plots import sentences
from minigpt.plots.canvas import described, new_figure, shown
from minigpt.plots.colours import COLOURS

# Towards the winner's colour: blue where continuous batching wins, vermillion where it loses.
WINNER = LinearSegmentedColormap.from_list("winner", [COLOURS["static"], "#FFFFFF", COLOURS["continuous"]])
OUTLINES = {30: dict(color="black", linewidth=1.6), 70: dict(color="black", linewidth=3.2)}
FULL_LOSS, FULL_WIN = -30.0, 100.0  # per cent at which the colours saturate; a loss of 5 % must be visible


@shown
def reduction_map(
    loads, spreads, grid, *, xlabel: str | None = None, ylabel: str | None = None, title: str | None = None
):
    """p95 reduction in per cent over load × spread of lengths: `grid[i][j]` belongs to `spreads[i]` and `loads[j]`.

    A number stands in every cell; None is a cell that was not measured, and a list is what several runs gave: their
    median, and below it their range. Lines surround the cells from 30 and 70 % on.
    """
    values = np.array([[math.nan if value is None else middle_and_range(value)[0] for value in row] for row in grid])
    if values.shape != (len(spreads), len(loads)):
        raise ValueError(f"grid has the shape {values.shape}: give one row per spread ({len(spreads)}) "
                         f"and one column per load ({len(loads)})")
    several = any(isinstance(value, list) for row in grid for value in row)
    figure = new_figure(1.6 + (0.68 if several else 0.5) * len(spreads))
    axes = figure.subplots()
    norm = TwoSlopeNorm(0, min(FULL_LOSS, np.nanmin(values)), max(FULL_WIN, np.nanmax(values)))
    axes.imshow(values, cmap=WINNER, norm=norm, aspect="auto", origin="lower")
    _write_numbers(axes, values)
    _write_ranges(axes, grid)
    for threshold, look in OUTLINES.items():
        _outline(axes, values, threshold, look)
    _label(axes, loads, spreads, xlabel, ylabel, title)
    _add_key(figure)
    what = axes.get_title(loc="left")
    return described(figure, sentences.of_map(what, list(map(_short, spreads)), list(map(_short, loads)), grid))


def _write_numbers(axes, values) -> None:
    for (row, column), value in np.ndenumerate(values):
        shown_value = round(value, 0) + 0.0  # no "−0"; bold marks a loss, as the printed number shows it
        text = "–" if math.isnan(value) else f"{shown_value:.0f}".replace("-", "−")
        colour = "white" if value > 85 else "black"
        weight = "bold" if shown_value < 0 else None
        axes.text(column, row, text, ha="center", va="center", color=colour, fontweight=weight)


def _write_ranges(axes, grid) -> None:
    for row, column in np.ndindex(len(grid), len(grid[0])):
        if isinstance(grid[row][column], list):
            middle, low, high = middle_and_range(grid[row][column])
            text = f"{low:.0f} … {high:.0f}".replace("-", "−")
            colour = "white" if middle > 85 else "#333333"
            axes.text(column, row - 0.31, text, ha="center", va="center", color=colour, fontsize=8)


def _outline(axes, values, threshold: float, look: dict) -> None:
    """Draw the border between cells below a threshold and cells from it on."""
    # Rounded like the numbers in the cells; a cell that was not measured is on neither side of a border.
    above, known = np.round(values) >= threshold, ~np.isnan(values)
    for (row, column), inside in np.ndenumerate(above):
        right, up = (row, column + 1), (row + 1, column)
        if right[1] < above.shape[1] and inside != above[right] and known[row, column] and known[right]:
            axes.plot([column + 0.5] * 2, [row - 0.5, row + 0.5], **look)
        if up[0] < above.shape[0] and inside != above[up] and known[row, column] and known[up]:
            axes.plot([column - 0.5, column + 0.5], [row + 0.5] * 2, **look)


def _label(axes, loads, spreads, xlabel, ylabel, title) -> None:
    axes.set_xticks(range(len(loads)), [_short(load) for load in loads])
    axes.set_yticks(range(len(spreads)), [_short(spread) for spread in spreads])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xlabel(xlabel or say(en="load ρ (share of the static server's capacity)",
                                  es="carga ρ (fracción de la capacidad del servidor estático)"))
    axes.set_ylabel(ylabel or say(en="spread of the lengths\n(standard deviation / mean)",
                                  es="dispersión de las longitudes\n(desviación típica / media)"))
    axes.set_title(title or say(en="p95 reduction by continuous batching (%)",
                                es="reducción del p95 con batching continuo (%)"))


def _short(value) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def _add_key(figure) -> None:
    lines = [
        Line2D([], [], label=say(en=f"{threshold} % contour", es=f"límite del {threshold} %"), **look)
        for threshold, look in OUTLINES.items()
    ]
    squares = [
        Line2D([], [], marker="s", markersize=9, linestyle="", color=COLOURS[key], label=label)
        for key, label in (
            ("continuous", say(en="continuous wins", es="gana el continuo")),
            ("static", say(en="continuous loses (below 0)", es="pierde el continuo (menos de 0)")),
        )
    ]
    figure.legend(handles=lines + squares, loc="outside lower center", ncols=4, fontsize=9.5)
