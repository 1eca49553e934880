"""Paged attention: the KV cache in blocks, found through block tables (Kwon et al., SOSP 2023).

It has the face of `KVCache`, so that `prefill` and `decode_step` run on it unchanged. What differs is where a token
lies: not in a row of its own slot, but at some place of some block, and the table says which.
"""

import torch

from minigpt.llm.kv_cache import CacheFull, KVCache


class PagedKVCache(KVCache):
    """Keys and values of many sequences in `num_blocks` blocks of `block_size` tokens.

    `k` and `v` have shape (layers, num_blocks, K, block_size, D). A slot is a row of the table of blocks, and costs
    no memory for K and V until `set_table` gives it blocks.
    """

    def __init__(self, config, num_blocks: int, block_size: int, num_slots: int, max_length: int | None = None):
        max_length = config.context if max_length is None else max_length
        # KVCache's own tensors are what this class does without, so its __init__ is not called.
        self.num_slots, self.max_length, self.block_size = num_slots, max_length, block_size
        self.num_kv_heads = config.num_kv_heads
        shape = (config.num_layers, num_blocks, config.num_kv_heads, block_size, config.head_size)
        self.k, self.v = torch.zeros(shape), torch.zeros(shape)
        self.lengths = torch.zeros(num_slots, dtype=torch.long)
        self._free = list(range(num_slots))
        widest = -(-max_length // block_size)
        self._tables = torch.zeros((num_slots, widest), dtype=torch.long)
        self._num_blocks = torch.zeros(num_slots, dtype=torch.long)  # entries of each table that mean something

    def set_table(self, slot: int, blocks) -> None:
        """Tell the cache which blocks a slot's tokens lie in, in the order of the tokens."""
        blocks = torch.tensor(list(blocks), dtype=torch.long)
        self._tables[slot, : len(blocks)] = blocks
        self._num_blocks[slot] = len(blocks)

    def slot_mapping(self, slots: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        """Where the K heads of tokens at these positions lie, as rows of the flat cache: (N,), (N,) -> (N·K,)."""
        entry, offset = positions // self.block_size, positions % self.block_size
        if bool((entry >= self._num_blocks[slots]).any()):
            raise CacheFull("a token lies beyond its sequence's block table: give the sequence another block first")
        blocks = self._tables[slots, entry]  # (N,)
        heads = torch.arange(self.num_kv_heads)
        rows = (blocks[:, None] * self.num_kv_heads + heads) * self.block_size + offset[:, None]  # (N, K)
        return rows.view(-1)

    def slot_rows(self, slots: torch.Tensor) -> torch.Tensor:
        """The block tables of these slots, (B, blocks)."""
        return self._tables[slots]

    def read(self, layer: int, rows: torch.Tensor, longest: int) -> tuple[torch.Tensor, torch.Tensor]:
        """K and V of one layer, gathered from the blocks in the order of the tokens: (B·K, longest, D) each."""
        tables = rows[:, : -(-longest // self.block_size)]  # (B, N)
        return self._gather(self.k[layer], tables, longest), self._gather(self.v[layer], tables, longest)

    def _gather(self, blocks: torch.Tensor, tables: torch.Tensor, longest: int) -> torch.Tensor:
        found = blocks[tables].transpose(1, 2)  # (B, K, N, block_size, D)
        # Entries beyond a table are block 0's: somebody else's tokens, which attention masks by the length.
        return found.reshape(len(tables) * self.num_kv_heads, -1, blocks.shape[-1])[:, :longest]
