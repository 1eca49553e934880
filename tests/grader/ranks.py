"""Which formula a student's percentile follows. The rank is one idea in exercises 1.6, 2.4, 3.5 and 5.2.

One wrong value says little: on 40 values the index ⌈p/100·n⌉ and the index ⌊p/100·n⌋ are the same. Lists of many lengths
tell the formulas apart: all that differ at all do so on one of `SIZES`.
"""

import math
import random
import statistics
from collections.abc import Callable

from tests.grader.outcomes import CRASHED, CheckFailed, Text, t

SIZES = (1, 2, 3, 4, 7, 8, 10, 11, 16, 19, 20, 21, 30, 39, 40, 50, 51, 60, 61, 100, 130)
CRASH = "an exception"  # in the place of an answer


def _index(place: Callable) -> tuple[Callable, Callable]:
    """The value at an index from 0, which is computed from (share, n): as it is, and kept within the list."""
    def as_it_is(values, share):
        return sorted(values)[place(share, len(values))]

    def within(values, share):
        return sorted(values)[min(max(place(share, len(values)), 0), len(values) - 1)]

    return as_it_is, within


def _interpolated(values, share):
    ordered, place = sorted(values), share * (len(values) - 1)
    low, high = ordered[math.floor(place)], ordered[math.ceil(place)]
    return low + (high - low) * (place - math.floor(place))


def _quantile(values, share):
    return statistics.quantiles(values, n=100)[round(100 * share) - 1]


def _ceil(share: float, number: int) -> int:
    return math.ceil(round(share * number, 9))


def _floor(share: float, number: int) -> int:
    return math.floor(round(share * number, 9))


def _nearest(share: float, number: int) -> int:
    return round(round(share * number, 9))


