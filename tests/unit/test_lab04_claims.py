"""Lab 04: what its notebook says of one server and of a fleet holds on other seeds, and with other step costs."""

from dataclasses import asdict

import pytest

from minigpt.runtime.clock import StepCost
from minigpt.schedulers import lab_file
from minigpt.schedulers.registry import code_file
from minigpt.simulation import fleet
from minigpt.simulation.capacity import saturated_per_s
from minigpt.studies import lab04
from tests.tools.sweep import sweep
from tests.unit.test_head_count import COSTS

REFERENCE = lab_file.load(code_file("04", "solution"))
SEEDS = sweep("seed", [3, 4])
TUTOR, DOCUMENTS = (fleet.request_lengths(kind) for kind in ("mixed", "documents"))


def run(lengths, share, seed, cost, *, cap=8, num_requests=10_000, num_replicas=1, **settings):
    rate = share * num_replicas * saturated_per_s(lengths, 8, cost=cost)
    return lab04.serve_rate(
        lengths, rate, num_requests=num_requests, seed=seed, cap=cap, num_replicas=num_replicas, cost=cost, **settings
    )


@COSTS
@SEEDS
def test_a_queue_that_grows_holds_three_times_as_many_in_its_second_half(seed, cost):
    records = run(TUTOR, 1.2, seed, cost, num_requests=6_000).records()
    end_s = records[-1]["arrival_s"]
    first, second = (REFERENCE.mean_number(records, "system", start, start + end_s / 2) for start in (0, end_s / 2))
    assert 2 < second / first < 4.5


def test_at_load_1_the_queue_has_no_value_to_return_to():
    def mean_s(num_requests):
        return sum(run(TUTOR, 1.0, seed, StepCost(), num_requests=num_requests).mean_s for seed in range(4))

    assert mean_s(8_000) > 1.5 * mean_s(1_000), "it settles: then a fleet could be planned for a load of 1"


@SEEDS
def test_a_window_of_two_stays_is_off_by_some_30_percent(seed):
    records = run(TUTOR, 0.8, seed, StepCost(), num_requests=3_000).records()
    stay_s = sum(record["finish_s"] - record["arrival_s"] for record in records) / len(records)
    medians, p95s = lab04.gap_by_width(REFERENCE, records, (0.05, 2)).values()
    assert 0.020 < stay_s < 0.030 and 22 < medians[0] < 38 and p95s[0] > 100
    assert medians[1] < 3


def test_each_doubling_of_the_slots_adds_less_for_documents():
    speeds = [saturated_per_s(DOCUMENTS, cap) for cap in (8, 16, 32, 64, 128)]
    gains = [after - before for before, after in zip(speeds, speeds[1:])]
    assert gains == sorted(gains, reverse=True) and speeds[-1] < 1.15 * speeds[0]


