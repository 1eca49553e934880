"""How often an interval contains what it should: many crowds, an interval from each, and all of them together."""

from collections.abc import Callable
from dataclasses import dataclass

from minigpt.analysis import metrics
from minigpt.analysis.block_bootstrap import block_interval
from minigpt.language import say
from minigpt.notebook.progress import progress
from minigpt.studies.lab03 import compare
from minigpt.workloads.workload import workload

Interval = tuple[float, float]
LONG_RUN_SEED = 999


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Intervals of the p95 reduction (per cent), one from each crowd, and what they should contain."""

    together: float  # the reduction over the requests of all crowds
    long_run: float  # the same number of requests in one run
    single: list[Interval]  # requests drawn one by one
    blocks: list[Interval]  # neighbours drawn together

    def held(self, intervals: list[Interval]) -> int:
        """How many of the intervals contain the reduction of all crowds together."""
        return sum(low <= self.together <= high for low, high in intervals)


def measure_coverage(interval: Callable, loop: Callable, *, crowds: int = 40, load: float = 0.7, num_requests: int = 200,
                     num_resamples: int = 200, **settings) -> Coverage:
    """Intervals of `crowds` crowds; `interval(static_records, continuous_records, num_resamples, seed)` makes one."""

    def serve(seed: int, count: int):
        return compare(workload("mixed", load=load, num_requests=count, seed=seed), loop, **settings)

    single, blocks, before, after = [], [], [], []
    for seed in progress(range(1, crowds + 1), say(en="workloads", es="tandas")):
        runs = serve(seed, num_requests)
        single.append(interval(runs.static.records(), runs.continuous.records(), num_resamples, seed))
        latencies = metrics.e2e_s(runs.static), metrics.e2e_s(runs.continuous)
        blocks.append(block_interval(*latencies, num_resamples=num_resamples, seed=seed))
        before += latencies[0]
        after += latencies[1]
    together = metrics.reduction_percent(metrics.percentile(before, 95), metrics.percentile(after, 95))
    long_run = serve(LONG_RUN_SEED, crowds * num_requests).p95_reduction_percent
    return Coverage(together=together, long_run=long_run, single=single, blocks=blocks)


def in_words(found: Coverage) -> str:
    """The crowds together, and one run as long as all of them."""
    count, together, long_run = len(found.single), found.together, found.long_run
    return say(en=f"p95 reduction: {together:.1f} % over all {count} workloads together, {long_run:.1f} % in one run as long as all of them",
               es=f"reducción del p95: las {count} tandas juntas, {together:.1f} %; una sola ejecución igual de larga, {long_run:.1f} %")
