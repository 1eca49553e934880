"""The other end of `engine_client`'s pipe: a live engine, and its main thread, which receives the orders."""

import ctypes
import functools
import os
import signal
import sys
import threading
import time
from collections.abc import Callable

from minigpt.extras.server.live_state import EngineDown
from minigpt.extras.server.request_handle import (
    ENGINE_DOWN,
    FAILED,
    QUEUE_FULL,
    AnswerOptions,
    RequestHandle,
    RequestOutput,
)

LOOK_S = 0.1  # how often state and load are looked at
BEAT_S = 0.5  # how often they are sent, changed or not: a process that stays silent has stopped
PR_SET_PDEATHSIG = 1  # Linux: the signal that a process gets when its parent's thread ends


def run_engine_core(pipe, make_loop: Callable[[], Callable], settings: dict) -> None:
    """The engine's process from start to end."""
    outlive_nobody()
    # Ctrl-C, and SIGTERM to a whole group, reach both: the server decides, and says "close".
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    from minigpt.extras.server.live_engine import LiveEngine
    from minigpt.llm.tutor import load_tutor

    model = load_tutor()
    pipe.send(("imported",))  # from here on the time is spent in the student's file
    try:
        loop = make_loop()
    except ValueError as error:
        pipe.send(("broken", str(error)))
        return
    core = EngineCore(pipe)
    core.serve(LiveEngine(loop, model, after_step=core.flush, **settings))
    sys.stderr.flush()
    os._exit(0)  # not waiting for a loop that does not end


def outlive_nobody() -> None:
    """End with the server, even if it is killed while the loop holds the interpreter; elsewhere the closed pipe shows it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class EngineCore:
    """Receives orders from the pipe, and sends the engine's events."""

    def __init__(self, pipe):
        self._engine, self._pipe = None, pipe
        self._handles: dict[int, RequestHandle] = {}
        self._outbox: list[tuple] = []  # events that are sent together: a message costs more than its contents
        self._writing = threading.RLock()  # guards outbox, pipe and the last report: what was seen first is sent first
        self._last_report, self._last_beat_s = None, 0.0
        self._closing: threading.Thread | None = None

    def serve(self, engine) -> None:
        """Run until the engine is closed, or the other end is gone."""
        self._engine = engine
        orders = {"submit": self._submit, "cancel": self._cancel, "close": self._close}
        self._send("ready", self._engine.context)
        try:
            while self._closing is None or self._closing.is_alive():
                if self._pipe.poll(LOOK_S):
                    order, *values = self._pipe.recv()
                    orders[order](*values)
                self._report()
            self._report()
        except (EOFError, OSError):  # the server is gone
            pass

    def _submit(self, number: int, prompt_token_ids, max_tokens: int, options: AnswerOptions) -> None:
        from minigpt.extras.server.live_source import QueueFull

        tell = functools.partial(self._tell, number)
        try:
            handle = self._engine.submit(
                prompt_token_ids, max_tokens, options=options, listener=tell, request_id=number
            )
        except QueueFull as error:
            tell(RequestOutput(reason=QUEUE_FULL, error=str(error)))
        except EngineDown as error:
            tell(RequestOutput(reason=ENGINE_DOWN, error=str(error)))
        else:
            self._handles[number] = handle
            if handle.is_finished:  # meanwhile, in the loop's thread
                self._handles.pop(number, None)

    def _cancel(self, number: int) -> None:
        if handle := self._handles.get(number):
            self._engine.cancel(handle)

    def _close(self, drain: bool, timeout_s: float | None) -> None:
        # In another thread, since clients may go away while the engine finishes its requests.
        if self._closing is None:
            self._closing = threading.Thread(target=self._engine.close, args=(drain, timeout_s), daemon=True)
            self._closing.start()

    def _tell(self, number: int, event: RequestOutput) -> None:
        if event.reason is not None:
            self._handles.pop(number, None)
        if event.reason in (FAILED, ENGINE_DOWN):
            self._report()  # first: a client that hears of the failure may ask for the engine's state
        with self._writing:
            self._outbox.append((number, event.token_ids, event.reason, event.error))
        if event.reason is not None:
            self.flush()

    def flush(self) -> None:
        """Send the events of a step, once all of them are there."""
        with self._writing:
            if self._outbox:
                events, self._outbox = self._outbox, []
                self._send("events", events)

    def _report(self) -> None:
        with self._writing:
            report, now_s = (self._engine.state, self._engine.load), time.monotonic()
            if report != self._last_report or now_s - self._last_beat_s > BEAT_S:
                self._last_report, self._last_beat_s = report, now_s
                self._send("state", *report)

    def _send(self, *message) -> None:
        with self._writing:
            try:
                self._pipe.send(message)
            except OSError:  # the server is gone: not an error of the loop, in whose thread this may run
                pass
