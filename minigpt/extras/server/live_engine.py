"""An unchanged loop of Lab 02 or 03, running in a thread on the wall clock, with requests that arrive meanwhile.

    engine = LiveEngine(loop, model, max_inflight=8)
    handle = engine.submit([102, 105, 120, 58, 10], max_tokens=20)
    for event in handle:
        print(event.token_ids, event.reason)
    engine.close()

In asyncio, `async for event in engine.stream(...)` does the same, and leaving it cancels the request.

A loop that raises, returns or hangs fails the engine: what was in flight is answered as failed, `state` says why, new
requests are refused, and the process lives on. The engine stays failed. The same code would meet the same fault again;
whoever runs the engine (a person at the command line, Ray Serve for a replica) decides about a new one.
"""

import ctypes
import itertools
import logging
import queue
import threading
import traceback
from collections.abc import AsyncIterator, Callable, Sequence

from minigpt.extras.server.live_checks import answer_fault, check_request, try_out
from minigpt.extras.server.live_server import Abandoned, make_live_server, seconds_since
from minigpt.extras.server.live_source import LiveSource
from minigpt.extras.server.live_state import CLOSED, CLOSING, HEALTHY, EngineDown, EngineLoad, EngineState
from minigpt.extras.server.request_handle import (
    CANCELLED,
    FAILED,
    LENGTH,
    STOP,
    AsyncOutputs,
    RequestHandle,
    RequestOutput,
)
from minigpt.language import say
from minigpt.llm.tokenizer import EOS_TOKEN_ID
from minigpt.runtime.clock import WallClock
from minigpt.runtime.model_runner import ModelRunner
from minigpt.runtime.run_log import RequestLog
from minigpt.simulation.run import SPARE_SLOTS
from minigpt.workloads.workload import WorkItem

log = logging.getLogger("minigpt.live")


