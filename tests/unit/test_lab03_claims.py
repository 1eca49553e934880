"""What Lab 03 says of its figures, held for several crowds and for two kinds of machine."""

import random
import re
from dataclasses import dataclass
from statistics import median

import pytest

from minigpt.analysis import metrics
from minigpt.analysis.block_bootstrap import block_interval
from minigpt.runtime.clock import StepCost
from minigpt.schedulers.continuous import continuous_batch_loop as loop
from minigpt.simulation.paired_runs import PairedRuns
from minigpt.simulation.run import Runs
from minigpt.studies import interval_coverage
from minigpt.studies import lab03 as studies
from minigpt.studies import lab03_causes as causes
from minigpt.workloads.workload import scene, workload
from tests.tools.sweep import sweep

SLOW_CALLS = StepCost(step_overhead_ns=800_000, per_sequence_ns=60_000, prefill_overhead_ns=900_000, per_prefill_token_ns=15_000)
COSTS = (StepCost(), SLOW_CALLS)
for_each_cost = sweep("cost", COSTS, ids=["laptop", "slow calls"])


@for_each_cost
@sweep("seed", [1, 2])
def test_equal_lengths_win_at_light_load_and_lose_at_high(cost, seed):
    light, _, high = studies.equal_lengths((0.3, 0.7, 0.95), cost, loop, seed)
    assert light < 1 < high, "section 3.5, with prefill"
    assert studies.equal_lengths((0.3,), studies.DECODE_ONLY, loop, seed)[0] < light, "and without it wins by more"


def test_the_effect_at_0_7_is_that_of_prefill_and_only_without_it_the_loop_keeps_up_at_0_95():
    with_prefill, without = ([studies.equal_lengths((0.7,), cost, loop)[0], causes.capacity_ratio(cost, loop)]
                             for cost in (StepCost(), studies.DECODE_ONLY))
    assert without[0] < 1 < with_prefill[0] and with_prefill[1] < 0.95 < without[1], "section 3.5"
    assert 15 / 16 < without[1] < 0.98, "sixteen steps against fifteen, slightly shorter ones"


@for_each_cost
def test_at_high_load_the_factor_says_how_long_the_run_was(cost):
    runs = [workload("constant:16", load=0.95, num_requests=count, seed=2, cost=cost) for count in (300, 3_000)]
    short, long = (studies.p95_ms(studies.simulate("continuous", each, loop=loop, cost=cost)) for each in runs)
    assert long > 1.3 * short, "past its capacity the queue grows as long as the run lasts (section 3.5)"


@for_each_cost
@sweep("seed", [1, 2])
def test_equal_lengths_lower_the_capacity_and_prefill_is_most_of_it(cost, seed):
    with_prefill, without = (causes.capacity_ratio(each, loop, seed) for each in (cost, studies.DECODE_ONLY))
    assert with_prefill < 0.95 < without < 1, "section 3.5: 0.95 is too much with prefill, and nearly so without"
    ratios = studies.equal_lengths((0.3, 0.95), studies.DECODE_ONLY, loop, seed)
    assert ratios[0] < 1 < ratios[1]
    loss = studies.equal_lengths((0.95,), cost, loop, seed)[0] - 1
    assert ratios[1] - 1 < loss / 2, "section 3.12: mostly because of the prefill passes"


