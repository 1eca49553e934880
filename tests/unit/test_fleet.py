"""The fleet simulator: to the nanosecond what the ordinary runtime does, only without doing it step by step."""

import random
import time

import pytest

from minigpt.analysis import metrics
from minigpt.runtime.clock import NS, StepCost, VirtualClock
from minigpt.simulation import fleet
from minigpt.simulation.replica import Call
from minigpt.simulation.run import replay
from minigpt.workloads.workload import WorkItem, Workload, workload

MS = 1_000_000
KINDS = ("mixed", "exponential:16,128", "constant:16", "uniform:1,3", "two_point:3,30,0.5")


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")


def ordinary(requests, cap, cost=StepCost()):
    """The reference loop of Lab 03 on the ordinary runtime."""
    return replay(
        "continuous", requests, clock=VirtualClock(cost), tokens="scripted", impl="solution", max_inflight=cap
    )


def assert_same(requests, cap, cost=StepCost()):
    log = ordinary(requests, cap, cost)
    request_records = fleet.simulate(fleet.calls_of(requests), cap=cap, cost=cost).request_records
    in_order = sorted(log.requests.values(), key=lambda record: (record.arrival_ns, record.item.request_id))
    assert [(record.admitted_ns, record.finish_ns) for record in request_records] == [
        (record.admitted_ns, record.finish_ns) for record in in_order
    ]
    for ours, theirs in zip(request_records, in_order):
        assert not theirs.token_ids or ours.first_token_ns == theirs.token_times_ns[0]


def tricky(seed):
    """Arrivals that coincide with each other and with the ends of steps; answers of no token, of one, and at the
    limit."""
    rng = random.Random(seed)
    items, now_ns = [], 0
    for i in range(60):
        now_ns += rng.choice((0, 0, 452_000, 1_000_000, rng.randrange(3 * MS), rng.randrange(40 * MS)))
        length = rng.choice((0, 1, 2, rng.randint(1, 40)))
        items.append(WorkItem(
            request_id=i, prompt_token_ids=(65,) * rng.randint(1, 30), answer=(97,) * length,
            max_tokens=max(1, length + rng.choice((0, 5))), arrival_ns=now_ns,
        ))
    return Workload(name="tricky", items=tuple(items))


# -- one replica --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("cap", [1, 3, 8, 40])
def test_one_replica_agrees_with_the_ordinary_runtime_to_the_nanosecond(name, cap):
    for load in (0.3, 0.9, 1.4):
        assert_same(workload(name, load=load, num_requests=150, seed=cap), cap)


