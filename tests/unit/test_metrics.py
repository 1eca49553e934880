"""Metrics by hand-made logs: every figure can be worked out on paper."""

import math
import random

import pytest

from minigpt.analysis.metrics import (
    arrival_window_s,
    bootstrap_interval,
    e2e_s,
    goodput_per_s,
    itl_s,
    p95_reduction_percent,
    percentile,
    reduction_percent,
    slot_use_percent,
    summarize,
    throughput_per_s,
    tokens_per_s,
    tpot_s,
    ttft_s,
)
from minigpt.runtime.run_log import RequestLog, RunLog, StepLog
from tests.unit.small import MS, item, work


def make_log(*records, streams=True, steps=(), end_ns=None, max_batch=4, max_inflight=4):
    """`lives`: (arrival, token times, finish) in ms; `steps`: (start, end, rows, useful rows)."""
    log = RunLog(workload=work(*(item(i) for i in range(len(records)))), clock="virtual", streams=streams,
                 max_batch=max_batch, max_inflight=max_inflight)
    for i, (arrival, times, finish) in enumerate(records):
        log.requests[i] = RequestLog(
            item=log.workload.items[i], arrival_ns=round(arrival * MS), token_ids=[7] * len(times),
            token_times_ns=[round(t * MS) for t in times], finish_ns=None if finish is None else round(finish * MS),
        )
    log.steps += [StepLog(start_ns=start * MS, end_ns=end * MS, request_ids=rows, useful_ids=useful, num_prefill_tokens=0)
                  for start, end, rows, useful in steps]
    log.end_ns = (
        max((record.finish_ns or 0 for record in log.requests.values()), default=0) if end_ns is None else end_ns
    )
    return log


# -- percentiles -----------------------------------------------------------------------------------


def test_p95_of_three_is_the_largest():
    assert percentile([10, 20, 30], 95) == 30


def test_every_percentile_of_one_sample_is_that_sample():
    assert {percentile([4.5], percent) for percent in (1, 50, 95, 99, 100)} == {4.5}


def test_the_percentile_of_nothing_is_refused():
    with pytest.raises(ValueError, match="values is empty.*95th"):
        percentile([], 95)


@pytest.mark.parametrize("percent", [0, -5, 100.1, math.nan])
def test_a_percentile_lies_above_0_and_at_most_at_100(percent):
    with pytest.raises(ValueError, match=f"percent={percent}"):
        percentile([1, 2], percent)


@pytest.mark.parametrize("percent", [1, 2.5, 5, 25, 50, 90, 95, 97.5, 99, 99.9, 100])
def test_the_percentile_is_the_nearest_rank(percent):
    thousandths = round(percent * 10)
    for num in [*range(1, 130), 200, 999, 1000, 1001]:
        values = random.Random(num).sample(range(10 * num), num)
        # By definition: the smallest value that at least p per cent of all do not exceed, in whole numbers.
        expected = next(v for v in sorted(values) if 1000 * sum(w <= v for w in values) >= thousandths * num)
        assert percentile(values, percent) == expected


def test_a_tiny_percentile_is_the_smallest_value():
    assert percentile(list(range(1, 11)), 0.0001) == 1


def test_a_percentile_leaves_its_input_alone():
    values = [3, 1, 2]
    assert percentile(values, 50) == 2
    assert values == [3, 1, 2]


def test_infinite_latencies_take_part():
    assert percentile([1.0] * 18 + [math.inf] * 2, 90) == 1.0
    assert percentile([1.0] * 18 + [math.inf] * 2, 95) == math.inf


# -- latencies -------------------------------------------------------------------------------------

# Three tokens; one token; EOS at once; never answered.
RECORDS = [(1, [3, 4, 8], 9), (2, [7], 7), (2, [], 5), (4, [], None)]


def test_e2e_counts_from_the_arrival_and_a_request_without_an_answer_is_infinitely_late():
    assert e2e_s(make_log(*RECORDS)) == [0.008, 0.005, 0.003, math.inf]


