"""How often an interval contains what it should: many crowds, an interval from each, and all of them together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from minigpt.analysis import metrics
from minigpt.analysis.block_bootstrap import block_interval
from minigpt.language import say
from minigpt.notebook.progress import progress
from minigpt.studies.lab03 import compare
from minigpt.workloads.workload import workload

Interval = tuple[float, float]
LONG_RUN_SEEDS = (997, 998, 999)  # one long run is one draw, too


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Intervals of the p95 reduction (per cent), one from each crowd, and what they should contain."""

    together: float  # the reduction over the requests of all crowds
    long_runs: list[float]  # the same number of requests in one run, several times
    single: list[Interval]  # requests drawn one by one
    blocks: list[Interval]  # neighbours drawn together

    def held(self, intervals: list[Interval]) -> int:
        """How many of the intervals contain the reduction of all crowds together."""
        return sum(low <= self.together <= high for low, high in intervals)


def measure_coverage(interval: Callable, loop: Callable, *, crowds: int = 40, load: float = 0.7, num_requests: int = 200,
                     num_resamples: int = 200, long_run_seeds: Sequence[int] = LONG_RUN_SEEDS, **settings) -> Coverage:
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
    long_runs = [serve(seed, crowds * num_requests).p95_reduction_percent for seed in long_run_seeds]
    return Coverage(together=together, long_runs=long_runs, single=single, blocks=blocks)


def in_words(found: Coverage) -> str:
    """The crowds together, and runs as long as all of them."""
    count, together, low, high = len(found.single), found.together, min(found.long_runs), max(found.long_runs)
    runs = len(found.long_runs)
    return say(
        en=f"p95 reduction: {together:.1f} % over all {count} workloads together; in {runs} runs with as many "
        f"requests as all of these, {low:.1f} to {high:.1f} %",
        es=f"reducción del p95: las {count} tandas juntas, {together:.1f} %; {runs} ejecuciones así de largas, "
        f"de {low:.1f} a {high:.1f} %",
    )
