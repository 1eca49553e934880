"""An unchanged loop of Lab 02 or 03, running in a thread on the wall clock, with requests that arrive meanwhile.

    engine = LiveEngine(loop, model, max_inflight=8)
    handle = engine.submit([102, 105, 120, 58, 10], max_tokens=20)
    for event in handle:
        print(event.token_ids, event.reason)
    engine.close()

In asyncio, `async for event in engine.stream(...)` does the same, and leaving it cancels the request.

A loop that raises, returns or hangs fails the engine: what was in flight is answered as failed, `state` says why, new
requests are refused, and the process goes on. The engine stays failed: the same code would fail the same way again.
Starting a new one is up to its owner (a person at the command line, Ray Serve for a replica).
"""

import ctypes
import itertools
import logging
import queue
import threading
import time
import traceback
from collections.abc import AsyncIterator, Callable, Sequence

from minigpt.extras.server.live_checks import answer_fault, check_request, try_out
from minigpt.extras.server.live_server import Abandoned, make_live_server
from minigpt.extras.server.live_source import LiveSource
from minigpt.extras.server.live_state import CLOSED, CLOSING, HEALTHY, EngineDown, EngineLoad, EngineState, Occupant
from minigpt.extras.server.request_handle import (
    CANCELLED,
    FAILED,
    LENGTH,
    STOP,
    AnswerOptions,
    AsyncOutputs,
    RequestHandle,
    RequestOutput,
)
from minigpt.extras.server.watchdog import Watchdog
from minigpt.language import say
from minigpt.llm.tokenizer import EOS_TOKEN_ID
from minigpt.runtime.clock import WallClock
from minigpt.runtime.model_runner import ModelRunner
from minigpt.runtime.run_log import RequestLog
from minigpt.schedulers.lab_file import unwritten
from minigpt.simulation.run import SPARE_SLOTS
from minigpt.workloads.workload import WorkItem

log = logging.getLogger("minigpt.live")
WRONG_IN_A_ROW = 3  # consecutive wrong answers after which a loop counts as useless


