"""The runtime's accounting of the KV block pool: which request holds which block, with a record of every change.

A *block* holds the keys and values of `block_size` tokens (PagedAttention; Kwon et al., SOSP 2023). A sequence's
blocks need not be neighbours: its *block table* lists them in the order of its tokens.
"""

import heapq
from dataclasses import dataclass

from minigpt.language import say


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockEvent:
    """Blocks that one request took or gave back at one moment."""

    time_ns: int
    request_id: int
    taken: tuple[int, ...] = ()
    freed: tuple[int, ...] = ()


class BlockPool:
    """`num_blocks` blocks of `block_size` tokens, and the table of every request that holds some."""

    shares = False  # whether sequences may hold the same block

    def __init__(self, num_blocks: int, block_size: int):
        for name, value in (("num_blocks", num_blocks), ("block_size", block_size)):
            if value < 1:
                raise ValueError(say(en=f"{name}={value}: give at least 1", es=f"{name}={value}: indica al menos 1"))
        self.num_total, self.block_size = num_blocks, block_size
        self.events: list[BlockEvent] = []
        self._free = list(range(num_blocks))  # a heap: the lowest free block is taken first
        self._tables: dict[int, list[int]] = {}

    @property
    def num_free(self) -> int:
        return len(self._free)

    @property
    def num_used(self) -> int:
        return self.num_total - len(self._free)

    @property
    def holders(self) -> tuple[int, ...]:
        """The requests that hold blocks."""
        return tuple(self._tables)

    def num_blocks_for(self, num_tokens: int) -> int:
        """The number of blocks that `num_tokens` tokens take."""
        return -(-num_tokens // self.block_size)

    def block_table(self, request_id: int) -> tuple[int, ...]:
        """The request's blocks, in the order of its tokens."""
        return tuple(self._tables.get(request_id, ()))

    def allocate(self, request_id: int, num_tokens: int, now_ns: int, token_ids=()) -> bool:
        """Make sure that the request has blocks for `num_tokens`; False, and nothing changed, if too few are free.

        `token_ids` are those of a request that starts, for pools that share what is computed (`prefix_pool.py`).
        """
        missing = self.num_blocks_for(num_tokens) - len(self._tables.get(request_id, ()))
        if missing > self.num_free:
            return False
        if missing > 0:
            taken = tuple(heapq.heappop(self._free) for _ in range(missing))
            self._tables.setdefault(request_id, []).extend(taken)
            self.events.append(BlockEvent(time_ns=now_ns, request_id=request_id, taken=taken))
        return True

    def free(self, request_id: int, now_ns: int) -> None:
        """Free all blocks of a request."""
        freed = tuple(self._tables.pop(request_id, ()))
        for block in freed:
            heapq.heappush(self._free, block)
        if freed:
            self.events.append(BlockEvent(time_ns=now_ns, request_id=request_id, freed=freed))

    def check(self) -> None:
        """Assert our own invariant: every block is free or in one table, never both, never twice."""
        held = [block for table in self._tables.values() for block in table]
        assert sorted(held + self._free) == list(range(self.num_total)), "a block was lost or is held twice"