class LiveEngine:
    """Serves requests with `loop`, from now until `close`.

    `streams`: tokens leave as they are computed (continuous batching); if not, all of them leave with the answer.
    `hang_s`: so many seconds without a step while somebody waits, and the loop counts as hung.
    `after_step` is called when all listeners have a step's tokens, in the loop's thread.
    """

    def __init__(
        self, loop: Callable, model, *, streams: bool = True, max_batch: int = 8, max_wait_s: float = 0.005,
        max_inflight: int = 8, max_queue: int = 256, hang_s: float = 30.0,
        after_step: Callable[[], None] = lambda: None,
    ):  # fmt: skip
        self._after_step = after_step
        self._loop, self._model, self._streams, self._hang_s = loop, model, streams, hang_s + max_wait_s
        self._clock = WallClock()
        self._source = LiveSource(self._clock, max_queue)
        self._runner = ModelRunner(model, max(max_batch, max_inflight) + SPARE_SLOTS)
        self._server, self._abandon = make_live_server(
            self._source, clock=self._clock, runner=self._runner, hooks=self, max_batch=max_batch,
            max_wait_s=max_wait_s, max_inflight=max_inflight, streams=streams,
        )  # fmt: skip
        self._ids = itertools.count()
        self._handles: dict[int, RequestHandle] = {}  # accepted and not finished
        self._lock = threading.RLock()  # guards state and tickets
        self._state = EngineState(name=HEALTHY)
        self._moved_ns = 0  # when the loop last did something that a server does
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="minigpt-loop", daemon=True)
        self._thread.start()
        threading.Thread(target=self._watch, name="minigpt-watchdog", daemon=True).start()

    # -- for clients ----------------------------------------------------------------------------------------------

    def submit(
        self, prompt_token_ids: Sequence[int], max_tokens: int, *, ignore_eos: bool = False,
        stop: Sequence[Sequence[int]] = (), listener: Callable[[RequestOutput], None] | None = None,
    ) -> RequestHandle:  # fmt: skip
        """Let a request arrive. Its events go to `listener`, in the engine's threads, or wait in the ticket.

        A listener returns at once: the loop waits for it.

        `stop` are sequences of token ids, none of which is delivered. Raises ValueError for a request that cannot be
        served, QueueFull if too many are waiting, EngineDown if the engine has failed or is closed.
        """
        check_request(prompt_token_ids, max_tokens, stop, self.context)
        item = WorkItem(
            request_id=next(self._ids), prompt_token_ids=tuple(prompt_token_ids), max_tokens=max_tokens,
            arrival_ns=None, ignore_eos=ignore_eos,
        )  # fmt: skip
        handle = RequestHandle(item, stop, listener)
        with self._lock:
            if not self._state.is_healthy:
                closing = say(en="the server is closing", es="el servidor se está cerrando")
                raise EngineDown(self._state.reason or closing)
            if not self._handles:
                self._moved_ns = self._clock.now_ns  # an idle loop owes nothing until now
            # The loop may take it at once, and must find the ticket then.
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
        """Take nobody in any more and wait for the loop to end; without `drain`, cancel what is there.

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

    def try_out(self, prompt_token_ids: Sequence[int], max_tokens: int, timeout_s: float) -> EngineState:
        """Serve one request, or give up waiting for it; how the engine is then."""
        return try_out(self, prompt_token_ids, max_tokens, timeout_s)

    @property
    def state(self) -> EngineState:
        return self._state

    @property
    def context(self) -> int:
        """Tokens, of prompt and answer together, that one request can have."""
        return self._model.config.context

    @property
    def load(self) -> EngineLoad:
        """What waits, runs and fills the cache now."""
        num_waiting, cache = len(self._source), self._runner.cache
        records = [record for record in list(self._server.log.requests.values()) if record.finish_ns is None]
        return EngineLoad(
            num_waiting=num_waiting, num_inflight=max(0, len(self._handles) - num_waiting),
            num_kv_slots=cache.num_slots - cache.num_free, num_kv_slots_total=cache.num_slots,
            num_kv_tokens=sum(record.num_computed_tokens for record in records),
        )  # fmt: skip

    # -- what the server tells, in the loop's thread ----------------------------------------------------------------

    def admitted(self, request_id: int) -> None:
        self._moved_ns = self._clock.now_ns
        if handle := self._handles.get(request_id):
            handle.moved_ns = self._moved_ns

    def choose(self, request_id: int, token_id: int) -> int:
        """The token that the loop gets to see: the model's, or EOS if the answer ends here."""
        handle = self._handles.get(request_id)
        if handle is None:
            return EOS_TOKEN_ID
        handle.moved_ns = self._clock.now_ns
        return handle.choose(token_id)

    def stepped(self, request_ids: Sequence[int]) -> None:
        self._moved_ns = self._clock.now_ns
        if self._streams:
            for request_id in request_ids:
                if handle := self._handles.get(request_id):
                    handle.deliver()
            self._after_step()

    def answered(self, record: RequestLog) -> None:
        self._moved_ns = self._clock.now_ns
        handle = self._handles.get(record.item.request_id)
        if handle is None:
            return
        if handle.is_cancelled:
            self._finish(handle, CANCELLED)
        elif error := answer_fault(record):
            self._finish(handle, FAILED, error)
        else:
            self._finish(handle, LENGTH if len(record.token_ids) == record.item.max_tokens else STOP)

    # -- the loop and its end -----------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            self._loop(self._server)
            self._loop_returned()
        except Abandoned:
            pass
        except queue.Empty as error:
            # Closing wakes a loop out of queue.get(), which then has nobody to hand out: that is an end like another.
            if self._state.name == CLOSING:
                self._loop_returned()
            else:
                self._loop_raised(error)
        except BaseException as error:  # sys.exit() too: a loop that ends is a loop that ends
            self._loop_raised(error)
        finally:
            self._is_over.set()

    def _loop_returned(self) -> None:
        if self._state.name != CLOSING:
            self._fail(say(
                en="the loop returned while the server was open", es="el bucle terminó con el servidor abierto"
            ))  # fmt: skip
        elif self._handles:
            self._fail(say(
                en="the loop returned before it had answered everybody", es="el bucle terminó sin responder a todos"
            ))  # fmt: skip
        else:
            self._state = EngineState(name=CLOSED)

    def _loop_raised(self, error: BaseException) -> None:
        if not isinstance(error, NotImplementedError):  # of an exercise that is not written there is nothing to trace
            log.error("the loop raised", exc_info=error)
        last = traceback.extract_tb(error.__traceback__)
        where = f" ({last[-1].filename.rpartition('/')[2]}:{last[-1].lineno})" if last else ""
        text = f"{type(error).__name__}: {error}{where}"
        self._fail(say(en=f"the loop raised {text}", es=f"el bucle lanzó {text}"), type(error).__name__)

    def _watch(self) -> None:
        """End what hangs: nothing has moved for a long time, or not for one request that it has taken."""
        while not self._is_over.wait(min(1.0, self._hang_s / 4)):
            with self._lock:
                handles = list(self._handles.values())
            if handles and self._stands_since(self._moved_ns):
                self._give_up(say(
                    en=f"the loop hangs: no step for {self._hang_s:.0f} s with requests at hand",
                    es=f"el bucle está colgado: ningún paso en {self._hang_s:.0f} s con peticiones pendientes",
                ))  # fmt: skip
            elif any(handle.moved_ns is not None and self._stands_since(handle.moved_ns) for handle in handles):
                self._give_up(say(
                    en=f"the loop took a request from the queue and has not stepped it for {self._hang_s:.0f} s",
                    es=f"el bucle tomó una petición de la cola y no le ha dado un paso en {self._hang_s:.0f} s",
                ))  # fmt: skip

    def _stands_since(self, moved_ns: int) -> bool:
        return seconds_since(self._clock, moved_ns) > self._hang_s

    def _give_up(self, reason: str) -> None:
        """Fail, and raise Abandoned in the loop's thread: at its next question, or wherever its Python code is."""
        log.error(reason)
        self._fail(reason)
        self._abandon()
        if self._thread.is_alive():
            # The only way to reach `while True: pass`. A thread inside C code (time.sleep) hears it when it is back.
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
        with self._lock:  # two threads may want to: the first one does
            if self._handles.pop(handle.request_id, None) is not None:
                handle.finish(reason, error)
