"""The other end of `engine_process`'s pipe: a live engine, and somebody who takes orders for it."""

import functools
import signal
import threading
from collections.abc import Callable

from minigpt.extras.server.live_state import EngineDown
from minigpt.extras.server.request_handle import ENGINE_DOWN, FAILED, QUEUE_FULL, RequestHandle, RequestOutput

LOOK_S = 0.1  # how often state and load are looked at


def run_engine_core(pipe, make_loop: Callable[[], Callable], settings: dict) -> None:
    """The life of the engine's process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches both: the server decides, and says "close"
    try:
        loop = make_loop()
    except ValueError as error:
        pipe.send(("broken", str(error)))
        return
    from minigpt.extras.server.live_engine import LiveEngine
    from minigpt.llm.tutor import load_tutor

    core = EngineCore(pipe)
    core.serve(LiveEngine(loop, load_tutor(), after_step=core.flush, **settings))


class EngineCore:
    """Takes orders from the pipe, and sends what the engine says."""

    def __init__(self, pipe):
        self._engine, self._pipe = None, pipe
        self._handles: dict[int, RequestHandle] = {}
        self._outbox: list[tuple] = []  # events that leave together: a message costs more than what is in it
        self._writing = threading.Lock()  # guards outbox and pipe
        self._last_report = None
        self._closing: threading.Thread | None = None

    def serve(self, engine) -> None:
        """Until the engine was closed, or nobody is at the other end."""
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
        except (EOFError, OSError):  # the server is no more
            pass

    def _submit(self, number: int, prompt_token_ids, max_tokens: int, ignore_eos: bool, stop) -> None:
        from minigpt.extras.server.live_source import QueueFull

        tell = functools.partial(self._tell, number)
        try:
            handle = self._engine.submit(prompt_token_ids, max_tokens, ignore_eos=ignore_eos, stop=stop, listener=tell)
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
        # Aside, for clients go away while the engine finishes what it has.
        if self._closing is None:
            self._closing = threading.Thread(target=self._engine.close, args=(drain, timeout_s), daemon=True)
            self._closing.start()

    def _tell(self, number: int, event: RequestOutput) -> None:
        if event.reason is not None:
            self._handles.pop(number, None)
        if event.reason == FAILED:
            self._report()  # whoever hears of the failure can ask how the engine is
        with self._writing:
            self._outbox.append((number, event.token_ids, event.reason, event.error))
        if event.reason is not None:
            self.flush()

    def flush(self) -> None:
        """Send the events of a step, once all of them are there."""
        with self._writing:
            if self._outbox:
                self._pipe.send(("events", self._outbox))
                self._outbox = []

    def _report(self) -> None:
        report = (self._engine.state, self._engine.load)
        if report != self._last_report:
            self._last_report = report
            self._send("state", *report)

    def _send(self, *message) -> None:
        with self._writing:
            self._pipe.send(message)
