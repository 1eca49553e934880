"""Blocks that sequences share: conserved whatever comes, and the given cache does what the reference does."""

from hypothesis import given, settings
from hypothesis import strategies as st

from minigpt import paths
from minigpt.runtime.paged import prefix_cache
from minigpt.runtime.paged.prefix_pool import PrefixPool
from minigpt.schedulers import lab_file

REFERENCE = lab_file.load(paths.solution_file(paths.resolve_lab("06")))
SIZE, FAMILIES = 4, 3
# (request, family, tokens): a request that is away starts, one that is here grows, or leaves where tokens is 0.
OPERATIONS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, FAMILIES - 1), st.integers(0, 30)), min_size=100, max_size=100)


def tokens_of(family: int, length: int) -> list[int]:
    """The first tokens of one of a few texts; all texts have their first block in common."""
    return [7] * min(length, SIZE) + [100 * family + i for i in range(length - SIZE)]


def apply(pool: PrefixPool, inside: dict, operation) -> None:
    """One operation of a server on a pool."""
    request, family, length = operation
    if length == 0 and request in inside:
        pool.free(request, 0)
        del inside[request]
    elif length:
        family = inside.get(request, (family, 0))[0]
        tokens = tokens_of(family, max(length, inside.get(request, (family, 0))[1]))
        if pool.allocate(request, len(tokens), 0, () if request in inside else tokens):
            pool.publish(request, tokens)
            inside[request] = family, len(tokens)


@settings(max_examples=100, deadline=None)
@given(num_blocks=st.integers(8, 20), operations=OPERATIONS)
def test_blocks_are_conserved_under_ten_thousand_operations(num_blocks, operations):
    pool, inside = PrefixPool(num_blocks, SIZE, prefix_cache), {}
    for operation in operations:
        apply(pool, inside, operation)
        pool.check()
    # A sequence that reads a shared block reads the tokens that it stands for.
    content = {}
    for request, (family, length) in inside.items():
        tokens = tokens_of(family, length)
        for number, block in enumerate(pool.block_table(request)[: length // SIZE]):
            assert content.setdefault(block, tokens[: (number + 1) * SIZE]) == tokens[: (number + 1) * SIZE]
    for request in list(inside):
        pool.free(request, 0)
    assert pool.num_free == num_blocks and pool.holders == ()


@settings(max_examples=25, deadline=None)
@given(num_blocks=st.integers(8, 20), operations=OPERATIONS)
def test_the_given_cache_does_what_the_reference_does(num_blocks, operations):
    pools = [PrefixPool(num_blocks, SIZE, code) for code in (prefix_cache, REFERENCE)]
    insides = [{}, {}]
    for operation in operations:
        for pool, inside in zip(pools, insides):
            apply(pool, inside, operation)
        given, reference = ({i: pool.block_table(i) for i in pool.holders} for pool in pools)
        assert given == reference and insides[0] == insides[1]
    assert pools[0].lookups == pools[1].lookups


def test_the_last_token_is_never_found():
    pool = PrefixPool(8, SIZE, prefix_cache)
    for request in (0, 1):
        pool.allocate(request, 8, 0, range(8))
        pool.publish(request, range(8))
    assert [each.num_found for each in pool.lookups] == [0, 4], "of two full blocks one: the last token has to be computed"


def test_what_is_refused_leaves_no_trace():
    pool = PrefixPool(4, SIZE, prefix_cache)
    pool.allocate(0, 12, 0, range(12))
    pool.publish(0, range(12))
    assert not pool.allocate(1, 20, 0, range(20)) and pool.holders == (0,)
    pool.check()
