"""What Lab 06's functions are due to answer, by their definitions, and random cases to ask them."""

import random


def full_prefixes(token_ids, block_size: int) -> list[tuple]:
    """For each full block all tokens up to its end: what its key stands for."""
    return [tuple(token_ids[:end]) for end in range(block_size, len(token_ids) + 1, block_size)]


def related_prompts(rng: random.Random, block_size: int, count: int = 12) -> list[list[int]]:
    """Prompts of all lengths that begin like one another, differ early or late, or repeat the same blocks."""
    base = [rng.randrange(257) for _ in range(5 * block_size + 3)]
    block, prompts = base[:block_size], [base]
    for _ in range(count):
        prompt = base[: rng.randint(0, len(base))] + [rng.randrange(257) for _ in range(rng.randint(0, 2 * block_size))]
        if prompt and rng.random() < 0.5:
            prompt[rng.randrange(len(prompt))] = rng.randrange(257)
        prompts.append(prompt)
    swapped = base[block_size : 2 * block_size] + block + base[2 * block_size :]
    return [*prompts, swapped, block * 4, block * 2, [0] * (3 * block_size), block[:-1], []]
