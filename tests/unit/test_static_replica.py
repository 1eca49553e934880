"""The event-driven static server agrees with the ordinary runtime, request by request, to the nanosecond."""

import pytest

from minigpt.analysis import metrics
from minigpt.runtime.clock import StepCost, VirtualClock
from minigpt.simulation.fleet import calls_of
from minigpt.simulation.run import replay
from minigpt.simulation.static_replica import serve_static
from minigpt.studies import lab03
from minigpt.workloads.workload import workload

COSTS = (StepCost(), StepCost(step_overhead_ns=90_001, per_sequence_ns=7, per_context_token_ns=333))


@pytest.mark.parametrize("name", ["mixed", "uniform:1,63", "constant:1", "two_point:3,30,0.5"])
@pytest.mark.parametrize("load", [0.2, 0.95, 1.4])
@pytest.mark.parametrize("settings", [
    {}, {"max_wait_s": 0.0}, {"max_wait_s": 0.04, "max_batch": 3}, {"max_batch": 1},
])
def test_it_agrees_with_the_runtime(name, load, settings):
    for seed, cost in enumerate(COSTS):
        requests = workload(name, load=load, num_requests=90, seed=seed)
        log = replay("static", requests, clock=VirtualClock(cost), tokens="scripted", impl="given", **settings)
        expected = [(each.admitted_ns, each.finish_ns) for each in log.requests.values()]
        found = serve_static(calls_of(requests), cost=cost, **settings)
        assert [(each.admitted_ns, each.finish_ns) for each in found] == expected


def test_it_agrees_on_a_burst():
    requests = workload("mixed", arrivals="burst", num_requests=50, seed=2)
    log = replay("static", requests, tokens="scripted", impl="given")
    found = serve_static(calls_of(requests))
    assert [each.finish_ns for each in found] == [each.finish_ns for each in log.requests.values()]


@pytest.mark.parametrize("settings", [{}, {"max_wait_s": 0.0}])
def test_the_map_of_lab_03_has_the_figures_of_runs_step_by_step(settings):
    requests = workload("two_point:4,64,0.2", load=0.7, num_requests=200, seed=4)
    log = lab03.simulate("static", requests, impl="given", **settings)
    assert lab03.static_p95_s(requests, **settings) == metrics.percentile(metrics.e2e_s(log), 95)