def test_the_law_is_nearer_in_longer_runs():
    def law(records):
        return REFERENCE.sample_the_law(records, len(records) // 20, 0.005)

    rate = 0.8 * saturated_per_s(TUTOR, 8)
    for short, long in lab04.gaps_percent(law, TUTOR, rate, (200, 2_000), num_runs=12).values():
        assert long < short / 1.5


def test_of_the_gap_at_equal_lengths_most_closes_when_the_first_come_one_by_one():
    at_once, one_by_one = lab04.throughput_errors_percent(REFERENCE, ("two_point:3,30,0.5", "constant:16")).values()
    assert at_once[1] < at_once[0] < -3 and all(abs(after) < abs(before) / 2 for before, after in zip(at_once, one_by_one))


def test_the_formula_is_within_1_percent_where_lengths_vary_freely():
    kinds = ("mixed", "exponential:16,128", "uniform:1,63", "documents")
    for errors in lab04.throughput_errors_percent(REFERENCE, kinds).values():
        assert max(map(abs, errors)) < 1


def test_the_mean_a_little_more_than_doubles_to_0_7_and_more_than_doubles_again_to_0_95():
    low, middle, high = (run(TUTOR, share, 2, StepCost(), num_requests=20_000).mean_s for share in (0.1, 0.7, 0.95))
    assert 2 < middle / low < 2.3 and high / middle > 2


@COSTS
@SEEDS
def test_the_ladder_is_near_up_to_load_0_8_under_poisson_arrivals(seed, cost):
    for share in (0.3, 0.8):
        assert abs(lab04.time_error_percent(REFERENCE, "mixed", share, 8, seed=seed, cost=cost)) < 10


@SEEDS
def test_the_ladder_is_a_fifth_too_low_for_long_prompts(seed):
    assert -30 < lab04.time_error_percent(REFERENCE, "documents", 0.8, 16, seed=seed, cost=StepCost()) < -12


@SEEDS
def test_with_several_queues_documents_need_fewer_slots_than_the_16_of_one(seed):
    lengths = fleet.request_lengths("documents", seed=seed)
    replicas, cap = REFERENCE.plan(140, 0.48, lengths, 64)
    assert replicas > 1 and cap < 16


@SEEDS
def test_with_several_queues_the_wait_is_short_and_the_cap_hardly_matters(seed):
    runs = {cap: lab04.serve_rate(DOCUMENTS, 140, num_requests=6_000, seed=seed, num_replicas=5, cap=cap) for cap in (4, 8, 32)}
    p95s = [each.p95_s for each in runs.values()]
    assert max(p95s) < 1.2 * min(p95s)
    waits = [sum(record["admitted_s"] - record["arrival_s"] for record in run.records()) / 6_000 for run in runs.values()]
    assert waits == sorted(waits, reverse=True) and waits[0] < runs[4].mean_s / 3
    assert 140 / 5 < 0.95 * saturated_per_s(DOCUMENTS, 8), "each replica is less loaded than the server of section 4.8"


@SEEDS
def test_the_tutor_hardly_ever_fills_32_slots(seed):
    p95 = [run(TUTOR, 0.95, seed, StepCost(), cap=cap, num_requests=8_000).p95_s for cap in (32, 64, 128)]
    assert p95[0] == pytest.approx(p95[2], rel=0.01)


@SEEDS
def test_16_slots_are_best_for_documents_and_more_spread_the_same_speed(seed):
    runs = {cap: run(DOCUMENTS, 0.95, seed, StepCost(), cap=cap, num_requests=20_000) for cap in (8, 16, 64)}
    e2e, tpot = ({cap: each(run) for cap, run in runs.items()} for each in (
        lambda run: run.p95_s, lambda run: sorted(run.tpot_s)[len(run.tpot_s) * 95 // 100]))
    assert min(e2e, key=e2e.get) == 16 and 1.5 < e2e[64] / e2e[16] < 1.8
    assert 4 < tpot[64] / tpot[8] < 5.5
    ttft = {cap: sum(sorted(run.ttft_s)[-len(run.ttft_s) // 20:]) for cap, run in runs.items()}
    assert ttft[8] > ttft[16] > ttft[64], "more slots: a shorter wait in the queue"


@COSTS
@SEEDS
def test_routing_to_the_fewest_inside_is_best_and_at_random_worst(seed, cost):
    at_random, in_turn, fewest = (
        run(TUTOR, 0.9, seed, cost, num_replicas=8, routing=routing).p95_s for routing in fleet.ROUTINGS
    )
    assert fewest < in_turn < at_random and at_random / fewest < 1.8


@COSTS
def test_each_doubling_of_the_slots_multiplies_by_less(cost):
    speeds = [REFERENCE.throughput_per_s(TUTOR, 2**k, asdict(cost)) for k in range(7)]
    factors = [after / before for before, after in zip(speeds, speeds[1:])]
    assert factors == sorted(factors, reverse=True) and factors[-1] > 1
