"""Wrong answers to Lab 06, each with the mistake that somebody is bound to make."""

from tests.mutants import lab06_serving
from tests.mutants.mutant import Mutant

CHAIN = "key = hash((key, *token_ids[start : start + block_size]))"
FULL_BLOCKS = "range(0, len(token_ids) - block_size + 1, block_size)"

MUTANTS = (
    Mutant(
        name="a partial block gets a key", old=FULL_BLOCKS, new="range(0, len(token_ids), block_size)",
        check="6.1/full_blocks_only", hint="do not fill a block",
    ),
    Mutant(
        name="the last full block left out", old=FULL_BLOCKS, new="range(0, len(token_ids) - block_size, block_size)",
        check="6.1/full_blocks_only", hint="one key for each full block",
    ),
    Mutant(
        name="a block hashed by its own tokens alone", old=CHAIN,
        new="key = hash(tuple(token_ids[start : start + block_size]))", check="6.1/other_beginning", hint="chain the keys",
    ),
    Mutant(
        name="tokens added up, in any order", old=CHAIN,
        new="key = hash((key, sum(token_ids[start : start + block_size])))", check="6.1/other_beginning",
        hint="all tokens of its block",
    ),
    Mutant(
        name="the first token of a block alone", old=CHAIN, new="key = hash((key, token_ids[start]))",
        check="6.1/other_beginning", hint="all tokens of its block",
    ),
    Mutant(
        name="the whole prompt in every key", old=CHAIN, new="key = hash((start, *token_ids))",
        check="6.1/same_beginning", hint="not on what comes after",
    ),
    Mutant(
        name="all tokens spelled out", old=CHAIN, new='key = f"{key},{token_ids[start : start + block_size]}"',
        check="6.1/stay_small", hint="grows with them",
    ),
    *lab06_serving.MUTANTS,
)
