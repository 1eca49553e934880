"""A server whose KV cache is a pool of blocks: the port of `minigpt.runtime.server`, with memory, chunks and preemption.

Beside `queue`, `clock`, `respond` and `max_inflight`, a loop sees

    server.blocks          num_total · num_free · block_size · needed(num_tokens) · held(request)
                           reserve(request, num_tokens) -> whether the request has blocks for so many tokens now
    server.model           forward_chunks(chunks) -> for each (request, num_tokens) a token id, or None
    server.preempt(request, way)     its blocks are free now; way is "recompute" or "swap"
    server.refuse(request, reason)   it can never be served, and is told so
    server.token_budget · admission · profile · profile_percent · reserve_blocks · aging_s · cost
                           the settings of the run

A step computes the next `num_tokens` of each request, prompt and output alike, as vLLM's scheduler sees it: there are
no phases, only tokens that are not computed yet. When all known ones are, a new token comes. Every block is accounted
for here, whatever the loop does: a step without blocks for its tokens is an error.
"""

from minigpt.language import say
from minigpt.runtime.paged.block_pool import BlockPool
from minigpt.runtime.paged.executor import ChunkExecutor
from minigpt.runtime.paged.run_log import RECOMPUTE, SWAP, PagedRunLog, Preemption
from minigpt.runtime.paged.swap_cost import SwapCost, cost_table
from minigpt.runtime.request import IN_FLIGHT, QUEUED, Request
from minigpt.runtime.server import Server, ServingError

REFUSED = "refused"
ADMISSION_RULES = ("max", "profiled", "watermark")


class PagedServer(Server):
    """One server with a block pool, for one run over one workload."""

    def __init__(
        self, workload, *, clock, tokens, pool: BlockPool, max_inflight=8, token_budget: int | None = None,
        admission="watermark", profile=(), profile_percent=90, reserve_blocks=0, aging_s: float = 0.0,
        swap_cost=SwapCost(),
    ):  # fmt: skip
        check_settings(max_inflight, token_budget, admission, profile, aging_s)
        super().__init__(workload, clock=clock, tokens=tokens, max_batch=max_inflight, max_inflight=max_inflight)
        self.token_budget, self.admission = token_budget, admission
        self.profile, self.profile_percent = list(profile), profile_percent
        self.reserve_blocks, self.aging_s = reserve_blocks, aging_s
        self._swap_cost, self._pool = swap_cost, pool
        self.cost = cost_table(getattr(clock, "cost", None), swap_cost)
        self.log = PagedRunLog(
            workload=workload, clock=clock.name, streams=True, max_batch=max_inflight, max_inflight=max_inflight,
            num_blocks=pool.num_total, block_size=pool.block_size, block_events=pool.events,
        )  # fmt: skip
        self.model = ChunkExecutor(self.log, self._time_keeper, tokens, pool)
        self.blocks = Blocks(self, pool)

    def respond(self, request: Request) -> None:
        """Send the answer: the request leaves the server now, and its blocks are free."""
        record = self.model.record_of(request)
        record.num_computed_tokens = 0  # its K and V lie in blocks: there is no slot to give back
        super().respond(request)
        self._drop(request.request_id)

    def preempt(self, request: Request, way: str) -> None:
        """Take all blocks from a request that has not ended. It keeps its tokens, and can go on once it has blocks.

        With "recompute" its K and V are dropped and computed again. With "swap" they are copied away, and back when
        it gets blocks again; both copies take time.
        """
        record = self.model.record_of(request)
        if way not in (RECOMPUTE, SWAP):
            raise ServingError(say(en=f"preempt with way={way!r}: choose recompute or swap",
                                   es=f"preempt con way={way!r}: elige recompute o swap"))  # fmt: skip
        if not self._pool.block_table(request.request_id):
            raise ServingError(say(
                en=f"request {request.request_id} holds no blocks: preempt one that does",
                es=f"la petición {request.request_id} no tiene bloques: desaloja una que los tenga",
            ))  # fmt: skip
        self.log.preemptions.append(Preemption(
            time_ns=self._time_keeper.now_ns, request_id=request.request_id, way=way,
            num_computed_tokens=record.num_computed_tokens,
        ))  # fmt: skip
        if way == SWAP and record.num_computed_tokens:
            self._tokens.swap_out(request.request_id)
            self.model.swapped.add(request.request_id)
            self._copy(record.num_computed_tokens)
        else:
            record.num_computed_tokens = request.num_computed_tokens = 0
            self._tokens.forget(request.request_id)
        self._pool.free(request.request_id, self._time_keeper.now_ns)
        request.status = QUEUED

    def refuse(self, request: Request, reason: str) -> None:
        """Tell a request that it can never be served: it leaves without an answer, and counts as a miss."""
        self.model.record_of(request)
        self.log.refusals[request.request_id] = str(reason)[:500]
        request.status = REFUSED
        self._drop(request.request_id)
        self._source.answered(self._time_keeper.now_ns)
        self._time_keeper.progress()

    def swap_in(self, request: Request) -> None:
        """Copy a swapped request back into the blocks that it has just been given."""
        self.model.swapped.discard(request.request_id)
        self._tokens.swap_in(request.request_id)
        self._copy(self.model.record_of(request).num_computed_tokens)

    def _admit(self, item, arrival_ns: int) -> Request:
        request = super()._admit(item, arrival_ns)
        self.log.requests[item.request_id].admitted_ns = None  # here a request is admitted when it gets blocks
        return request

    def _drop(self, request_id: int) -> None:
        self.model.swapped.discard(request_id)
        self._tokens.forget(request_id)
        self._pool.free(request_id, self._time_keeper.now_ns)

    def _copy(self, num_tokens: int) -> None:
        # On every clock by calculation: a laptop has no second memory to copy to.
        cost_ns = self._swap_cost.ns(self._pool.num_blocks_for(num_tokens), self._pool.block_size)
        self.log.swap_ns += cost_ns
        self._time_keeper.wait_until(self._time_keeper.now_ns + cost_ns)


