"""Looking at a server from outside: when to look, and how many are inside then.

Little's law, L = λ·W (Little, 1961), holds for any stage that requests enter and leave. A stage is known by two
columns of `log.records()`; a request is inside from its entry up to, but not including, the moment it leaves.
"""

import math
from bisect import bisect_right

from minigpt.language import say

STAGES = {
    "queue": ("arrival_s", "admitted_s"),
    "in_flight": ("admitted_s", "finish_s"),
    "system": ("arrival_s", "finish_s"),
}


def columns_of(stage: str) -> tuple[str, str]:
    """The columns of entry and exit of a stage."""
    if stage not in STAGES:
        names = ", ".join(STAGES)
        raise ValueError(say(en=f"stage={stage!r}: choose one of {names}", es=f"stage={stage!r}: elige una de {names}"))
    return STAGES[stage]


def sample_times(start_s: float, end_s: float, every_s: float) -> list[float]:
    """Instants at which an independent observer looks: `start_s`, and every `every_s` after it, before `end_s`."""
    if not every_s > 0:
        raise ValueError(say(en=f"every_s={every_s}: it must be positive", es=f"every_s={every_s}: debe ser positivo"))
    # Multiplied, not added: rounding errors must not accumulate over thousands of instants.
    return [start_s + k * every_s for k in range(math.ceil((end_s - start_s) / every_s))]


def number_inside(records: list[dict], stage: str, times_s: list[float]) -> list[int]:
    """How many requests are in a stage at each instant. A request that never left is still there."""
    entry, leave = columns_of(stage)
    entered = sorted(record[entry] for record in records if record[entry] is not None)
    left = sorted(record[leave] for record in records if record[leave] is not None)
    return [bisect_right(entered, time_s) - bisect_right(left, time_s) for time_s in times_s]


def windows(start_s: float, end_s: float, width_s: float) -> list[tuple[float, float]]:
    """The windows of one width that fit between two times, side by side."""
    count = int((end_s - start_s) / width_s + 1e-9)
    return [(start_s + i * width_s, start_s + (i + 1) * width_s) for i in range(count)]
