"""Exercise 1.6: `p95`, the nearest-rank percentile."""

import random

from tests.grader.check import check
from tests.grader.outcomes import expect_equal, expect_number, expect_value_error, t


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
    _, (values_after,) = student.call_with("p95", values)
    expect_equal(values_after, values, hint=t(
        "(the list that p95 was given, after the call): a question must not change what it asks about. `values.sort()` "
        "sorts the caller's own list, and the times of step 1, 2, 3 … lose their order; `sorted(values)` makes a new "
        "list (section 1.7)",
        "(la lista que recibió p95, después de la llamada): una pregunta no debe cambiar aquello por lo que pregunta. "
        "`values.sort()` ordena la lista de quien llama, y los tiempos del paso 1, 2, 3… pierden su orden; "
        "`sorted(values)` hace una lista nueva (sección 1.7)",
    ))  # fmt: skip


@check("1.6", points=1, en="of nothing there is no p95", es="de nada no hay p95", negative=True)
def test_of_nothing(student):
    expect_value_error(student, "p95", [], hint=t(
        "without values raise ValueError and say so: a 0 would look like a very quick server (section 1.7)",
        "sin valores, lanza ValueError y dilo: un 0 parecería un servidor rapidísimo (sección 1.7)",
    ))  # fmt: skip
