"""The reference passes Lab 05's definition of done on graded seeds, and with room to spare."""


from minigpt.analysis import metrics
from minigpt.simulation.paged_run import serve
from minigpt.workloads.memory_pressure import INTERACTIVE, long_prompts, two_classes
from minigpt.workloads.workload import workload
from tests.grader.seeds import GRADED_SEEDS
from tests.lab05.figures import AGING_S, BUDGET, TIGHT, e2e_of, gap_ms, overtaken_after
from tests.lab05.scenes import accounting_fault
from tests.tools.sweep import sweep

SOME = GRADED_SEEDS[::10]


@sweep("seed", SOME)
def test_chunks_halve_the_far_tail(seed):
    whole, cut = (serve(long_prompts(seed=seed), impl="solution", token_budget=budget) for budget in (None, BUDGET))
    assert gap_ms(cut, 99) < 0.3 * gap_ms(whole, 99) and gap_ms(cut, 100) < 0.3 * gap_ms(whole, 100)


@sweep("seed", SOME)
def test_the_interactive_class_gains_and_nobody_is_overtaken_for_longer(seed):
    requests = two_classes(seed=seed)
    first_come, mine = (serve(requests, impl="solution", aging_s=aging_s) for aging_s in (0.0, AGING_S))
    before, after = (metrics.percentile(e2e_of(log, INTERACTIVE), 95) for log in (first_come, mine))
    assert after < 0.6 * before and overtaken_after(mine, AGING_S) == []


@sweep("seed", SOME)
def test_the_tight_pool_is_tight(seed):
    log = serve(workload("mixed", load=1.3, num_requests=120, seed=seed), impl="solution", **TIGHT)
    assert log.preemptions and accounting_fault(log) is None
