"""The serving runtime: what a student's loop sees of a server, and the record of everything it did.

    server.queue      get(timeout_s=None) · get_nowait() · empty() · closed
    server.clock      time() · sleep(s)
    server.model      forward_one_step(requests) -> one token id per request · eos_token_id
    server.respond(request)
    server.max_batch · server.max_wait_s · server.max_inflight

The loop touches neither tensors nor a wall clock, so that the same code runs on every clock of `minigpt.runtime.clock` and
on either token source of `minigpt.runtime.model_runner`. What it does is written into a `RunLog` by the runtime, not by the loop.
"""

import queue
from collections.abc import Callable

from minigpt.language import say
from minigpt.llm.tokenizer import EOS_TOKEN_ID
from minigpt.runtime.arrivals import make_source
from minigpt.runtime.clock import NS, StepShape, to_ns
from minigpt.runtime.request import FINISHED, IN_FLIGHT, Request
from minigpt.runtime.run_log import RequestLog, RunLog, StepLog

MAX_IDLE_POLLS = 10_000


class ServingError(ValueError):
    """A loop that broke the server's contract; the message says how, and the way out."""


class BusyWait(ServingError):
    """A loop that asks again and again without letting time pass."""


class Server:
    """One server with its queue, clock and model, for one run over one workload."""

    def __init__(self, workload, *, clock, tokens, max_batch=8, max_wait_s=0.005, max_inflight=8, streams=True):
        for name, value in (("max_batch", max_batch), ("max_inflight", max_inflight)):
            if value < 1:
                raise ValueError(f"{name}={value}: a server needs room for at least one request")
        self.max_batch, self.max_wait_s, self.max_inflight = max_batch, max_wait_s, max_inflight
        self._time_keeper = TimeKeeper(clock)
        self._requests: dict[int, Request] = {}
        self.log = RunLog(
            workload=workload, clock=clock.name, streams=streams, max_batch=max_batch, max_inflight=max_inflight
        )
        self._source = make_source(workload)
        self.clock = ServerClock(self._time_keeper)
        self.queue = RequestQueue(self._source, self._time_keeper, self._admit)
        self.model = BatchExecutor(self.log, self._time_keeper, tokens)
        self._tokens = tokens

    def respond(self, request: Request) -> None:
        """Send the answer: the request leaves the server now, and its place in the KV cache is free."""
        record = self.model.record_of(request)
        record.answer = tuple(request.output_token_ids)
        record.finish_ns = self._time_keeper.now_ns
        if record.num_computed_tokens:
            self._tokens.free(request.request_id)
        request.status, request.finish_time_s = FINISHED, record.finish_ns / NS
        self._source.answered(record.finish_ns)
        self._time_keeper.progress()

    def _admit(self, item, arrival_ns: int) -> Request:
        request = Request(
            request_id=item.request_id, prompt_token_ids=item.prompt_token_ids, max_tokens=item.max_tokens,
            arrival_time_s=arrival_ns / NS, priority=item.priority, status=IN_FLIGHT,
        )  # fmt: skip
        self.log.requests[item.request_id] = RequestLog(
            item=item, arrival_ns=arrival_ns, admitted_ns=self._time_keeper.now_ns
        )
        return request


class TimeKeeper:
    """Lets time pass, and notices a loop that does not."""

    def __init__(self, clock):
        self._clock = clock
        self._idle_polls = 0

    @property
    def now_ns(self) -> int:
        return self._clock.now_ns

    def progress(self) -> None:
        self._idle_polls = 0

    def poll(self) -> None:
        """Count a question that lets no time pass."""
        self._idle_polls += 1
        if self._idle_polls > MAX_IDLE_POLLS and self._clock.name != "wall":
            raise BusyWait(say(
                en=f"the loop asked {MAX_IDLE_POLLS} times in a row without letting time pass. "
                "Nothing can change until it does: wait with queue.get(timeout_s=...) or clock.sleep(s). "
                "Or should your loop have ended?",
                es=f"el bucle preguntó {MAX_IDLE_POLLS} veces seguidas sin dejar pasar tiempo. "
                "Nada puede cambiar hasta que pase: espera con queue.get(timeout_s=...) o clock.sleep(s). "
                "¿O debería haber acabado tu bucle?",
            ))  # fmt: skip

    def wait_until(self, time_ns: int) -> None:
        if time_ns > self._clock.now_ns:
            self._clock.wait_until(time_ns)
            self.progress()

    def step(self, shape: StepShape, compute: Callable):
        self.progress()
        return self._clock.step(shape, compute)


