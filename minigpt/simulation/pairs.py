"""Repeated pairs of runs on a clock that measures: what one pair shows may be chance.

The pairs take turns at who comes first, and the median pair speaks for all. The interval counts both kinds of chance:
which requests there were, and which pair. It is the least that the figure could vary: requests are drawn as if they were
independent, though neighbours share a queue.
"""

import random
from dataclasses import dataclass
from statistics import median_low

from minigpt.analysis import metrics
from minigpt.language import say
from minigpt.notebook.progress import progress
from minigpt.simulation.run import Runs, replay_both
from minigpt.workloads.workload import Workload

BAR_PERCENT = 30.0  # Lab 03's definition of done
PASS, FAIL, INCONCLUSIVE = "pass", "fail", "inconclusive"
MIN_PAIRS = 6  # the range of fewer covers a median in less than 95 of 100 cases: 1 − 2·(1/2)^n


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
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
        rng = random.Random(seed)
        latencies = [(metrics.e2e_s(each.static), metrics.e2e_s(each.continuous)) for each in self.runs]
        places = range(len(latencies[0][0]))
        medians = []
        for _ in range(num_resamples):
            drawn = rng.choices(places, k=len(places))
            medians.append(median_low([
                metrics.reduction_percent(*(metrics.percentile([run[i] for i in drawn], 95) for run in pair))
                for pair in rng.choices(latencies, k=len(latencies))
            ]))
        return metrics.percentile(medians, 2.5), metrics.percentile(medians, 97.5)


def measure_pairs(workload: Workload, num_pairs: int, **settings) -> Pairs:
    """So many pairs of `replay_both`; every other one begins with the continuous run."""
    if num_pairs < 1:
        raise ValueError(f"pairs={num_pairs}: give at least one")
    turns = progress([number % 2 == 1 for number in range(num_pairs)], say(en="pairs", es="pares"))
    return Pairs(runs=tuple(replay_both(workload, continuous_first=turn, **settings) for turn in turns))


def verdict(low_percent: float, high_percent: float, num_pairs: int) -> str:
    """Whether an interval lies above the bar, below it, or across it; of too few pairs nothing is concluded."""
    if num_pairs < MIN_PAIRS or low_percent < BAR_PERCENT <= high_percent:
        return INCONCLUSIVE
    return PASS if low_percent >= BAR_PERCENT else FAIL
