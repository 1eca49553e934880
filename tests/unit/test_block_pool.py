"""Blocks are taken lowest first, given back once, and always add up to the pool."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minigpt.runtime.paged.block_pool import BlockPool


@pytest.mark.parametrize(("num_tokens", "blocks"), [(1, 1), (16, 1), (17, 2), (32, 2), (33, 3)])
def test_a_block_that_has_begun_is_a_whole_block(num_tokens, blocks):
    pool = BlockPool(8, 16)
    assert pool.num_blocks_for(num_tokens) == blocks
    assert pool.allocate(5, num_tokens, 0) and len(pool.block_table(5)) == blocks


def test_what_does_not_fit_changes_nothing():
    pool = BlockPool(3, 4)
    assert pool.allocate(0, 8, 0)
    assert not pool.allocate(1, 5, 0) and pool.block_table(1) == () and pool.num_free == 1
    assert pool.allocate(0, 12, 0) and not pool.allocate(0, 13, 0) and pool.block_table(0) == (0, 1, 2)


def test_reserving_less_keeps_what_is_held():
    pool = BlockPool(4, 4)
    pool.allocate(0, 9, 0)
    assert pool.allocate(0, 2, 0) and len(pool.block_table(0)) == 3


def test_events_tell_every_change():
    pool = BlockPool(2, 4)
    pool.allocate(0, 3, 10), pool.allocate(0, 4, 20), pool.free(0, 30), pool.free(0, 40)
    assert [(e.time_ns, e.taken, e.freed) for e in pool.events] == [(10, (0,), ()), (30, (), (0,))]


@pytest.mark.parametrize("size", [(0, 16), (4, 0)])
def test_a_pool_has_at_least_one_block_of_one_token(size, monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    with pytest.raises(ValueError, match="=0: give at least 1"):
        BlockPool(*size)


@settings(max_examples=60, deadline=None)
@given(
    num_blocks=st.integers(1, 12), block_size=st.integers(1, 8),
    calls=st.lists(st.tuples(st.integers(0, 5), st.one_of(st.none(), st.integers(1, 60))), max_size=60),
)
def test_free_and_used_add_up_whatever_is_asked(num_blocks, block_size, calls):
    pool = BlockPool(num_blocks, block_size)
    for time_ns, (request_id, num_tokens) in enumerate(calls):
        if num_tokens is None:
            pool.free(request_id, time_ns)
        else:
            pool.allocate(request_id, num_tokens, time_ns)
        pool.check()
        assert pool.num_free + pool.num_used == num_blocks
