"""Measuring the p95 reduction on this machine's processor: calibrated pairs, and the median of three.

A processor's speed drifts while one measures. So the two servers of a pair compute their steps in turn, the arrivals of
the pair are set by the static server's capacity, measured before and after it, and a pair during which that drifted is
done again.
"""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median_low

from minigpt.analysis import metrics
from minigpt.runtime.clock import NS, CpuClock
from minigpt.runtime.interleave import in_turns
from minigpt.simulation.run import replay
from minigpt.workloads.workload import Workload, workload

NUM_CALIBRATION = 32  # requests of each of two servers
MAX_DRIFT = 1.25
MAX_TRIES = 6  # after so many every pair is taken


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """The same requests under static and continuous batching, latencies in seconds on the CPU clock."""

    static_s: tuple[float, ...]
    continuous_s: tuple[float, ...]
    drift: float  # capacity after the pair over capacity before it, the larger over the smaller

    @property
    def p95_reduction_percent(self) -> float:
        before, after = (metrics.percentile(values, 95) for values in (self.static_s, self.continuous_s))
        return metrics.reduction_percent(before, after)


def capacity_on_this_machine(seed: int = 0, max_batch: int = 8) -> float:
    """Requests per second of processor time that the static server completes of a burst of the tutor's requests.

    Two such servers take turns, as the servers of a pair do: each finds the processor's caches as the other left them.
    """
    burst = workload("mixed", arrivals="burst", num_requests=NUM_CALIBRATION, seed=seed)

    def serve(clock):
        return replay("static", burst, clock=clock, impl="given", max_batch=max_batch)

    return 2 * NUM_CALIBRATION * NS / sum(log.end_ns for log in in_turns(serve, serve))


def with_loop(loop: Callable) -> Callable:
    """A loop in this process as `measure_pairs` wants it."""
    return lambda requests, clock: replay("continuous", requests, clock=clock, loop=loop)


def measure_pair(loop: Callable[[Workload, CpuClock], object], before: float, num_requests: int, load: float,
                 seed: int) -> tuple[Pair, float]:
    """One pair at a load of the capacity measured `before`: static, and `loop(workload, clock)`, which returns its log.

    Also returns the capacity after it, which is the next pair's "before".
    """
    requests = workload("mixed", rate_per_s=load * before, num_requests=num_requests, seed=seed)
    static, continuous = in_turns(
        lambda clock: replay("static", requests, clock=clock, impl="given"), lambda clock: loop(requests, clock)
    )
    after = capacity_on_this_machine()
    pair = Pair(
        static_s=tuple(metrics.e2e_s(static)), continuous_s=tuple(metrics.e2e_s(continuous)),
        drift=max(before / after, after / before),
    )
    return pair, after


def measure_pairs(loop, *, num_pairs: int = 3, num_requests: int = 200, load: float = 0.7, seed: int = 1) -> list[Pair]:
    """So many pairs, those with too much drift done again while tries are left."""
    capacity_on_this_machine()  # warm-up
    capacity = capacity_on_this_machine()
    pairs, tries = [], 0
    while len(pairs) < num_pairs:
        pair, capacity = measure_pair(loop, capacity, num_requests, load, seed)
        tries += 1
        if pair.drift <= MAX_DRIFT or tries > MAX_TRIES:
            pairs.append(pair)
    return pairs


def median_pair(pairs: list[Pair]) -> Pair:
    """The pair with the median reduction."""
    middle = median_low([pair.p95_reduction_percent for pair in pairs])
    return next(pair for pair in pairs if pair.p95_reduction_percent == middle)
