"""What a server with a block pool records in addition to the usual log: blocks, preemptions, refusals."""

from dataclasses import dataclass, field

from minigpt.runtime.paged.block_pool import BlockEvent
from minigpt.runtime.run_log import RunLog

RECOMPUTE, SWAP = "recompute", "swap"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preemption:
    """A request that had to give its blocks back before it had ended."""

    time_ns: int
    request_id: int
    way: str  # recompute or swap
    num_computed_tokens: int  # K and V that were dropped, or moved away


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryUse:
    """The pool at the end of a step."""

    time_ns: int
    num_used_blocks: int
    num_stored_tokens: int  # tokens whose K and V are in those blocks
    num_running: int  # requests that hold blocks


@dataclass(slots=True, kw_only=True, eq=False)
class PagedRunLog(RunLog):
    """A whole run on a server with a block pool."""

    num_blocks: int
    block_size: int
    block_events: list[BlockEvent] = field(default_factory=list)
    memory: list[MemoryUse] = field(default_factory=list)
    preemptions: list[Preemption] = field(default_factory=list)
    refusals: dict[int, str] = field(default_factory=dict)  # request -> why it can never be served
    swap_ns: int = 0  # time spent on copying blocks out and in
    prefix_lookups: list = field(default_factory=list)  # PrefixLookup of each start, on a pool that shares blocks

    def admit(self, item, arrival_ns: int, now_ns: int) -> None:
        """A request was taken from the queue; it counts as admitted when it gets its first blocks."""
        RunLog.admit(self, item, arrival_ns, now_ns)
        self.requests[item.request_id].admitted_ns = None

    @property
    def waste_percent(self) -> float:
        """Share of the reserved places, over all steps, that held no token."""
        held = sum(use.num_used_blocks for use in self.memory) * self.block_size
        return 100 * (1 - sum(use.num_stored_tokens for use in self.memory) / held) if held else 0.0

    @property
    def most_running(self) -> int:
        """The most requests that held blocks at one time."""
        return max((use.num_running for use in self.memory), default=0)

    @property
    def num_recomputed_tokens(self) -> int:
        """Tokens computed a second time, or more often, since a preemption dropped their K and V."""
        return sum(each.num_computed_tokens for each in self.preemptions if each.way == RECOMPUTE)
