"""Attention over blocks gives the logits of attention over slots, wherever the blocks lie."""

import random

import pytest
import torch

from minigpt.llm.kv_cache import CacheFull, KVCache
from minigpt.llm.paged_kv_cache import PagedKVCache
from tests.unit.small import GROUPED, SMALL, draw, small_model

LENGTHS = (13, 1, 8, 21)


def scattered_tables(block_size: int, num_tokens: int, seed: int = 0) -> list[list[int]]:
    """Tables for four sequences, of blocks in no order."""
    per_sequence = -(-num_tokens // block_size)
    blocks = random.Random(seed).sample(range(4 * per_sequence), 4 * per_sequence)
    return [blocks[i * per_sequence : (i + 1) * per_sequence] for i in range(4)]


def caches(config, block_size: int):
    slots = KVCache(config, 4)
    paged = PagedKVCache(config, 4 * -(-64 // block_size), block_size, 4)
    for slot, table in enumerate(scattered_tables(block_size, 64)):
        slots.allocate(), paged.allocate()
        paged.set_table(slot, table)
    return slots, paged


@pytest.mark.parametrize("config", [SMALL, GROUPED], ids=["one KV head", "two KV heads"])
@pytest.mark.parametrize("block_size", [1, 4, 16, 64])
def test_the_same_logits_for_prefill_chunks_and_decode(config, block_size):
    model, both = small_model(config), []
    for cache in caches(config, block_size):
        found = [model.prefill([draw(length, seed=length) for length in LENGTHS], cache, [0, 1, 2, 3])]
        found.append(model.prefill([draw(7, seed=1), draw(2, seed=2)], cache, [3, 1]))  # later chunks, other order
        for step in range(5):
            found.append(model.decode_step([step, 9, 17], cache, [2, 0, 3]))
        both.append(torch.cat(found))
    assert torch.allclose(*both, atol=1e-5)


def test_a_token_beyond_the_table_is_an_error():
    cache = PagedKVCache(SMALL, 4, 4, 1)
    cache.set_table(cache.allocate(), [2])
    model = small_model()
    model.prefill([[1, 2, 3]], cache, [0])
    model.decode_step([4], cache, [0])
    with pytest.raises(CacheFull, match="another block"):
        model.decode_step([5], cache, [0])


def test_leftovers_of_a_block_are_not_seen_by_its_next_holder():
    model = small_model()
    cache = PagedKVCache(SMALL, 2, 8, 2)
    fresh = PagedKVCache(SMALL, 2, 8, 2)
    for each in (cache, fresh):
        each.allocate(), each.allocate()
    cache.set_table(0, [1, 0])
    model.prefill([draw(16)], cache, [0])
    cache.free(0)
    for each in (cache, fresh):
        each.set_table(1, [0, 1])
    assert torch.equal(*(model.prefill([[7, 8, 9]], each, [1]) for each in (cache, fresh)))
