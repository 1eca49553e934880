"""How latencies and lengths are distributed."""

import math

from minigpt.analysis.metrics import e2e_s, percentile
from minigpt.language import say
from minigpt.plots import sentences
from minigpt.plots.canvas import described, new_figure, plain_log_ticks, shown
from minigpt.plots.colours import COLOURS, colours_of, concept_name, ink
from minigpt.plots.timeline import named_runs

PERCENTS = (50, 95)
CHARACTER = 0.011  # width of a character, in widths of the axes


@shown
def latency_curves(runs, *, log: bool = False):
    """The share of requests answered within a time, of each run, with p50 and p95 marked.

    `runs` has `.static` and `.continuous`, or is a dict of label -> RunLog or list of latencies in seconds.
    """
    samples = {label: _latencies_ms(run) for label, run in named_runs(runs).items()}
    colours = colours_of(samples)
    figure = new_figure(3.9)
    axes = figure.subplots()
    for label, values in samples.items():
        _draw_curve(axes, values, colours[label])
    _mark_percentiles(axes, samples, colours, log)
    axes.set(ylim=(0, 101), ylabel=say(en="requests answered (%)", es="peticiones respondidas (%)"))
    axes.set_xlabel(say(en="time since arrival, E2E (ms)", es="tiempo desde la llegada, E2E (ms)"))
    axes.set_yticks([0, 25, 50, 75, 95])
    axes.grid(axis="y")
    found = {label: {percent: percentile(values, percent) for percent in PERCENTS} for label, values in samples.items()}
    return described(figure, sentences.of_percentiles(axes.get_xlabel(), found))


def _latencies_ms(run) -> list[float]:
    values = e2e_s(run) if hasattr(run, "requests") else run
    if not len(values):
        raise ValueError("runs: one of them has no request, so there is no latency to draw")
    return sorted(1e3 * value for value in values)


def _draw_curve(axes, values: list[float], colour: str) -> None:
    """Steps of 1/n; requests without an answer are infinitely late, and the curve ends below 100 %."""
    finite = [value for value in values if math.isfinite(value)]
    heights = [100 * (i + 1) / len(values) for i in range(len(finite))]
    if finite:
        axes.plot([finite[0], *finite], [0, *heights], drawstyle="steps-post", color=colour)


def _mark_percentiles(axes, samples: dict, colours: dict, log: bool) -> None:
    largest = max((value for values in samples.values() for value in values if math.isfinite(value)), default=1.0)
    if log:
        axes.set_xscale("log")
        plain_log_ticks(axes.xaxis)
    else:
        axes.set_xlim(0, largest * 1.04)
    fastest_first = sorted(samples, key=lambda label: percentile(samples[label], 95))
    for row, label in enumerate(fastest_first):
        found = {percent: percentile(samples[label], percent) for percent in PERCENTS}
        for percent, value in found.items():
            axes.plot([value] * 2, [0, percent], ":", color=colours[label], linewidth=1.3)
            axes.plot([value], [percent], "o", color=colours[label], markersize=7, markeredgecolor="white", zorder=3)
        words = "\n".join([concept_name(label), *(f"p{percent} = {_ms(value)}" for percent, value in found.items())])
        axes.annotate(words, (1.015, 0.95 - 0.24 * row), xycoords="axes fraction", color=ink(colours[label]), va="top",
                      linespacing=1.35, annotation_clip=False)


def _ms(value: float) -> str:
    if math.isinf(value):
        return say(en="never answered", es="sin respuesta")
    if value < 100:
        return f"{value:.1f} ms"
    return say(en=f"{value:,.0f} ms", es=f"{value:,.0f} ms".replace(",", "\u202f"))


@shown
def histogram(
    values, unit: str, marks: dict[str, float] | None = None, *, of: str | None = None, ylabel: str | None = None,
    bins=40, colour: str = "given",
):
    """How often each size occurs. `of` names what is counted; `marks` are vertical lines, label -> value.

    The axis ends at the 98th percentile or the largest mark: a single outlier would otherwise squeeze all other values
    into one bar. The number of values beyond is written there.
    """
    finite = sorted(value for value in values if math.isfinite(value))
    if not finite:
        raise ValueError("values: there is no finite value to draw")
    figure = new_figure(3.2)
    axes = figure.subplots()
    end = max([percentile(finite, 98), *(marks or {}).values()])
    end = finite[-1] if finite[-1] < 1.5 * end else 1.1 * end
    shown = [value for value in finite if value <= end]
    axes.hist(shown, bins=bins, color=COLOURS.get(colour, colour), edgecolor="white", linewidth=0.6)
    _draw_marks(axes, marks or {}, unit)
    if beyond := len(finite) - len(shown):
        far = f"{finite[-1]:.4g} {unit} →"
        axes.annotate(say(en=f"{beyond} more, up to {far}", es=f"{beyond} más, hasta {far}"), (0.99, 0.5),
                      xycoords="axes fraction", ha="right",
                      bbox={"facecolor": "white", "edgecolor": "none", "pad": 1})
    axes.set_xlabel(f"{of} ({unit})" if of else unit)
    axes.set_ylabel(ylabel or say(en="number of requests", es="número de peticiones"))
    axes.grid(axis="y")
    return described(figure, sentences.of_spread(axes.get_xlabel(), list(values), marks or {}))


def _draw_marks(axes, marks: dict[str, float], unit: str) -> None:
    """Label each mark above the plot, from right to left; a label without room goes into another row."""
    low, high = axes.get_xlim()
    next_start = [math.inf]  # of the label to the right, in each row
    for label, value in sorted(marks.items(), key=lambda mark: -mark[1]):
        text, at = f"{label} = {value:.4g} {unit}", (value - low) / (high - low)
        row = next((i for i, start in enumerate(next_start) if at + CHARACTER * len(text) < start), len(next_start))
        next_start[row:row + 1] = [at]
        top = 1.03 + 0.095 * row
        axes.plot([value] * 2, [0, top], "--", color="black", linewidth=1.3, clip_on=False,
                  transform=axes.get_xaxis_transform())
        axes.annotate(text, (value, top), xycoords=("data", "axes fraction"), xytext=(3, 0),
                      textcoords="offset points", annotation_clip=False)
