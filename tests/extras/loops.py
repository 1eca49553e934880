"""Loops with errors, and engines on a small model: what the tests of the live engine and of the server run."""

import contextlib
import os
import threading
import time

from minigpt.extras.server.live_engine import LiveEngine
from minigpt.extras.server.request_handle import RequestHandle
from minigpt.schedulers.registry import find_policy
from tests.unit.small import reference, small_model


class Flag(Exception):
    """What the raising loop raises."""


def raising_loop(server):
    request = server.queue.get()
    server.model.forward_one_step([request])
    raise Flag("the student's mistake")


def raising_when(heard: threading.Event):
    """A loop that raises after one step, when a client has had a token."""

    def loop(server):
        server.model.forward_one_step([server.queue.get()])
        assert heard.wait(30)
        raise Flag("the student's mistake")

    return loop


def spinning_loop(server):
    """Hangs where no call is made."""
    request = server.queue.get()
    server.model.forward_one_step([request])
    while True:
        pass


def forgetful_loop(server):
    """Takes its first request and never steps it; serves all others."""
    server.queue.get()
    reference("continuous")(server)


def sleeping_loop(server):
    """Hangs in a question to the server, again and again."""
    server.queue.get()
    while True:
        server.clock.sleep(0.01)


def exiting_loop(server):
    server.queue.get()
    raise SystemExit(0)


def returning_loop(server):
    server.queue.get()


def hasty_loop(server):
    """Answers after one step, ended or not."""
    while not server.queue.closed:
        request = server.queue.get()
        request.append(server.model.forward_one_step([request])[0])
        server.respond(request)


def lying_loop(server):
    """Answers with a token too many."""
    while not server.queue.closed:
        request = server.queue.get()
        while (token := server.model.forward_one_step([request])[0]) != server.model.eos_token_id:
            request.append(token)
        request.append(65)
        server.respond(request)


def stubborn_loop(server):
    """Never lets a request go."""
    request = server.queue.get()
    while True:
        server.model.forward_one_step([request])


def never_serving_loop(server):
    """Waits for the end and takes no request."""
    while not server.queue.closed:
        time.sleep(0.005)


def slow(loop, step_s=0.005):
    """The loop on a machine whose steps take at least `step_s`: time enough for a test to interfere."""

    def slow_loop(server):
        fast_step = server.model.forward_one_step

        def slow_step(requests):
            time.sleep(step_s)
            return fast_step(requests)

        server.model.forward_one_step = slow_step
        loop(server)

    return slow_loop


@contextlib.contextmanager
def live_engine(loop="continuous", model=None, **settings):
    """An engine with a reference loop (by its policy's name) or a loop of one's own, closed at the end."""
    if isinstance(loop, str):
        settings.setdefault("streams", find_policy(loop).streams)
        loop = reference(loop)
    engine = LiveEngine(loop, model or small_model(), **settings)
    try:
        yield engine
    finally:
        engine.close(drain=False, timeout_s=5)


def told(handle: RequestHandle):
    """All that a handle got: its tokens and its last event."""
    events = list(handle)
    assert [event.reason for event in events[:-1]] == [None] * (len(events) - 1)
    return [token for event in events for token in event.token_ids], events[-1]


def wait_until(condition, timeout_s=10.0):
    """Wait for something that happens in another thread."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.002)


def is_empty(load):
    """Whether nothing waits, runs or holds a slot."""
    return (load.num_waiting, load.num_inflight, load.num_kv_slots, load.num_kv_tokens) == (0, 0, 0, 0)


# -- for another process: found by their names there ----------------------------------------------------------------


def ending_loop(server):
    """Takes its whole process down."""
    server.queue.get()
    os._exit(3)


def make_ending_loop():
    return ending_loop


def make_raising_loop():
    return raising_loop


def make_endless():
    """A file that never comes to an end when it is loaded."""
    while True:
        time.sleep(0.1)


def make_no_loop():
    raise ValueError("no such file")


def c_call_loop(server):
    """In a call that never gives the interpreter back."""
    server.model.forward_one_step([server.queue.get()])
    sum(range(10**10))


def make_c_call_loop():
    return c_call_loop


def make_continuous_loop():
    return reference("continuous")


def make_slow_loop():
    return slow(reference("continuous"), 0.02)


def unwritten_loop(server):
    raise NotImplementedError("exercise 3.4: continuous_batch_loop")


def make_unwritten_loop():
    return unwritten_loop


def make_spinning_loop():
    return spinning_loop


def make_lying_loop():
    return lying_loop


def make_any_loop(name, *_):
    """One of these by its name, in place of what `serve` would load."""
    return globals()[f"make_{name}_loop"]()