FORMULAS = (
    (_index(_ceil), t(
        "The −1 is missing: ranks count from 1 and indices from 0, so the index is ⌈p/100·n⌉ − 1",
        "Falta el −1: los rangos cuentan desde 1 y los índices desde 0, así que el índice es ⌈p/100·n⌉ − 1",
    )),
    (_index(_floor), t(
        "The index is one too high whenever p/100·n is a whole number, as with 20 or 100 values: int(p/100·n) and "
        "⌈p/100·(n − 1)⌉ both do that. Round up, then subtract 1: ⌈p/100·n⌉ − 1",
        "El índice es uno de más siempre que p/100·n es entero, como con 20 o 100 valores: eso hacen tanto int(p/100·n) como "
        "⌈p/100·(n − 1)⌉. Redondea hacia arriba y después resta 1: ⌈p/100·n⌉ − 1",
    )),
    (_index(lambda share, n: _floor(share, n) - 1), t(
        "The rank was rounded down (int or //). Round p/100·n up with math.ceil, then subtract 1 for the index",
        "El rango se redondeó hacia abajo (int o //). Redondea p/100·n hacia arriba con math.ceil y después resta 1 para el "
        "índice",
    )),
    ((*_index(lambda share, n: _nearest(share, n) - 1), *_index(lambda share, n: math.floor(share * n + 0.5) - 1)), t(
        "The rank was rounded to the nearest integer. Nearest-rank always rounds up, in spite of its name: math.ceil",
        "El rango se redondeó al entero más cercano. El rango más cercano (nearest rank) redondea siempre hacia "
        "arriba, pese a su nombre: math.ceil",
    )),
    (_index(_nearest), t(
        "The index is p/100·n, rounded to the nearest integer. Round up instead, with math.ceil, and subtract 1: ranks count "
        "from 1 and indices from 0",
        "El índice es p/100·n, redondeado al entero más cercano. Redondea hacia arriba, con math.ceil, y resta 1: los rangos "
        "cuentan desde 1 y los índices desde 0",
    )),
    (tuple(answer for rounded in (_floor, _nearest, _ceil)
           for answer in _index(lambda share, n, rounded=rounded: rounded(share, n - 1))), t(
        "The rank was computed from n − 1. It is ⌈p/100·n⌉, with all n values, and only then is 1 subtracted for the index",
        "El rango se calculó con n − 1. Es ⌈p/100·n⌉, con los n valores, y solo después se resta 1 para el índice",
    )),
    (tuple(answer for rounded in (_floor, _nearest, _ceil)
           for answer in _index(lambda share, n, rounded=rounded: rounded(share, n + 1) - 1)), t(
        "The rank was computed from n + 1. It is ⌈p/100·n⌉, with n values",
        "El rango se calculó con n + 1. Es ⌈p/100·n⌉, con n valores",
    )),
    (_index(lambda share, n: -_floor(1 - share, n))[:1], t(
        "You count from the end, with an index like −int((1 − p/100)·n). Where that is 0, it is the first value, the smallest: "
        "count from the front, ⌈p/100·n⌉ − 1",
        "Cuentas desde el final, con un índice como −int((1 − p/100)·n). Donde este es 0, es el primer valor, el menor: cuenta "
        "desde el principio, ⌈p/100·n⌉ − 1",
    )),
    (_index(lambda share, n: n - _ceil(share, n)), t(
        "The values seem to be sorted from the largest down. Ranks count from the smallest",
        "Los valores parecen ordenados de mayor a menor. Los rangos cuentan desde el menor",
    )),
    (_index(lambda share, n: n - 1), t("That is the largest of all values, not the one of rank ⌈p/100·n⌉",
                                       "Ese es el mayor de todos los valores, no el de rango ⌈p/100·n⌉")),
    ((lambda values, share: values[_ceil(share, len(values)) - 1],), t(
        "The values were not in order: sort them before you pick a rank",
        "Los valores no estaban en orden: ordénalos antes de tomar un rango",
    )),
    ((_interpolated, _quantile), t(
        "That lies between two measured values, as `statistics.quantiles` and numpy's percentile do. Nearest-rank gives one of "
        "the values themselves: the ⌈p/100·n⌉-th smallest",
        "Eso queda entre dos valores medidos, como hacen `statistics.quantiles` y el percentile de numpy. El rango más cercano "
        "da uno de los propios valores: el ⌈p/100·n⌉-ésimo menor",
    )),
    ((lambda values, share: statistics.mean(values),), t("That is the mean, not a percentile",
                                                         "Eso es la media, no un percentil")),
)


def rank_slip(ask: Callable[[list[float]], list], percents: tuple[int, ...]) -> Text | None:
    """The hint of the formula that gives what `ask` answers for lists of every length; None if none does.

    `ask(values)` is the student's percentiles of these values, one for each of `percents`.
    """
    answers = [(values, _told(ask, values)) for values in map(_shuffled, SIZES)]

    def explains(formula) -> bool:
        return all(_gives(formula, percents, *each) for each in answers)

    if explains(_index(lambda share, n: _ceil(share, n) - 1)[0]):
        return None  # the ranks are right: the mistake is elsewhere
    return next((hint for formulas, hint in FORMULAS if any(map(explains, formulas))), None)


def _shuffled(size: int) -> list[float]:
    return random.Random(size).sample([float(value) for value in range(1, size + 1)], size)


def _told(ask: Callable, values: list[float]):
    try:
        return ask(list(values))
    except CheckFailed as failure:
        if failure.outcome != CRASHED:
            raise
        return CRASH


def _gives(formula: Callable, percents: tuple[int, ...], values: list[float], told) -> bool:
    """Whether a formula gives these percentiles; an exception is explained by one that raises, too."""
    try:
        due = [formula(values, percent / 100) for percent in percents]
    except (LookupError, ValueError):
        return told is CRASH
    return told is not CRASH and all(map(_is_near, told, due))


def _is_near(got, due: float) -> bool:
    return type(got) in (int, float) and math.isclose(got, due, abs_tol=1e-6)
