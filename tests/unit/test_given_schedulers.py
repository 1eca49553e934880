"""The given loops, with which everything is compared, do what the references do: the same log to the nanosecond."""

import pytest

from minigpt.schedulers.registry import POLICIES
from minigpt.simulation.paged_run import serve
from minigpt.simulation.run import replay
from minigpt.workloads.memory_pressure import long_prompts, two_classes
from minigpt.workloads.workload import workload

WORKLOADS = ("mixed", "uniform:1,63", "constant:16", "two_point:3,30,0.5")
MEMORY = {"num_blocks": 90, "max_inflight": 8}


def trace(log):
    """What happened in a run, in plain data."""
    requests = [(each.item.request_id, each.admitted_ns, each.token_times_ns, each.answer, each.finish_ns)
                for each in log.requests.values()]
    return requests, [(step.start_ns, step.end_ns, step.request_ids, step.useful_ids) for step in log.steps]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", WORKLOADS)
@pytest.mark.parametrize("load", [0.3, 0.95])
def test_a_given_loop_serves_as_the_reference_does(policy, name, load):
    requests = workload(name, load=load, num_requests=80, seed=4)
    given, reference = (trace(replay(policy, requests, tokens="scripted", impl=impl)) for impl in ("given", "solution"))
    assert given == reference


@pytest.mark.parametrize("settings", [
    {}, {"admission": "max"}, {"admission": "profiled", "profile": tuple(range(5, 60))},
    {"reserve_blocks": 4}, {"token_budget": 64}, {"token_budget": 32, "aging_s": 0.3, "reserve_blocks": 2},
])
def test_the_given_paged_loop_serves_as_the_reference_does(settings):
    for requests in (workload("mixed", load=1.3, num_requests=120, seed=2), two_classes(), long_prompts()):
        given, reference = (serve(requests, impl=impl, **MEMORY, **settings) for impl in ("given", "solution"))
        assert trace(given) == trace(reference)
        assert given.preemptions == reference.preemptions and given.refusals == reference.refusals
