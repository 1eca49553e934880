"""The live engine in a process of its own: what `python -m minigpt serve` runs.

Threads of one process take turns at the interpreter: in one with the server, the loop would wait while tokens are sent.
Apart, the loop computes on one core and the server sends on another. And a loop that ends its process, fills its
memory, or never releases the interpreter, does not take the server down.

`EngineClient` has the calls of `LiveEngine` that a server needs. Between the two go tuples through a pipe:
down ("submit", …), ("cancel", number), ("close", drain, timeout_s); up ("imported",), ("ready", context),
("broken", why), ("events", [(number, token_ids, reason, error), …]), and ("state", state, load) twice a second, which
also shows that the process is alive.
"""

import atexit
import contextlib
import itertools
import logging
import multiprocessing
import queue
import signal
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from minigpt.extras.server.live_checks import check_request
from minigpt.extras.server.live_source import QueueFull
from minigpt.extras.server.live_state import CLOSED, CLOSING, HEALTHY, EngineDown, EngineLoad, EngineState
from minigpt.extras.server.request_handle import FAILED, AnswerOptions, RequestOutput
from minigpt.extras.server.watchdog import Watchdog
from minigpt.language import say

log = logging.getLogger("minigpt.live")
NOTHING = EngineLoad(num_waiting=0, num_inflight=0, num_kv_slots=0, num_kv_slots_total=0, num_kv_tokens=0)
LAST_S = 1.0  # for a process to end after its engine
IMPORT_S = 120.0  # for a process to load torch and the tutor
FILE_S = 20.0  # for the loop's file
# Signals that people and systems send; others, such as SIGSEGV, are a crash.
FROM_OUTSIDE = (signal.SIGTERM, signal.SIGINT, *((signal.SIGKILL, signal.SIGHUP) if hasattr(signal, "SIGKILL") else ()))
MOST_UNREAD = 256  # requests
SILENCE_S = 5.0  # a process that is silent for this long (or --hang-s, if that is longer) has stopped


@dataclass(slots=True, kw_only=True, eq=False)
class SentHandle:
    """A request that was sent to the engine's process."""

    request_id: int
    listener: Callable[[RequestOutput], None]


