"""Chance with a seed: every sentence of the corpus is drawn with one of these."""

import random
from collections.abc import Sequence
from functools import cache
from typing import TypeVar

T = TypeVar("T")


@cache
def words_of(text: str) -> tuple[str, ...]:
    """A table's words; "_" stands for the spaces inside one."""
    return tuple(word.replace("_", " ") for word in text.split())


class Dice:
    """A random source that knows the tables' form. Much faster than `random.Random.choice`, which avoids every bias."""

    def __init__(self, seed: int | str):
        self._random = random.Random(seed).random

    def below(self, end: int) -> int:
        return int(self._random() * end)

    def chance(self, probability: float) -> bool:
        return self._random() < probability

    def pick(self, choices: Sequence[T]) -> T:
        return choices[int(self._random() * len(choices))]

    def word(self, text: str) -> str:
        """One of the words of a table."""
        return self.pick(words_of(text))

    def maybe(self, text: str, probability: float = 0.5) -> str:
        """A word of a table, or nothing."""
        return self.word(text) if self._random() < probability else ""
