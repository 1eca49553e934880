"""Lab 06 (optional), beyond batching: what engines have added since, each in small.

Functions and one class; the loops that use them are given (minigpt/schedulers, minigpt/runtime/paged). No exercise needs
one that comes after it, and each of the five parts stands on its own.
"""


# -- 1: the same beginning, computed once ----------------------------------------------------------------------------


def block_keys(token_ids, block_size):
    """A key for each full block of `token_ids`, in order: two blocks have the same key if all tokens up to the end of
    each are the same, and only then.

    A key is a whole number or a text, of the same size however long the prompt is. `hash((a, b))` makes one number of
    several. What does not fill a block has no key.
    """
    # EXERCISE 6.1 (about 5 lines)
    raise NotImplementedError("exercise 6.1: block_keys")


class PrefixCache:
    """Blocks that sequences share. At any moment each of them is held by sequences, idle or free.

    A sequence holds the blocks in its table, and a block may stand in several tables. A block that can be found by a key
    and that nobody holds is idle: its K and V stay until somebody needs the memory.
    """

    def __init__(self, num_blocks):
        self.free_blocks = list(range(num_blocks))  # nothing of use lies in them
        self.tables = {}  # request id -> its blocks, in the order of its tokens
        self.num_holders = [0] * num_blocks  # of each block: how many tables it stands in
        self.block_of = {}  # key -> the block that can be found by it
        self.key_of = {}  # the same the other way round: block -> key
        self.idle = {}  # block -> None: a dict keeps its order, and the longest unused comes first

    def share(self, request_id, keys):
        """Start a sequence with the blocks that hold its beginning already; how many they are.

        These are the blocks found by `keys`, from the first on, up to the first key that is not found. Each has one
        holder more, and a block that is held is not idle. They are the sequence's table.
        """
        # EXERCISE 6.2 (about 10 lines)
        raise NotImplementedError("exercise 6.2: PrefixCache.share")

    def free(self, request_id):
        """The sequence leaves: each of its blocks has one holder less.

        Of those that nobody holds any more, the ones that can be found become idle and the others free. The last block
        of a sequence becomes idle first: it is of no use without those before it, so it has to be evicted before them.
        """
        # EXERCISE 6.3 (about 6 lines)
        raise NotImplementedError("exercise 6.3: PrefixCache.free")

    def publish(self, request_id, keys):
        """Given: the sequence's first blocks, one for each of `keys`, are computed and full: they can be found from now on.

        A key belongs to one block and a block to one key: whoever has been published first stays.
        """
        for block, key in zip(self.tables[request_id], keys):
            if key not in self.block_of and block not in self.key_of:
                self.block_of[key] = block
                self.key_of[block] = key

    def grow(self, request_id, num_blocks):
        """Given: a sequence gets blocks of its own until it has `num_blocks`. True, or False if there are too few."""
        table = self.tables.setdefault(request_id, [])
        missing = num_blocks - len(table)
        if missing > len(self.free_blocks) + len(self.idle):
            return False
        for _ in range(missing):
            block = self.free_blocks.pop(0) if self.free_blocks else self.evict()
            self.num_holders[block] = 1
            table.append(block)
        return True

    def evict(self):
        """Given: give up the block that has been idle the longest, and return it: from now on it cannot be found."""
        block = next(iter(self.idle))
        del self.idle[block]
        del self.block_of[self.key_of.pop(block)]
        return block


# -- 2: guess several tokens, check them in one pass -------------------------------------------------------------------


def propose(token_ids, num_tokens, longest=3):
    """Guess the next tokens of a sequence: up to `num_tokens` that followed when its last tokens stood there before.

    Take the last `longest` tokens and look for the same ones at an earlier place; of several places the latest counts.
    Nothing there? Then the last `longest` − 1, and so on down to the last one alone. [] if that is new, too.
    """
    # EXERCISE 6.4 (about 6 lines)
    raise NotImplementedError("exercise 6.4: propose")


def accept(guesses, choices):
    """What a sequence keeps of a pass that checked `guesses`: (its new tokens, how many entries the cache drops).

    `choices` has one token more than `guesses`: choices[j] is what the model says after the first j guesses. Guesses
    are kept up to the first that the model would not have said; there, its own choice stands. The pass has put K and V
    of all guesses into the cache, and those of guesses that are not kept have to go.
    """
    # EXERCISE 6.5 (about 4 lines)
    raise NotImplementedError("exercise 6.5: accept")


# -- 3, 4, 5: who goes first, fair to clients, two kinds of machines -------------------------------------------------
