"""The engine in a process of its own: the same answers, and no end of that process that leaves a client waiting."""

import functools
import os
import queue
import signal
import threading
import time

import pytest

from minigpt.cli.serve import load_any_loop
from minigpt.corpus.prompts import tutor_prompts
from minigpt.extras.server import engine_client
from minigpt.extras.server.engine_client import NOTHING, EngineClient
from minigpt.extras.server.engine_core import EngineCore
from minigpt.extras.server.live_checks import try_out
from minigpt.extras.server.live_state import HEALTHY, EngineDown, EngineState
from minigpt.extras.server.request_handle import AnswerOptions
from tests.extras import loops
from tests.extras.loops import is_empty, wait_until
from tests.unit.small import reference

PROMPTS = [prompt for pool in tutor_prompts().values() for prompt in pool[:4]]


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")


@pytest.fixture(scope="module")
def engine():
    engine = EngineClient(functools.partial(load_any_loop, "continuous", "solution"), max_inflight=4, max_queue=3)
    yield engine
    engine.close(drain=False, timeout_s=10)
    assert engine.state.name == "closed" and not engine._child.is_alive()


def ask(engine, *args, **settings):
    """A request's ticket, and the queue of its events."""
    events = queue.Queue()
    return engine.submit(*args, listener=events.put, **settings), events


def told(events):
    """All tokens and the last event."""
    tokens = []
    while True:
        event = events.get(timeout=60)
        tokens += event.token_ids
        if event.reason is not None:
            return tokens, event


def test_the_answers_are_the_tutors(engine):
    for prompt in PROMPTS:
        tokens, last = told(ask(engine, prompt.token_ids, 128)[1])
        assert (tuple(tokens), last.reason) == (prompt.answer_ids, "stop")
    stop = PROMPTS[-1].answer_ids[5:8]
    tokens, last = told(ask(engine, PROMPTS[-1].token_ids, 128, stop=(stop,))[1])
    assert last.reason == "stop" and len(tokens) <= 5
    assert engine.context == 1024
    wait_until(lambda: is_empty(engine.load))


def test_tokens_stream_and_cancelling_frees_the_slot(engine):
    handle, events = ask(engine, [65, 10], 1_000, ignore_eos=True)
    assert len(events.get(timeout=60).token_ids) == 1
    engine.cancel(handle)
    tokens, last = told(events)
    assert last.reason == "cancelled" and len(tokens) < 900
    engine.cancel(handle)
    wait_until(lambda: is_empty(engine.load))


def test_a_full_queue_is_an_event(engine):
    handles = [ask(engine, [65, 10], 400, ignore_eos=True) for _ in range(24)]
    endings = [told(events)[1].reason for _, events in handles]
    assert set(endings) == {"length", "queue_full"} and endings.count("length") >= 3
    wait_until(lambda: is_empty(engine.load))


@pytest.mark.parametrize("prompt, max_tokens, stop, words", [
    ([], 5, (), "at least one"), ([65], 0, (), "at least one"), ([999], 5, (), "token id 999"),
    ([65] * 1_000, 100, (), "1100 tokens"), ([65], 5, ((),), "empty sequence"),
])
def test_a_request_that_cannot_be_served_is_refused_here(engine, prompt, max_tokens, stop, words):
    with pytest.raises(ValueError, match=words):
        ask(engine, prompt, max_tokens, stop=stop)


def test_a_process_that_ends_leaves_nobody_waiting():
    engine = EngineClient(loops.make_ending_loop)
    assert engine.state.is_healthy
    last = told(ask(engine, [65, 10], 5)[1])[1]
    assert last.reason == "failed" and "ended with status 3" in last.error
    assert engine.state.name == "failed" and is_empty(engine.load)
    with pytest.raises(EngineDown, match="status 3"):
        ask(engine, [65, 10], 5)
    engine._learn(EngineState(name=HEALTHY), NOTHING)  # said before, and read late
    assert engine.state.name == "failed"
    engine.close(timeout_s=1)
    assert engine.state.name == "failed"


def test_a_file_that_is_never_loaded_is_given_up(monkeypatch):
    monkeypatch.setattr(engine_client, "FILE_S", 0.5)
    with pytest.raises(ValueError, match="was not loaded within 0 s"):
        EngineClient(loops.make_endless)


