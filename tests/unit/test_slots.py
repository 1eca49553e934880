"""Slots, by a timeline worked out by hand: a step takes 10 ns."""

import pytest

from minigpt.analysis.slots import Span, Waiting, num_slots, slot_spans, waiting_over_time
from minigpt.runtime.run_log import RequestLog, RunLog, StepLog

A, B, C = 0, 1, 2


def make_log(steps, records, *, streams, end_ns):
    """`steps`: (start, rows, useful rows); `lives`: request -> (arrival, admitted, finish)."""
    log = RunLog(workload=None, clock="virtual", streams=streams, max_batch=2, max_inflight=2, end_ns=end_ns)
    for start_ns, rows, useful in steps:
        log.steps.append(StepLog(start_ns=start_ns, end_ns=start_ns + 10, request_ids=rows, useful_ids=useful,
                                 num_prefill_tokens=0))
    for request_id, (arrival_ns, admitted_ns, finish_ns) in records.items():
        log.requests[request_id] = RequestLog(item=None, arrival_ns=arrival_ns, admitted_ns=admitted_ns,
                                              finish_ns=finish_ns)
    return log


@pytest.fixture
def static():
    """A ends after one step, B after three; both leave at 30, and only then C sits down."""
    return make_log(
        [(0, (A, B), (A, B)), (10, (A, B), (B,)), (20, (A, B), (B,)), (30, (C,), (C,))],
        {A: (0, 0, 30), B: (0, 0, 30), C: (5, 30, 40)}, streams=False, end_ns=40,
    )


@pytest.fixture
def continuous():
    """A leaves at 10, and C has its slot in the next step."""
    return make_log(
        [(0, (A, B), (A, B)), (10, (B, C), (B, C)), (20, (B,), (B,))],
        {A: (0, 0, 10), B: (0, 0, 30), C: (5, 10, 20)}, streams=True, end_ns=30,
    )


def span(slot, request_id, start_ns, useful_until_ns, end_ns):
    return Span(slot=slot, request_id=request_id, start_ns=start_ns, prefill_until_ns=start_ns + 10,
                useful_until_ns=useful_until_ns, end_ns=end_ns)


def test_a_static_batch_holds_its_slots_to_the_end(static):
    assert slot_spans(static) == [span(0, A, 0, 10, 30), span(1, B, 0, 30, 30), span(0, C, 30, 40, 40)]


def test_a_continuous_slot_is_free_as_soon_as_its_answer_left(continuous):
    assert slot_spans(continuous) == [span(0, A, 0, 10, 10), span(1, B, 0, 30, 30), span(0, C, 10, 20, 20)]


def test_the_lowest_free_slot_is_taken_first():
    steps = [(0, (0, 1, 2), (0, 1, 2)), (10, (1, 3), (1, 3)), (20, (1, 4), (1, 4))]
    records = {0: (0, 0, 10), 1: (0, 0, 30), 2: (0, 0, 10), 3: (0, 10, 20), 4: (0, 20, 30)}
    log = make_log(steps, records, streams=True, end_ns=30)
    assert [(found.request_id, found.slot) for found in slot_spans(log)] == [(0, 0), (1, 1), (2, 2), (3, 0), (4, 0)]
    assert num_slots(log) == 2  # one row more was used than there is: the figure shows it


def test_a_request_without_an_answer_holds_its_slot_to_the_end_of_the_run():
    log = make_log([(0, (A,), (A,))], {A: (0, 0, None)}, streams=True, end_ns=50)
    assert slot_spans(log) == [span(0, A, 0, 10, 50)]


def test_an_answer_that_leaves_late_holds_a_slot_for_nothing():
    """The slot is freed one step late: a common mistake, and it must be visible."""
    log = make_log([(0, (A,), (A,)), (10, (A, B), (B,))], {A: (0, 0, 20), B: (0, 10, 20)}, streams=True, end_ns=20)
    assert slot_spans(log) == [span(0, A, 0, 10, 20), span(1, B, 10, 20, 20)]


def test_waiting_in_the_queue_and_for_the_batch_to_form():
    """A is taken at 2 and waits for company until 8; B comes at 6 into the same batch, C waits for its end."""
    log = make_log(
        [(8, (A, B), (A, B)), (18, (C,), (C,))], {A: (0, 2, 18), B: (6, 6, 18), C: (9, 18, 28)},
        streams=False, end_ns=28,
    )
    assert [(w.time_ns, w.in_queue, w.forming) for w in waiting_over_time(log)] == [
        (0, 1, 0), (2, 0, 1), (6, 0, 2), (8, 0, 0), (9, 1, 0), (18, 0, 0),
    ]


def test_a_request_that_nobody_takes_waits_for_ever():
    log = make_log([], {A: (3, None, None)}, streams=True, end_ns=10)
    assert slot_spans(log) == []
    assert waiting_over_time(log) == [Waiting(time_ns=3, in_queue=1, forming=0)]
