"""Figures of the labs: one colour per concept, units on both axes, labels in the reader's language.

Every function draws one figure and shows it once, in a notebook below its cell. `function.figure(...)` takes the same
arguments and returns matplotlib's Figure instead of showing it:

    plots.slot_timelines(runs)                                    # in a notebook
    plots.slot_timelines.figure(runs).savefig("timelines.png")    # anywhere
"""

from minigpt.plots.bar_charts import bars, grouped_bars
from minigpt.plots.block_map import block_map
from minigpt.plots.box_rows import checked_guesses, shared_blocks
from minigpt.plots.colours import COLOURS
from minigpt.plots.distributions import histogram, latency_curves
from minigpt.plots.frontier import frontier
from minigpt.plots.heatmap import reduction_map
from minigpt.plots.intervals import intervals
from minigpt.plots.line_charts import lines
from minigpt.plots.machine_timeline import machine_timeline
from minigpt.plots.presence import presence
from minigpt.plots.request_timeline import request_timeline
from minigpt.plots.stacked_bars import stacked_bars
from minigpt.plots.stepwise import step_through
from minigpt.plots.timeline import slot_timeline, slot_timelines

__all__ = [
    "COLOURS",
    "bars",
    "block_map",
    "checked_guesses",
    "frontier",
    "grouped_bars",
    "histogram",
    "intervals",
    "latency_curves",
    "lines",
    "machine_timeline",
    "presence",
    "reduction_map",
    "request_timeline",
    "shared_blocks",
    "slot_timeline",
    "slot_timelines",
    "stacked_bars",
    "step_through",
]
