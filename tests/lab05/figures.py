"""The settings and figures of the definition of done."""

from minigpt import metrics
from minigpt.memory_workloads import BATCH, INTERACTIVE
from tests.lab05.scenes import MS

BUDGET = 64
AGING_S = 0.3
TIGHT = {"num_blocks": 24, "token_budget": 32, "admission": "watermark", "reserve_blocks": 1, "aging_s": 0.1}


def gap_ms(log, percent: float) -> float:
    gaps = metrics.itl_s(log)
    return 1e3 * metrics.percentile(gaps, percent) if gaps else float("inf")


def e2e_of(log, priority: int) -> list[float]:
    lives = [life for life in log.requests.values() if life.item.priority == priority]
    return [float("inf") if life.finish_ns is None else (life.finish_ns - life.arrival_ns) / 1e9 for life in lives]


def overtaken_after(log, aging_s: float) -> list[float]:
    """For each batch request that was overtaken too late: how long after it the overtaker came, in ms."""
    lives = [life for life in log.requests.values() if life.admitted_ns is not None]
    late = []
    for life in lives:
        if life.item.priority == BATCH:
            gaps = [other.arrival_ns - life.arrival_ns for other in lives
                    if other.item.priority == INTERACTIVE and other.admitted_ns < life.admitted_ns]  # fmt: skip
            if gaps and max(gaps) > aging_s * 1e9:
                late.append(max(gaps) / MS)
    return late
