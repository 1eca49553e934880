"""What Lab 06's functions must answer, by their definitions, and random cases to ask them."""

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
    turned = [base[1], base[0], *base[2:]] if block_size > 1 else []
    alike = [[*pair, *base[2:]] for pair in ((1, 23), (12, 3), (1, 230), (12, 30))] if block_size > 1 else []  # as digits
    return [*prompts, swapped, turned, *alike, block * 4, block * 2, [0] * (3 * block_size), block[:-1], []]


def followers(token_ids, length: int) -> list[int]:
    """Where something follows an earlier copy of the last `length` tokens: the places right behind the copies."""
    ending = tuple(token_ids[len(token_ids) - length :])
    if len(ending) < length:
        return []
    return [end for end in range(length, len(token_ids)) if tuple(token_ids[end - length : end]) == ending]


def texts(rng: random.Random, count: int) -> list[list[int]]:
    """Texts of few different tokens, so that endings repeat in several places, and some in none.

    Every second one has two or three different ones throughout: long endings repeat, and earlier copies overlap them.
    """
    def text(most: tuple) -> list[int]:
        return [rng.randrange(rng.choice(most)) for _ in range(rng.randint(2, 30))]

    return [text((2, 3, 5, 30) if turn % 2 == 0 else (rng.choice((2, 2, 3)),)) for turn in range(count)]


def num_agreeing(guesses, choices) -> int:
    """Guesses before the first that is not the model's choice."""
    return next((i for i, (guess, choice) in enumerate(zip(guesses, choices)) if guess != choice), len(guesses))
