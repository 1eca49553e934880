"""The text files next to the grammars: one entry per line, "#" begins a remark."""

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent


@cache
def lines(name: str) -> tuple[str, ...]:
    """The entries of a file of this folder, such as "en/right.txt"."""
    text = (FOLDER / name).read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if line and not line.startswith("# "))


@cache
def misspelt(name: str) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """Wrong spelling, right spelling, and the sentences of each, with "@" for the word."""
    found = []
    for line in lines(name):
        words, _, sentences = line.partition(": ")
        bad, good = words.split()
        found.append((bad, good.replace("_", " "), tuple(sentences.split("; "))))
    return tuple(found)
