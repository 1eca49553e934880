"""Sentences as people type them, written by hand and never trained on: how well does the tutor do outside its own grammar?

`en.txt` and `es.txt` have a sentence per line with its right version, `outside.txt` what the tutor should not touch.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
OK = {"en": "ok", "es": "bien"}


@dataclass(frozen=True, slots=True)
class Typed:
    """A sentence of the list; `rights` is empty if there is nothing to correct."""

    text: str
    rights: tuple[str, ...]


def plain(text: str) -> str:
    """Without capitals, points and question marks: what does not count when sentences are compared."""
    return " ".join(text.lower().replace("’", "'").translate(str.maketrans("", "", "¿?¡!.,")).split())


def _lines(name: str) -> list[str]:
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("# ")]


@cache
def typed_sentences(language: str) -> tuple[Typed, ...]:
    """The list of a language, in its order."""
    found = []
    for line in _lines(f"{language}.txt"):
        text, _, rights = line.partition(" => ")
        found.append(Typed(text, tuple(right.strip() for right in rights.split("|") if right.strip())))
    return tuple(found)


@cache
def outside_prompts() -> tuple[str, ...]:
    """Whole prompts, with their prefixes."""
    return tuple(_lines("outside.txt"))


@cache
def kept_apart() -> frozenset[str]:
    """All texts of the lists, plain: training leaves them out."""
    typed = {plain(text) for language in OK for each in typed_sentences(language) for text in (each.text, *each.rights)}
    return frozenset(typed | {plain(prompt.partition(": ")[2]) for prompt in outside_prompts()})


def is_right(typed: Typed, answer: str, language: str) -> bool:
    """Whether an answer corrects the sentence: the words that change, alone or with neighbours up to the whole sentence."""
    if not typed.rights:
        return answer == OK[language]
    return any(_covers(plain(typed.text).split(), plain(right).split(), plain(answer).split()) for right in typed.rights)


def _covers(wrong: list[str], right: list[str], answer: list[str]) -> bool:
    """Whether `answer` is a run of words of `right` that holds everything in which `right` differs from `wrong`."""
    start, end = _difference(wrong, right)
    places = [i for i in range(len(right) - len(answer) + 1) if right[i : i + len(answer)] == answer] if answer else []
    return any(i <= start and end <= i + len(answer) for i in places)


def _difference(wrong: list[str], right: list[str]) -> tuple[int, int]:
    """The part of `right` that differs; where a word is only left out, the word after the gap (or the last one)."""
    start = 0
    while start < min(len(wrong), len(right)) and wrong[start] == right[start]:
        start += 1
    end = 0
    while end < min(len(wrong), len(right)) - start and wrong[-1 - end] == right[-1 - end]:
        end += 1
    if start == len(right) - end:
        start = min(start, len(right) - 1)
        return start, start + 1
    return start, len(right) - end
