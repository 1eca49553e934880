"""How a graded check is written: an ordinary pytest test with a mark that says what it is worth."""

from dataclasses import dataclass

import pytest

from tests.grader.outcomes import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckInfo:
    """What the report knows about a check before it runs."""

    exercise: str  # "3.1"
    points: int
    title: Text
    needs: tuple[str, ...]  # exercises besides its own and those it builds on
    negative: bool = False  # that something does not happen, which also holds for a body that does nothing


def check(exercise: str, *, points: int, en: str, es: str, needs: tuple[str, ...] = (), negative: bool = False):
    """Mark a test as a graded check of an exercise, with its title in both languages.

    The points of a `negative` check count only if all others of its exercise have passed: a server that answers no
    request deserves no point for answering none too early, nor a function for a ValueError that it always raises.
    """
    title = Text(en, es)
    return pytest.mark.check(
        CheckInfo(exercise=exercise, points=points, title=title, needs=needs, negative=negative)
    )
