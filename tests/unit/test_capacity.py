"""The yardstick of every load: it equals what the reference's static server really needs."""

import pytest

from minigpt.runtime.clock import NS, StepCost, VirtualClock
from minigpt.simulation.run import replay
from minigpt.workloads.static_capacity import static_batch_ns, static_capacity
from minigpt.workloads.workload import workload
from tests.unit.small import COST, MS, item


def test_one_batch_by_hand():
    # A prefill of 5 tokens, then 3 decode steps of 2 rows: the longest has 3 tokens and EOS.
    batch = [item(0, prompt_token_ids=(1, 2, 3), num_tokens=1), item(1, num_tokens=3)]
    assert static_batch_ns(batch, COST) == (2 * MS + 5 * MS // 100) + 3 * (MS + 2 * MS // 10)


def test_a_row_that_has_ended_is_computed_along_and_attends_to_what_it_holds():
    cost = StepCost(step_overhead_ns=0, per_sequence_ns=0, prefill_overhead_ns=0, per_prefill_token_ns=0,
                    per_context_token_ns=1)
    batch = [item(0, num_tokens=1), item(1, num_tokens=3)]  # both prompts have 2 tokens; 2 and 4 steps
    assert static_batch_ns(batch, cost) == (3 + 3) + (4 + 4) + (4 + 5)


@pytest.mark.parametrize("name", ["mixed", "two_point:3,30,0.5", "uniform:1,40", "constant:1"])
@pytest.mark.parametrize(("num_requests", "max_batch"), [(40, 8), (41, 8), (7, 8), (12, 1)])
def test_capacity_is_what_a_burst_really_takes(name, num_requests, max_batch):
    burst = workload(name, arrivals="burst", num_requests=num_requests, seed=num_requests)
    log = replay("static", burst, impl="solution", tokens="scripted", max_batch=max_batch)
    # The last batch may be unfilled; with the queue closed it does not wait.
    assert static_capacity(burst.items, max_batch) == pytest.approx(num_requests * NS / log.end_ns, rel=1e-12)


def test_capacity_follows_the_cost():
    items = workload("mixed", arrivals="burst", num_requests=24).items
    cost = StepCost(step_overhead_ns=2_000_000)
    log = replay("static", workload("mixed", arrivals="burst", num_requests=24), clock=VirtualClock(cost),
                 impl="solution", tokens="scripted")
    assert static_capacity(items, 8, cost) == pytest.approx(24 * NS / log.end_ns)
    assert static_capacity(items, 8, cost) < static_capacity(items, 8)
