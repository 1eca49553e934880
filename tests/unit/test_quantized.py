"""K and V in whole numbers: small errors in 8 bits, larger ones in 4 and 2, and fewer bytes a token."""

import pytest
import torch

from minigpt.llm.kv_cache import KVCache
from minigpt.llm.quantized_kv_cache import QuantizedKVCache, kv_bytes
from minigpt.studies.kv_precision import compare
from tests.unit.small import GROUPED, SMALL, draw, small_model


@pytest.mark.parametrize("config", [SMALL, GROUPED], ids=["one KV head", "two KV heads"])
@pytest.mark.parametrize(("bits", "most"), [(8, 0.01), (4, 0.15), (2, 0.51)])
def test_what_is_read_is_near_what_was_written(config, bits, most):
    exact, rounded = KVCache(config, 2), QuantizedKVCache(config, 2, bits=bits)
    for cache in (exact, rounded):
        small_model(config).prefill([draw(20), draw(9, seed=1)], cache, [cache.allocate(), cache.allocate()])
    first = torch.tensor([0])
    for ours, theirs in zip(rounded.reader(first, 20)(0), exact.reader(first, 20)(0)):
        assert float((ours - theirs).abs().max()) <= most * float(theirs.abs().max())
    assert rounded.k.dtype == torch.int8 and int(rounded.k.abs().max()) <= 2 ** (bits - 1) - 1


def test_a_vector_of_zeros_stays_one():
    cache = QuantizedKVCache(SMALL, 1, bits=8)
    cache.write(0, torch.tensor([[[[3, 3 + 64]]]]), torch.zeros(1, 1, 1, 2, SMALL.head_size))
    keys, values = cache.reader(torch.tensor([0]), 4)(0)
    assert not keys.any() and not values.any()


def test_bytes_of_a_token():
    # 2 layers, one head of 8 numbers, K and V: 4 vectors.
    assert [kv_bytes(SMALL, bits) for bits in (32, 16, 8, 4, 2)] == [128, 64, 40, 24, 16]


def test_other_numbers_of_bits_are_refused():
    with pytest.raises(ValueError, match="bits=3: choose 8, 4 or 2"):
        QuantizedKVCache(SMALL, 1, bits=3)


def test_fewer_bits_err_more():
    prompts = [draw(12, seed=seed) for seed in range(6)]
    eight, four, two = (compare(small_model(), prompts, bits, num_steps=12) for bits in (8, 4, 2))
    assert 0 < eight.mean_error < four.mean_error < two.mean_error
    assert eight.num_changed <= four.num_changed <= two.num_changed <= 6
