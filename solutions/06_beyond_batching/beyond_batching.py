"""Lab 06 (optional), beyond batching: what engines have added since, each in small.

Functions and one class; the loops that use them are given (minigpt/schedulers, minigpt/runtime/paged). No exercise needs
one that comes after it, and each of the five parts stands on its own.
"""


# -- 1: the same beginning, computed once ----------------------------------------------------------------------------


def block_keys(token_ids, block_size):
    """A key for each full block of `token_ids`, in order: two blocks have the same key if all tokens up to the end of
    each are the same, and only then.

    A key is a whole number or a text, of the same size however long the prompt is. `hash((a, b))` makes one number of
    several. What does not fill a block has no key.
    """
    # BEGIN SOLUTION 6.1
    keys, key = [], 0
    for start in range(0, len(token_ids) - block_size + 1, block_size):
        key = hash((key, *token_ids[start : start + block_size]))
        keys.append(key)
    return keys
    # END SOLUTION


# -- 3, 4, 5: who goes first, fair to clients, two kinds of machines -------------------------------------------------
