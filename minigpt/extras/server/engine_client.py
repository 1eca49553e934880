"""The live engine in a process of its own: what `python -m minigpt serve` runs.

Threads of one process take turns at the interpreter: in one with the server, the loop would wait while tokens are sent.
Apart, the loop computes on one core and the server sends on another. And a loop that ends its process, or fills its
memory, takes nobody with it.

`EngineClient` has the calls of `LiveEngine` that a server needs. Between the two go tuples through a pipe:
down ("submit", …), ("cancel", number), ("close", drain, timeout_s); up ("ready", context), ("broken", why),
("events", [(number, token_ids, reason, error), …]), ("state", state, load).
"""

import itertools
import multiprocessing
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from minigpt.extras.server.live_checks import check_request
from minigpt.extras.server.live_state import CLOSED, CLOSING, HEALTHY, EngineDown, EngineLoad, EngineState
from minigpt.extras.server.request_handle import FAILED, RequestOutput
from minigpt.language import say

NOTHING = EngineLoad(num_waiting=0, num_inflight=0, num_kv_slots=0, num_kv_slots_total=0, num_kv_tokens=0)
LAST_S = 5.0  # for a process to end, once its engine has
GREETING_S = 120.0  # for a process to load torch, the tutor and a file


@dataclass(slots=True, kw_only=True, eq=False)
class SentHandle:
    """A request that was sent to the engine's process."""

    number: int
    listener: Callable[[RequestOutput], None]


class EngineClient:
    """Serves requests with the loop that `make_loop` gives, called over there; settings are those of `LiveEngine`.

    Raises ValueError if the loop cannot be had. A full queue is an event here (`queue_full`), since nobody waits for
    the answer to a `submit`; so is an engine that has failed a moment ago (`engine_down`).
    """

    def __init__(self, make_loop: Callable[[], Callable], **settings):
        from minigpt.extras.server.engine_core import run_engine_core

        spawn = multiprocessing.get_context("spawn")  # the same on every system
        self._pipe, theirs = spawn.Pipe()
        self._child = spawn.Process(target=run_engine_core, args=(theirs, make_loop, settings), daemon=True)
        self._child.start()
        theirs.close()
        self._numbers = itertools.count()
        self._handles: dict[int, SentHandle] = {}
        self._lock = threading.RLock()  # guards state and tickets
        self._writing = threading.Lock()  # the pipe's own: who reads must never wait for somebody who writes
        self._state, self._load = EngineState(name=HEALTHY), NOTHING
        self.context = self._greet()
        self._reader = threading.Thread(target=self._read, name="minigpt-events", daemon=True)
        self._reader.start()

    @property
    def state(self) -> EngineState:
        return self._state

    @property
    def load(self) -> EngineLoad:
        """What was in the engine when it last said so: less than a second ago."""
        return self._load

    def submit(
        self, prompt_token_ids: Sequence[int], max_tokens: int, *, listener: Callable[[RequestOutput], None],
        ignore_eos: bool = False, stop: Sequence[Sequence[int]] = (),
    ) -> SentHandle:  # fmt: skip
        """Let a request arrive; its events go to `listener`, in a thread. Raises ValueError and EngineDown."""
        check_request(prompt_token_ids, max_tokens, stop, self.context)
        with self._lock:
            if not self._state.is_healthy:
                raise EngineDown(self._state.reason or say(en="the server is closing", es="el servidor se cierra"))
            handle = SentHandle(number=next(self._numbers), listener=listener)
            self._handles[handle.number] = handle
        self._send("submit", handle.number, tuple(prompt_token_ids), max_tokens, ignore_eos, stop)
        return handle

    def cancel(self, handle: SentHandle) -> None:
        """The client has gone."""
        if handle.number in self._handles:
            self._send("cancel", handle.number)

    def close(self, drain: bool = True, timeout_s: float | None = None) -> None:
        """Take nobody in any more and wait for the engine to end; after `timeout_s` it is ended."""
        with self._lock:
            if self._state.is_healthy:
                self._state = EngineState(name=CLOSING)
        self._send("close", drain, timeout_s)
        self._reader.join(None if timeout_s is None else timeout_s + LAST_S)
        self._child.join(LAST_S)
        self._child.kill()
        self._reader.join(LAST_S)

    def _greet(self) -> int:
        try:
            if self._pipe.poll(GREETING_S):
                kind, value = self._pipe.recv()
            else:
                self._child.kill()
                kind, value = "broken", say(en=f"the loop's file was not loaded within {GREETING_S:.0f} s",
                                            es=f"el archivo del bucle no se cargó en {GREETING_S:.0f} s")  # fmt: skip
        except (EOFError, OSError):
            kind, value = "broken", self._how_it_ended()
        if kind != "ready":
            raise ValueError(value)
        return value

    def _send(self, *message) -> None:
        try:
            with self._writing:
                self._pipe.send(message)
        except OSError:  # the process has ended: the reader will find out, and tell everybody
            pass

    def _read(self) -> None:
        try:
            while True:
                kind, *values = self._pipe.recv()
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
        except Exception:  # a client's fault is its own
            self.cancel(handle)

    def _learn(self, state: EngineState, load: EngineLoad) -> None:
        with self._lock:
            self._load = load
            was_said_before = state.is_healthy and not self._state.is_healthy  # it did not know yet
            if not was_said_before:
                self._state = state

    def _process_ended(self) -> None:
        how = self._how_it_ended()  # may take a while: nobody waits for the lock meanwhile
        with self._lock:
            if self._state.name == CLOSING and not self._handles:
                self._state = EngineState(name=CLOSED)
            elif self._state.name not in (CLOSED, FAILED):
                self._state = EngineState(name=FAILED, reason=how)
            self._load = NOTHING
            handles = list(self._handles)
        for number in handles:
            self._tell(number, (), FAILED, self._state.reason)

    def _how_it_ended(self) -> str:
        self._child.join(LAST_S)
        return say(en=f"the loop's process ended with status {self._child.exitcode}",
                   es=f"el proceso del bucle terminó con estado {self._child.exitcode}")  # fmt: skip
