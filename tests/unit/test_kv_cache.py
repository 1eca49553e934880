"""Slots are taken lowest first and given back once, and hide what an earlier sequence left in them."""

import pytest
import torch

from minigpt.llm.kv_cache import CacheFull, KVCache
from tests.unit.small import GROUPED, SMALL, draw, small_model


def test_the_lowest_free_slot_is_taken_first():
    cache = KVCache(SMALL, 4)
    assert [cache.allocate() for _ in range(4)] == [0, 1, 2, 3]
    for slot in (2, 0, 3):
        cache.free(slot)
    assert [cache.allocate() for _ in range(3)] == [0, 2, 3]


def test_free_slots_are_counted():
    cache = KVCache(SMALL, 2)
    found = [cache.num_free]
    slot = cache.allocate()
    found.append(cache.num_free)
    cache.free(slot)
    assert [*found, cache.num_free] == [2, 1, 2]


def test_a_full_cache_names_its_size_and_the_way_out():
    cache = KVCache(SMALL, 2)
    cache.allocate(), cache.allocate()
    with pytest.raises(CacheFull, match="num_slots=2.*[Gg]ive one back") as full:
        cache.allocate()
    assert isinstance(full.value, ValueError)
    cache.free(1)
    assert cache.allocate() == 1


@pytest.mark.parametrize("slot", [0, 2, 3, -1])
def test_only_a_taken_slot_can_be_given_back(slot):
    cache = KVCache(SMALL, 3)
    cache.allocate(), cache.allocate()
    cache.free(0)
    with pytest.raises(ValueError, match=f"slot={slot} is not taken.*once"):
        cache.free(slot)
    assert cache.num_free == 2


def test_a_slot_is_empty_when_it_is_taken_again():
    cache = KVCache(SMALL, 1)
    small_model().prefill([[1, 2, 3]], cache, [cache.allocate()])
    assert cache.lengths.tolist() == [3]
    cache.free(0)
    cache.allocate()
    assert cache.lengths.tolist() == [0]


@pytest.mark.parametrize("num_slots", [0, -1])
def test_a_cache_needs_a_slot(num_slots):
    with pytest.raises(ValueError, match=f"num_slots={num_slots}.*at least one"):
        KVCache(SMALL, num_slots)


@pytest.mark.parametrize("max_length", [0, -5, 65])
def test_a_slot_holds_at_least_one_token_and_at_most_the_context(max_length):
    with pytest.raises(ValueError, match=f"max_length={max_length}: choose 1 to 64"):
        KVCache(SMALL, 1, max_length)


@pytest.mark.parametrize(("max_length", "expected"), [(None, 64), (1, 1), (64, 64)])
def test_a_slot_is_as_long_as_asked_for_or_as_the_context(max_length, expected):
    cache = KVCache(GROUPED, 3, max_length)
    assert cache.max_length == expected
    assert cache.k.shape == cache.v.shape == (GROUPED.num_layers, 3 * 2, expected, GROUPED.head_size)


# -- nothing of an earlier sequence can be seen ----------------------------------------------------


def logits_of_two(config, poison):
    """Logits of a short sequence in a reused slot next to a longer one, prefilled in chunks and decoded."""
    model, cache = small_model(config), KVCache(config, 2)
    short, long = cache.allocate(), cache.allocate()
    model.prefill([draw(40, seed=1)], cache, [short])  # the earlier sequence
    cache.free(short)
    if poison:
        # Large and finite: what attention weighs by exactly 0 vanishes, what it weighs by anything else shows.
        cache.k.fill_(1e4), cache.v.fill_(-1e6)
    assert cache.allocate() == short
    found = [model.prefill([draw(30, seed=2), draw(4, seed=3)], cache, [long, short])]
    found.append(model.prefill([draw(1, seed=4), draw(3, seed=5)], cache, [long, short]))  # one row is padded
    found += [model.decode_step([token, token], cache, [short, long]) for token in draw(12, seed=6)]
    return torch.stack(found)


@pytest.mark.parametrize("config", [SMALL, GROUPED], ids=["one KV head", "two KV heads"])
def test_a_reused_slot_hides_what_was_left_in_it(config):
    clean, poisoned = logits_of_two(config, poison=False), logits_of_two(config, poison=True)
    assert torch.equal(clean, poisoned)


@pytest.mark.parametrize("config", [SMALL, GROUPED], ids=["one KV head", "two KV heads"])
def test_a_decode_step_writes_only_its_own_places(config):
    model, cache = small_model(config), KVCache(config, 4, 32)
    slots = [cache.allocate() for _ in range(4)]
    model.prefill([draw(3 + slot, seed=slot) for slot in slots], cache, slots)
    before = torch.stack([cache.k, cache.v]).clone()
    model.decode_step([1, 2], cache, [3, 1])
    changed = (torch.stack([cache.k, cache.v]) != before).any(dim=-1)  # (k and v, layers, rows, places)
    heads = config.num_kv_heads
    expected = [[row, 3 + row // heads] for row in range(4 * heads) if row // heads in (1, 3)]
    for of_one_layer in changed.flatten(0, 1):
        assert of_one_layer.nonzero().tolist() == expected
    assert cache.lengths.tolist() == [3, 5, 5, 7]
