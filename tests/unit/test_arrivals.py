"""When requests arrive, seen from their source: fixed times, or clients that wait for their answers."""

from minigpt.runtime.arrivals import ClosedLoop, OpenLoop, make_source
from tests.unit.small import item, work


def take_all(source):
    """(id, arrival) of everything that can be taken without an answer."""
    taken = []
    while source.next_ns is not None:
        each, arrival_ns = source.take()
        taken.append((each.request_id, arrival_ns))
    return taken


def closed(num_items, num_clients, think_ns=0):
    return ClosedLoop([item(i, None) for i in range(num_items)], num_clients, think_ns)


def test_an_open_loop_goes_by_time_and_then_by_id():
    source = OpenLoop([item(2, 5), item(9, 0), item(1, 5), item(0, 7)])
    assert source.next_ns == 0
    assert take_all(source) == [(9, 0), (1, 5), (2, 5), (0, 7)]


def test_an_open_loop_is_exhausted_when_all_are_taken_whatever_was_answered():
    source = OpenLoop([item(0, 5), item(1, 5)])
    assert not source.exhausted
    source.answered(3)
    assert [source.take()[0].request_id, source.exhausted] == [0, False]
    assert [source.take()[0].request_id, source.exhausted, source.next_ns] == [1, True, None]


def test_a_closed_loop_begins_with_one_request_a_client():
    assert take_all(closed(5, 3)) == [(0, 0), (1, 0), (2, 0)]


def test_a_client_sends_its_next_request_a_pause_after_its_answer():
    source = closed(5, 2, think_ns=100)
    take_all(source)
    source.answered(40)
    source.answered(10)
    assert source.next_ns == 110  # the other answer was earlier
    assert take_all(source) == [(3, 110), (2, 140)]


def test_a_closed_loop_is_not_exhausted_while_a_client_has_more_to_send():
    source = closed(3, 2)
    take_all(source)
    assert (source.next_ns, source.exhausted) == (None, False)  # both clients wait, and one request is unsent
    source.answered(7)
    assert (source.next_ns, source.exhausted) == (7, False)
    take_all(source)
    assert source.exhausted
    source.answered(9)  # nothing is left to send
    assert (source.next_ns, source.exhausted) == (None, True)


def test_requests_that_clients_send_at_the_same_time_come_in_order_of_their_ids():
    source = closed(4, 2)
    take_all(source)
    source.answered(50), source.answered(50)
    assert take_all(source) == [(2, 50), (3, 50)]


def test_more_clients_than_requests_send_each_request_once():
    assert take_all(closed(2, 5)) == [(0, 0), (1, 0)]


def test_a_workload_says_by_its_clients_which_loop_it_is():
    assert type(make_source(work(item(0)))) is OpenLoop
    assert type(make_source(work(item(0, None), num_clients=1))) is ClosedLoop
