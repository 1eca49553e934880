"""Records that can be worked out by hand, records of real runs, and what is true of them."""

from functools import lru_cache

from minigpt.simulation import fleet
from minigpt.simulation.capacity import saturated_per_s

STAGES = {
    "queue": ("arrival_s", "admitted_s"),
    "in_flight": ("admitted_s", "finish_s"),
    "system": ("arrival_s", "finish_s"),
}


def records_of(*request_records: tuple[float, float | None, float | None]) -> list[dict]:
    """Records of (arrival, admission, answer) in seconds."""
    names = ("arrival_s", "admitted_s", "finish_s")
    return [{"request_id": i, **dict(zip(names, record))} for i, record in enumerate(request_records)]


# The scene of the lab, in seconds instead of milliseconds: two slots, A and B at once, C at 1, D at 9.
#
#     A  AAA
#     B  BBBBBBBB
#     C   ..CCCC            . in the queue
#     D           DDD
#        0123456789.12
FOUR = ((0.0, 0.0, 3.0), (0.0, 0.0, 8.0), (1.0, 3.0, 7.0), (9.0, 9.0, 12.0))


@lru_cache(maxsize=8)
def busy_records(share: float, num_requests: int, seed: int) -> list[dict]:
    """A continuous server with 8 slots at a share of what it can do, serving the tutor's requests."""
    lengths = fleet.request_lengths("mixed", 1_000, seed)
    calls = fleet.draw_calls(lengths, share * saturated_per_s(lengths, 8), num_requests, seed + 1)
    return fleet.simulate(calls, cap=8).records()


def clipped(records: list[dict], stage: str, start_s: float, end_s: float) -> list[float]:
    """How long each request was in a stage within a window; one that never left is there to the end."""
    entry, leave = STAGES[stage]
    spans = [(r[entry], end_s if r[leave] is None else r[leave]) for r in records if r[entry] is not None]
    return [max(0.0, min(leave, end_s) - max(entry, start_s)) for entry, leave in spans]


def entering(records: list[dict], stage: str, start_s: float, end_s: float) -> list[float]:
    """The full stays of those that enter a stage in a window."""
    entry, leave = STAGES[stage]
    return [r[leave] - r[entry] for r in records if r[entry] is not None and start_s <= r[entry] < end_s]