@pytest.mark.parametrize("make, error", [
    (loops.make_unwritten_loop, "NotImplementedError"), (loops.make_raising_loop, "Flag"),
    (loops.make_lying_loop, ""), (loops.make_ending_loop, ""),
])
def test_a_loop_that_cannot_serve_never_looks_as_if_it_did(make, error):
    """The reason used to come after the event of the failure: 14 of 20 starts went on without serving any request."""
    engine = EngineClient(make)
    started = time.monotonic()
    state = try_out(engine, 10)
    assert (state.name, state.error) == ("failed", error) and state.reason
    assert time.monotonic() - started < 3
    engine.close(drain=False, timeout_s=1)


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no such signals")
@pytest.mark.parametrize("how", ["a call in C", "a stopped process"])
def test_a_process_that_is_silent_is_noticed_from_outside(how, monkeypatch):
    monkeypatch.setattr(engine_client, "SILENCE_S", 1.5)
    engine = EngineClient(loops.make_c_call_loop if how == "a call in C" else loops.make_slow_loop, hang_s=1.0)
    _, events = ask(engine, [65, 10], 400, ignore_eos=True)
    events.get(timeout=30)  # its first token
    if how == "a stopped process":
        os.kill(engine._child.pid, signal.SIGSTOP)
    for _ in range(300):  # more than a pipe holds: a server must not wait for a process that does not read
        ask(engine, [65] * 900, 10)
    last = told(events)[1]
    assert last.reason == "failed" and "nothing was heard" in last.error
    assert engine.state.name == "failed" and not engine._child.is_alive()


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no such signals")
def test_closing_takes_no_longer_than_its_limit_whatever_the_process_does():
    engine = EngineClient(loops.make_c_call_loop)
    _, events = ask(engine, [65, 10], 400, ignore_eos=True)
    events.get(timeout=30)
    started = time.monotonic()
    engine.close(drain=True, timeout_s=0.5)
    assert time.monotonic() - started < 0.5 + 3 * engine_client.LAST_S
    assert told(events)[1].reason == "failed" and not engine._child.is_alive()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signals")
def test_a_process_that_was_killed_is_not_the_loops_fault():
    engine = EngineClient(loops.make_slow_loop)
    _, events = ask(engine, [65, 10], 400, ignore_eos=True)
    events.get(timeout=30)
    os.kill(engine._child.pid, signal.SIGTERM)  # to a whole group: the server's affair
    os.kill(engine._child.pid, signal.SIGINT)
    assert events.get(timeout=30).reason is None
    os.kill(engine._child.pid, signal.SIGKILL)
    last = told(events)[1]
    assert "ended from outside (SIGKILL)" in last.error and "the loop raised" not in last.error
    engine.close(timeout_s=1)


class ClosedPipe:
    """A pipe whose other end was killed."""

    def send(self, message):
        raise BrokenPipeError

    def poll(self, timeout_s):
        raise EOFError


def test_a_server_that_was_killed_is_not_the_loops_fault(caplog):
    host = EngineCore(ClosedPipe())
    with loops.live_engine("continuous", after_step=host.flush) as engine:
        host.serve(engine)
        host._submit(0, (7, 8), 9, AnswerOptions())
        wait_until(lambda: is_empty(engine.load))
        assert engine.state.is_healthy and "raised" not in caplog.text


def test_a_loop_that_raises_is_reported_across():
    engine = EngineClient(loops.make_raising_loop)
    last = told(ask(engine, [65, 10], 5)[1])[1]
    assert last.reason == "failed" and "the student's mistake" in last.error
    assert (engine.state.name, engine.state.error) == ("failed", "Flag")  # at once: the news came before the event
    engine.close(timeout_s=5)
    assert not engine._child.is_alive()


def test_a_loop_that_cannot_be_had_is_said():
    with pytest.raises(ValueError, match="no such file"):
        EngineClient(loops.make_no_loop)


class RecordingPipe:
    """A pipe with orders for a desk, that keeps what the desk says."""

    def __init__(self, orders):
        self._orders, self.said = list(orders), []

    def poll(self, timeout_s):
        return bool(self._orders)

    def recv(self):
        return self._orders.pop(0)

    def send(self, message):
        self.said.append(message)


def test_a_steps_tokens_travel_together():
    pipe = RecordingPipe([("submit", number, (65, 10), 40, AnswerOptions(ignore_eos=True)) for number in range(4)])
    host = EngineCore(pipe)
    with loops.live_engine(loops.slow(reference("continuous"), 0.02), after_step=host.flush) as engine:
        serving = threading.Thread(target=host.serve, args=(engine,), daemon=True)
        serving.start()
        wait_until(lambda: sum(event[2] is not None for event in events_of(pipe)) == 4)
        pipe._orders.append(("close", True, None))
        serving.join(10)
    assert not serving.is_alive()
    assert [sum(len(event[1]) for event in events_of(pipe) if event[0] == number) for number in range(4)] == [40] * 4
    together = [len(message[1]) for message in pipe.said if message[0] == "events"]
    # The requests are there within a step or two, on a busy machine within thirty: from then on four rows a message.
    assert together.count(4) >= 10


def events_of(pipe):
    return [event for message in list(pipe.said) if message[0] == "events" for event in message[1]]
