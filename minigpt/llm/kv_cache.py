"""The KV cache: one slot per sequence, preallocated, taken and given back.

A slot is a row of `max_length` places. A sequence of length n uses places 0 … n−1 of its slot; the rest may hold
what an earlier sequence left there. Nothing is erased when a slot changes hands: attention is masked by the
length, so that what lies beyond it cannot be seen (tests/unit/test_kv_cache.py tries).
"""

import heapq

import torch


class CacheFull(ValueError):
    """No slot is free, or a sequence has reached the end of its slot."""


class KVCache:
    """Keys and values of up to `num_slots` sequences of up to `max_length` tokens each.

    `k` and `v` have shape (layers, num_slots·K, max_length, D): the K heads of a slot are neighbours, so that one
    batched matrix product runs over all heads of all sequences.
    """

    def __init__(self, config, num_slots: int, max_length: int | None = None):
        max_length = config.context if max_length is None else max_length
        if num_slots < 1:
            raise ValueError(f"num_slots={num_slots}: the cache needs at least one slot")
        if not 1 <= max_length <= config.context:
            raise ValueError(f"max_length={max_length}: choose 1 to {config.context}, the model's context")
        self.num_slots, self.max_length = num_slots, max_length
        self.num_kv_heads = config.num_kv_heads
        shape = (config.num_layers, num_slots * config.num_kv_heads, max_length, config.head_size)
        self.k, self.v = torch.zeros(shape), torch.zeros(shape)
        self.lengths = torch.zeros(num_slots, dtype=torch.long)  # tokens whose K and V are here, per slot
        self._free = list(range(num_slots))  # a heap: the lowest free slot is taken first

    @property
    def num_free(self) -> int:
        return len(self._free)

    def allocate(self) -> int:
        """Take the lowest free slot, empty. Raises CacheFull if there is none."""
        if not self._free:
            raise CacheFull(
                f"num_slots={self.num_slots}: every slot of the KV cache is taken. "
                "Give one back first, or make the cache with more slots"
            )
        slot = heapq.heappop(self._free)
        self.lengths[slot] = 0
        return slot

    def free(self, slot: int) -> None:
        """Return a slot; the next `allocate` may hand it out again."""
        if not 0 <= slot < self.num_slots or slot in self._free:
            raise ValueError(f"slot={slot} is not taken: give back a slot that `allocate` returned, once")
        heapq.heappush(self._free, slot)

    def slot_mapping(self, slots: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        """Where the K heads of tokens at these positions are stored, as rows of the flat cache.

        `slots` and `positions` have the same shape (N,); the result is (N·K,).
        """
        heads = torch.arange(self.num_kv_heads)
        rows = (slots[:, None] * self.num_kv_heads + heads) * self.max_length + positions[:, None]  # (N, K)
        return rows.view(-1)

    def write(self, layer: int, places: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> None:
        """Store k and v, both (N·K, D), of one layer at the given places."""
        head_size = k.shape[-1]
        self.k[layer].view(-1, head_size).index_copy_(0, places, k)
        self.v[layer].view(-1, head_size).index_copy_(0, places, v)

    def slot_rows(self, slots: torch.Tensor) -> slice | torch.Tensor:
        """The cache rows of these slots: a slice if they are the first ones in order, else an index.

        The slice reads the cache in place; the index copies. Slots are handed out lowest first, so that the
        sequences of a busy server usually are the first ones.
        """
        num_rows = len(slots) * self.num_kv_heads
        if torch.equal(slots, torch.arange(len(slots))):
            return slice(0, num_rows)
        return (slots[:, None] * self.num_kv_heads + torch.arange(self.num_kv_heads)).view(-1)

    def read(self, layer: int, rows: slice | torch.Tensor, longest: int) -> tuple[torch.Tensor, torch.Tensor]:
        """K and V of one layer for these rows, (B·K, longest, D) each; places beyond a length are not masked here."""
        return self.k[layer, rows, :longest], self.v[layer, rows, :longest]
