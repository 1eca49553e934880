"""Latency, throughput and slot use of a run: pure functions of its log.

Latencies are in seconds and count from the scheduled arrival. A request without an answer counts as infinitely late:
it is a miss, and leaving it out would flatter the server.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from minigpt.runtime.clock import NS
from minigpt.runtime.run_log import RequestLog, RunLog


def percentile(values: Sequence[float], percent: float) -> float:
    """The nearest-rank percentile: the ⌈p/100·n⌉-th smallest value, always one that was measured.

    >>> percentile([10, 20, 30], 95)
    30
    """
    if not values:
        raise ValueError(f"values is empty: the {percent:g}th percentile of nothing is not defined")
    return sorted(values)[nearest_rank(len(values), percent) - 1]


def nearest_rank(count: int, percent: float) -> int:
    """⌈p/100·n⌉: where a percentile stands among `count` sorted values, the smallest of which is number 1."""
    if not 0 < percent <= 100:
        raise ValueError(f"percent={percent}: a percentile lies above 0 and is at most 100")
    # In whole thousandths of a per cent, since 0.95·20 is 19.000000000000004 in floating point.
    return max(-(-round(percent * 1000) * count // 100_000), 1)


def e2e_s(log: RunLog) -> list[float]:
    """End-to-end latency of every request that was sent: answer minus scheduled arrival, infinite without an answer."""
    return [_e2e(record) for record in log.requests.values()]


def _e2e(record: RequestLog) -> float:
    return math.inf if record.finish_ns is None else (record.finish_ns - record.arrival_ns) / NS


def delivered_ns(log: RunLog, record: RequestLog) -> list[int]:
    """When each token reached the client: as computed if the server streams, with the answer if not."""
    if log.streams:
        return record.token_times_ns
    return [] if record.finish_ns is None else [record.finish_ns] * len(record.token_ids)


def ttft_s(log: RunLog) -> list[float]:
    """Time to first token of every request; requests with an empty answer have none, unanswered ones an infinite."""
    times = []
    for record in log.requests.values():
        tokens = delivered_ns(log, record)
        if tokens:
            times.append((tokens[0] - record.arrival_ns) / NS)
        elif record.finish_ns is None:
            times.append(math.inf)
    return times


def itl_s(log: RunLog) -> list[float]:
    """Every gap between two tokens of one answer; none if the server does not stream."""
    if not log.streams:
        return []
    return [
        (after - before) / NS
        for record in log.requests.values()
        for before, after in zip(record.token_times_ns, record.token_times_ns[1:])
    ]


def tpot_s(log: RunLog) -> list[float]:
    """Time per output token after the first, of each answered request with at least two."""
    times = []
    for record in log.finished:
        tokens = delivered_ns(log, record)
        if len(tokens) > 1:
            times.append((record.finish_ns - tokens[0]) / NS / (len(tokens) - 1))
    return times


def arrival_window_s(log: RunLog) -> float:
    """The time in which requests came: from the start to the last arrival; for a burst, to the end of the run."""
    return _arrival_window_ns(log) / NS


def _arrival_window_ns(log: RunLog) -> int:
    last_ns = max((record.arrival_ns for record in log.requests.values()), default=0)
    return last_ns or log.end_ns


def answered_in_window(log: RunLog) -> list[RequestLog]:
    """The answers that every rate counts: those that left within the arrival window.

    Counting the drain after it would lower every rate, and rates over different windows cannot be compared.
    """
    window_ns = _arrival_window_ns(log)  # in whole ns: rounded to seconds, an answer at the very end could fall outside
    return [record for record in log.finished if record.finish_ns <= window_ns]


def _per_s(log: RunLog, amount: int) -> float:
    window_ns = _arrival_window_ns(log)
    return amount * NS / window_ns if window_ns else 0.0


def throughput_per_s(log: RunLog) -> float:
    """Requests completed per second within the arrival window."""
    return _per_s(log, len(answered_in_window(log)))


def tokens_per_s(log: RunLog) -> float:
    """Output tokens per second, of the requests that throughput counts."""
    return _per_s(log, sum(len(record.token_ids) for record in answered_in_window(log)))


def goodput_per_s(log: RunLog, *, e2e_target_s: float = math.inf, ttft_target_s: float = math.inf) -> float:
    """Requests per second that met their latency targets, of those that throughput counts."""
    good = 0
    for record in answered_in_window(log):
        tokens = delivered_ns(log, record)
        first_s = (tokens[0] - record.arrival_ns) / NS if tokens else 0.0
        good += _e2e(record) <= e2e_target_s and first_s <= ttft_target_s
    return _per_s(log, good)


def busy_percent(log: RunLog) -> float:
    """Share of the run in which the server computed a step."""
    return 100 * sum(step.end_ns - step.start_ns for step in log.steps) / log.end_ns if log.end_ns else 0.0


def slot_use_percent(log: RunLog) -> float:
    """Share of slot time, while steps ran, in which the slot held a request that had not ended."""
    slots = log.max_batch if not log.streams else log.max_inflight
    busy = sum(len(step.useful_ids) * (step.end_ns - step.start_ns) for step in log.steps)
    total = sum(slots * (step.end_ns - step.start_ns) for step in log.steps)
    return 100 * busy / total if total else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The figures that a report shows of one run. Times in milliseconds; None where there is no sample."""

    num_requests: int
    num_unfinished: int
    e2e_p50_ms: float | None
    e2e_p95_ms: float | None
    e2e_p99_ms: float | None
    ttft_p50_ms: float | None
    ttft_p95_ms: float | None
    ttft_p99_ms: float | None
    itl_p95_ms: float | None
    throughput_per_s: float | None  # None: every answer came after the arrival window, so there is no rate
    goodput_per_s: float | None
    tokens_per_s: float | None
    slot_use_percent: float
    num_steps: int


