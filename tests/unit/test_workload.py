"""Workloads: the same from the same seed, arrivals at the rate asked for, and requests that can be served."""

import random
from statistics import mean, pstdev

import pytest

from minigpt.runtime.clock import StepCost
from minigpt.workloads.static_capacity import static_capacity
from minigpt.workloads.workload import (
    CONTEXT,
    Workload,
    arriving,
    closed_loop,
    gamma,
    make_items,
    poisson,
    requests_of_lengths,
    tutor_requests,
    workload,
)
from tests.unit.small import MS, item, work


def rng(seed=0):
    return random.Random(seed)


# -- requests --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"max_tokens": 0}, ["request 3", "max_tokens=0", "at least one token"]),
        ({"max_tokens": -2}, ["max_tokens=-2"]),
        ({"prompt_token_ids": ()}, ["request 3", "prompt is empty", "at least one token"]),
        (
            {"prompt_token_ids": (1,) * 1000, "max_tokens": 25},
            ["1000 prompt tokens", "max_tokens=25", "1025", "1024", "Shorten"],
        ),
        ({"prompt_token_ids": (1,) * 1024, "max_tokens": 1}, ["1024 prompt tokens", "1025"]),
    ],
)
def test_a_request_that_cannot_be_served_is_refused_with_the_way_out(settings, words):
    with pytest.raises(ValueError) as refusal:
        item(3, **settings)
    assert [word for word in words if word not in str(refusal.value)] == []


@pytest.mark.parametrize(("num_prompt", "max_tokens"), [(CONTEXT - 1, 1), (1, CONTEXT - 1), (1, 1)])
def test_the_context_may_be_filled(num_prompt, max_tokens):
    assert item(0, prompt_token_ids=(1,) * num_prompt, max_tokens=max_tokens).max_tokens == max_tokens


@pytest.mark.parametrize(
    ("num_tokens", "max_tokens", "steps"), [(0, 5, 1), (3, 5, 4), (4, 5, 5), (5, 5, 5), (9, 5, 5)]
)
def test_an_answer_takes_a_step_a_token_and_one_for_eos_below_the_limit(num_tokens, max_tokens, steps):
    assert item(0, num_tokens=num_tokens, max_tokens=max_tokens).num_steps == steps


def test_a_workload_needs_requests_of_different_ids():
    with pytest.raises(ValueError, match="'none' has no requests"):
        Workload(name="none", items=())
    with pytest.raises(ValueError, match="request_id twice"):
        work(item(0), item(1), item(0))


def test_tutor_requests_bring_the_tutors_own_answers():
    found = tutor_requests(400, rng())
    assert [each.request_id for each in found] == list(range(400))
    share = sum(each.kind == "explain" for each in found) / 400
    assert 0.14 < share < 0.26
    assert all(len(each.answer) < each.max_tokens and not each.ignore_eos for each in found)
    lengths = {
        kind: mean(len(each.answer) for each in found if each.kind == kind) for kind in ("fix", "explain")
    }
    assert lengths["explain"] > 5 * lengths["fix"]


@pytest.mark.parametrize(("share", "kinds"), [(0, {"fix"}), (1, {"explain"})])
def test_all_of_them_may_be_of_one_kind(share, kinds):
    assert {each.kind for each in tutor_requests(50, rng(), share)} == kinds


@pytest.mark.parametrize("share", [-0.1, 1.1])
def test_a_share_lies_between_0_and_1(share):
    with pytest.raises(ValueError, match=f"explain_share={share}"):
        tutor_requests(5, rng(), share)


def test_requests_of_given_lengths_go_on_to_them():
    found = requests_of_lengths([3, 30, 1], rng())
    assert [(each.max_tokens, len(each.answer), each.ignore_eos, each.num_steps) for each in found] == [
        (3, 3, True, 3), (30, 30, True, 30), (1, 1, True, 1)]


def test_prompts_are_cut_or_repeated_to_given_lengths():
    found = requests_of_lengths([1, 1, 1], rng(), [1, 7, 500])
    assert [len(each.prompt_token_ids) for each in found] == [1, 7, 500]


# -- arrivals --------------------------------------------------------------------------------------


def gaps(times):
    return [after - before for before, after in zip([0.0, *times], times)]


@pytest.mark.parametrize("burstiness", [0.25, 1.0, 4.0])
def test_gamma_arrivals_have_their_rate_and_their_spread(burstiness):
    found = gaps(gamma(20_000, 50.0, burstiness, rng(1)))
    assert min(found) >= 0
    assert mean(found) == pytest.approx(1 / 50, rel=0.05)
    # The spread of a gamma distribution over its mean is burstiness^(-1/2): 1 for Poisson, more for bursts.
    assert pstdev(found) / mean(found) == pytest.approx(burstiness**-0.5, rel=0.08)


def test_poisson_is_gamma_of_burstiness_1():
    assert poisson(20, 5.0, rng(3)) == gamma(20, 5.0, 1.0, rng(3))


@pytest.mark.parametrize(
    ("rate", "burstiness", "name"), [(0, 1, "rate=0"), (-3, 1, "rate=-3"), (5, 0, "burstiness=0")]
)
def test_a_rate_and_a_burstiness_are_positive(rate, burstiness, name):
    with pytest.raises(ValueError, match=f"{name}: it must be positive"):
        gamma(3, rate, burstiness, rng())


