"""Slot timelines: which request held which slot when, and how many waited meanwhile."""

from matplotlib.patches import Patch

from minigpt.analysis.slots import num_slots, slot_spans, waiting_over_time
from minigpt.language import say
from minigpt.plots import sentences
from minigpt.plots.canvas import described, new_figure, shown
from minigpt.plots.colours import COLOURS, concept_name, ink, useful_shade
from minigpt.plots.time_axis import StepAxis, TimeAxis, make_axis
from minigpt.runtime.run_log import RunLog

BAR = 0.86  # height of a bar; the rest of a slot's row is the gap to the next
STRIP_IN = 0.55  # height of the strip of waiting requests
SLOT_IN = 0.2  # height of a slot's row
PX_PER_CHARACTER = 7.5
PLOT_PX = 760  # width of the axes: what the labels leave of the figure
Names = dict[int, str] | None
KEY = ("useful", "prefill", "held", "empty", "queue", "forming")


@shown
def slot_timelines(runs, first_s: float | None = 0.5, *, in_steps: bool = False, names: Names = None):
    """Slots and queue of several runs, one above the other on one time axis: static above, continuous below.

    `runs` has `.static` and `.continuous`, or is a dict of label -> RunLog. `first_s`: how much of it, in seconds;
    None: all of it. `names`: request_id -> what to write in its bar instead of the id.
    """
    named = named_runs(runs)
    axes_of_time = [make_axis(log, first_s, in_steps) for log in named.values()]
    end = max(axis.end for axis in axes_of_time)
    rows = [rows_of(log) for log in named.values()]
    figure, panels = make_panels(rows)
    for (label, log), time_axis, (slots, strip) in zip(named.items(), axes_of_time, panels):
        draw_run(slots, strip, log, time_axis.until(end), names)
        slots.set_title(concept_name(label), color=ink(COLOURS.get(label, "black")), fontweight="bold")
    finish(figure, panels, axes_of_time[0])
    runs_described = [sentences.of_run(log, names, concept_name(label)) for label, log in named.items()]
    return described(figure, " ".join(runs_described))


@shown
def slot_timeline(
    log: RunLog, first_s: float | None = None, title: str | None = None, *, in_steps: bool = False,
    names: Names = None,
):
    """Slots and queue of one run; `in_steps` counts steps instead of time, for timelines worked out by hand."""
    time_axis = make_axis(log, first_s, in_steps)
    figure, panels = make_panels([rows_of(log)])
    draw_run(*panels[0], log, time_axis, names)
    panels[0][0].set_title(title or "", fontweight="bold")
    finish(figure, panels, time_axis)
    return described(figure, sentences.of_run(log, names, title or ""))


def named_runs(runs) -> dict[str, RunLog]:
    """Runs by label, from a pair with `.static` and `.continuous` or from a dict."""
    if hasattr(runs, "static"):
        return {"static": runs.static, "continuous": runs.continuous}
    return dict(runs)


def rows_of(log: RunLog) -> int:
    """Rows of a timeline: the server's slots, and those that a loop took beyond its cap."""
    return max([num_slots(log), *(span.slot + 1 for span in slot_spans(log))])


def make_panels(rows: list[int]):
    """A figure with a pair of axes per run, slots above and the strip of waiting requests below."""
    slot_in = [max(number * SLOT_IN, 0.7) for number in rows]
    heights = [height for slots in slot_in for height in (slots, STRIP_IN)]
    figure = new_figure(sum(heights) + 0.35 * len(rows) + 1.1)
    axes = figure.subplots(len(heights), 1, sharex=True, height_ratios=heights)
    for strip in axes[3::2]:
        strip.sharey(axes[1])  # queues are to be compared
    return figure, list(zip(axes[::2], axes[1::2]))


def draw_run(slots, strip, log: RunLog, time_axis: TimeAxis | StepAxis, names: Names) -> None:
    """Draw one run: its slots, and the strip of waiting requests."""
    draw_slots(slots, log, time_axis, names=names)
    draw_waiting(strip, log, time_axis)


