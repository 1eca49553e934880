"""One figure, measured once or in several runs: its middle and its range."""

from collections.abc import Sequence
from statistics import median


def runs_of(measured) -> list[float]:
    """What was measured, as a list: a number is a single run."""
    return [float(value) for value in measured] if isinstance(measured, Sequence) else [float(measured)]


def middle_and_range(measured) -> tuple[float, float, float]:
    """The median of the runs, the least and the greatest.

    >>> middle_and_range([3, 1, 8])
    (3.0, 1.0, 8.0)
    """
    values = runs_of(measured)
    return median(values), min(values), max(values)
