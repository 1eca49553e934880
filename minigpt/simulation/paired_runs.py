"""The same requests under static and continuous batching, several times: what one pair of runs shows may be chance.

The median pair speaks for all. The interval counts both kinds of chance: which requests there were, and which pair. It
is the least that the figure could vary: requests are drawn as if they were independent, though neighbours share a queue.
"""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median_low

import numpy as np

from minigpt.analysis import metrics
from minigpt.language import say
from minigpt.notebook.progress import progress
from minigpt.runtime.clock import CpuClock
from minigpt.runtime.interleave import in_turns
from minigpt.runtime.run_log import RunLog
from minigpt.simulation.run import Runs, replay, replay_both
from minigpt.simulation.steady_repeats import steady_repeats
from minigpt.workloads.workload import Workload, workload

BAR_PERCENT = 30.0  # Lab 03's definition of done
PASS, FAIL, INCONCLUSIVE = "pass", "fail", "inconclusive"
MIN_PAIRS = 6  # the range of fewer covers a median in less than 95 of 100 cases: 1 − 2·(1/2)^n


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedRuns:
    """The same requests under two policies, several times."""

    runs: tuple[Runs, ...]

    @property
    def reductions_percent(self) -> list[float]:
        """The p95 reduction of each pair."""
        return [each.p95_reduction_percent for each in self.runs]

    @property
    def median(self) -> Runs:
        """The pair with the median p95 reduction."""
        return self.runs[self.reductions_percent.index(median_low(self.reductions_percent))]

    def interval_percent(self, num_resamples: int = 1000, seed: int = 0) -> tuple[float, float]:
        """A 95 % bootstrap interval of the median reduction: pairs and requests are drawn, the same in both runs."""
        rng = np.random.default_rng(seed)
        latencies = [[np.array(metrics.e2e_s(log)) for log in (each.static, each.continuous)] for each in self.runs]
        num_requests = len(latencies[0][0])
        rank = metrics.nearest_rank(num_requests, 95)
        medians = []
        for _ in range(num_resamples):
            drawn = rng.integers(num_requests, size=num_requests)
            medians.append(median_low([
                # partition, not sort: a trace has tens of thousands of requests, and they are drawn a thousand times
                metrics.reduction_percent(*(float(np.partition(run[drawn], rank - 1)[rank - 1]) for run in latencies[pair]))
                for pair in rng.integers(len(latencies), size=len(latencies))
            ]))
        return metrics.percentile(medians, 2.5), metrics.percentile(medians, 97.5)


def paired_runs(requests: Workload, num_pairs: int, **settings) -> PairedRuns:
    """Run `num_pairs` pairs of `replay_both`; every other one begins with the continuous run."""
    if num_pairs < 1:
        raise ValueError(f"pairs={num_pairs}: give at least one")
    turns = progress([number % 2 == 1 for number in range(num_pairs)], say(en="pairs", es="pares"))
    return PairedRuns(runs=tuple(replay_both(requests, continuous_first=turn, **settings) for turn in turns))


def calibrated_runs(serve: Callable[[Workload, CpuClock], RunLog], *, num_pairs: int = 3, num_requests: int = 200,
                    load: float = 0.7, seed: int = 1) -> PairedRuns:
    """Run pairs on the CPU clock, each at the same load for the speed that this machine has at that moment.

    `serve(workload, clock)` runs the continuous loop and returns its log. Both servers compute their steps in turn.
    """

    def pair(capacity_per_s: float) -> Runs:
        requests = workload("mixed", rate_per_s=load * capacity_per_s, num_requests=num_requests, seed=seed)
        static, continuous = in_turns(
            lambda clock: replay("static", requests, clock=clock, impl="given"), lambda clock: serve(requests, clock)
        )
        return Runs(static=static, continuous=continuous)

    return PairedRuns(runs=tuple(steady_repeats(pair, num_pairs)))


def serving_with(loop: Callable) -> Callable[[Workload, CpuClock], RunLog]:
    """Return what `calibrated_runs` takes, for a continuous loop in this process."""
    return lambda requests, clock: replay("continuous", requests, clock=clock, loop=loop)


def verdict(low_percent: float, high_percent: float, num_pairs: int) -> str:
    """Whether an interval lies above the bar, below it, or across it; of too few pairs nothing is concluded."""
    if num_pairs < MIN_PAIRS or low_percent < BAR_PERCENT <= high_percent:
        return INCONCLUSIVE
    return PASS if low_percent >= BAR_PERCENT else FAIL
