"""Blocks that sequences share: the same beginning of a prompt is computed once and read by all (given; Lab 06 writes it).

vLLM's automatic prefix caching works like this. A full block has a key that stands for all tokens up to its end. A new
sequence takes the blocks whose keys it has, from the first on. Blocks that are not held keep their K and V until the
memory is needed, and the longest unused goes first.
"""

from collections import OrderedDict


def block_keys(token_ids, block_size: int) -> list[int]:
    """A key for each full block, made of the key before it and of the block's tokens: a hash chain."""
    keys, last = [], 0
    for number in range(len(token_ids) // block_size):
        last = hash((last, *token_ids[number * block_size : (number + 1) * block_size]))
        keys.append(last)
    return keys


class PrefixCache:
    """`num_blocks` blocks, how many sequences hold each, and by which key its K and V can be found."""

    def __init__(self, num_blocks: int):
        self.free_blocks = list(range(num_blocks))  # nothing of use lies in them
        self.tables: dict[int, list[int]] = {}  # request id -> its blocks, in the order of its tokens
        self.num_holders = [0] * num_blocks  # of each block
        self.block_of: dict[int, int] = {}  # key -> the block that holds its K and V
        self.key_of: dict[int, int] = {}  # block -> its key, if it can be found
        self.idle: OrderedDict[int, None] = OrderedDict()  # can be found and are not held: longest unused first

    def share(self, request_id: int, keys) -> int:
        """Start a sequence with the blocks that hold its beginning already; how many they are."""
        table = self.tables[request_id] = []
        for key in keys:
            block = self.block_of.get(key)
            if block is None:
                break
            self.num_holders[block] += 1
            self.idle.pop(block, None)
            table.append(block)
        return len(table)

    def publish(self, request_id: int, keys) -> None:
        """The first blocks of a sequence are computed and full: from now on they can be found by their keys."""
        for block, key in zip(self.tables[request_id], keys):
            if key not in self.block_of and block not in self.key_of:
                self.block_of[key], self.key_of[block] = block, key

    def grow(self, request_id: int, num_blocks: int) -> bool:
        """Make sure that a sequence has this many blocks; False, and nothing changed, if there are too few."""
        table = self.tables.setdefault(request_id, [])
        missing = num_blocks - len(table)
        if missing > len(self.free_blocks) + len(self.idle):
            return False
        for _ in range(missing):
            block = self.free_blocks.pop(0) if self.free_blocks else self.evict()
            self.num_holders[block] = 1
            table.append(block)
        return True

    def free(self, request_id: int) -> None:
        """A sequence leaves. A block without holders is idle if it can be found, else free."""
        # Last block first: without its beginning a block is never found, so the end has to go before it.
        for block in reversed(self.tables.pop(request_id)):
            self.num_holders[block] -= 1
            if self.num_holders[block] == 0:
                if block in self.key_of:
                    self.idle[block] = None
                else:
                    self.free_blocks.append(block)

    def evict(self) -> int:
        """Give up the longest unused of the idle blocks: it can be found no longer."""
        block, _ = self.idle.popitem(last=False)
        del self.block_of[self.key_of.pop(block)]
        return block
