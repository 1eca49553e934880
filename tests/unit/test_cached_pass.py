"""The pass with the KV cache: its norm and rotation are the readable ones, and its calls are few."""

import pytest
import torch

from minigpt.llm.cached_pass import Workspace, norm
from minigpt.llm.checkpoint_io import random_model
from minigpt.llm.kv_cache import KVCache
from minigpt.llm.model import Config, rms_norm, rotate
from minigpt.studies.decode_floor import BATCH_SIZES, decode_once, measure, report
from minigpt.studies.lab01 import count_operations
from tests.unit.small import GROUPED, SMALL, draw, small_model

SHAPES = pytest.mark.parametrize("config", [SMALL, GROUPED], ids=["one KV head", "two KV heads"])


@pytest.mark.parametrize("size", [1e-4, 1.0, 1e3])  # eps counts, hardly counts, does not count
def test_its_norm_is_rms_norm(size):
    model, generator = small_model(), torch.Generator().manual_seed(0)
    x, weight = torch.randn(5, SMALL.width, generator=generator) * size, torch.randn(SMALL.width, generator=generator)
    expected = rms_norm(x, weight, SMALL.norm_eps)
    work = Workspace(SMALL, batch=5, new=1)
    work.x.copy_(x)
    found = norm(model, weight, work)
    assert torch.allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_its_complex_product_is_rotate():
    model = small_model()
    x = torch.randn(SMALL.context, 3, SMALL.head_size, generator=torch.Generator().manual_seed(1))  # (S, H, D)
    turned = torch.view_as_real(torch.view_as_complex(x.unflatten(-1, (-1, 2))) * model.turns).flatten(-2)
    assert torch.allclose(turned, rotate(x, model.cos[:, None], model.sin[:, None]), atol=1e-6)


@SHAPES
@pytest.mark.parametrize("slots", [[1, 2], [2, 0]], ids=["in place", "copied"])
def test_padding_writes_only_where_its_own_tokens_are(config, slots):
    model, cache = small_model(config), KVCache(config, 4)
    for _ in range(4):
        cache.allocate()
    model.prefill([draw(9, seed=1), draw(2, seed=2)], cache, slots)
    held = {slots[0]: 9, slots[1]: 2}
    written = cache.kv.any(dim=-1).unflatten(2, (4, -1))  # (layers, 2, slots, K, max_length)
    for slot in range(4):
        own, rest = written[:, :, slot].tensor_split([held.get(slot, 0)], dim=-1)
        assert own.all() and not rest.any()
    assert [int(cache.lengths[slot]) for slot in slots] == [9, 2]


def test_logits_of_a_step_do_not_change_with_the_next():
    model, cache = small_model(), KVCache(SMALL, 2)
    slots = [cache.allocate(), cache.allocate()]
    model.prefill([[1, 2], [3]], cache, slots)
    first = model.decode_step([5, 6], cache, slots)
    copy = first.clone()
    model.decode_step([7, 8], cache, slots)
    assert torch.equal(first, copy)


def test_a_decode_step_calls_a_third_less_than_it_did():
    """It took 222 operations, views included, when attention, norms and rotation were written as in `forward`."""
    model = random_model(Config())
    counts = {batch: count_operations(decode_once(model, batch, 64)) for batch in (1, 8, 64)}
    assert len(set(counts.values())) == 1 and counts[8] <= 222 * 2 // 3, counts


def test_the_bench_tells_a_step_from_its_two_floors():
    rows = [measure(small_model(GROUPED), batch, 16, repeats=3) for batch in BATCH_SIZES[:2]]
    assert all(row.step_ms > 0 and row.floor_ms > 0 and row.attention_floor_ms > 0 for row in rows)
    head, *lines = report(rows).splitlines()
    assert "with attention" in head and len(lines) == 2