@pytest.mark.parametrize("seed", range(25))
def test_it_agrees_where_arrivals_and_steps_coincide(seed):
    # With this cost a step of one takes exactly 452,000 ns, as do some gaps of the workload.
    cost = StepCost(per_context_token_ns=0, prefill_overhead_ns=0, per_prefill_token_ns=452_000 // 4)
    assert_same(tricky(seed), cap=1 + seed % 5, cost=cost)
    assert_same(tricky(seed), cap=1 + seed % 5)


def test_an_arrival_at_the_very_end_of_a_step_is_admitted_there():
    step_ns = 452_000  # of one row, and of its prefill
    cost = StepCost(per_context_token_ns=0, prefill_overhead_ns=0, per_prefill_token_ns=step_ns // 4)
    items = [
        WorkItem(request_id=i, prompt_token_ids=(65,) * 4, answer=(97,) * 9, max_tokens=20, arrival_ns=arrival_ns)
        for i, arrival_ns in enumerate((0, 3 * step_ns))
    ]
    requests = Workload(name="edge", items=tuple(items))
    assert_same(requests, 2, cost)
    assert fleet.simulate(fleet.calls_of(requests), cap=2, cost=cost).request_records[1].admitted_ns == 3 * step_ns


def test_it_agrees_on_a_burst():
    assert_same(workload("mixed", arrivals="burst", num_requests=300, seed=2), 8)


def test_latencies_are_those_of_the_log():
    requests = workload("uniform:2,40", load=0.9, num_requests=200, seed=5)  # EOS ignored: a step is a token
    log, run = ordinary(requests, 8), fleet.simulate(fleet.calls_of(requests), cap=8)
    assert run.e2e_s == metrics.e2e_s(log)
    assert run.ttft_s == metrics.ttft_s(log)
    assert run.tpot_s == pytest.approx(metrics.tpot_s(log), rel=1e-12)
    assert run.records() == log.records()
    assert run.p95_s == metrics.percentile(metrics.e2e_s(log), 95)
    assert run.mean_s == pytest.approx(sum(metrics.e2e_s(log)) / 200)


# -- many replicas ------------------------------------------------------------------------------------------------


def some_calls(num=400, rate=900.0, seed=3):
    return fleet.draw_calls(fleet.request_lengths("exponential:16,128", 200), rate, num, seed)


def test_in_turn_each_replica_serves_its_share_as_if_alone():
    calls = some_calls()
    run = fleet.simulate(calls, num_replicas=3, cap=4, routing="round_robin")
    for number in range(3):
        alone = fleet.simulate(calls[number::3], cap=4)
        assert [record._replace(replica=0) for record in run.request_records[number::3]] == list(alone.request_records)


def test_the_fewest_inside_is_asked_and_the_first_of_several():
    # Long answers, so that no request leaves meanwhile: one each, then again from the first.
    calls = [Call(i * MS, 5, 1_000) for i in range(7)]
    run = fleet.simulate(calls, num_replicas=3, cap=2)
    assert [record.replica for record in run.request_records] == [0, 1, 2, 0, 1, 2, 0]


def test_who_has_left_by_the_arrival_no_longer_counts():
    alone = fleet.simulate([Call(0, 5, 3)], cap=2).request_records[0].finish_ns
    for arrival_ns, replica in ((alone - 1, 1), (alone, 0)):
        run = fleet.simulate([Call(0, 5, 3), Call(arrival_ns, 5, 3)], num_replicas=2, cap=2)
        assert run.request_records[1].replica == replica


def test_waiting_requests_count_as_inside():
    calls = [Call(0, 5, 1_000)] * 5 + [Call(MS, 5, 3)]
    assert [record.replica for record in fleet.simulate(calls, num_replicas=2, cap=1).request_records] == [0, 1, 0, 1, 0, 1]


def test_random_routing_comes_from_its_seed():
    calls = some_calls()
    first, again, other = (
        [record.replica for record in fleet.simulate(calls, num_replicas=4, routing="random", seed=seed).request_records]
        for seed in (1, 1, 2)
    )
    assert first == again != other
    assert set(first) == {0, 1, 2, 3}


def test_better_routing_has_a_lower_p95():
    calls = some_calls(num=6_000, rate=1_100.0)
    p95 = [fleet.simulate(calls, num_replicas=4, routing=routing).p95_s for routing in fleet.ROUTINGS]
    assert p95[0] > p95[1] > p95[2]


@pytest.mark.parametrize("settings", [dict(cap=1), dict(cap=64), dict(num_replicas=5, cap=3)])
def test_everybody_is_served_once_and_never_more_than_the_cap_at_once(settings):
    calls = some_calls(num=800)
    run = fleet.simulate(calls, **settings)
    for call, record in zip(calls, run.request_records):
        assert call.arrival_ns <= record.admitted_ns < record.first_token_ns <= record.finish_ns
    for number in range(settings.get("num_replicas", 1)):
        own = [record for record in run.request_records if record.replica == number]
        changes = sorted([(record.admitted_ns, 1) for record in own] + [(record.finish_ns, -1) for record in own])
        inside = 0
        for _, change in changes:  # those who leave sort before those who come at the same moment
            inside += change
            assert 0 <= inside <= settings["cap"]


@pytest.mark.slow
def test_200_000_requests_take_less_than_a_minute():
    calls = fleet.draw_calls(fleet.request_lengths("mixed", 500), 300.0 * 8, 200_000, seed=1)
    start = time.process_time()
    run = fleet.simulate(calls, num_replicas=8, cap=8)
    assert time.process_time() - start < 60
    assert len(run.request_records) == 200_000 and None not in run.request_records


def test_requests_centuries_apart_are_served_alone():
    # A planner asks for "a rate near zero" to see what a request takes alone; it may choose any.
    lengths = fleet.request_lengths("mixed", 50)
    alone_s, *as_rare = (fleet.p95_s(lengths, rate, 2, 8, num_requests=60) for rate in (1e-3, 1e-9, 1e-30))
    assert as_rare == [alone_s] * 2


# -- calls --------------------------------------------------------------------------------------------------------


def test_calls_are_drawn_from_the_lengths_at_the_rate():
    lengths = [(3, 5), (40, 7)]
    calls = fleet.draw_calls(lengths, 50.0, 4_000, seed=8)
    assert {(call.num_prompt_tokens, call.num_steps) for call in calls} == set(lengths)
    assert calls == fleet.draw_calls(lengths, 50.0, 4_000, seed=8) != fleet.draw_calls(lengths, 50.0, 4_000, seed=9)
    assert 4_000 * NS / calls[-1].arrival_ns == pytest.approx(50, rel=0.06)
    assert [call.arrival_ns for call in calls] == sorted(call.arrival_ns for call in calls)


def test_lengths_by_name_are_those_of_the_workload():
    items = workload("mixed", arrivals="burst", num_requests=50, seed=4).items
    assert fleet.request_lengths("mixed", 50, seed=4) == [(len(i.prompt_token_ids), i.num_steps) for i in items]
    documents = fleet.request_lengths("documents", 300)
    assert all(500 <= prompt <= 700 and 32 <= steps <= 96 for prompt, steps in documents)


@pytest.mark.parametrize("settings, named", [
    (dict(num_replicas=0), "num_replicas=0"), (dict(cap=2.5), "cap=2.5"),
    (dict(routing="nearest"), "routing='nearest'"),
])
def test_a_mistake_is_named(settings, named):
    with pytest.raises(ValueError, match=named):
        fleet.simulate(some_calls(5), **settings)


def test_calls_out_of_order_and_a_rate_of_nothing_are_refused():
    with pytest.raises(ValueError, match="order of arrival"):
        fleet.simulate([Call(5, 1, 1), Call(4, 1, 1)])
    with pytest.raises(ValueError, match="rate_per_s=0"):
        fleet.draw_calls([(1, 1)], 0, 5, 0)
