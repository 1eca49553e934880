"""How a graded check is written: an ordinary pytest test with a mark that says what it is worth."""

from dataclasses import dataclass

import pytest

from tests.grader.outcomes import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckInfo:
    """What the report knows of a check before it runs."""

    exercise: str  # "3.1"
    points: int
    title: Text
    needs: tuple[str, ...]  # exercises beside its own and those it builds on


def check(exercise: str, *, points: int, en: str, es: str, needs: tuple[str, ...] = ()):
    """Mark a test as a graded check of an exercise, with its title in both languages."""
    return pytest.mark.check(CheckInfo(exercise=exercise, points=points, title=Text(en, es), needs=needs))
