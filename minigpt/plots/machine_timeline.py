"""What each of several machines computes when, and when K and V are on their way."""

from collections.abc import Mapping

from matplotlib.patches import Patch

from minigpt.language import say
from minigpt.plots.canvas import described, new_figure, shown
from minigpt.plots.colours import COLOURS
from minigpt.plots.sentences import number
from minigpt.plots.time_axis import time_axis
from minigpt.simulation.machines import DECODE, MIXED, PREFILL, MachinesRun, Work

TRANSFER = "transfer"
MACHINE_IN, PANEL_IN = 0.5, 0.55
LOOKS = {
    PREFILL: dict(color=COLOURS["prefill"]), DECODE: dict(color=COLOURS["useful"]),
    MIXED: dict(facecolor=COLOURS["useful"], hatch="////", edgecolor=COLOURS["prefill"], linewidth=0),
    TRANSFER: dict(facecolor=COLOURS["queue"], edgecolor="white", linewidth=0.8),  # two that touch are two
}


def name_of(what: str) -> str:
    """What a machine does, in the reader's language."""
    return {
        PREFILL: say(en="prefill", es="prellenado (prefill)"), DECODE: say(en="decode", es="decodificación (decode)"),
        MIXED: say(en="both in one step", es="ambos en un paso"),
        TRANSFER: say(en="K and V on their way", es="K y V en camino"),
    }[what]


@shown
def machine_timeline(runs: Mapping[str, MachinesRun]):
    """Runs of the same requests on several machines, one panel a run: steps by what they compute, transfers below."""
    counts = [1 + max(work.machine for work in run.work) for run in runs.values()]
    figure = new_figure(sum(MACHINE_IN * count + PANEL_IN for count in counts) + 0.6)
    panels = figure.subplots(len(runs), 1, sharex=True, squeeze=False, height_ratios=counts)[:, 0]
    axis = time_axis(max(work.end_ns for run in runs.values() for work in run.work))
    for axes, (label, run), count in zip(panels, runs.items(), counts):
        for work in run.work:
            start, is_sent = axis.x(work.start_ns), work.what == TRANSFER
            place, height = (work.machine + 0.4, 0.14) if is_sent else (work.machine, 0.6)
            axes.barh(place, axis.x(work.end_ns) - start, left=start, height=height, **LOOKS[work.what])
        names = [say(en=f"machine {i + 1}", es=f"máquina {i + 1}") for i in range(count)]
        axes.set(ylim=(count - 0.4, -0.5), yticks=range(count), yticklabels=names, xlim=(0, axis.end))
        axes.tick_params(axis="y", length=0)
        axes.set_title(label, fontweight="bold")
    panels[-1].set_xlabel(axis.label)
    patches = [Patch(label=name_of(what), **look) for what, look in LOOKS.items()]
    figure.legend(handles=patches, loc="outside lower center", ncols=4, fontsize=9.5)
    return described(figure, " ".join(f"{label}: {in_words(run)}" for label, run in runs.items()))


def in_words(run: MachinesRun) -> str:
    """How long each machine did what, in ms."""
    sums: dict[tuple[int, str], int] = {}
    for work in run.work:
        sums[work.machine, work.what] = sums.get((work.machine, work.what), 0) + _ns(work)
    parts = [say(en=f"machine {machine + 1} {name_of(what)} {number(ns / 1e6)} ms",
                 es=f"máquina {machine + 1} {name_of(what)} {number(ns / 1e6)} ms") for (machine, what), ns in sorted(sums.items())]
    return "; ".join(parts) + "."


def _ns(work: Work) -> int:
    return work.end_ns - work.start_ns
