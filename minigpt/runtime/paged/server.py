"""A server whose KV cache is a pool of blocks: the port of `minigpt.runtime.server`, with memory, chunks and preemption.

In addition to `queue`, `clock`, `respond` and `max_inflight`, a loop sees

    server.blocks          num_total · num_free · block_size · needed(num_tokens) · held(request)
                           reserve(request, num_tokens) -> whether the request now has blocks for `num_tokens`
    server.model           forward_chunks(chunks) -> for each (request, num_tokens) a token id, or None
    server.preempt(request, way)     its blocks are free now; way is "recompute" or "swap"
    server.refuse(request, reason)   it can never be served, and its client gets the reason
    server.token_budget · admission · profile · profile_percent · reserve_blocks · aging_s · cost
                           the settings of the run

A step computes the next `num_tokens` of each request, prompt and output alike, as vLLM's scheduler sees it: there are
no phases, only tokens that are not computed yet. When all known ones are computed, a new token is produced. The server
accounts for every block, whatever the loop does: a step without blocks for its tokens is an error.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

from minigpt.language import say
from minigpt.runtime.arrivals import make_source
from minigpt.runtime.errors import ServingError
from minigpt.runtime.executor import StepLimit
from minigpt.runtime.known_names import KnownNames
from minigpt.runtime.paged.block_pool import BlockPool
from minigpt.runtime.paged.executor import PagedExecutor, chunk_limit
from minigpt.runtime.paged.model_runner import PagedRunner
from minigpt.runtime.paged.run_log import RECOMPUTE, SWAP, PagedRunLog, Preemption
from minigpt.runtime.paged.speculation import SpeculativeExecutor
from minigpt.runtime.paged.swap_cost import SwapCost, cost_table
from minigpt.runtime.request import IN_FLIGHT, QUEUED, Request
from minigpt.runtime.server import Server, check_room
from minigpt.runtime.time_keeper import TimeKeeper

REFUSED = "refused"
ADMISSION_RULES = ("max", "profiled", "watermark")


@dataclass(frozen=True, slots=True, kw_only=True)
class PagedSettings:
    """How a server with a block pool is run; the loop reads all of it."""

    token_budget: int | None = None  # most tokens per step; None: no limit
    admission: str = "watermark"  # one of ADMISSION_RULES
    profile: Sequence[int] = ()  # output lengths seen before, for admission="profiled"
    profile_percent: int = 90
    reserve_blocks: int = 0  # stay free at an admission
    aging_s: float = 0.0  # waiting time that is worth one step of priority
    num_guesses: int = 0  # most tokens guessed a request and step, for a loop that speculates

    def check(self, max_inflight: int) -> None:
        """Refuse settings under which no request could be served."""
        if self.token_budget is not None and self.token_budget <= max_inflight:
            raise ValueError(say(
                en=f"token_budget={self.token_budget} with max_inflight={max_inflight}: decodes could take all of it, and "
                   "prompts would wait forever. Raise it",
                es=f"token_budget={self.token_budget} con max_inflight={max_inflight}: los decode podrían gastarlo "
                "entero y los prompts esperarían para siempre. Súbelo",
            ))
        if self.admission not in ADMISSION_RULES:
            raise ValueError(f"admission={self.admission!r}: {', '.join(ADMISSION_RULES)}")
        if self.admission == "profiled" and not self.profile:
            raise ValueError(say(en="admission='profiled' needs profile: output lengths seen before",
                                 es="admission='profiled' necesita profile: longitudes de salida ya vistas"))
        if self.aging_s < 0:
            raise ValueError(f"aging_s={self.aging_s}: ≥ 0")


class PagedServer(Server):
    """A server whose executor has a block pool: what it adds to the port is memory and preemption."""

    def __init__(
        self, *, executor: PagedExecutor, pool: BlockPool, settings: PagedSettings, swap_cost: SwapCost, cost: dict,
        **parts,
    ):
        super().__init__(executor=executor, **parts)
        for field in fields(settings):
            setattr(self, field.name, getattr(settings, field.name))
        self.profile, self.cost = list(settings.profile), cost
        self._swap_cost, self._pool = swap_cost, pool
        self.blocks = Blocks(self, pool)

    def preempt(self, request: Request, way: str) -> None:
        """Take all blocks from a request that has not ended. It keeps its tokens, and can go on once it has blocks.

        With "recompute" its K and V are dropped and computed again. With "swap" they are copied away, and back when
        it gets blocks again; both copies take time.
        """
        record = self.model.record_of(request)
        if way not in (RECOMPUTE, SWAP):
            raise ServingError(say(en=f"preempt with way={way!r}: choose recompute or swap",
                                   es=f"preempt con way={way!r}: elige recompute o swap"))
        if not self._pool.block_table(request.request_id):
            raise ServingError(say(
                en=f"request {request.request_id} holds no blocks: preempt one that does",
                es=f"la petición {request.request_id} no tiene bloques: desaloja una que los tenga",
            ))
        self.log.preemptions.append(Preemption(
            time_ns=self._time.now_ns, request_id=request.request_id, way=way,
            num_computed_tokens=record.num_computed_tokens,
        ))
        if way == SWAP and record.num_computed_tokens:
            num_blocks = self._pool.num_blocks_for(record.num_computed_tokens)
            self.model.move_out(record)
            self._copy(num_blocks)
        else:
            record.num_computed_tokens = request.num_computed_tokens = 0
            self.model.free(record)
        request.status = QUEUED

    def refuse(self, request: Request, reason: str) -> None:
        """Refuse a request that can never be served: it leaves without an answer, and counts as a miss."""
        record = self.model.record_of(request)
        self.log.refusals[request.request_id] = str(reason)[:500]
        request.status = REFUSED
        self.model.free(record)
        self._source.answered(self._time.now_ns)
        self._time.progress()

    def swap_in(self, request: Request) -> None:
        """Copy a swapped request back into the blocks that it has just got."""
        record = self.model.record_of(request)
        self.model.move_in(record)
        self._copy(self._pool.num_blocks_for(record.num_computed_tokens))

    def _copy(self, num_blocks: int) -> None:
        # Calculated on every clock: a laptop has no second memory to copy to.
        cost_ns = self._swap_cost.ns(num_blocks, self._pool.block_size)
        self.log.swap_ns += cost_ns
        self._time.wait_until(self._time.now_ns + cost_ns)


class Blocks(KnownNames):
    """`server.blocks`."""

    def __init__(self, server: PagedServer, pool: BlockPool):
        self._server, self._pool = server, pool
        self.num_total, self.block_size = pool.num_total, pool.block_size

    @property
    def num_free(self) -> int:
        """The number of free blocks."""
        return self._pool.num_free

    def needed(self, num_tokens: int) -> int:
        """The number of blocks that `num_tokens` tokens take."""
        return self._pool.num_blocks_for(num_tokens)

    def held(self, request: Request) -> int:
        """The number of blocks that the request holds."""
        return len(self._pool.block_table(request.request_id))

    def reserve(self, request: Request, num_tokens: int) -> bool:
        """Make sure that the request has blocks for its first `num_tokens` tokens.

        False, and nothing changed, if too few blocks are free. A request that was swapped out is copied back now.
        """
        record = self._server.model.record_of(request)
        if request.request_id in self._server.model.swapped:
            num_tokens = max(num_tokens, record.num_computed_tokens)
        now_ns = self._server.clock.now_ns
        starts = self._pool.shares and not self.held(request) and request.request_id not in self._server.model.swapped
        known = (*record.item.prompt_token_ids, *record.token_ids) if starts else ()
        if not self._pool.allocate(request.request_id, num_tokens, now_ns, known):
            return False
        if starts:
            record.num_computed_tokens = request.num_computed_tokens = self._pool.num_found(request.request_id)
        if record.admitted_ns is None:
            record.admitted_ns = now_ns
        if request.request_id in self._server.model.swapped:
            self._server.swap_in(request)
        request.status = IN_FLIGHT
        return True


def make_paged_server(
    workload, *, clock, runner: PagedRunner, pool: BlockPool, max_inflight: int = 8, swap_cost=SwapCost(), **settings
) -> PagedServer:
    """A server with a block pool for one run over one workload; `settings` are those of `PagedSettings`."""
    check_room(max_inflight=max_inflight)
    settings = PagedSettings(**settings)
    settings.check(max_inflight)
    log = PagedRunLog(
        workload=workload, clock=clock.name, streams=True, max_batch=max_inflight, max_inflight=max_inflight,
        num_blocks=pool.num_total, block_size=pool.block_size, block_events=pool.events,
        prefix_lookups=pool.lookups if pool.shares else [],
    )
    time_keeper = TimeKeeper(clock)
    kind = SpeculativeExecutor if settings.num_guesses else PagedExecutor
    executor = kind(log, time_keeper, runner, StepLimit(chunk_limit(workload)), pool)
    return PagedServer(
        source=make_source(workload), executor=executor, time_keeper=time_keeper, log=log, pool=pool,
        settings=settings, swap_cost=swap_cost, cost=cost_table(getattr(clock, "cost", None), swap_cost),
    )