class ServerClock:
    """`server.clock`."""

    def __init__(self, time_keeper: TimeKeeper):
        self._time_keeper = time_keeper

    @property
    def now_ns(self) -> int:
        """The same in nanoseconds, for the runtime's own use."""
        return self._time_keeper.now_ns

    def time(self) -> float:
        """Seconds since the run began."""
        self._time_keeper.poll()
        return self._time_keeper.now_ns / NS

    def sleep(self, seconds: float) -> None:
        """Let `seconds` pass."""
        self._time_keeper.poll()
        self._time_keeper.wait_until(self._time_keeper.now_ns + to_ns(seconds))


class RequestQueue:
    """`server.queue`: requests that have arrived and were not taken yet, oldest first."""

    def __init__(self, source, time_keeper: TimeKeeper, admit: Callable):
        self._source, self._time_keeper, self._admit = source, time_keeper, admit

    @property
    def closed(self) -> bool:
        """Whether the queue is empty and no request will arrive any more."""
        self._time_keeper.poll()
        return self._source.exhausted

    def empty(self) -> bool:
        """Whether no request is waiting now."""
        self._time_keeper.poll()
        return not self._ready()

    def get_nowait(self) -> Request:
        """The oldest waiting request; raises queue.Empty if none is waiting."""
        self._time_keeper.poll()
        if not self._ready():
            raise nobody_came()
        return self._take()

    def get(self, timeout_s: float | None = None) -> Request:
        """The oldest waiting request, waiting for one up to `timeout_s` seconds (None: as long as it takes).

        Lets time pass to the earlier of the next arrival and the deadline; an arrival exactly at the deadline
        counts. Raises queue.Empty if none came; at once if the queue is closed or the timeout is not positive.
        """
        self._time_keeper.poll()
        if self._ready():
            return self._take()
        if self._source.exhausted or (timeout_s is not None and timeout_s <= 0):
            raise nobody_came()
        self._wait(timeout_s)
        if not self._ready():
            raise nobody_came()
        return self._take()

    def _wait(self, timeout_s: float | None) -> None:
        """Let time pass to the earlier of the next arrival and the end of the timeout."""
        next_ns = self._source.next_ns
        if timeout_s is None and next_ns is None:
            raise ServingError(say(
                en="queue.get() would wait for ever: every client is waiting for an answer. Respond first",
                es="queue.get() esperaría para siempre: todos los clientes esperan una respuesta. Responde antes",
            ))  # fmt: skip
        deadline_ns = next_ns if timeout_s is None else self._time_keeper.now_ns + to_ns(timeout_s)
        self._time_keeper.wait_until(deadline_ns if next_ns is None else min(next_ns, deadline_ns))

    def _ready(self) -> bool:
        next_ns = self._source.next_ns
        return next_ns is not None and next_ns <= self._time_keeper.now_ns

    def _take(self) -> Request:
        self._time_keeper.progress()
        return self._admit(*self._source.take())


