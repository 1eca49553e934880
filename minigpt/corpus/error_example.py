"""One grammar mistake and its correction: what both small grammars are made of."""

from typing import NamedTuple


class ErrorExample(NamedTuple):
    """A sentence with exactly one mistake, and the same sentence without it."""

    wrong: str
    right: str
    correction: str   # the answer to "fix": only the words that change, found in `right`
    explanation: str  # the answer to "explain": names the rule and gives the correction


def example(frame: str, bad: str, good: str, explanation: str, *, correction: str | None = None) -> ErrorExample:
    """Fill the one `{}` of `frame` with the bad and the good words; `correction` is `good` unless given."""
    return ErrorExample(frame.format(bad), frame.format(good), correction or good, explanation)


def phrase(*parts: str) -> str:
    """Join with single spaces the parts that are not empty."""
    return " ".join(part for part in parts if part)
