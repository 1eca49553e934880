"""The graded workload is safe: on every seed in use, and on 200 others, the reference clears the bar.

The quick tests take every fourth of the seeds in use.
"""

import pytest

from minigpt.analysis import metrics
from minigpt.schedulers.registry import find_policy, load_loop
from minigpt.studies import lab03 as studies
from minigpt.workloads.workload import workload
from tests.grader.seeds import GRADED_SEEDS, graded_seed

OTHER_SEEDS = range(1_000, 1_200)


def figures(seed: int) -> tuple[float, float]:
    """p95 reduction in per cent, and throughput ratio, of the reference on the workload of one seed."""
    requests = workload("mixed", load=0.7, num_requests=1_000, seed=seed)
    runs = studies.compare(requests, load_loop(find_policy("continuous"), "solution"))
    return runs.p95_reduction_percent, runs.throughput_ratio


@pytest.mark.parametrize("seeds", [
    pytest.param(GRADED_SEEDS[::4], id="some"), pytest.param(GRADED_SEEDS, id="graded", marks=pytest.mark.slow),
    pytest.param(OTHER_SEEDS, id="others", marks=pytest.mark.slow),
])
def test_the_reference_clears_the_bar(seeds):
    reductions, ratios = zip(*map(figures, seeds))
    marks = {percent: round(metrics.percentile(reductions, percent), 1) for percent in (0.5, 5, 50, 95, 100)}
    print(f"\np95 reduction over {len(seeds)} seeds, percentiles: {marks}; throughput ratio {min(ratios):.3f} … {max(ratios):.3f}")
    assert 30 <= min(reductions) and max(reductions) <= 70
    assert 0.98 <= min(ratios) and max(ratios) <= 1.02


def test_every_student_gets_a_listed_seed():
    assert {graded_seed(student) for student in range(500)} <= set(GRADED_SEEDS)
    assert len({graded_seed(student) for student in range(1, 40)}) > 15, "neighbours should differ"
