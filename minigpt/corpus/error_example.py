"""One grammar mistake and its correction: what both grammars are made of.

A rule writes a sentence with its mistake and the correction in brackets, "she [go|goes] to school", and the reason.
"""

from typing import NamedTuple


class ErrorExample(NamedTuple):
    """A sentence with exactly one mistake, and the same sentence without it."""

    wrong: str
    right: str
    correction: str   # the answer to "fix": the words that change, found in `right`
    explanation: str  # the answer to "explain": names the rule and gives the correction


class Marked(NamedTuple):
    """What a rule yields: the sentence with "[wrong|right]" in it, and why; "{}" in `why` is the correction."""

    sentence: str
    why: str


def phrase(*parts: str) -> str:
    """Join with single spaces the parts that are not empty."""
    return " ".join(part for part in parts if part)


def opened(marked: Marked) -> ErrorExample:
    """Both versions of a marked sentence."""
    before, rest = marked.sentence.split("[")
    inside, after = rest.split("]")
    bad, good = inside.split("|")
    wrong, right = (" ".join(f"{before}{middle}{after}".split()) for middle in (bad, good))
    return ErrorExample(wrong, right, good, marked.why.replace("{}", good))
