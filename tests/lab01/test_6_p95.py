"""Exercise 1.6: `p95`, the nearest-rank percentile."""

import random

from tests.grader.check import check
from tests.grader.definition import Definition, Slip, expect_defined
from tests.grader.outcomes import expect_number, expect_value_error, t
from tests.grader.ranks import rank_slip

COUNTS = (*range(1, 66), 99, 100, 101, 119, 120, 121, 200, 333)


def rank_of(count: int) -> int:
    return -(-95 * count // 100)  # rounded up, in whole numbers


def nearest_rank(values: list[float]) -> float:
    return sorted(values)[rank_of(len(values)) - 1]


def drawn_values(seed: int):
    """Lists of every length that matters, without ties and with many, below zero too; and all equal, all zero, sorted."""
    rng = random.Random(seed)
    for count in COUNTS:
        yield ([rng.uniform(-1, 1) * 10 ** rng.randint(-6, 6) for _ in range(count)],)
        yield ([float(rng.randint(-2, 3)) for _ in range(count)],)
    yield from (([0.0] * 3,), ([7.5] * 40,), ([float(n) for n in range(60)],), ([float(-n) for n in range(60)],))


P95 = Definition(
    function="p95", arguments=("values",), truth=nearest_rank, slips=(
        Slip(answer=lambda values: nearest_rank(list(set(values))), hint=t(
            "two equal values count twice: a set would lose one of them (section 1.7)",
            "dos valores iguales cuentan dos veces: un conjunto perdería uno de ellos (sección 1.7)",
        )),
    ),
)


@check("1.6", points=2, en="returns the ⌈0.95·n⌉-th smallest value", es="devuelve el ⌈0.95·n⌉-ésimo valor menor")
def test_nearest_rank(student):
    expect_defined(student, P95, drawn_values(student.seed), hint=lambda values: rank_hint(student) or t(
        "of {n} values in any order, return the one of rank {rank}, counted from 1: sort first, and remember that a list "
        "counts from 0. It is a measured value, not a mean of values or one between two (section 1.7)",
        "de {n} valores en cualquier orden, devuelve el de rango {rank}, contando desde 1: ordena antes, y recuerda que una "
        "lista cuenta desde 0. Es un valor medido, no una media ni uno intermedio (sección 1.7)",
    ).format(n=len(values), rank=rank_of(len(values))))


def rank_hint(student):
    """The formula that the student's ranks follow, if it is one of those that are easy to take."""
    slip = rank_slip(lambda values: [student.call("p95", values)], (95,))
    if slip is None:
        return None
    own = t(*(words.replace("p/100", "0.95") for words in (slip.en, slip.es)))  # this function has no p
    return own.followed_by(t(" (section 1.7)", " (sección 1.7)"))


@check("1.6", points=1, en="an empty list has no p95", es="una lista vacía no tiene p95", negative=True)
def test_of_nothing(student):
    hint = t(
        "if there are no values, raise a ValueError that says so: a 0 would look like a very fast server. A single value is "
        "enough: it is its own p95 (section 1.7)",
        "si no hay valores, lanza un ValueError que lo diga: un 0 parecería un servidor rapidísimo. Un solo valor basta: es "
        "su propio p95 (sección 1.7)",
    )
    expect_number(student.call("p95", [0.0]), 0.0, tolerance=0, hint=hint)
    expect_value_error(student, "p95", [], hint=hint)