def test_ttft_of_an_empty_answer_is_not_there_and_of_no_answer_infinite():
    assert ttft_s(make_log(*RECORDS)) == [0.002, 0.005, math.inf]


def test_a_server_that_does_not_stream_shows_its_first_token_with_the_answer():
    assert ttft_s(make_log(*RECORDS, streams=False)) == [0.008, 0.005, math.inf]


def test_ttft_of_a_request_that_got_tokens_and_no_answer():
    unanswered = (1, [3, 4], None)
    assert ttft_s(make_log(unanswered)) == [0.002]  # they were streamed
    assert ttft_s(make_log(unanswered, streams=False)) == [math.inf]


def test_gaps_lie_between_tokens_of_one_answer_so_one_token_has_none():
    assert itl_s(make_log(*RECORDS)) == [0.001, 0.004]
    assert itl_s(make_log((1, [5], 5))) == []
    assert itl_s(make_log(*RECORDS, streams=False)) == []


def test_time_per_output_token_is_undefined_below_two_tokens():
    assert tpot_s(make_log(*RECORDS)) == [0.006 / 2]  # from the first token to the answer, two tokens further
    assert tpot_s(make_log((1, [5], 5), (1, [], 5))) == []


# -- rates -----------------------------------------------------------------------------------------


def test_throughput_counts_what_was_completed_in_the_arrival_window():
    log = make_log((0, [1], 2), (4, [6], 10), (10, [20], 30))  # the window ends with the arrival at 10 ms
    assert arrival_window_s(log) == 0.010
    assert throughput_per_s(log) == pytest.approx(2 / 0.010)


def test_the_window_of_a_burst_is_the_whole_run():
    log = make_log((0, [1], 2), (0, [6], 10))
    assert arrival_window_s(log) == 0.010
    assert throughput_per_s(log) == pytest.approx(2 / 0.010)


def test_an_answer_at_the_very_end_of_the_window_counts_at_every_nanosecond():
    for end_ns in random.Random(0).sample(range(10**6, 10**11), 2_000):
        log = make_log((0, [], None), end_ns=end_ns)
        log.requests[0].finish_ns = end_ns
        assert throughput_per_s(log) == pytest.approx(1e9 / end_ns)


@pytest.mark.parametrize("seed", range(200))
def test_goodput_is_never_above_throughput(seed):
    rng = random.Random(seed)
    records = []
    for _ in range(rng.randint(1, 12)):
        arrival = rng.randint(0, 20)
        finish = rng.choice((None, arrival + rng.randint(1, 40)))
        records.append((arrival, [] if finish is None else [finish], finish))
    log = make_log(*records, end_ns=rng.randint(60, 90) * MS)
    goodput, throughput = goodput_per_s(log, e2e_target_s=rng.choice((0.01, math.inf))), throughput_per_s(log)
    assert goodput <= throughput and tokens_per_s(log) == throughput  # one token each, over the same window


def test_a_run_whose_answers_all_came_after_the_window_has_no_rate():
    """It said 0.00 requests/s with all of them answered."""
    found = summarize(make_log((0, [20], 20), (10, [30], 30)))
    assert (found.throughput_per_s, found.goodput_per_s, found.tokens_per_s) == (None, None, None)
    assert found.num_unfinished == 0 and summarize(make_log((0, [], None), (10, [], None))).throughput_per_s == 0


def test_rates_of_a_run_in_which_nothing_happened_are_0():
    log = make_log((0, [], None), end_ns=0)
    assert (throughput_per_s(log), tokens_per_s(log), goodput_per_s(log), slot_use_percent(log)) == (
        0,
        0,
        0,
        0,
    )


def test_tokens_per_second_counts_output_tokens_that_left_within_the_window():
    assert tokens_per_s(make_log(*RECORDS, (10, [], None), end_ns=20 * MS)) == pytest.approx(4 / 0.010)
    assert tokens_per_s(make_log(*RECORDS, (8, [], None), end_ns=20 * MS)) == pytest.approx(1 / 0.008)


