"""An unchanged loop on live requests: the right tokens, one ending each, nothing lost, errors that stay small."""

import asyncio
import queue
import random
import threading
import time

import pytest

from minigpt.corpus.prompts import tutor_prompts
from minigpt.extras.server.live_engine import WRONG_IN_A_ROW
from minigpt.extras.server.live_server import KEPT_ANSWERS
from minigpt.extras.server.live_source import LiveSource, QueueFull
from minigpt.extras.server.live_state import EngineDown
from minigpt.extras.server.request_handle import StopSequences
from minigpt.llm.tokenizer import EOS_TOKEN_ID
from minigpt.llm.tutor import load_tutor
from minigpt.runtime.clock import WallClock
from tests.extras import loops
from tests.extras.loops import is_empty, live_engine, slow, told, wait_until
from tests.unit.small import draw, greedy_alone, item, reference, small_model

POLICIES = ("static", "continuous")


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")


def expected(prompt, max_tokens):
    """The answer of the small model alone, and how it ends."""
    tokens, _ = greedy_alone(small_model(), prompt, max_tokens)
    if EOS_TOKEN_ID in tokens:
        return tokens[: tokens.index(EOS_TOKEN_ID)], "stop"
    return tokens, "length"


@pytest.mark.parametrize("policy", POLICIES)
def test_the_tutors_answers_come_out(policy):
    prompts = [prompt for pool in tutor_prompts().values() for prompt in pool[:6]]
    with live_engine(policy, load_tutor(), max_batch=4, max_inflight=4) as engine:
        handles = [engine.submit(prompt.token_ids, 128) for prompt in prompts]
        for prompt, handle in zip(prompts, handles, strict=True):
            tokens, last = told(handle)
            assert (tuple(tokens), last.reason) == (prompt.answer_ids, "stop")
            assert handle.num_output_tokens == len(tokens)
        assert is_empty(engine.load)


@pytest.mark.parametrize("policy", POLICIES)
def test_many_threads_get_their_own_answers_once(policy):
    def client(seed):
        rng = random.Random(seed)
        for _ in range(8):
            prompt, limit = draw(rng.randint(1, 12), rng.random()), rng.randint(1, 20)
            tokens, last = told(engine.submit(prompt, limit))
            results.append((tokens, last.reason) == expected(prompt, limit))

    results = []
    with live_engine(policy) as engine:
        threads = [threading.Thread(target=client, args=(seed,)) for seed in range(8)]
        [thread.start() for thread in threads]
        [thread.join(60) for thread in threads]
        assert results == [True] * 64
        assert is_empty(engine.load) and engine.state.is_healthy


def test_continuous_streams_and_static_answers_at_the_end():
    with live_engine("continuous") as engine:
        events = list(engine.submit([7, 8], 5, ignore_eos=True))
        assert [len(event.token_ids) for event in events] == [1, 1, 1, 1, 1, 0]
    with live_engine("static") as engine:
        events = list(engine.submit([7, 8], 5, ignore_eos=True))
        assert [(len(event.token_ids), event.reason) for event in events] == [(5, "length")]


def test_ignoring_eos_goes_on_to_the_limit():
    with live_engine() as engine:
        tokens, last = told(engine.submit([7, 8], 40, ignore_eos=True))
    assert (len(tokens), last.reason) == (40, "length") and EOS_TOKEN_ID not in tokens


@pytest.mark.parametrize("policy", POLICIES)
def test_a_stop_sequence_ends_the_answer_and_is_not_in_it(policy):
    prompt = tutor_prompts()["explain"][0]
    text = prompt.answer.encode()
    stop = text[20:23]
    with live_engine(policy, load_tutor()) as engine:
        tokens, last = told(engine.submit(prompt.token_ids, 60, stop=[b"~~", stop]))
        assert (bytes(tokens), last.reason) == (text[: text.index(stop)], "stop")
        # What only began to be one is delivered in the end.
        tokens, last = told(engine.submit(prompt.token_ids, 60, stop=[text[-2:] + b"~"]))
        assert (bytes(tokens), last.reason) == (text, "stop")


@pytest.mark.parametrize("seed", range(30))
def test_held_back_tokens_are_those_of_a_plain_search(seed):
    rng = random.Random(seed)
    stream = [rng.randrange(2) for _ in range(30)]
    stops = [[rng.randrange(2) for _ in range(rng.randint(1, 5))] for _ in range(rng.randint(0, 3))]
    held, released, fed = StopSequences(stops), [], 0
    while fed < len(stream) and not held.is_matched:
        released += held.feed(stream[fed])
        fed += 1
        ends = [stop for stop in stops if stream[:fed][-len(stop) :] == stop]
        assert held.is_matched == bool(ends)
        assert released + held.tokens == stream[:fed]
    if held.is_matched:
        assert held.tokens in stops


