"""Bars made of parts that add up: what a latency, or a run's slots, consist of."""

from matplotlib.patches import Patch

from minigpt.plots import sentences
from minigpt.plots.canvas import described, new_figure, shown
from minigpt.plots.colours import COLOURS, colours_of, concept_name, text_on

BAR_IN = 0.36  # height of a bar with its gap
MARK_IN = 0.24  # height of a mark's label
PLOT_PX, PX_PER_CHARACTER = 680, 8


@shown
def stacked_bars(labels, parts: dict, xlabel: str, *, title: str | None = None, marks: dict[str, float] | None = None):
    """For each label a horizontal bar of its parts (name -> values, one per label), stacked in their order.

    A concept's name ("queue", "held") brings its colour; put the unit into `xlabel`. `marks`: label -> value, a
    dashed vertical line.
    """
    labels = list(labels)
    columns = {name: [float(value) for value in values] for name, values in parts.items()}
    for name, values in columns.items():
        if len(values) != len(labels):
            raise ValueError(f"parts[{name!r}] has {len(values)} values for {len(labels)} labels: give one per label")
    marks, colours = marks or {}, colours_of(columns)
    totals = [sum(values[row] for values in columns.values()) for row in range(len(labels))]
    end = 1.06 * max([*totals, *marks.values()])
    figure = new_figure(1.2 + BAR_IN * len(labels) + MARK_IN * len(marks))
    axes = figure.subplots()
    for row in range(len(labels)):
        _draw_bar(axes, row, {name: values[row] for name, values in columns.items()}, colours, end)
    axes.set_yticks(range(len(labels)), [concept_name(label) for label in labels])
    axes.tick_params(axis="y", length=0)
    axes.set(xlim=(0, end), ylim=(len(labels) - 0.5, -0.5), xlabel=xlabel)
    axes.set_title(title or "", pad=6 + 17 * len(marks))
    _draw_marks(axes, marks)
    patches = [_patch(name, colours[name]) for name in columns]
    figure.legend(handles=patches, loc="outside lower center", ncols=min(len(columns), 4), fontsize=9.5)
    return described(figure, sentences.of_groups(xlabel, labels, columns))


def _patch(name: str, colour: str) -> Patch:
    return Patch(facecolor=colour, hatch="////" if name == "held" else None, label=concept_name(name), linewidth=0)


def _draw_bar(axes, row: int, values: dict[str, float], colours: dict[str, str], end: float) -> None:
    left = 0.0
    for name, value in values.items():
        hatch = "////" if name == "held" else None
        edge = "#999999" if colours[name] == COLOURS["empty"] else "white"  # the lightest grey needs a border
        axes.barh(row, value, left=left, height=0.74, color=colours[name], hatch=hatch, edgecolor=edge, linewidth=0.6)
        text = f"{value:.0f}" if value >= 10 else f"{value:.1f}"
        if value / end * PLOT_PX > PX_PER_CHARACTER * len(text) + 6:
            box = dict(facecolor=colours[name], edgecolor="none", pad=1.0) if hatch else None
            axes.text(left + value / 2, row, text, ha="center", va="center_baseline", fontsize=9, bbox=box,
                      color=text_on(colours[name]))
        left += value


def _draw_marks(axes, marks: dict[str, float]) -> None:
    """Each label stands above the plot, in a row of its own; the leftmost on top, so that no line crosses a label."""
    end, height = axes.get_xlim()[1], axes.get_window_extent().height
    for place, (label, value) in enumerate(sorted(marks.items(), key=lambda mark: mark[1])):
        above = 5 + 17 * (len(marks) - 1 - place)  # points
        top = 1 + (above + 9) * axes.figure.dpi / 72 / height
        axes.plot([value] * 2, [0, top], "--", color="black", linewidth=1.3, clip_on=False,
                  transform=axes.get_xaxis_transform())
        side, align = (4, "left") if value < 0.8 * end else (-4, "right")
        axes.annotate(f"{concept_name(label)}: {value:.3g}", (value, 1), xycoords=("data", "axes fraction"),
                      xytext=(side, above), textcoords="offset points", ha=align, annotation_clip=False)
