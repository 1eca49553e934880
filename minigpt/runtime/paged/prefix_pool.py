"""A pool of KV blocks whose sequences share the blocks of equal beginnings: a prefix cache in the runtime's hands."""

from dataclasses import dataclass

from minigpt.runtime.paged.block_pool import BlockPool


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefixLookup:
    """A request that got its first blocks: how much of it was there already."""

    time_ns: int
    request_id: int
    num_tokens: int  # prompt, and output if it comes back from a preemption
    num_found: int  # tokens whose K and V were in the cache


class PrefixPool(BlockPool):
    """A block pool on top of a `PrefixCache`, the given one or a student's; `code` has it, and `block_keys`."""

    shares = True

    def __init__(self, num_blocks: int, block_size: int, code):
        super().__init__(num_blocks, block_size)
        self.cache, self._keys = code.PrefixCache(num_blocks), code.block_keys
        self.lookups: list[PrefixLookup] = []
        self._num_published: dict[int, int] = {}  # request -> its first blocks that can be found

    @property
    def num_free(self) -> int:
        """Blocks without holders: those of the cache can be taken, too."""
        return len(self.cache.free_blocks) + len(self.cache.idle)

    @property
    def num_used(self) -> int:
        return self.num_total - self.num_free

    @property
    def holders(self) -> tuple[int, ...]:
        return tuple(self.cache.tables)

    def block_table(self, request_id: int) -> tuple[int, ...]:
        return tuple(self.cache.tables.get(request_id, ()))

    def allocate(self, request_id: int, num_tokens: int, now_ns: int, token_ids=()) -> bool:
        """As in `BlockPool`; a sequence that starts with these tokens gets the blocks that have them already."""
        starts = request_id not in self.cache.tables
        if starts:
            # The last token is computed in any case: its logits are the next token's.
            num_found = self.cache.share(request_id, self._keys(token_ids[:-1], self.block_size))
        if not self.cache.grow(request_id, self.num_blocks_for(num_tokens)):
            if starts:
                self.cache.free(request_id)
            return False
        if starts:
            self._num_published[request_id] = num_found
            self.lookups.append(PrefixLookup(
                time_ns=now_ns, request_id=request_id, num_tokens=len(token_ids),
                num_found=num_found * self.block_size,
            ))
        return True

    def num_found(self, request_id: int) -> int:
        """Tokens of a sequence that has just started whose K and V lie in its blocks."""
        return self._num_published[request_id] * self.block_size

    def publish(self, request_id: int, token_ids) -> None:
        """These tokens of a sequence are computed: let its full blocks be found."""
        if len(token_ids) // self.block_size > self._num_published[request_id]:
            self._num_published[request_id] = len(token_ids) // self.block_size
            self.cache.publish(request_id, self._keys(token_ids, self.block_size))

    def free(self, request_id: int, now_ns: int) -> None:
        """A sequence leaves."""
        if request_id in self.cache.tables:
            del self._num_published[request_id]
            self.cache.free(request_id)

    def check(self) -> None:
        """Our own invariant: every block is free, idle or held, and held by as many as are counted."""
        held = [block for table in self.cache.tables.values() for block in table]
        counted = [held.count(block) for block in range(self.num_total)]
        assert counted == list(self.cache.num_holders), "holders are miscounted"
        alone = [*self.cache.free_blocks, *self.cache.idle, *set(held)]
        assert sorted(alone) == list(range(self.num_total)), "a block was lost or is in two places"
