"""The settings and figures of the definition of done."""

from minigpt.analysis import metrics
from minigpt.workloads.memory_pressure import BATCH, INTERACTIVE
from tests.lab05.scenes import MS

BUDGET = 64
AGING_S = 0.3
TIGHT = {"num_blocks": 24, "token_budget": 32, "admission": "watermark", "reserve_blocks": 1, "aging_s": 0.1}


def gap_ms(log, percent: float) -> float:
    gaps = metrics.itl_s(log)
    return 1e3 * metrics.percentile(gaps, percent) if gaps else float("inf")


def e2e_of(log, priority: int) -> list[float]:
    records = [record for record in log.requests.values() if record.item.priority == priority]
    return [float("inf") if record.finish_ns is None else (record.finish_ns - record.arrival_ns) / 1e9 for record in records]


def overtaken_after(log, aging_s: float) -> list[float]:
    """For each batch request that was overtaken too late: how long after it the overtaker came, in ms."""
    records = [record for record in log.requests.values() if record.admitted_ns is not None]
    late = []
    for record in records:
        if record.item.priority == BATCH:
            gaps = [other.arrival_ns - record.arrival_ns for other in records
                    if other.item.priority == INTERACTIVE and other.admitted_ns < record.admitted_ns]
            if gaps and max(gaps) > aging_s * 1e9:
                late.append(max(gaps) / MS)
    return late