@pytest.mark.parametrize(
    ("targets", "good"),
    [({}, 3), ({"e2e_target_s": 0.005}, 2), ({"e2e_target_s": 0.0049}, 1), ({"ttft_target_s": 0.002}, 2),
     ({"e2e_target_s": 0.005, "ttft_target_s": 0.002}, 1), ({"e2e_target_s": 0.001}, 0)],
)
def test_goodput_counts_answers_that_met_every_target(targets, good):
    log = make_log(*RECORDS, (10, [], None), end_ns=30 * MS)  # the window ends with the last arrival
    assert goodput_per_s(log, **targets) == pytest.approx(good / 0.010)


@pytest.mark.parametrize(("streams", "slots"), [(True, 4), (False, 2)])
def test_slot_use_is_the_share_of_slot_time_that_held_a_request_not_ended(streams, slots):
    # 10 ms with 2 useful rows, 30 ms with 1 of 2: 50 of 40 × slots. Time between steps does not count.
    steps = [(0, 10, (0, 1), (0, 1)), (100, 130, (0, 1), (1,))]
    log = make_log((0, [], 130), (0, [], 130), streams=streams, steps=steps, max_batch=2, max_inflight=4)
    assert slot_use_percent(log) == pytest.approx(100 * 50 / (40 * slots))


# -- summary and comparison ------------------------------------------------------------------------


def test_a_summary_counts_unfinished_requests_as_misses():
    found = summarize(make_log(*RECORDS, (10, [], None), end_ns=10 * MS), e2e_target_s=0.006)
    assert (found.num_requests, found.num_unfinished) == (5, 2)
    assert (found.e2e_p50_ms, found.e2e_p95_ms, found.e2e_p99_ms) == (8.0, math.inf, math.inf)
    assert (found.ttft_p50_ms, found.itl_p95_ms) == (5.0, 4.0)
    assert found.goodput_per_s == pytest.approx(200)


def test_a_summary_says_none_where_there_is_no_sample():
    found = summarize(make_log((0, [], 3)))
    assert (found.ttft_p50_ms, found.ttft_p95_ms, found.itl_p95_ms) == (None, None, None)
    assert found.e2e_p95_ms == 3.0


@pytest.mark.parametrize(
    ("before", "after", "expected"), [(10, 5, 50), (10, 10, 0), (10, 12, -20), (10, 0, 100)]
)
def test_a_reduction_is_negative_if_it_got_worse(before, after, expected):
    assert reduction_percent(before, after) == pytest.approx(expected)


@pytest.mark.parametrize("before", [0, -1, math.inf, math.nan])
def test_a_reduction_needs_something_to_start_from(before):
    with pytest.raises(ValueError, match=f"before={before}"):
        reduction_percent(before, 1)


def test_the_reduction_of_two_runs_is_that_of_their_p95():
    slow, fast = make_log((0, [], 5), (0, [], 20)), make_log((0, [], 4), (0, [], 8))
    assert p95_reduction_percent(slow, fast) == pytest.approx(60)


def test_the_bootstrap_keeps_pairs_together():
    # Every request is exactly twice as fast: only unpaired resampling would see anything but 50 %.
    before = [random.Random(i).expovariate(1) for i in range(60)]
    assert bootstrap_interval(before, [value / 2 for value in before]) == pytest.approx((50, 50))


def test_the_bootstrap_interval_holds_the_measured_reduction_and_comes_from_its_seed():
    rng = random.Random(2)
    before = [rng.expovariate(1) for _ in range(200)]
    after = [value * rng.uniform(0.3, 0.9) for value in before]
    low, high = bootstrap_interval(before, after, seed=5)
    measured = reduction_percent(percentile(before, 95), percentile(after, 95))
    assert low <= measured <= high and high - low > 1
    assert bootstrap_interval(before, after, seed=5) == (low, high)
    assert bootstrap_interval(before, after, seed=6) != (low, high)


def test_the_bootstrap_refuses_runs_of_different_requests():
    with pytest.raises(ValueError, match="3 latencies and after_s 2.*pair"):
        bootstrap_interval([1, 2, 3], [1, 2])
