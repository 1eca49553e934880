"""Request timelines: a row per request, from its arrival to its answer, with the waiting drawn in."""

from minigpt.analysis.latency_phases import RequestPhases, request_phases
from minigpt.language import say
from minigpt.plots import sentences
from minigpt.plots.canvas import described, new_figure, shown
from minigpt.plots.colours import COLOURS
from minigpt.plots.time_axis import make_axis
from minigpt.plots.timeline import BAR, SLOT_IN, Names, add_key
from minigpt.runtime.run_log import RunLog

MOST_ROWS = 60
KEY = ("queue", "forming", "useful", "prefill", "held")


@shown
def request_timeline(
    log: RunLog, first_s: float | None = None, *, title: str | None = None, in_steps: bool = False, names: Names = None
):
    """Every answered request that came in the first `first_s` seconds, oldest on top; None: all of them.

    `names`: request_id -> what to write next to its row instead of the id.
    """
    end_ns = log.end_ns if first_s is None else first_s * 1e9
    rows = [phases for phases in request_phases(log) if phases.arrival_ns < end_ns][:MOST_ROWS]
    if not rows:
        raise ValueError(f"first_s={first_s}: no answered request arrived that early. Give a larger value, or None for all")
    last_ns = max(phases.finish_ns for phases in rows)
    time_axis = make_axis(log, last_ns / 1e9, in_steps)
    figure = new_figure(max(len(rows) * SLOT_IN, 0.7) + 1.5)
    axes = figure.subplots()
    for row, phases in enumerate(rows):
        _draw_row(axes, row, phases, time_axis)
    _mark_batches(axes, rows, time_axis)
    axes.set(ylim=(len(rows) - 0.4, -0.6), xlim=(0, time_axis.end), xlabel=time_axis.label, title=title or "")
    axes.set_ylabel(say(en="request", es="petición"))
    shown_every = 1 if len(rows) <= 30 else 5
    labels = [str((names or {}).get(phases.request_id, phases.request_id)) for phases in rows]
    axes.set_yticks(range(len(rows)), [text if i % shown_every == 0 else "" for i, text in enumerate(labels)])
    axes.tick_params(axis="y", length=0)
    time_axis.set_ticks(axes)
    add_key(figure, KEY)
    return described(figure, sentences.of_clients(rows, names))


def _draw_row(axes, row: int, phases: RequestPhases, time_axis) -> None:
    marks = (
        ("queue", phases.arrival_ns, phases.admitted_ns), ("forming", phases.admitted_ns, phases.start_ns),
        ("useful", phases.start_ns, phases.ended_ns), ("held", phases.ended_ns, phases.finish_ns),
    )
    for concept, start_ns, end_ns in marks:
        start, width = time_axis.x(start_ns), time_axis.x(end_ns) - time_axis.x(start_ns)
        hatch = "////" if concept == "held" else None
        if width > 0:
            axes.barh(row, width, left=start, height=BAR, color=COLOURS[concept], hatch=hatch, edgecolor="white",
                      linewidth=0.6)
    start = time_axis.x(phases.start_ns)
    prefill = time_axis.x(min(phases.first_token_ns, phases.ended_ns)) - start
    axes.barh(row, prefill, left=start, height=BAR * 0.9, color=COLOURS["prefill"])


def _mark_batches(axes, rows: list[RequestPhases], time_axis) -> None:
    """A line through the members of each batch where it starts and where its answers leave."""
    for start_ns in sorted({phases.start_ns for phases in rows}):
        members = [row for row, phases in enumerate(rows) if phases.start_ns == start_ns]
        span = [min(members) - 0.5, max(members) + 0.5]
        for time_ns in (start_ns, max(rows[row].finish_ns for row in members)):
            axes.plot([time_axis.x(time_ns)] * 2, span, color="black", linewidth=1.1)
