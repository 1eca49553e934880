"""`server.model` of a server with a block pool: steps of chunks, each with its blocks."""

from minigpt.language import say
from minigpt.runtime.clock import NS, StepShape
from minigpt.runtime.errors import ServingError
from minigpt.runtime.executor import Executor, StepLimit, step_limit
from minigpt.runtime.paged.block_pool import BlockPool
from minigpt.runtime.paged.model_runner import Chunk, PagedRunner
from minigpt.runtime.paged.run_log import MemoryUse, PagedRunLog
from minigpt.runtime.request import Request
from minigpt.runtime.run_log import RequestLog, StepLog


class PagedExecutor(Executor):
    """Runs chunks on a pool of blocks, and moves sequences in and out of it."""

    def __init__(self, log: PagedRunLog, time_keeper, runner: PagedRunner, limit: StepLimit, pool: BlockPool):
        super().__init__(log, time_keeper, limit)
        self._runner, self._pool = runner, pool
        self.swapped: set[int] = set()  # requests whose K and V lie outside of the pool

    def forward_one_step(self, requests):
        """Not available: a server with a block pool computes chunks, and the error says so."""
        raise ServingError(say(
            en="a server with a block pool takes forward_chunks([(request, num_tokens), …])",
            es="un servidor con bloques recibe forward_chunks([(petición, num_tokens), …])",
        ))

    def forward_chunks(self, chunks: list[tuple[Request, int]]) -> list[int | None]:
        """One step: compute the next `num_tokens` tokens of each request, in their order.

        Returns the next token id of a request whose tokens are all computed then, and None for the others. Prompts
        and pieces of prompts share one prefill pass, single tokens of running sequences one decode pass.
        """
        requests = [request for request, _ in chunks]
        records = self._records_of(requests)
        self._limit.spend()
        work = [self._chunk(record, num_tokens) for record, (_, num_tokens) in zip(records, chunks)]
        shape = shape_of(work)
        start_ns = self._time.now_ns
        tokens = self._time.step(shape, lambda: self._runner.compute(work))
        for request, record, chunk in zip(requests, records, work):
            record.num_computed_tokens += len(chunk.token_ids)
            request.num_computed_tokens = record.num_computed_tokens
            if chunk.is_last:
                record.accept(tokens[chunk.request_id], self._time.now_ns)
            if record.token_times_ns:
                request.first_token_time_s = record.token_times_ns[0] / NS
            self._publish(record)
        self._note(start_ns, shape, work)
        return [tokens.get(chunk.request_id) for chunk in work]

    def record_of(self, request: Request) -> RequestLog:
        record = super().record_of(request)
        if request.request_id in self._log.refusals:
            raise ServingError(say(
                en=f"request {request.request_id} was refused and has left: drop it",
                es=f"la petición {request.request_id} fue rechazada y salió: quítala",
            ))
        return record

    def free(self, record: RequestLog) -> None:
        """The request has left: its blocks are free."""
        request_id = record.item.request_id
        self.swapped.discard(request_id)
        self._runner.forget(request_id)
        self._pool.free(request_id, self._time.now_ns)

    def move_out(self, record: RequestLog) -> None:
        """Copy a sequence's K and V out of its blocks, which are then free."""
        request_id = record.item.request_id
        self._runner.swap_out(request_id)
        self.swapped.add(request_id)
        self._pool.free(request_id, self._time.now_ns)

    def move_in(self, record: RequestLog) -> None:
        """Copy a sequence's K and V into the blocks that it now holds."""
        self.swapped.discard(record.item.request_id)
        self._runner.swap_in(record.item.request_id)

    def _publish(self, record: RequestLog) -> None:
        """What is computed of a sequence may be shared, where blocks are."""
        if self._pool.shares:
            known = (*record.item.prompt_token_ids, *record.token_ids)
            self._pool.publish(record.item.request_id, known[: record.num_computed_tokens])

    def _chunk(self, record: RequestLog, num_tokens: int) -> Chunk:
        item, start = record.item, record.num_computed_tokens
        known = (*item.prompt_token_ids, *record.token_ids)
        name = item.request_id
        if record.ended:
            raise ServingError(say(
                en=f"request {name} has ended: respond, and drop it from the step",
                es=f"la petición {name} ha terminado: envía su respuesta y quítala del paso",
            ))
        if type(num_tokens) is not int or not 1 <= num_tokens <= len(known) - start:
            raise ServingError(say(
                en=f"request {name} has {len(known) - start} tokens to compute, but the step asks for {num_tokens}",
                es=f"la petición {name} tiene {len(known) - start} tokens por calcular, pero el paso pide {num_tokens}",
            ))
        held = len(self._pool.block_table(name)) * self._pool.block_size
        if name in self.swapped or start + num_tokens > held:
            raise ServingError(say(
                en=f"request {name} needs blocks for {start + num_tokens} tokens but has room for {held}: reserve blocks "
                   "before the step",
                es=f"la petición {name} necesita bloques para {start + num_tokens} tokens, pero tiene sitio para {held}: "
                   "resérvalos antes del paso",
            ))
        return Chunk(
            request_id=name, token_ids=known[start : start + num_tokens], num_computed=start,
            num_output=len(record.token_ids), is_last=start + num_tokens == len(known), answer=item.answer,
            ignore_eos=item.ignore_eos,
        )

    def _note(self, start_ns: int, shape: StepShape, work: list[Chunk]) -> None:
        now_ns, ids = self._time.now_ns, tuple(chunk.request_id for chunk in work)
        self._log.add_step(StepLog(
            start_ns=start_ns, end_ns=now_ns, request_ids=ids, useful_ids=ids,
            num_prefill_tokens=shape.num_prefill_tokens,
        ))
        holders = self._pool.holders
        stored = sum(self._log.requests[i].num_computed_tokens for i in holders if i not in self.swapped)
        self._log.memory.append(MemoryUse(
            time_ns=now_ns, num_used_blocks=self._pool.num_used, num_stored_tokens=stored, num_running=len(holders),
        ))


def shape_of(work: list[Chunk]) -> StepShape:
    """What a step of chunks computes."""
    decodes = [chunk for chunk in work if chunk.is_decode]
    prompts = [chunk for chunk in work if not chunk.is_decode]
    return StepShape(
        num_decode=len(decodes), num_prefill_tokens=sum(len(chunk.token_ids) for chunk in prompts),
        # A later piece of a prompt reads the K and V of the earlier ones.
        num_context_tokens=sum(c.num_computed + 1 for c in decodes) + sum(c.num_computed for c in prompts),
    )


def chunk_limit(workload) -> int:
    """Steps that a run of chunks may take: prompts may come token by token."""
    return step_limit(workload) + 20 * sum(len(item.prompt_token_ids) for item in workload.items)