# -- clients who go ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", POLICIES)
def test_a_cancelled_request_in_flight_gives_its_slot_back(policy):
    with live_engine(slow(reference(policy)), streams=True) as engine:
        gone = engine.submit([7, 8], 60, ignore_eos=True)
        events = iter(gone)
        next(events)  # it is in flight
        engine.cancel(gone)
        assert [event.reason for event in events if event.reason] == ["cancelled"]
        assert gone.num_output_tokens < 30
        wait_until(lambda: is_empty(engine.load))
        assert told(engine.submit([7, 8], 9))[0] == expected([7, 8], 9)[0]


def test_a_cancelled_request_in_the_queue_vanishes():
    with live_engine(slow(reference("continuous")), max_inflight=1) as engine:
        first = engine.submit([7, 8], 20, ignore_eos=True)
        next(iter(first))
        seen = engine.submit([1], 20)  # the loop may have been told of this one
        waiting = [engine.submit([2], 20) for _ in range(3)]
        engine.cancel(waiting[1])
        assert told(waiting[1])[1].reason == "cancelled"
        assert engine.load.num_waiting == 3
        told(first), told(seen)
        assert [told(handle)[0] for handle in (waiting[0], waiting[2])] == [expected([2], 20)[0]] * 2


def test_cancelling_at_any_time_loses_nothing():
    rng = random.Random(1)
    with live_engine(max_inflight=3) as engine:
        handles = [engine.submit(draw(3, i), 20, ignore_eos=True) for i in range(60)]
        order = handles[:]
        rng.shuffle(order)
        for handle in order[:40]:
            engine.cancel(handle)
            engine.cancel(handle)
        reasons = [told(handle)[1].reason for handle in handles]
        assert set(reasons) <= {"cancelled", "length"} and reasons.count("length") >= 20
        wait_until(lambda: is_empty(engine.load))
        assert engine.state.is_healthy


def test_whoever_was_told_of_a_request_gets_it():
    source = LiveSource(WallClock(), max_queue=2)
    source.put(item(1))
    assert source.next_ns is not None  # empty() said that a request is there
    assert not source.withdraw(1)
    assert source.take()[0].request_id == 1 and source.next_ns is None
    source.put(item(2))
    source.wait(None)
    assert not source.withdraw(2)
    source.put(item(3))
    assert source.withdraw(3) and not source.withdraw(3) and len(source) == 1
    source.put(item(4))
    with pytest.raises(QueueFull, match="2 requests are waiting"):
        source.put(item(5))


def test_leaving_an_async_stream_cancels():
    async def read_two(engine):
        stream = engine.stream([7, 8], 60, ignore_eos=True)
        tokens = [(await stream.__anext__()).token_ids for _ in range(2)]
        await stream.aclose()
        return tokens

    with live_engine(slow(reference("continuous"))) as engine:
        assert [len(tokens) for tokens in asyncio.run(read_two(engine))] == [1, 1]
        wait_until(lambda: is_empty(engine.load))


def test_a_listener_that_raises_hurts_nobody():
    def listener(event):
        raise RuntimeError("the client's event loop is closed")

    with live_engine() as engine:
        engine.submit([7, 8], 60, ignore_eos=True, listener=listener)
        assert told(engine.submit([2], 9))[0] == expected([2], 9)[0]
        wait_until(lambda: is_empty(engine.load))


# -- limits -----------------------------------------------------------------------------------------------------------


def test_a_full_queue_refuses():
    with live_engine(loops.never_serving_loop, max_queue=2) as engine:
        engine.submit([1], 5), engine.submit([1], 5)
        with pytest.raises(QueueFull):
            engine.submit([1], 5)
        assert (engine.load.num_waiting, engine.load.num_inflight) == (2, 0)


@pytest.mark.parametrize("prompt, max_tokens, settings, words", [
    ([], 5, {}, "at least one"),
    ([1], 0, {}, "at least one"),
    ([257], 5, {}, "token id 257"),
    ([-1], 5, {}, "token id -1"),
    ([1] * 60, 5, {}, "65 tokens"),
    ([1], 5, {"stop": [[]]}, "empty sequence"),
])
def test_a_request_that_cannot_be_served_is_refused(prompt, max_tokens, settings, words):
    with live_engine() as engine:
        with pytest.raises(ValueError, match=words):
            engine.submit(prompt, max_tokens, **settings)
        assert is_empty(engine.load)


def test_the_whole_context_can_be_used():
    with live_engine() as engine:
        assert len(told(engine.submit(draw(30), 34, ignore_eos=True))[0]) == 34