def draw_slots(axes, log: RunLog, time_axis, now: float | None = None, names: Names = None) -> None:
    """Draw one row per slot; beyond `now` nothing has happened yet, and the canvas stays white."""
    now = time_axis.end if now is None else now
    rows = rows_of(log)
    # Slot 1 is on top, where reading starts.
    axes.set(ylim=(rows - 0.5, -0.5), xlim=(0, time_axis.end), yticks=range(rows), ylabel=say(en="seat", es="slot"))
    axes.barh(range(rows), now, height=BAR, color=COLOURS["empty"])
    for span in slot_spans(log):
        marks = (span.start_ns, span.prefill_until_ns, span.useful_until_ns, span.end_ns)
        start, prefill, useful, end = (min(time_axis.x(time_ns), now) for time_ns in marks)
        if start < now:
            _bar(axes, span.slot, start, useful, color=useful_shade(span.request_id))
            axes.barh(span.slot, min(prefill, useful) - start, left=start, height=BAR * 0.9, color=COLOURS["prefill"])
            _bar(axes, span.slot, useful, end, color=COLOURS["held"], hatch="////")
            text = str((names or {}).get(span.request_id, span.request_id))
            if not _write(axes, text, span.slot, prefill, useful, "black"):
                _write(axes, text, span.slot, start, min(prefill, useful), "white")
    axes.set_yticklabels([str(slot + 1) if rows <= 12 or slot % 4 == 3 else "" for slot in range(rows)])
    axes.tick_params(axis="y", length=0)


def _bar(axes, slot: int, start: float, end: float, **look) -> None:
    if end > start:
        # The white edge keeps neighbours apart, also in print without colours.
        axes.barh(slot, end - start, left=start, height=BAR, edgecolor="white", linewidth=0.6, **look)


def _write(axes, text: str, slot: int, start: float, end: float, colour: str) -> bool:
    """Write into a part of a bar if the text fits; return whether it did."""
    first, last = axes.get_xlim()
    fits = (end - start) / (last - first) * PLOT_PX >= len(text) * PX_PER_CHARACTER + 4
    if fits:
        axes.text((start + end) / 2, slot, text, ha="center", va="center_baseline", fontsize=9, color=colour)
    return fits


def draw_waiting(axes, log: RunLog, time_axis, now: float | None = None) -> None:
    """How many wait: in the queue, and on top of them those whose batch is being formed."""
    now = time_axis.end if now is None else now
    points = [w for w in waiting_over_time(log) if time_axis.x(w.time_ns) <= now]
    x = [0.0, *(time_axis.x(point.time_ns) for point in points), now]
    queue = [0, *(point.in_queue for point in points)]
    total = [0, *(point.in_queue + point.forming for point in points)]
    queue, total = [*queue, queue[-1]], [*total, total[-1]]
    axes.fill_between(x, queue, step="post", color=COLOURS["queue"], linewidth=0)
    axes.fill_between(x, total, queue, step="post", color=COLOURS["forming"], linewidth=0)
    axes.plot(x, total, drawstyle="steps-post", color="#7A5600", linewidth=0.8)
    axes.set_ylim(0, max(1, axes.get_ylim()[1], *total))
    axes.yaxis.get_major_locator().set_params(integer=True, nbins=3)
    axes.set_ylabel(say(en="waiting\n(requests)", es="esperan\n(peticiones)"), fontsize=9)


def finish(figure, panels, time_axis) -> None:
    """The time axis below the last panel, and the key below that."""
    last_strip = panels[-1][1]
    last_strip.set_xlabel(time_axis.label)
    time_axis.set_ticks(last_strip)
    figure.align_ylabels([axes for pair in panels for axes in pair])
    add_key(figure, KEY)


def add_key(figure, concepts, columns: int = 3) -> None:
    """Name the colours, in one place for all panels."""
    patches = [
        Patch(facecolor=COLOURS[key], hatch="////" if key == "held" else None, label=concept_name(key), linewidth=0)
        for key in concepts
    ]
    figure.legend(handles=patches, loc="outside lower center", ncols=columns, fontsize=9.5, columnspacing=1.6)
