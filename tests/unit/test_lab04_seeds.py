"""The reference passes Lab 04's definition of done on graded seeds, and with room to spare."""

import pytest

from minigpt.schedulers import lab_file
from minigpt.schedulers.registry import code_file
from tests.grader.seeds import GRADED_SEEDS
from tests.lab04.figures import CAPS, CASES, MAX_CAP, ORDERS, p95_unseen_s, replayed, terms
from tests.lab04.scenes import busy_records
from tests.tools.sweep import sweep

REFERENCE = lab_file.load(code_file("04", "solution"))


@sweep("seed", GRADED_SEEDS[::5])
def test_littles_law_holds(seed):
    number, rate, stay = REFERENCE.sample_the_law(busy_records(0.8, 1_000, seed), 50, 0.005)
    assert abs(number / (rate * stay) - 1) < 0.04


@sweep("seed", GRADED_SEEDS[::10])
@pytest.mark.parametrize("case", CASES)
def test_the_ladder_predicts_the_time(seed, case):
    lengths, rate, measured = replayed(*case, seed)
    cap = case[1]
    assert abs(REFERENCE.mean_time_in_system_s(lengths, rate, cap, REFERENCE.COST) / measured - 1) < 0.09


@sweep("seed", GRADED_SEEDS[::20])
@pytest.mark.parametrize("order", ORDERS, ids=lambda order: order.name)
def test_the_plan_is_clear_of_its_target_on_both_sides(seed, order):
    lengths, rate = terms(order, seed)
    num_replicas, cap = REFERENCE.plan(rate, order.p95_target_s, lengths, MAX_CAP)
    assert p95_unseen_s(order, seed, num_replicas, cap) < 0.95 * order.p95_target_s
    assert min(p95_unseen_s(order, seed, num_replicas - 1, cap) for cap in CAPS) > 1.05 * order.p95_target_s