class BatchExecutor:
    """`server.model`: one step of the running batch, whatever computes it."""

    eos_token_id = EOS_TOKEN_ID

    def __init__(self, log: RunLog, time_keeper: TimeKeeper, tokens):
        self._log, self._time_keeper, self._tokens = log, time_keeper, tokens
        self._steps_left = step_limit(log.workload)

    def forward_one_step(self, requests: list[Request]) -> list[int]:
        """One forward pass: the next token id of each request, in their order.

        Requests without KV are prefilled together in this step and yield their first token in it; the others get
        one decode pass. A request that has ended may be passed again: it costs its row and yields EOS.
        """
        records = [self.record_of(request) for request in requests]
        self._check_batch(records)
        new = [record for record in records if not record.num_computed_tokens]
        running = [record for record in records if record.num_computed_tokens]
        shape = StepShape(
            num_decode=len(running),
            num_prefill_tokens=sum(len(record.item.prompt_token_ids) for record in new),
            num_context_tokens=sum(record.num_computed_tokens + 1 for record in running),
        )
        start_ns = self._time_keeper.now_ns
        tokens = self._time_keeper.step(shape, lambda: self._compute(new, running))
        self._record(start_ns, shape, records, tokens)
        for request, record in zip(requests, records):
            if record.token_times_ns:
                request.first_token_time_s = record.token_times_ns[0] / NS
        return [tokens[record.item.request_id] for record in records]

    def record_of(self, request: Request) -> RequestLog:
        """The runtime's own record of a request that is in flight."""
        record = self._log.requests.get(getattr(request, "request_id", None))
        if record is None:
            raise ServingError(say(
                en=f"{request!r} did not come from server.queue: take requests from there",
                es=f"{request!r} no salió de server.queue: toma de ahí las peticiones",
            ))  # fmt: skip
        if record.finish_ns is not None:
            raise ServingError(say(
                en=f"request {request.request_id} has been answered and has left: drop it from the batch",
                es=f"la petición {request.request_id} ya tuvo su respuesta y salió: quítala del lote",
            ))  # fmt: skip
        return record

    def _check_batch(self, records: list[RequestLog]) -> None:
        if not records:
            raise ServingError(say(
                en="forward_one_step got no requests: a step needs at least one",
                es="forward_one_step no recibió peticiones: un paso necesita al menos una",
            ))  # fmt: skip
        if len({record.item.request_id for record in records}) < len(records):
            raise ServingError(say(
                en="forward_one_step got a request twice: pass each once a step",
                es="forward_one_step recibió una petición dos veces: pasa cada una una vez por paso",
            ))  # fmt: skip
        self._steps_left -= 1
        if self._steps_left < 0:
            raise ServingError(say(
                en="the loop took many more steps than its requests have tokens: does a request that has ended leave?",
                es="el bucle dio muchos más pasos que tokens tienen sus peticiones: ¿sale la que ha terminado?",
            ))  # fmt: skip

    def _compute(self, new: list[RequestLog], running: list[RequestLog]) -> dict[int, int]:
        tokens = {}
        if new:
            items = [record.item for record in new]
            tokens.update(zip((item.request_id for item in items), self._tokens.prefill(items)))
        if running:
            ids = [record.item.request_id for record in running]
            last = [EOS_TOKEN_ID if record.ended else record.token_ids[-1] for record in running]
            tokens.update(zip(ids, self._tokens.decode(ids, last)))
        return tokens

    def _record(self, start_ns: int, shape: StepShape, records: list[RequestLog], tokens: dict[int, int]) -> None:
        end_ns = self._time_keeper.now_ns
        useful = []
        for record in records:
            request_id = record.item.request_id
            if record.ended:
                tokens[request_id] = EOS_TOKEN_ID
                continue
            useful.append(request_id)
            record.num_computed_tokens += 1 if record.num_computed_tokens else len(record.item.prompt_token_ids)
            record.accept(tokens[request_id], end_ns)
        self._log.steps.append(
            StepLog(
                start_ns=start_ns, end_ns=end_ns, request_ids=tuple(record.item.request_id for record in records),
                useful_ids=tuple(useful), num_prefill_tokens=shape.num_prefill_tokens,
            )
        )  # fmt: skip


def nobody_came() -> queue.Empty:
    """The standard library's exception, with words: uncaught, it would be an empty line."""
    return queue.Empty(say(
        en="nobody was waiting (or the queue is closed, or the time ran out)",
        es="no esperaba nadie (o la cola está cerrada, o venció el plazo)",
    ))  # fmt: skip


def step_limit(workload) -> int:
    """Far more steps than any sensible policy needs: what stops a loop that never ends."""
    return 1_000 + 20 * sum(item.max_tokens + 1 for item in workload.items)


def run(loop: Callable, workload, *, clock, tokens, **settings) -> RunLog:
    """Let `loop(server)` serve the workload; what it did. Settings are those of `Server`."""
    server = Server(workload, clock=clock, tokens=tokens, **settings)
    loop(server)
    return server.log.closed_at(clock.now_ns)