def summarize(log: RunLog, e2e_target_s: float = math.inf) -> Summary:
    """All figures of a run. Requests that were never sent (a closed loop cut short) count as unfinished only."""

    def ms(values: list[float], percent: float) -> float | None:
        return percentile(values, percent) * 1e3 if values else None

    e2e, ttft = e2e_s(log), ttft_s(log)
    rates = {
        "throughput_per_s": throughput_per_s(log), "goodput_per_s": goodput_per_s(log, e2e_target_s=e2e_target_s),
        "tokens_per_s": tokens_per_s(log),
    }
    if log.finished and not answered_in_window(log):
        rates = dict.fromkeys(rates)
    return Summary(
        num_requests=len(log.workload.items), num_unfinished=log.num_unfinished,
        e2e_p50_ms=ms(e2e, 50), e2e_p95_ms=ms(e2e, 95), e2e_p99_ms=ms(e2e, 99),
        ttft_p50_ms=ms(ttft, 50), ttft_p95_ms=ms(ttft, 95), ttft_p99_ms=ms(ttft, 99),
        itl_p95_ms=ms(itl_s(log), 95),
        slot_use_percent=slot_use_percent(log), num_steps=len(log.steps), **rates,
    )


def reduction_percent(before: float, after: float) -> float:
    """By how many per cent `after` is below `before`; negative if it is above."""
    if not before > 0 or math.isinf(before):
        raise ValueError(f"before={before}: a reduction needs a positive, finite value to start from")
    return 100 * (1 - after / before)


def p95_reduction_percent(before: RunLog, after: RunLog) -> float:
    """By how many per cent the p95 of end-to-end latency fell from one run to another."""
    return reduction_percent(percentile(e2e_s(before), 95), percentile(e2e_s(after), 95))


def bootstrap_interval(
    before_s: Sequence[float], after_s: Sequence[float], num_resamples: int = 1000, seed: int = 0
) -> tuple[float, float]:
    """A 95 % interval of the p95 reduction in per cent, by resampling requests in pairs (Efron, 1979).

    `before_s[i]` and `after_s[i]` are latencies of the same request: a resample keeps or drops both.
    """
    if len(before_s) != len(after_s):
        raise ValueError(f"before_s has {len(before_s)} latencies and after_s {len(after_s)}: pair the same requests")
    rng = random.Random(seed)
    pairs = list(zip(before_s, after_s))
    reductions = []
    for _ in range(num_resamples):
        resample = rng.choices(pairs, k=len(pairs))
        before, after = (percentile(column, 95) for column in zip(*resample))
        reductions.append(reduction_percent(before, after))
    return percentile(reductions, 2.5), percentile(reductions, 97.5)
