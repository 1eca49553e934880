"""The record of a run: what was admitted, computed and answered, written by the runtime and not by the loop."""

import math

from minigpt.analysis.metrics import e2e_s
from minigpt.runtime.clock import VirtualClock
from minigpt.runtime.model_runner import ScriptedRunner
from minigpt.runtime.server import run
from tests.unit.small import COST, MS, item, work


def take_one_and_leave(server):
    request = server.queue.get()
    request.append(server.model.forward_one_step([request])[0])
    server.respond(request)
    server.queue.get()


def test_the_log_holds_what_was_admitted_computed_and_answered():
    log = run(take_one_and_leave, work(item(0, MS), item(1, 9 * MS), item(2, 20 * MS)), clock=VirtualClock(COST),
              runner=ScriptedRunner(), max_batch=3, max_inflight=5, streams=False)
    assert (log.clock, log.streams, log.max_batch, log.max_inflight) == ("virtual", False, 3, 5)
    first = log.requests[0]
    end_ns = 3 * MS + 2 * MS // 100
    assert (first.arrival_ns, first.admitted_ns, first.finish_ns) == (MS, MS, end_ns)
    assert (first.token_ids, first.token_times_ns, first.num_computed_tokens) == ([100], [end_ns], 2)
    step = log.steps[0]
    assert (step.start_ns, step.end_ns, step.request_ids, step.useful_ids) == (MS, end_ns, (0,), (0,))
    assert step.num_prefill_tokens == 2
    assert log.end_ns == 9 * MS


def test_unfinished_requests_are_counted_and_infinitely_late():
    log = run(
        take_one_and_leave,
        work(item(0), item(1), item(2, MS)),
        clock=VirtualClock(COST),
        runner=ScriptedRunner(),
    )
    assert log.num_unfinished == 2
    assert [record.item.request_id for record in log.finished] == [0]
    assert e2e_s(log)[1:] == [math.inf, math.inf]
    assert (log.requests[1].admitted_ns, log.requests[2].admitted_ns) == (log.requests[0].finish_ns, None)


def test_requests_never_sent_by_a_closed_loop_count_as_unfinished():
    workload = work(*(item(i, None) for i in range(4)), num_clients=2)
    log = run(take_one_and_leave, workload, clock=VirtualClock(COST), runner=ScriptedRunner())
    assert log.num_unfinished == 3


def test_records_are_plain_numbers_in_seconds():
    log = run(take_one_and_leave, work(item(1, MS), item(0, 20 * MS), item(2, 9 * MS)), clock=VirtualClock(COST),
              runner=ScriptedRunner())
    assert log.records() == [
        {"request_id": 0, "arrival_s": 0.02, "admitted_s": None, "finish_s": None},
        {"request_id": 1, "arrival_s": 0.001, "admitted_s": 0.001, "finish_s": 0.003_02},
        {"request_id": 2, "arrival_s": 0.009, "admitted_s": 0.009, "finish_s": None},
    ]


def test_the_log_keeps_what_the_model_said_beside_what_the_loop_answered():
    def lie(server):
        request = server.queue.get()
        server.model.forward_one_step([request])
        request.append(55)
        server.respond(request)

    log = run(lie, work(item(0)), clock=VirtualClock(COST), runner=ScriptedRunner())
    assert (log.requests[0].token_ids, log.requests[0].answer) == ([100], (55,))