def test_requests_arrive_at_the_times_given():
    found = arriving([item(0), item(1)], [0.001, 0.0035], "given", notes=("why",))
    assert [each.arrival_ns for each in found.items] == [MS, 3 * MS + MS // 2]
    assert (found.name, found.notes, found.num_clients) == ("given", ("why",), None)


def test_a_time_a_request_is_due():
    with pytest.raises(ValueError):
        arriving([item(0), item(1)], [0.0], "short")


def test_a_closed_loop_has_no_times_of_its_own():
    found = closed_loop([item(0), item(1)], 3, "closed", think_s=0.25)
    assert [each.arrival_ns for each in found.items] == [None, None]
    assert (found.num_clients, found.think_ns) == (3, 250 * MS)
    with pytest.raises(ValueError, match="num_clients=0"):
        closed_loop([item(0)], 0, "closed")


# -- by name ---------------------------------------------------------------------------------------

NAMES = {
    "mixed": {"rate_per_s": 100.0},
    "mixed:0.5": {"load": 0.7},
    "two_point:3,30,0.5": {"rate_per_s": 100.0, "arrivals": "gamma:0.3"},
    "exponential:16,128": {"arrivals": "burst"},
    "constant:8": {"arrivals": "closed:4"},
}


@pytest.mark.parametrize("name", NAMES)
def test_a_workload_comes_from_its_seed(name):
    first, same, other = (workload(name, num_requests=40, seed=seed, **NAMES[name]) for seed in (1, 1, 2))
    assert first == same != other
    assert (first.name, len(first.items)) == (name, 40)


def test_the_seed_is_all_that_matters_not_what_was_drawn_before():
    expected = workload(num_requests=20, load=0.7, seed=5)
    random.random()
    workload(num_requests=7, load=0.7, seed=1)
    assert workload(num_requests=20, load=0.7, seed=5) == expected


def test_the_same_requests_come_at_another_rate():
    slow, fast = (workload(num_requests=50, seed=3, rate_per_s=rate) for rate in (10.0, 20.0))
    assert [(a.prompt_token_ids, a.answer) for a in slow.items] == [
        (b.prompt_token_ids, b.answer) for b in fast.items
    ]
    for a, b in zip(slow.items, fast.items):
        assert a.arrival_ns == pytest.approx(2 * b.arrival_ns, abs=2)


@pytest.mark.parametrize("load", [0.3, 0.95])
def test_a_load_is_a_share_of_what_a_static_server_can_do(load):
    cost = StepCost(step_overhead_ns=900_000)
    by_load = workload("constant:5", load=load, num_requests=30, seed=2, max_batch=4, cost=cost)
    rate = load * static_capacity(by_load.items, 4, cost)
    assert by_load == workload("constant:5", rate_per_s=rate, num_requests=30, seed=2)


def test_a_burst_is_all_there_at_0_and_a_closed_loop_has_its_clients():
    assert {each.arrival_ns for each in workload(arrivals="burst", num_requests=9).items} == {0}
    assert workload(arrivals="closed:5", num_requests=9).num_clients == 5
    assert workload(arrivals="closed", num_requests=9).num_clients == 8


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, ["load=None", "rate_per_s=None", "exactly one"]),
        ({"load": 0.5, "rate_per_s": 3.0}, ["load=0.5", "rate_per_s=3.0", "exactly one"]),
        ({"load": 0}, ["rate", "positive"]),
        ({"rate_per_s": -1.0}, ["rate=-1.0", "positive"]),
        ({"arrivals": "burst:3"}, ["arrivals='burst:3'", "burst takes no number after it"]),
        ({"arrivals": "poisson:3", "load": 0.5}, ["poisson takes no number after it"]),
        ({"arrivals": "weekly", "load": 0.5}, ["arrivals='weekly'", "poisson", "burst", "closed:CLIENTS"]),
        ({"arrivals": "closed:0"}, ["num_clients=0"]),
        ({"num_requests": 0, "load": 0.5}, ["num_requests=0"]),
        ({"name": "zipf", "load": 0.5}, ["'zipf'", "two_point"]),
        ({"name": "mixed:3", "load": 0.5}, ["explain_share=3"]),
        ({"name": "constant:2000", "load": 0.5}, ["max_tokens=2000", "1024"]),
    ],
    ids=str,
)
def test_a_wrong_setting_is_refused_by_name(settings, words):
    with pytest.raises(ValueError) as refusal:
        workload(**settings)
    assert [word for word in words if word not in str(refusal.value)] == []


@pytest.mark.parametrize("settings", [{"name": "mixed:half", "load": 0.5}, {"arrivals": "closed:some"},
                                      {"arrivals": "gamma:some", "load": 0.5}], ids=str)
def test_what_is_no_number_is_named(settings):
    with pytest.raises(ValueError, match="mixed:half|closed:some|gamma:some"):
        workload(**settings)


def test_make_items_gives_requests_without_a_time_yet():
    assert {each.arrival_ns for each in make_items("uniform:2,5", 20, rng())} == {0}
    assert {each.max_tokens for each in make_items("uniform:2,5", 60, rng())} == {2, 3, 4, 5}