def test_the_log_forgets():
    with live_engine() as engine:
        for _ in range(KEPT_ANSWERS + 50):
            told(engine.submit([7], 1))
        assert len(engine._server.log.requests) == KEPT_ANSWERS and not engine._handles


# -- loops that fail --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loop, words", [
    (loops.raising_loop, "Flag: the student's mistake (loops.py:"),
    (loops.exiting_loop, "SystemExit"),
    (loops.returning_loop, "returned while the server was open"),
    (loops.stubborn_loop, "many more steps"),
    (loops.spinning_loop, "hangs"),
    (loops.sleeping_loop, "hangs"),
    (lambda server: server.queue.get_nowait(), "Empty"),
])
def test_a_loop_that_fails_is_reported_and_its_requests_are_answered(loop, words):
    with live_engine(loop, hang_s=0.3 if words == "hangs" else 30.0) as engine:
        try:
            handles = [engine.submit([1], 5) for _ in range(3)]
        except EngineDown:  # the last loop fails at once
            handles = []
        for handle in handles:
            last = told(handle)[1]
            assert last.reason == "failed" and words in last.error
        wait_until(lambda: engine.state.name == "failed")
        assert words in engine.state.reason
        with pytest.raises(EngineDown, match=r"loop"):
            engine.submit([1], 5)
        engine._thread.join(5)
        assert not engine._thread.is_alive(), "a loop that has been given up must end"
        assert engine.load.num_inflight == 0


def test_a_forgotten_request_is_no_hang_while_others_step_and_one_when_nobody_does():
    with live_engine(loops.forgetful_loop, hang_s=0.6) as engine:
        forgotten, started = engine.submit([1], 5), time.monotonic()
        while time.monotonic() - started < 2.0:
            assert told(engine.submit([2], 3, ignore_eos=True))[1].reason == "length"
        assert [each.num_output_tokens for each in engine.load.occupants] == [0]  # what /live and the 504 say of it
        last = told(forgotten)[1]
        assert last.reason == "failed" and "hangs" in last.error
        engine._thread.join(5)
        assert not engine._thread.is_alive()


@pytest.mark.parametrize("loop, words", [
    (loops.hasty_loop, "before it had ended"), (loops.lying_loop, "not what the model computed"),
])
def test_a_wrong_answer_is_not_passed_off_as_right(loop, words):
    with live_engine(loop, streams=False) as engine:
        for _ in range(WRONG_IN_A_ROW):
            assert engine.state.is_healthy
            last = told(engine.submit(draw(3), 20, ignore_eos=loop is loops.hasty_loop))[1]
            assert last.reason == "failed" and words in last.error
        # It has served no request: now /health says so, too.
        wait_until(lambda: engine.state.name == "failed")
        assert words in engine.state.reason and engine.load.num_kv_slots == 0


def test_an_idle_loop_does_not_hang():
    with live_engine(hang_s=1.0) as engine:
        threading.Event().wait(1.5)
        assert told(engine.submit([2], 9))[0] == expected([2], 9)[0]
        assert engine.state.is_healthy


# -- the end ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", POLICIES)
def test_draining_answers_everybody(policy):
    with live_engine(policy, max_batch=2, max_inflight=2) as engine:
        handles = [engine.submit([7, 8], 9) for _ in range(12)]
        engine.close()
        assert engine.state.name == "closed"
        assert [told(handle)[0] for handle in handles] == [expected([7, 8], 9)[0]] * 12
        with pytest.raises(EngineDown, match="closing"):
            engine.submit([1], 5)


@pytest.mark.parametrize("policy", POLICIES)
def test_closing_an_idle_engine_is_no_fault(policy):
    with live_engine(policy) as engine:
        threading.Event().wait(0.05)  # the loop is waiting in queue.get()
        engine.close()
        assert engine.state.name == "closed"


def test_closing_without_draining_cancels():
    with live_engine(slow(reference("continuous")), max_inflight=1) as engine:
        handles = [engine.submit([7, 8], 60, ignore_eos=True) for _ in range(5)]
        engine.close(drain=False)
        assert {told(handle)[1].reason for handle in handles} == {"cancelled"}
        assert engine.state.name == "closed" and is_empty(engine.load)


def test_a_loop_that_does_not_end_is_given_up():
    with live_engine(loops.sleeping_loop) as engine:
        handle = engine.submit([1], 5)
        engine.close(timeout_s=0.2)
        assert told(handle)[1].reason == "failed" and engine.state.name == "failed"


def test_a_handle_ends_once():
    with live_engine() as engine:
        handle = engine.submit([2], 3)
        told(handle)
        engine.cancel(handle)
        handle.finish("failed")
        with pytest.raises(queue.Empty):
            handle._inbox.get_nowait()
