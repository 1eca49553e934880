"""The model's building blocks by worked examples, and what it says to wrong input."""

import math

import pytest
import torch

from minigpt.llm.kv_cache import CacheFull, KVCache
from minigpt.llm.model import Config, rms_norm, rope_tables, rotate
from tests.unit.small import GROUPED, SMALL, draw, small_model


def test_rms_norm_gives_unit_root_mean_square():
    # The mean square of (3, 4) is 12.5.
    found = rms_norm(torch.tensor([[3.0, 4.0], [0.3, 0.4]]), torch.ones(2), 0.0)
    assert torch.allclose(found, torch.tensor([[3.0, 4.0]]).repeat(2, 1) / math.sqrt(12.5))


def test_rms_norm_scales_by_its_weight_and_eps_guards_zero():
    x = torch.tensor([[1.0, -1.0], [0.0, 0.0]])
    assert torch.allclose(
        rms_norm(x, torch.tensor([2.0, 5.0]), 1e-5), torch.tensor([[2.0, -5.0], [0.0, 0.0]]), atol=1e-4
    )
    assert torch.allclose(rms_norm(x[:1], torch.ones(2), 3.0), x[:1] / 2)  # sqrt(1 + 3)


def test_position_0_is_not_rotated():
    cos, sin = rope_tables(SMALL)
    x = torch.randn(3, SMALL.head_size, generator=torch.Generator().manual_seed(0))
    assert torch.equal(rotate(x, cos[0], sin[0]), x)


def test_a_pair_is_rotated_by_its_angle():
    cos, sin = rope_tables(Config(head_size=4, rope_base=100.0, context=8))
    # Pairs are (x0, x1) and (x2, x3); the first turns by 1 radian a token, the second by 100^(-1/2) = 0.1.
    found = rotate(torch.tensor([1.0, 0.0, 1.0, 0.0]), cos[3], sin[3])
    assert torch.allclose(found, torch.tensor([math.cos(3), math.sin(3), math.cos(0.3), math.sin(0.3)]))


def test_a_score_depends_on_the_distance_alone():
    cos, sin = rope_tables(SMALL)
    q, k = torch.randn(2, SMALL.head_size, generator=torch.Generator().manual_seed(1))

    def score(at_q, at_k):
        return float(rotate(q, cos[at_q], sin[at_q]) @ rotate(k, cos[at_k], sin[at_k]))

    assert score(5, 2) == pytest.approx(score(60, 57), abs=1e-5)
    assert score(5, 2) != pytest.approx(score(5, 3), abs=1e-2)


@pytest.mark.parametrize(
    "config", [SMALL, GROUPED, Config()], ids=["one KV head", "two KV heads", "shipped shape"]
)
def test_the_rope_tables_cover_the_context(config):
    assert [table.shape for table in rope_tables(config)] == [(config.context, config.head_size)] * 2


# -- wrong input -----------------------------------------------------------------------------------


@pytest.fixture
def cache():
    cache = KVCache(SMALL, 3)
    for _ in range(3):
        cache.allocate()
    small_model().prefill([[1, 2], [3, 4], [5, 6]], cache, [0, 1, 2])
    return cache


@pytest.mark.parametrize(
    ("token_ids", "slots", "words"),
    [
        ([], [], ["0 tokens", "one token per slot"]),
        ([1, 2], [0], ["token_ids", "2 tokens", "slots 1", "one token per slot"]),
        ([1], [0, 1], ["token_ids", "1 tokens", "slots 2", "one token per slot"]),
        ([1, 2, 3], [0, 1, 0], ["slots=[0, 1, 0]", "twice", "one token per step"]),
        ([1, 257], [0, 1], ["token 257", "vocabulary", "0 to 256"]),
        ([-1, 5], [0, 1], ["token -1", "vocabulary", "0 to 256"]),
    ],
)
def test_a_wrong_decode_step_is_refused(cache, token_ids, slots, words):
    with pytest.raises(ValueError) as refusal:
        small_model().decode_step(token_ids, cache, slots)
    assert [word for word in words if word not in str(refusal.value)] == []
    assert cache.lengths.tolist() == [2, 2, 2]


@pytest.mark.parametrize(
    ("prompts", "slots", "words"),
    [
        ([[1], []], [0, 1], ["prompts", "empty", "at least one token"]),
        ([], [], ["0"]),
        ([[1], [2]], [0], ["2", "1", "one"]),
        ([[1], [2]], [0, 0], ["slots=[0, 0]", "twice"]),
        ([[1, 257, 3]], [0], ["token 257", "vocabulary", "0 to 256"]),
        ([[1, 2], [3, -4, 5]], [0, 1], ["token -4", "vocabulary", "0 to 256"]),
    ],
)
def test_a_wrong_prefill_is_refused(cache, prompts, slots, words):
    with pytest.raises(ValueError) as refusal:
        small_model().prefill(prompts, cache, slots)
    assert [word for word in words if word not in str(refusal.value)] == []
    assert cache.lengths.tolist() == [2, 2, 2]


@pytest.mark.parametrize("max_length", [64, 20])
def test_too_long_a_prompt_is_refused_before_anything_is_computed(max_length):
    cache = KVCache(SMALL, 2, max_length)
    slots = [cache.allocate(), cache.allocate()]
    with pytest.raises(CacheFull, match=f"{max_length + 1} tokens.*hold {max_length}.*shorten"):
        small_model().prefill([[1], draw(max_length + 1)], cache, slots)
    assert cache.lengths.tolist() == [0, 0]
    small_model().prefill([[1], draw(max_length)], cache, slots)
    assert cache.lengths.tolist() == [1, max_length]
    with pytest.raises(CacheFull, match=f"1 tokens.*slot 1 to {max_length + 1}"):
        small_model().prefill([[9]], cache, slots[1:])