class EngineClient:
    """Serves requests with the loop that `make_loop` returns in the other process; settings are those of `LiveEngine`.

    Raises ValueError if the loop cannot be loaded. A full queue is an event here (`queue_full`), since `submit` does
    not wait for the engine's reply; so is an engine that has just failed (`engine_down`).
    """

    def __init__(self, make_loop: Callable[[], Callable], **settings):
        # The engine refuses by its own count; this count is for an engine that has stopped reading.
        self._most = 2 * settings.get("max_queue", 256) + MOST_UNREAD
        self._pipe, self._child = start_engine_process(make_loop, settings)
        self._numbers = itertools.count()
        self._handles: dict[int, SentHandle] = {}
        self._lock = threading.RLock()  # guards state and handles
        self._state, self._load = EngineState(name=HEALTHY), NOTHING
        self._end = ""  # why this side ended it
        self.context = self._greet()
        # Orders are sent in a thread of their own: a process that does not read must not block the server.
        self._orders: queue.SimpleQueue[tuple] = queue.SimpleQueue()
        self._heart = Watchdog(max(SILENCE_S, settings.get("hang_s", 30.0)))
        self._has_ended = threading.Event()
        self._reader = threading.Thread(target=self._read, name="minigpt-events", daemon=True)
        for thread in (self._reader, threading.Thread(target=self._write, daemon=True),
                       threading.Thread(target=self._watch, daemon=True)):
            thread.start()

    @property
    def state(self) -> EngineState:
        return self._state

    @property
    def load(self) -> EngineLoad:
        """The engine's load when it last reported: less than a second ago."""
        return self._load

    def submit(
        self, prompt_token_ids: Sequence[int], max_tokens: int, *, listener: Callable[[RequestOutput], None],
        options: AnswerOptions | None = None, **settings,
    ) -> SentHandle:
        """Submit a request; its events go to `listener`, in a thread. Raises what `LiveEngine.submit` does."""
        options = options or AnswerOptions(**settings)
        check_request(prompt_token_ids, max_tokens, options, self.context)
        with self._lock:
            if not self._state.is_healthy:
                raise EngineDown(self._state.reason or say(en="the server is closing", es="el servidor se cierra"))
            if len(self._handles) >= self._most:
                raise QueueFull(f"{len(self._handles)} requests are here: try again later")
            handle = SentHandle(request_id=next(self._numbers), listener=listener)
            self._handles[handle.request_id] = handle
        self._orders.put(("submit", handle.request_id, tuple(prompt_token_ids), max_tokens, options))
        return handle

    def cancel(self, handle: SentHandle) -> None:
        """The client has gone."""
        if handle.request_id in self._handles:
            self._orders.put(("cancel", handle.request_id))

    def close(self, drain: bool = True, timeout_s: float | None = None) -> None:
        """Accept no more requests and wait for the engine to end; after `timeout_s` it is killed."""
        with self._lock:
            if self._state.is_healthy:
                self._state = EngineState(name=CLOSING)
        self._orders.put(("close", drain, timeout_s))
        if not self._has_ended.wait(None if timeout_s is None else timeout_s + LAST_S):
            self.kill(say(en=f"the loop did not end in {timeout_s:g} s", es=f"el bucle no terminó en {timeout_s:g} s"))
        self._reader.join(LAST_S)
        atexit.unregister(self._child.kill)

    def kill(self, reason: str) -> None:
        """Kill the process, whatever it is doing."""
        self._end = self._end or reason
        self._child.kill()

    # -- the other process --------------------------------------------------------------------------------------------

    def _greet(self) -> int:
        what = say(en="torch and the tutor were", es="torch y el tutor no se cargaron")
        kind, value = self._hear_within(IMPORT_S, what)
        if kind == "imported":
            what = say(en="the loop's file was", es="el archivo del bucle no se cargó")
            kind, value = self._hear_within(FILE_S, what)
        if kind != "ready":
            self._child.kill()
            raise ValueError(value)
        return value

    def _hear_within(self, timeout_s: float, what: str) -> tuple:
        try:
            if self._pipe.poll(timeout_s):
                return (*self._pipe.recv(), None)[:2]
        except (EOFError, OSError):
            return "broken", self._how_it_ended()
        return "broken", say(en=f"{what} not loaded within {timeout_s:.0f} s", es=f"{what} en {timeout_s:.0f} s")

    def _write(self) -> None:
        with contextlib.suppress(OSError):  # the process has ended: the reader will notice, and notify every request
            while True:
                self._pipe.send(self._orders.get())

    def _watch(self) -> None:
        """Kill a process that is silent: it has stopped, or a call never releases the interpreter."""
        last_s = time.monotonic()
        while not self._has_ended.wait(self._heart.interval_s):
            passed_s, last_s = time.monotonic() - last_s, time.monotonic()
            if self._heart.look(passed_s, is_awaited=True):
                seconds = f"{self._heart.hang_s:.0f}"
                self.kill(say(
                    en=f"nothing was heard of the loop's process for {seconds} s: it was stopped, or the loop is in a "
                    "call that never returns",
                    es=f"no se supo nada del proceso del bucle en {seconds} s: está detenido, o el bucle está en una "
                    "llamada que no termina nunca",
                ))
                return

    def _read(self) -> None:
        try:
            while True:
                kind, *values = self._pipe.recv()
                self._heart.moved()
                if kind == "events":
                    for event in values[0]:
                        self._tell(*event)
                else:
                    self._learn(*values)
        except (EOFError, OSError):
            self._process_ended()

    def _tell(self, number: int, token_ids: tuple[int, ...], reason: str | None, error: str) -> None:
        with self._lock:
            handle = self._handles.get(number) if reason is None else self._handles.pop(number, None)
        if handle is None:
            return
        try:
            handle.listener(RequestOutput(token_ids=token_ids, reason=reason, error=error))
        except Exception:  # a mistake of one client concerns no other
            self.cancel(handle)

    def _learn(self, state: EngineState, load: EngineLoad) -> None:
        with self._lock:
            self._load = load
            was_said_before = state.is_healthy and not self._state.is_healthy  # it had not heard yet
            if not was_said_before:
                self._state = state

    def _process_ended(self) -> None:
        how = self._how_it_ended()  # may take a while: the lock is not held meanwhile
        with self._lock:
            if self._state.name == CLOSING and not self._handles:
                self._state = EngineState(name=CLOSED)
            elif self._state.name not in (CLOSED, FAILED):
                self._state = EngineState(name=FAILED, reason=how)
                log.error(how)
            self._load = NOTHING
            handles = list(self._handles)
        for number in handles:
            self._tell(number, (), FAILED, self._state.reason)
        self._has_ended.set()

    def _how_it_ended(self) -> str:
        self._child.join(LAST_S)
        status = self._child.exitcode
        if self._end:
            return self._end
        if status is not None and -status in FROM_OUTSIDE:
            name = signal.Signals(-status).name
            return say(
                en=f"the loop's process was ended from outside ({name}): by a user or by the system, for example "
                "because memory ran out",
                es=f"algo externo terminó el proceso del bucle ({name}): un usuario o el sistema, por ejemplo por falta de "
                   "memoria",
            )
        return say(en=f"the loop's process ended with status {status}",
                   es=f"el proceso del bucle terminó con estado {status}")


def start_engine_process(make_loop: Callable[[], Callable], settings: dict):
    """Start the engine's process; return it and this end of the pipe."""
    from minigpt.extras.server.engine_core import run_engine_core

    spawn = multiprocessing.get_context("spawn")  # the same on every system
    ours, theirs = spawn.Pipe()
    child = spawn.Process(target=run_engine_core, args=(theirs, make_loop, settings), daemon=True)
    with deaf_to_signals():
        child.start()
    theirs.close()
    # At the interpreter's end multiprocessing would send SIGTERM, which the child ignores, and wait for it.
    atexit.register(child.kill)
    return ours, child


@contextlib.contextmanager
def deaf_to_signals():
    """Processes started inside this context ignore Ctrl-C and SIGTERM from the start."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
