"""The KV cache: one slot per sequence, preallocated, allocated and freed.

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

    `kv` has shape (layers, 2, num_slots·K, max_length, D), and `k` and `v` are its halves: the K heads of a slot are
    neighbours, so that one batched matrix product runs over all heads of all sequences, and K and V are one tensor, so
    that one operation writes both.
    """

    def __init__(self, config, num_slots: int, max_length: int | None = None):
        max_length = config.context if max_length is None else max_length
        if num_slots < 1:
            raise ValueError(f"num_slots={num_slots}: the cache needs at least one slot")
        if not 1 <= max_length <= config.context:
            raise ValueError(f"max_length={max_length}: choose 1 to {config.context}, the model's context")
        self.num_slots, self.max_length = num_slots, max_length
        self.num_kv_heads = config.num_kv_heads
        num_rows = num_slots * config.num_kv_heads
        self._store(torch.zeros(config.num_layers, 2, num_rows, max_length, config.head_size))
        self._rows = torch.arange(num_rows).view(num_slots, -1)  # (slots, K): the rows of `k` and `v`
        # Where K and V of each row start in a flat layer, which has all of K before V: (slots, K, 1, 2).
        self._starts = torch.stack([self._rows, self._rows + num_rows], dim=-1)[:, :, None] * max_length
        self.workspaces = {}  # of the latest passes, for the next ones of the same shape: a cache takes one pass at a time
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
        """Where K and V of tokens at positions (B, T) of slots (B,) are stored, as indices into a flat layer: (B, K, T, 2)."""
        return self._starts[slots] + positions.view(len(slots), 1, -1, 1)

    def write(self, layer: int, slot_mapping: torch.Tensor, kv: torch.Tensor) -> None:
        """Store K and V of new tokens, kv (B, K, T, 2, D), where `slot_mapping` says."""
        self._flat[layer].index_put_((slot_mapping,), kv)

    def slot_rows(self, slots: torch.Tensor) -> slice | torch.Tensor:
        """The rows of these slots (B,) in `k` and `v`: a slice if they are neighbours in order, else an index.

        The slice reads the cache in place; the index copies. Slots are handed out lowest first, so the sequences of a
        busy server are usually neighbours.
        """
        in_order = slots.tolist()
        first, end = in_order[0], in_order[0] + len(in_order)
        if in_order == list(range(first, end)):
            return slice(first * self.num_kv_heads, end * self.num_kv_heads)
        return self._rows[slots].view(-1)

    def reader(self, slots: torch.Tensor, longest: int):
        """A function that gives the keys (B·K, D, longest) and values (B·K, longest, D) of these slots in a layer.

        It is made once per pass. Places beyond a sequence's length are not masked here.
        """
        rows = self.slot_rows(slots)
        if not isinstance(rows, slice):
            return self._copying_reader(rows, longest)
        keys, values = self.kv[:, :, rows, :longest].unbind(1)  # (layers, B·K, S, D) each
        return list(zip(keys.mT.unbind(0), values.unbind(0))).__getitem__

    def _copying_reader(self, rows: torch.Tensor, longest: int):
        layers = self.kv.flatten(1, 2)[:, :, :longest].unbind(0)  # K's rows, then V's: (2·num_slots·K, S, D) each
        rows = torch.cat([rows, rows + self.k.shape[1]])
        copy = torch.empty(len(rows), longest, self.kv.shape[-1])  # every layer overwrites it
        keys, values = copy.chunk(2)

        def read(layer: int) -> tuple[torch.Tensor, torch.Tensor]:
            torch.index_select(layers[layer], 0, rows, out=copy)
            return keys.mT, values

        return read

    def _store(self, kv: torch.Tensor) -> None:
        """Keep K and V in this tensor (layers, 2, …, D), with the views of it that every pass needs."""
        self.kv = kv
        self.k, self.v = kv.unbind(1)
        self._flat = kv.flatten(1, -2).unbind(0)  # per layer, (places, D)
