"""`server.model`: runs one step of the batch on any runner, and records the result."""

from collections.abc import Sequence
from typing import NamedTuple

from minigpt.language import say
from minigpt.llm.tokenizer import EOS_TOKEN_ID
from minigpt.runtime.clock import NS, StepShape
from minigpt.runtime.errors import ServingError
from minigpt.runtime.model_runner import Runner
from minigpt.runtime.request import Request
from minigpt.runtime.run_log import RequestLog, RunLog, StepLog
from minigpt.runtime.time_keeper import TimeKeeper


class StepLimit:
    """Stops a loop that never ends: far more steps than any sensible policy needs."""

    def __init__(self, num_steps: int):
        self._left = num_steps

    def spend(self) -> None:
        """Count a step; raises ServingError after the last."""
        self._left -= 1
        if self._left < 0:
            raise ServingError(say(
                en="the loop took many more steps than its requests have tokens: do you remove requests that have ended?",
                es="el bucle ejecutó muchos más pasos que tokens tienen sus peticiones: ¿quitas las que han terminado?",
            ))

    def was_useful(self) -> None:
        """Note that a request got a token in this step."""


def step_limit(workload) -> int:
    """Steps that a run over this workload may take."""
    return 1_000 + 20 * sum(item.max_tokens + 1 for item in workload.items)


class Executor:
    """What all executors share: access to the records, and checks of a batch before it runs."""

    eos_token_id = EOS_TOKEN_ID

    def __init__(self, log: RunLog, time_keeper: TimeKeeper, limit: StepLimit):
        self._log, self._time, self._limit = log, time_keeper, limit

    def record_of(self, request: Request) -> RequestLog:
        """The runtime's own record of a request that is in flight."""
        record = self._log.requests.get(getattr(request, "request_id", None))
        if record is None:
            raise ServingError(say(
                en=f"{request!r} did not come from server.queue: take requests from there",
                es=f"{request!r} no salió de server.queue: toma de ahí las peticiones",
            ))
        if record.finish_ns is not None:
            raise ServingError(say(
                en=f"request {request.request_id} has been answered and has left: drop it from the batch",
                es=f"la petición {request.request_id} ya tuvo su respuesta y salió: quítala del lote",
            ))
        return record

    def _records_of(self, requests: Sequence[Request]) -> list[RequestLog]:
        """The records of a valid batch: not empty, and no request twice."""
        records = [self.record_of(request) for request in requests]
        if not records:
            raise ServingError(say(
                en="forward_one_step got no requests: a step needs at least one",
                es="forward_one_step no recibió peticiones: un paso necesita al menos una",
            ))
        if len({record.item.request_id for record in records}) < len(records):
            raise ServingError(say(
                en="forward_one_step got a request twice: pass each once per step",
                es="forward_one_step recibió una petición dos veces: pasa cada una una vez por paso",
            ))
        return records


class Batch(NamedTuple):
    """The rows of a step, sorted by what has to be computed for them."""

    ids: tuple[int, ...]
    records: list[RequestLog]
    new: list[RequestLog]  # without K and V: prefilled in this step
    running: list[RequestLog]
    running_ids: list[int]
    has_ended: bool  # some rows have ended and ride along


class BatchExecutor(Executor):
    """Prefills new requests together and decodes the others together: at most one pass of each kind per step."""

    def __init__(self, log: RunLog, time_keeper: TimeKeeper, runner: Runner, limit: StepLimit):
        super().__init__(log, time_keeper, limit)
        self._runner = runner
        self._steady: Batch | None = None  # the last batch, if its rows need the same in the next step

    def forward_one_step(self, requests: list[Request]) -> list[int]:
        """One forward pass: the next token id of each request, in their order.

        Requests without KV are prefilled together in this step and yield their first token in it; the others get
        one decode pass. A request that has ended may be passed again: it costs its row and yields EOS.
        """
        batch = self._look_at(requests)
        self._limit.spend()
        shape = shape_of(batch)
        start_ns = self._time.now_ns
        tokens = self._time.step(shape, lambda: self._compute(batch))
        useful_ids = self._take_tokens(batch, tokens)
        self._log.add_step(StepLog(start_ns, self._time.now_ns, batch.ids, useful_ids, shape.num_prefill_tokens))
        if useful_ids:
            self._limit.was_useful()
        for request, record in zip(requests, batch.records) if batch.new else ():
            if record.token_times_ns:
                request.first_token_time_s = record.token_times_ns[0] / NS
        return tokens

    def free(self, record: RequestLog) -> None:
        """The request has left: its place in the KV cache is free."""
        self._steady = None
        if record.num_computed_tokens:
            self._runner.free(record.item.request_id)

    def _look_at(self, requests: list[Request]) -> Batch:
        """The batch of a step. One that goes on as before, as most do, is not checked again."""
        steady = self._steady
        if steady and steady.ids == tuple([getattr(request, "request_id", None) for request in requests]):
            return steady
        records = self._records_of(requests)
        running = [record for record in records if record.num_computed_tokens]
        return Batch(
            ids=tuple([record.item.request_id for record in records]), records=records,
            new=[record for record in records if not record.num_computed_tokens],
            running=running, running_ids=[record.item.request_id for record in running],
            has_ended=any([record.ended for record in records]),
        )

    def _compute(self, batch: Batch) -> list[int]:
        """The tokens of all rows, in their order; a row that has ended yields EOS, whatever was computed."""
        first = self._runner.prefill([record.item for record in batch.new]) if batch.new else []
        rest = self._decode(batch) if batch.running else []
        if not batch.new or not batch.running:
            return first or rest
        firsts, others = iter(first), iter(rest)
        return [next(others) if record.num_computed_tokens else next(firsts) for record in batch.records]

    def _decode(self, batch: Batch) -> list[int]:
        if not batch.has_ended:
            return self._runner.decode(batch.running_ids, [record.token_ids[-1] for record in batch.running])
        last = [EOS_TOKEN_ID if record.ended else record.token_ids[-1] for record in batch.running]
        tokens = self._runner.decode(batch.running_ids, last)
        return [EOS_TOKEN_ID if record.ended else token for record, token in zip(batch.running, tokens)]

    def _take_tokens(self, batch: Batch, tokens: list[int]) -> tuple[int, ...]:
        """Write the tokens into the records; return the ids of the rows that had not ended before."""
        now_ns, any_ends = self._time.now_ns, False
        useful = [record for record in batch.records if not record.ended] if batch.has_ended else batch.records
        for record, token in zip(batch.records, tokens):
            if not record.ended:
                computed = record.num_computed_tokens
                record.num_computed_tokens = computed + 1 if computed else len(record.item.prompt_token_ids)
                record.accept(token, now_ns)
                any_ends |= record.ended
        self._steady = None if batch.new or any_ends else batch
        return batch.ids if useful is batch.records else tuple([record.item.request_id for record in useful])


def shape_of(batch: Batch) -> StepShape:
    """What the step of a batch computes, as far as its cost depends on it."""
    running = batch.running
    return StepShape(
        num_decode=len(running),
        num_prefill_tokens=sum([len(record.item.prompt_token_ids) for record in batch.new]) if batch.new else 0,
        num_context_tokens=sum([record.num_computed_tokens for record in running]) + len(running),
    )
