"""The queue and the clock that a loop sees, to the letter of the contract; times are added up by hand."""

import queue

import pytest

from minigpt.runtime.clock import VirtualClock
from minigpt.runtime.errors import ServingError
from tests.unit.small import COST, MS, item, make_server


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")


def ids_taken(server):
    """The ids of the requests that are waiting now, oldest first."""
    taken = []
    while not server.queue.empty():
        taken.append(server.queue.get_nowait().request_id)
    return taken


# -- closed and empty ------------------------------------------------------------------------------


def test_closed_means_no_more_arrivals_and_an_empty_queue():
    server = make_server(item(0), item(1, 10 * MS))
    assert not server.queue.closed
    server.queue.get()
    assert server.queue.empty() and not server.queue.closed  # one will still arrive
    server.clock.sleep(0.02)
    assert not server.queue.empty() and not server.queue.closed  # it has, and waits
    server.queue.get()
    assert server.queue.empty() and server.queue.closed


def test_questions_let_no_time_pass():
    server = make_server(item(0, 5 * MS))
    assert (server.queue.closed, server.queue.empty(), server.clock.time()) == (False, True, 0.0)
    with pytest.raises(queue.Empty):
        server.queue.get_nowait()
    assert server.clock.time() == 0.0


def test_a_request_can_be_taken_at_its_arrival_and_not_before():
    server = make_server(item(0, 5 * MS))
    server.clock.sleep(0.004_999_999)
    assert server.queue.empty()
    server.clock.sleep(0.000_000_001)
    assert ids_taken(server) == [0]


def test_requests_come_in_order_of_arrival_and_ties_in_order_of_their_ids():
    server = make_server(item(7, 2 * MS), item(3, 2 * MS), item(5, 0), item(1, 3 * MS), item(4, 2 * MS))
    server.clock.sleep(0.01)
    assert ids_taken(server) == [5, 3, 4, 7, 1]


# -- get -------------------------------------------------------------------------------------------


def test_get_without_a_timeout_waits_for_the_next_arrival():
    server = make_server(item(0, 40 * MS))
    assert server.queue.get().request_id == 0
    assert server.clock.time() == 0.04


@pytest.mark.parametrize("timeout_s", [None, 0, -1, 0.5])
def test_get_takes_a_waiting_request_at_once(timeout_s):
    server = make_server(item(0), item(1, 40 * MS))
    assert server.queue.get(timeout_s).request_id == 0
    assert server.clock.time() == 0.0


@pytest.mark.parametrize("timeout_s", [0, -0.001, -5])
def test_get_returns_at_once_if_the_timeout_is_not_positive(timeout_s):
    server = make_server(item(0, 40 * MS))
    with pytest.raises(queue.Empty):
        server.queue.get(timeout_s=timeout_s)
    assert server.clock.time() == 0.0


@pytest.mark.parametrize("timeout_s", [None, 0.5])
def test_get_returns_at_once_if_the_queue_is_closed(timeout_s):
    server = make_server(item(0))
    server.queue.get()
    with pytest.raises(queue.Empty):
        server.queue.get(timeout_s)
    assert server.clock.time() == 0.0


@pytest.mark.parametrize(
    ("arrival_ns", "comes", "then_ns"),
    [
        (3 * MS, True, 3 * MS),  # before the deadline: no time is lost
        (5 * MS, True, 5 * MS),  # exactly at the deadline counts
        (5 * MS + 1, False, 5 * MS),
    ],
)
def test_get_waits_to_the_earlier_of_arrival_and_deadline(arrival_ns, comes, then_ns):
    server = make_server(item(0, arrival_ns))
    if comes:
        assert server.queue.get(timeout_s=0.005).request_id == 0
    else:
        with pytest.raises(queue.Empty):
            server.queue.get(timeout_s=0.005)
    assert server.clock.now_ns == then_ns


def test_a_taken_request_is_as_it_was_sent():
    server = make_server(item(3, 2 * MS, num_tokens=4, prompt_token_ids=(9, 8, 7), priority=2))
    server.clock.sleep(0.010)
    request = server.queue.get()
    assert (request.request_id, request.prompt_token_ids, request.max_tokens) == (3, (9, 8, 7), 9)
    assert (request.arrival_time_s, request.priority) == (
        0.002,
        2,
    )  # scheduled, not when it happened to be noted
    assert (request.output_token_ids, request.num_output_tokens, request.num_prompt_tokens) == ([], 0, 3)
    assert (request.status, request.first_token_time_s, request.finish_time_s) == ("in_flight", None, None)


# -- sleep ---------------------------------------------------------------------------


def test_sleep_lets_so_much_time_pass_and_never_goes_back():
    server = make_server(item(0))
    server.clock.sleep(0.25)
    server.clock.sleep(0)
    server.clock.sleep(-1)
    assert server.clock.time() == 0.25


# -- respond ---------------------------------------------------------------------------------------


def test_respond_sends_the_answer_now():
    server = make_server(item(0, 1 * MS))
    request = server.queue.get()
    request.append(server.model.forward_one_step([request])[0])
    server.respond(request)
    record = server.log.requests[0]
    assert (request.status, request.finish_time_s) == (
        "finished",
        0.003_02,
    )  # 1 ms, and a prefill of 2 tokens
    assert (record.finish_ns, record.answer) == (3 * MS + MS // 50, (100,))


def test_a_request_may_be_answered_without_a_step():
    server = make_server(item(0))
    request = server.queue.get()
    server.respond(request)
    assert (server.log.requests[0].finish_ns, server.log.requests[0].answer) == (0, ())


def test_respond_twice_is_refused():
    server = make_server(item(0))
    request = server.queue.get()
    server.respond(request)
    with pytest.raises(ServingError, match="request 0 has been answered.*drop it"):
        server.respond(request)


@pytest.mark.parametrize("foreign", [None, "answer", item(9)], ids=["None", "text", "work item"])
def test_respond_takes_only_requests_of_the_queue(foreign):
    server = make_server(item(0), item(9))
    server.queue.get()
    with pytest.raises(ServingError, match="did not come from server.queue"):
        server.respond(foreign)


def test_the_virtual_clock_starts_at_0_and_the_settings_are_the_servers():
    server = make_server(item(0), max_batch=3, max_wait_s=0.25, max_inflight=5, clock=VirtualClock(COST))
    assert server.clock.time() == 0.0
    assert (server.max_batch, server.max_wait_s, server.max_inflight) == (3, 0.25, 5)


def test_a_student_is_told_in_spanish_too(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "es")
    server = make_server(item(0))
    request = server.queue.get()
    server.respond(request)
    with pytest.raises(ServingError, match="petición"):
        server.respond(request)
