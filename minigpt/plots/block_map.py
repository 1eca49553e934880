"""Which request holds which block of the KV memory, over time."""

from collections import deque

from matplotlib.collections import PolyCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from minigpt.analysis.block_stays import holdings
from minigpt.language import say
from minigpt.plots.canvas import described, new_figure, shown
from minigpt.plots.colours import COLOURS
from minigpt.plots.time_axis import time_axis
from minigpt.runtime.clock import NS
from minigpt.runtime.paged.run_log import SWAP, PagedRunLog

# Neighbours in memory belong to unrelated requests: more hues than a timeline of slots needs.
HUES = ("#009E73", "#56B4E9", "#E69F00", "#CC79A7", "#0072B2", "#F0E442", "#D55E00", "#7FD1B5", "#BBBBBB", "#A6761D")
DARK = ("#0072B2", "#A6761D")
BLOCK_IN, STRIP_IN = 0.13, 0.95
PX_PER_CHARACTER, PLOT_PX, FONT = 7.0, 760, 8


@shown
def block_map(log: PagedRunLog, first_s: float | None = None, *, names: dict[int, str] | None = None):
    """Blocks over time, one row per block, coloured by the request that holds it; below, how full they are.

    A triangle marks a preemption. `first_s`: how much of the run, in seconds; `names`: request id -> its text.
    """
    until_ns = log.end_ns if first_s is None else first_s * NS
    axis = time_axis(until_ns)
    figure = new_figure(max(1.2, BLOCK_IN * log.num_blocks) + STRIP_IN + 1.1)
    ratios = [max(1.2, BLOCK_IN * log.num_blocks), STRIP_IN]
    blocks, strip = figure.subplots(2, 1, sharex=True, height_ratios=ratios)
    blocks.set_xlim(0, axis.end)
    _draw_blocks(blocks, log, axis, names or {})
    _draw_use(strip, log, axis)
    strip.set_xlabel(axis.label)
    figure.align_ylabels([blocks, strip])
    drawn = [stay for stay in holdings(log) if stay[2] < until_ns]
    holders = {request_id for _, request_id, *_ in drawn}
    most = max((sum(start <= at < end for _, _, start, end in drawn) for _, _, at, _ in drawn), default=0)
    return described(figure, say(
        en=f"{log.num_blocks} blocks of KV memory, held by {len(holders)} requests in turn; at most {most} are in use.",
        es=f"{log.num_blocks} bloques de memoria KV, ocupados por turnos por {len(holders)} peticiones; llegan a usarse {most}.",
    ))


def hues(log: PagedRunLog) -> dict[int, str]:
    """A colour for each request, unique while it holds blocks, as long as there are enough colours."""
    held: dict[int, int] = {}
    spare, found = deque(HUES), {}
    for event in log.block_events:
        name = event.request_id
        if name not in found:
            found[name] = spare.popleft() if spare else HUES[name % len(HUES)]
        held[name] = held.get(name, 0) + len(event.taken) - len(event.freed)
        if not held[name] and found[name] not in spare:
            spare.append(found[name])
    return found


def _draw_blocks(axes, log: PagedRunLog, axis, names: dict[int, str]) -> None:
    axes.set(ylim=(log.num_blocks - 0.5, -0.5), ylabel=say(en="block", es="bloque"))
    axes.barh(range(log.num_blocks), axis.end, height=0.9, color=COLOURS["empty"])
    shapes, colours, colour_of = [], [], hues(log)
    for block, request_id, start_ns, end_ns in holdings(log):
        start, end = axis.x(start_ns), min(axis.x(end_ns), axis.end)
        if start < axis.end and end > start:
            low, high = block - 0.45, block + 0.45
            shapes.append([(start, low), (end, low), (end, high), (start, high)])
            colours.append(colour_of[request_id])
            text = names.get(request_id, str(request_id))
            if (end - start) / axis.end * PLOT_PX >= len(text) * PX_PER_CHARACTER + 3:
                axes.text((start + end) / 2, block, text, ha="center", va="center_baseline", fontsize=FONT,
                          color="white" if colours[-1] in DARK else "black")
    axes.add_collection(PolyCollection(shapes, facecolors=colours, edgecolors="white", linewidths=0.4))
    for each in log.preemptions:
        if axis.x(each.time_ns) <= axis.end:
            axes.plot([axis.x(each.time_ns)], [1.0], marker="v", color=_mark(each.way), markersize=7, clip_on=False,
                      transform=axes.get_xaxis_transform(), zorder=5)
    axes.tick_params(axis="y", length=0)


def _mark(way: str) -> str:
    return "black" if way == SWAP else COLOURS["static"]


def _draw_use(axes, log: PagedRunLog, axis) -> None:
    uses = [use for use in log.memory if axis.x(use.time_ns) <= axis.end]
    x = [axis.x(use.time_ns) for use in uses]
    held = [use.num_used_blocks * log.block_size for use in uses]
    stored = [use.num_stored_tokens for use in uses]
    axes.fill_between(x, held, step="pre", color=COLOURS["held"], linewidth=0)
    axes.fill_between(x, stored, step="pre", color=COLOURS["useful"], linewidth=0)
    axes.axhline(log.num_blocks * log.block_size, color=COLOURS["target"], linestyle="--", linewidth=1.2)
    axes.set_ylim(0, log.num_blocks * log.block_size * 1.08)
    axes.set_ylabel(say(en="places\n(tokens)", es="sitios\n(tokens)"), fontsize=9)
    words = (
        Patch(facecolor=COLOURS["useful"], label=say(en="holds a token", es="con un token")),
        Patch(facecolor=COLOURS["held"], label=say(en="held and empty", es="ocupados y vacíos")),
        Line2D([], [], color=COLOURS["target"], linestyle="--", label=say(en="the whole pool", es="el pool entero")),
    )
    marks = [
        Line2D([], [], marker="v", linestyle="", color=_mark(way), markersize=7, label=label)
        for way, label in (
            ("recompute", say(en="preempted: recompute", es="desalojada: recalcular")),
            (SWAP, say(en="preempted: swap", es="desalojada: copiar")),
        )
        if any(each.way == way for each in log.preemptions)
    ]
    axes.figure.legend(handles=[*words, *marks], loc="outside lower center", ncols=3, fontsize=9)
