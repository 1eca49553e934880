"""Exercise 1.6: `p95`, the nearest-rank percentile."""

import random

from tests.grader.check import check
from tests.grader.outcomes import expect_number, expect_value_error, t


@check("1.6", points=2, en="is the ⌈0.95·n⌉-th smallest", es="es el ⌈0.95·n⌉-ésimo menor")
def test_nearest_rank(student):
    for count in (1, 3, 19, 20, 21, 40, 100, 101):
        values = [10.0 * n for n in range(1, count + 1)]
        random.Random(count).shuffle(values)
        rank = -(-95 * count // 100)
        expect_number(student.call("p95", values), 10.0 * rank, tolerance=1e-9, hint=t(
            "of {n} values in any order the one of rank {rank}, counted from 1: sort first, and mind that a list counts "
            "from 0. It is a value that was measured, neither their mean nor one between two (section 1.7)",
            "de {n} valores en cualquier orden, el de rango {rank}, contando desde 1: ordena antes, y ten en cuenta que una "
            "lista cuenta desde 0. Es un valor medido, no su media ni uno intermedio (sección 1.7)",
        ).format(n=count, rank=rank))  # fmt: skip


@check("1.6", points=1, en="of nothing there is no p95", es="de nada no hay p95")
def test_of_nothing(student):
    expect_value_error(student, "p95", [], hint=t(
        "without values raise ValueError and say so: a 0 would look like a very quick server (section 1.7)",
        "sin valores, lanza ValueError y dilo: un 0 parecería un servidor rapidísimo (sección 1.7)",
    ))  # fmt: skip