class Blocks:
    """`server.blocks`."""

    def __init__(self, server: PagedServer, pool: BlockPool):
        self._server, self._pool = server, pool
        self.num_total, self.block_size = pool.num_total, pool.block_size

    @property
    def num_free(self) -> int:
        """Blocks that nobody holds."""
        return self._pool.num_free

    def needed(self, num_tokens: int) -> int:
        """Blocks that so many tokens take."""
        return self._pool.num_blocks_for(num_tokens)

    def held(self, request: Request) -> int:
        """Blocks that the request holds."""
        return len(self._pool.block_table(request.request_id))

    def reserve(self, request: Request, num_tokens: int) -> bool:
        """See to it that the request has blocks for its first `num_tokens` tokens.

        False, and nothing changed, if too few blocks are free. A request that was swapped out is copied back now.
        """
        record = self._server.model.record_of(request)
        if request.request_id in self._server.model.swapped:
            num_tokens = max(num_tokens, record.num_computed_tokens)
        now_ns = self._server.clock.now_ns
        if not self._pool.allocate(request.request_id, num_tokens, now_ns):
            return False
        if record.admitted_ns is None:
            record.admitted_ns = now_ns
        if request.request_id in self._server.model.swapped:
            self._server.swap_in(request)
        request.status = IN_FLIGHT
        return True


def check_settings(max_inflight, token_budget, admission, profile, aging_s) -> None:
    """Refuse settings with which nobody could be served."""
    if token_budget is not None and token_budget <= max_inflight:
        raise ValueError(say(
            en=f"token_budget={token_budget} with max_inflight={max_inflight}: decodes could take all of it, and "
               "prompts "
            "would wait for ever. Give more",
            es=f"token_budget={token_budget} con max_inflight={max_inflight}: los decode podrían gastarlo entero y los "
            "prompts esperarían para siempre. Da más",
        ))  # fmt: skip
    if admission not in ADMISSION_RULES:
        raise ValueError(f"admission={admission!r}: {', '.join(ADMISSION_RULES)}")
    if admission == "profiled" and not profile:
        raise ValueError(say(en="admission='profiled' needs profile: output lengths seen before",
                             es="admission='profiled' necesita profile: longitudes de salida ya vistas"))  # fmt: skip
    if aging_s < 0:
        raise ValueError(f"aging_s={aging_s}: ≥ 0")