class LiveEngine:
    """Serves requests with `loop`, from now until `close`.

    `streams`: tokens leave as they are computed (continuous batching); if not, all of them leave with the answer.
    `hang_s`: after this many seconds without a step for any request in the engine, the loop counts as hung.
    `after_step` is called when all listeners have a step's tokens, in the loop's thread. Tests may give a `runner`, a
    `clock` and a `source` in place of the model's, the wall's and one that clients fill.
    """

    def __init__(
        self, loop: Callable, model, *, streams: bool = True, max_batch: int = 8, max_wait_s: float = 0.005,
        max_inflight: int = 8, max_queue: int = 256, hang_s: float = 30.0,
        after_step: Callable[[], None] = lambda: None, runner=None, clock=None, source=None,
    ):
        self._after_step = after_step
        self._loop, self._model, self._streams = loop, model, streams
        clock = clock or WallClock()
        self._source = LiveSource(clock, max_queue) if source is None else source
        self._runner = runner or ModelRunner(model, max(max_batch, max_inflight) + SPARE_SLOTS)
        self._num_usable = max_inflight if streams else max_batch
        self._server, self._abandon = make_live_server(
            self._source, clock=clock, runner=self._runner, hooks=self, max_batch=max_batch,
            max_wait_s=max_wait_s, max_inflight=max_inflight, streams=streams,
        )
        self._ids = itertools.count()
        self._handles: dict[int, RequestHandle] = {}  # accepted and not finished
        self._lock = threading.RLock()  # guards state and handles
        self._state = EngineState(name=HEALTHY)
        self._num_wrong = 0  # answers in a row
        self.watchdog = Watchdog(hang_s + max_wait_s)
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="minigpt-loop", daemon=True)
        self._thread.start()
        threading.Thread(target=self._watch, name="minigpt-watchdog", daemon=True).start()

    # -- for clients ----------------------------------------------------------------------------------------------

    def submit(
        self, prompt_token_ids: Sequence[int], max_tokens: int, *, options: AnswerOptions | None = None,
        listener: Callable[[RequestOutput], None] | None = None, request_id: int | None = None, **settings,
    ) -> RequestHandle:
        """Submit a request. Its events go to `listener`, in the engine's threads, or wait in the handle.

        A listener returns at once: the loop waits for it. `settings` are those of `AnswerOptions`, in place of
        `options`. Raises ValueError for a request that cannot be served, QueueFull if too many are waiting, EngineDown
        if the engine has failed or is closed.
        """
        options = options or AnswerOptions(**settings)
        check_request(prompt_token_ids, max_tokens, options, self.context)
        item = WorkItem(
            request_id=next(self._ids) if request_id is None else request_id, priority=options.priority,
            prompt_token_ids=tuple(prompt_token_ids), max_tokens=max_tokens, arrival_ns=None,
            ignore_eos=options.holds_eos_back,
        )
        handle = RequestHandle(item, options, listener)
        with self._lock:
            if not self._state.is_healthy:
                closing = say(en="the server is closing", es="el servidor se está cerrando")
                raise EngineDown(self._state.reason or closing)
            if not self._handles:
                self.watchdog.moved()  # until now an idle loop had nothing to do
            # The loop may take it at once, and must then find the handle.
            self._handles[item.request_id] = handle
            try:
                self._source.put(item)
            except BaseException:
                del self._handles[item.request_id]
                raise
        return handle

    async def stream(self, prompt_token_ids: Sequence[int], max_tokens: int, **settings) -> AsyncIterator[RequestOutput]:
        """The events of a new request, in asyncio; leaving the iteration before its end cancels the request."""
        events = AsyncOutputs()
        handle = self.submit(prompt_token_ids, max_tokens, listener=events, **settings)
        try:
            async for event in events:
                yield event
        finally:
            self.cancel(handle)

    def cancel(self, handle: RequestHandle) -> None:
        """The client has gone: a waiting request vanishes, one in flight gets EOS at its next step."""
        handle.is_cancelled = True
        if self._source.withdraw(handle.request_id):
            self._finish(handle, CANCELLED)

    def close(self, drain: bool = True, timeout_s: float | None = None) -> None:
        """Accept no more requests and wait for the loop to end; without `drain`, cancel those in the engine.

        A loop that has not ended after `timeout_s` is given up.
        """
        with self._lock:
            if self._state.is_healthy:
                self._state = EngineState(name=CLOSING)
            handles = [] if drain else list(self._handles.values())
        for handle in handles:
            self.cancel(handle)
        self._source.close()
        self._is_over.wait(timeout_s)
        if not self._is_over.is_set():
            self._give_up(say(en=f"the loop did not end in {timeout_s} s", es=f"el bucle no terminó en {timeout_s} s"))

    def try_out(self, timeout_s: float) -> EngineState:
        """Serve a few requests, or give up waiting for them; return the engine's state."""
        return try_out(self, timeout_s)

    @property
    def state(self) -> EngineState:
        return self._state

    @property
    def context(self) -> int:
        """The most tokens, prompt and answer together, that one request can have."""
        return self._model.config.context

    @property
    def load(self) -> EngineLoad:
        """The requests that wait and run now, and how full the cache is."""
        num_waiting, cache = len(self._source), self._runner.cache
        records = [record for record in list(self._server.log.requests.values()) if record.finish_ns is None]
        return EngineLoad(
            num_waiting=num_waiting, num_inflight=max(0, len(self._handles) - num_waiting),
            num_kv_slots=cache.num_slots - cache.num_free, num_kv_slots_total=self._num_usable,
            num_kv_tokens=sum(record.num_computed_tokens for record in records),
            occupants=tuple(self._occupant(record) for record in records),
        )

    def _occupant(self, record: RequestLog) -> Occupant:
        item = record.item
        return Occupant(
            request_id=item.request_id, slot=self._runner.slot_of(item.request_id),
            num_prompt_tokens=len(item.prompt_token_ids), num_output_tokens=len(record.token_ids),
            max_tokens=item.max_tokens, has_ended=record.ended,
        )

    # -- called by the server, in the loop's thread -----------------------------------------------------------------

    def admitted(self, request_id: int) -> None:
        """A request was taken from the queue. That alone is not progress: a loop may take all and step none."""

    def choose(self, request_id: int, token_id: int) -> int:
        """The token that the loop sees: the model's, or EOS if the answer ends here."""
        handle = self._handles.get(request_id)
        if handle is None:
            return EOS_TOKEN_ID
        chosen = handle.choose(token_id)
        if handle.num_chosen == handle.options.min_tokens and not handle.options.ignore_eos:
            self._runner.allow_eos(request_id)
        return chosen

    def stepped(self, request_ids: Sequence[int]) -> None:
        self.watchdog.moved()
        if self._streams:
            for request_id in request_ids:
                if handle := self._handles.get(request_id):
                    handle.deliver()
            self._after_step()

    def answered(self, record: RequestLog) -> None:
        self.watchdog.moved()
        handle = self._handles.get(record.item.request_id)
        if handle is None:
            return
        if handle.is_cancelled:
            self._finish(handle, CANCELLED)
        elif error := answer_fault(record):
            self._finish(handle, FAILED, error)
            self._was_wrong(error)
        else:
            self._num_wrong = 0
            self._finish(handle, LENGTH if len(record.token_ids) == record.item.max_tokens else STOP)

    def _was_wrong(self, error: str) -> None:
        """Report it in the terminal as well; a loop that only answers wrongly is given up."""
        if self._num_wrong == 0:
            log.error(error)
        self._num_wrong += 1
        if self._num_wrong >= WRONG_IN_A_ROW:
            self._fail(say(en=f"{self._num_wrong} wrong answers in a row; the last: {error}",
                           es=f"{self._num_wrong} respuestas seguidas equivocadas; la última: {error}"))
            self._abandon()

    # -- the loop and its end -----------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            self._loop(self._server)
            self._loop_returned()
        except Abandoned:
            pass
        except queue.Empty as error:
            # Closing wakes a loop from queue.get(), which then has no request to return: that is a normal end.
            if self._state.name == CLOSING:
                self._loop_returned()
            else:
                self._loop_raised(error)
        except BaseException as error:  # including sys.exit(): the loop has ended either way
            self._loop_raised(error)
        finally:
            self._is_over.set()

    def _loop_returned(self) -> None:
        if self._state.name != CLOSING:
            self._fail(say(
                en="the loop returned while the server was open", es="el bucle terminó con el servidor abierto"
            ))
        elif self._handles:
            self._fail(say(
                en="the loop returned before it had answered every request", es="el bucle terminó sin responder a todas las "
                                                                                "peticiones"
            ))
        else:
            self._state = EngineState(name=CLOSED)

    def _loop_raised(self, error: BaseException) -> None:
        if not isinstance(error, NotImplementedError):  # an unwritten exercise needs no traceback
            log.error("the loop raised", exc_info=error)
        last = traceback.extract_tb(error.__traceback__)
        where = f" ({last[-1].filename.rpartition('/')[2]}:{last[-1].lineno})" if last else ""
        message = unwritten(error) if isinstance(error, NotImplementedError) else error
        text = f"{type(error).__name__}: {message}{where}"
        self._fail(say(en=f"the loop raised {text}", es=f"el bucle lanzó {text}"), type(error).__name__)

    def _watch(self) -> None:
        """End a loop that hangs."""
        last_s = time.monotonic()
        while not self._is_over.wait(self.watchdog.interval_s):
            passed_s, last_s = time.monotonic() - last_s, time.monotonic()
            if self.watch(passed_s):
                return

    def watch(self, passed_s: float) -> bool:
        """Give the loop up if it hangs, `passed_s` seconds after the last look; return whether it was given up."""
        hangs = self.watchdog.look(passed_s, is_awaited=bool(self._handles))
        if hangs:
            seconds = f"{self.watchdog.hang_s:.0f}"
            self._give_up(say(
                en=f"the loop hangs: no step for {seconds} s while requests are waiting",
                es=f"el bucle está colgado: ningún paso en {seconds} s con peticiones pendientes",
            ))
        return hangs

    def _give_up(self, reason: str) -> None:
        """Fail, and raise Abandoned in the loop's thread: at its next call to the server, or wherever its Python code is."""
        log.error(reason)
        self._fail(reason)
        self._abandon()
        if self._thread.is_alive():
            # The only way to reach `while True: pass`. A thread inside C code (time.sleep) gets it when that returns.
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread.ident), ctypes.py_object(Abandoned))
        self._is_over.set()

    def _fail(self, reason: str, error: str = "") -> None:
        with self._lock:
            if self._state.name not in (FAILED, CLOSED):
                self._state = EngineState(name=FAILED, reason=reason, error=error)
            handles = list(self._handles.values())
        self._source.close()
        for handle in handles:
            self._finish(handle, FAILED, reason)

    def _finish(self, handle: RequestHandle, reason: str, error: str = "") -> None:
        with self._lock:  # two threads may try: the first one does it
            if self._handles.pop(handle.request_id, None) is not None:
                handle.finish(reason, error)