@for_each_cost
def test_a_prefill_pass_has_few_prompts_here_and_a_batch_there(cost, monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    found = re.fullmatch(r"prompts per prefill pass at load 0.95: yours (\d\.\d) on average, static (\d\.\d)",
                         causes.prompts_per_pass(loop, cost=cost))
    yours, static = (float(each) for each in found.groups())
    assert 1 <= yours < 2 < 5 < static <= 8, "section 3.5"


def test_a_long_answer_is_about_as_many_times_as_long_as_the_map_says():
    for spread in (2, 4, 10, 20):
        short, long = map(int, studies.spread_lengths(spread).split(":")[1].split(",")[:2])
        assert long / short == pytest.approx(spread, rel=0.15)


@dataclass(frozen=True)
class FirstTokensCount(StepCost):
    """A step costs as much for its prompts as for as many rows: a first token is neither free nor a pass of its own."""

    per_context_token_ns: int = 0
    mean_prompt: float = 41.6  # tokens, of the workload below

    def step_ns(self, shape) -> int:
        rows = shape.num_decode + shape.num_prefill_tokens / self.mean_prompt
        return round(self.step_overhead_ns + self.per_sequence_ns * rows) if rows else 0


@sweep("seed", [1, 2, 3])
def test_where_first_tokens_ride_along_nothing_is_lost(seed):
    # The free first tokens are what the loss without prefill is due to: let them cost a row, and it is gone.
    cost = FirstTokensCount()
    assert causes.capacity_ratio(cost, loop, seed) == pytest.approx(1, abs=0.01)
    assert max(studies.equal_lengths((0.3, 0.7, 0.95), cost, loop, seed)) < 1


def test_a_full_server_takes_sixteen_steps_per_answer_and_a_static_batch_fifteen_after_its_first_tokens():
    requests = workload("constant:16", load=causes.OVERLOAD, num_requests=400, seed=1, cost=studies.DECODE_ONLY)
    runs = studies.compare(requests, loop, cost=studies.DECODE_ONLY)
    costly = {"static": 0, "continuous": 0}  # passes that decode: the prefill of a whole batch costs nothing
    for name, log in (("static", runs.static), ("continuous", runs.continuous)):
        costly[name] = sum(step.end_ns - step.start_ns > 100_000 for step in log.steps) / (400 / 8)
    assert costly["static"] == pytest.approx(15, abs=0.5) and costly["continuous"] == pytest.approx(16, abs=0.5)


@for_each_cost
def test_the_map_is_what_the_text_says(cost):
    spreads, loads = (1, 2, 10), (0.1, 0.5, 0.9)
    grid = studies.reduction_grid(loads, spreads, loop, seeds=(1, 2), cost=cost)
    equal, *mixed = [[median(cell) for cell in row] for row in grid]
    assert equal[0] > equal[1] > equal[2] and equal[2] < 0 < equal[0], "the bottom row: a gain that turns into a loss"
    assert all(0 < row[0] < row[-1] for row in mixed), "mixed lengths: the fuller, the larger"
    requests = workload(studies.spread_lengths(10), load=0.1, num_requests=400, seed=1, cost=cost)
    runs = studies.compare(requests, loop, cost=cost)
    saved_ms = studies.p95_ms(runs.static) - studies.p95_ms(runs.continuous)
    assert 3 < saved_ms < 8, "at load 0.1 about the wait of 5 ms falls away"
    steps = {item.request_id: item.num_steps for item in requests.items}
    slow = [i for i, record in runs.static.requests.items()
            if record.finish_ns - record.arrival_ns >= 1e6 * studies.p95_ms(runs.static)]
    batches = {i: step.request_ids for step in runs.static.steps for i in step.request_ids}
    assert all(max(steps[each] for each in batches[i]) == max(steps.values()) for i in slow), "a batch with a long answer"
    waits_s = [record["admitted_s"] - record["arrival_s"] for record in runs.static.records()]
    assert 0.05 < sum(wait_s > 0.0051 for wait_s in waits_s) / 400 < 0.15, "about one in ten waits for a running batch"
    assert max(len(step.request_ids) for step in runs.continuous.steps) < 8, "and yours always has a free slot"


@pytest.mark.parametrize("seed", [1, 2])
def test_below_saturation_throughput_hardly_rises_since_only_the_last_answer_comes_sooner(seed):
    runs = studies.compare(workload("mixed", load=0.7, num_requests=400, seed=seed), loop)
    ends_s = [max(record["finish_s"] for record in log.records()) for log in (runs.static, runs.continuous)]
    assert 1 < ends_s[0] / ends_s[1] < 1.04, "section 3.8"


def test_beyond_capacity_the_number_grows_with_the_run():
    short, middle, long = studies.reduction_by_run_length((200, 400, 800), 10, 1.1, loop=loop)
    assert short < middle < long
    p95s = causes.p95_by_run_length((200, 800), 10, 1.1, loop=loop)
    assert p95s["static"][1] > 2 * p95s["static"][0], "the static queue grows"
    assert p95s["continuous"][1] < 1.25 * p95s["continuous"][0], "and yours does not"


def test_light_load_in_words(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    for spread in (1, 2, 4, 10, 20):
        found = re.fullmatch(rf"load 0.1, ×{spread} · static: (\d+) % wait longer than 5 ms · yours: at most (\d) slots in use, "
                             r"p95 (\d\.\d) ms lower", causes.at_light_load(loop, spread=spread))
        late, slots, fall = (float(each) for each in found.groups())
        assert 5 <= late <= 15 and slots < 8, "longer than 5 ms some wait (section 3.9)"
        assert 4.5 < fall < 6.5 if spread > 1 else 3 < fall < 6.5, "5 or 6 ms; with equal lengths the gain is similar"


def test_a_step_with_a_new_prompt_is_compared_with_plain_ones():
    log = studies.simulate("continuous", scene(A=(0, 30), B=(10, 5)), loop=loop)
    plain, prefill = log.steps[1], log.steps[0]  # A alone; A's prompt is a step of its own
    measured = causes.prompt_in_decode_steps(log)
    assert 1 < measured < (prefill.end_ns - prefill.start_ns + plain.end_ns - plain.start_ns) / 4e5
    assert causes.prompt_in_decode_steps(studies.simulate("continuous", scene(A=1), loop=loop)) is None


def test_next_to_virtual_compares_the_same_requests(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    settings = dict(load=0.7, num_requests=60, seed=1)
    runs = studies.compare(workload("mixed", **settings), loop)
    own = causes.prompt_in_decode_steps(runs.continuous)
    assert causes.next_to_virtual(PairedRuns(runs=(runs, runs)), loop, **settings) == (
        f"the same requests on the virtual clock: {runs.p95_reduction_percent:.1f} % (between them)\n"
        f"a step with a new prompt takes as long as {own:.1f} to {own:.1f} plain decode steps here, {own:.1f} on the virtual clock")


def test_where_a_value_lies_among_some(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    found = [causes.place_among(value, [3.0, 5.0, 4.0]) for value in (2.9, 3.0, 4.5, 5.0, 5.1)]
    assert found == ["below all of them", *["between them"] * 3, "above all of them"]


@sweep("seed", [3, 4])
def test_the_first_token_waits_for_the_running_step_too(seed):
    log = studies.simulate("continuous", workload("mixed", load=0.2, num_requests=400, seed=seed), loop=loop)
    waits_s = [record["admitted_s"] - record["arrival_s"] for record in log.records()]
    had_a_free_slot = max(len(step.request_ids) for step in log.steps) < 8
    assert had_a_free_slot and metrics.percentile(waits_s, 95) > 0.0002, "nobody waits for a slot, and yet (section 3.10)"


@for_each_cost
@sweep("seed", [3, 4])
def test_the_p95_gap_becomes_a_prefill_between_two_loads(cost, seed):
    logs = [studies.simulate("continuous", workload("mixed", load=load, num_requests=400, seed=seed, cost=cost), loop=loop,
                             cost=cost) for load in (0.2, 0.4, 1.0)]
    low, jumped, high = (studies.itl_p95_ms(log) for log in logs)
    assert low < 1.1 * (cost.step_overhead_ns + 8 * cost.per_sequence_ns) / 1e6 < jumped, "plain decode steps, then prefills"
    assert jumped - low > high - jumped, "then it rises gently"
    assert all(studies.prompts_in_longest_gap(log) >= 1 for log in logs)


def test_the_prompts_of_the_longest_gap_by_hand():
    log = studies.simulate("continuous", scene(A=(0, 30), B=(2, 5), C=(4, 5), D=(4, 5)), loop=loop)
    assert studies.prompts_in_longest_gap(log) == 2  # C and D come together, B alone; A's own prompt made no request wait
    assert studies.prompts_in_longest_gap(studies.simulate("static", scene(A=3), impl="given")) is None


@for_each_cost
def test_the_sorted_server_wins_a_burst_of_mixed_lengths_and_both_stay_below_the_bound(cost):
    for kind in ("uniform:1,63", "exponential:16,128", "mixed"):
        gain, bound, by_length = studies.burst_gain(kind, loop, cost=cost)
        assert 1 < gain < by_length < bound
    assert studies.burst_gain("constant:16", loop, cost=cost) == pytest.approx((1, 1, 1)), "with equal lengths all reach it"


def test_wins_are_counted(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    assert studies.wins([0.9, 1.2, 0.95]) == "your p95 is lower in 2 of 3 workloads (×0.90 to ×1.20)"


# -- intervals --------------------------------------------------------------------------------------------------------


def test_blocks_of_one_are_the_plain_bootstrap():
    rng = random.Random(1)
    before, after = ([rng.random() + 1 for _ in range(60)] for _ in range(2))
    plain = metrics.bootstrap_interval(before, after, 500, seed=3)
    assert block_interval(before, after, block=1, num_resamples=500, seed=3) == plain


def test_neighbours_stay_together():
    # Twenty in a row are slow in both runs: where blocks are as long, a resample has few or many of them, never some.
    before = [9.0] * 20 + [1.0] * 380
    after = [3.0] * 20 + [1.0] * 380
    assert block_interval(before, after, block=20, num_resamples=400)[0] == 0
    assert block_interval(before, after, block=1, num_resamples=400)[1] == pytest.approx(100 * (1 - 3 / 9))
    with pytest.raises(ValueError, match="block=0: choose 1 to 400"):
        block_interval(before, after, block=0)
    with pytest.raises(ValueError, match="pair the same requests"):
        block_interval(before, after[1:])


@for_each_cost
@sweep("load", [0.7, 0.9])
def test_an_interval_holds_less_often_than_it_promises_and_blocks_are_wider(cost, load):
    def plain(static, continuous, num_resamples, seed):
        latencies = ([r["finish_s"] - r["arrival_s"] for r in records] for records in (static, continuous))
        return metrics.bootstrap_interval(*latencies, num_resamples, seed)

    found = interval_coverage.measure_coverage(plain, loop, crowds=30, num_resamples=100, load=load, cost=cost,
                                               long_run_seeds=(997,))
    width = [sum(high - low for low, high in each) / 30 for each in (found.single, found.blocks)]
    assert found.held(found.single) <= 27 and width[1] > width[0]
    assert len(found.long_runs) == 1 and f"{found.together:.1f} %" in interval_coverage.in_words(found)
    assert isinstance(found.held(found.blocks), int)


def test_runs_of_the_same_requests_are_compared():
    runs = studies.compare(scene(A=3, B=4), loop)
    assert isinstance(runs, Runs) and len(runs.static.requests) == len(runs.continuous.requests) == 2
