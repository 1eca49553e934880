"""Paged attention: the KV cache in blocks, found through block tables (Kwon et al., SOSP 2023).

It has the interface of `KVCache`, so `prefill` and `decode_step` run on it unchanged. What differs is where a token is
stored: not in a row of its own slot, but in some place of some block, given by the table.
"""

import torch

from minigpt.llm.kv_cache import CacheFull, KVCache


class PagedKVCache(KVCache):
    """Keys and values of many sequences in `num_blocks` blocks of `block_size` tokens.

    `kv` has shape (layers, 2, num_blocks, K, block_size, D), and `k` and `v` are its halves. A slot is a row of the
    table of blocks, and costs no memory for K and V until `set_table` gives it blocks.
    """

    def __init__(self, config, num_blocks: int, block_size: int, num_slots: int, max_length: int | None = None):
        max_length = config.context if max_length is None else max_length
        # This class does not need KVCache's own tensors, so its __init__ is not called.
        self.num_slots, self.max_length, self.block_size = num_slots, max_length, block_size
        self.num_kv_heads = config.num_kv_heads
        self._store(torch.zeros(config.num_layers, 2, num_blocks, config.num_kv_heads, block_size, config.head_size))
        self.workspaces = {}
        self.lengths = torch.zeros(num_slots, dtype=torch.long)
        self._free = list(range(num_slots))
        widest = -(-max_length // block_size)
        self._tables = torch.zeros((num_slots, widest), dtype=torch.long)
        self._num_blocks = torch.zeros(num_slots, dtype=torch.long)  # valid entries of each table

    def set_table(self, slot: int, blocks) -> None:
        """Set the blocks that hold a slot's tokens, in the order of the tokens."""
        blocks = torch.tensor(list(blocks), dtype=torch.long)
        self._tables[slot, : len(blocks)] = blocks
        self._num_blocks[slot] = len(blocks)

    def slot_mapping(self, slots: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        """Where K and V of tokens at positions (B, T) of slots (B,) are stored, as indices into a flat layer: (B, K, T, 2)."""
        entry, offset = positions // self.block_size, positions % self.block_size
        if bool((entry >= self._num_blocks[slots][:, None]).any()):
            raise CacheFull("a token lies beyond its sequence's block table: give the sequence another block first")
        blocks = self._tables[slots].gather(1, entry)  # (B, T)
        heads = torch.arange(self.num_kv_heads)[:, None]  # (K, 1)
        of_k = (blocks[:, None] * self.num_kv_heads + heads) * self.block_size + offset[:, None]  # (B, K, T)
        return torch.stack([of_k, of_k + self.k[0].numel() // self.k.shape[-1]], dim=-1)  # V's indices follow all of K's

    def reader(self, slots: torch.Tensor, longest: int):
        """A function that gives K and V of a layer, gathered from the blocks in the order of the tokens."""
        # Entries beyond a table are block 0's: another sequence's tokens, which attention masks by the length.
        tables = self._tables[slots, : -(-longest // self.block_size)]  # (B, N)

        def gather(blocks: torch.Tensor) -> torch.Tensor:
            found = blocks.index_select(0, tables.view(-1)).view(*tables.shape, *blocks.shape[1:])
            return found.transpose(1, 2).flatten(2, 3).flatten(0, 1)[:, :longest]  # (B·K, S, D)

        return lambda layer: (gather(self.k[layer]).mT, gather(self.v[layer]))
