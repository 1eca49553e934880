"""How a graded check is written: an ordinary test function, with a note on it that says what it is worth."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.grader.outcomes import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckInfo:
    """What the report knows about a check before it runs."""

    exercise: str  # "3.1"
    points: int
    title: Text
    needs: tuple[str, ...]  # exercises besides its own and those it builds on
    negative: bool = False  # that something does not happen, which also holds for a body that does nothing
    needs_torch: bool = False  # it computes with tensors itself: where there is no torch, it is left out


def check(
    exercise: str, *, points: int, en: str, es: str, needs: tuple[str, ...] = (), negative: bool = False,
    needs_torch: bool = False,
):
    """Mark a test as a graded check of an exercise, with its title in both languages.

    The points of a `negative` check count only if all others of its exercise have passed: a server that answers no
    request deserves no point for answering none too early, nor a function for a ValueError that it always raises.
    """
    info = CheckInfo(exercise=exercise, points=points, title=Text(en, es), needs=needs, negative=negative,
                     needs_torch=needs_torch)

    def noted(test: Callable) -> Callable:
        test.check_info = info
        return test

    return noted


def info_of(test) -> CheckInfo | None:
    """What is noted on a check; None for any other function."""
    return getattr(test, "check_info", None)
