"""Exercise 1.7: `fit_line`, the fit t(B) = a + b·B."""

import random

from tests.grader.check import check
from tests.grader.outcomes import expect, t
from tests.lab01.scenes import expect_pair

SIZES = [1, 2, 4, 8, 16, 32, 64]


def expect_fit(student, times: list[float], wanted: tuple[float, float], *, hint) -> None:
    """Fail the check unless the student's (a, b) of these times are right."""
    pair = t("return (a, b): first what a step costs whatever B is, then what a request adds (section 1.8)",
             "devuelve (a, b): primero lo que cuesta un paso sea cual sea B; después, lo que añade una petición "
             "(sección 1.8)")  # fmt: skip
    got = expect_pair(student.call("fit_line", SIZES, times), hint=pair)
    near = all(type(part) in (int, float) and abs(part - truth) < 1e-6 for part, truth in zip(got, wanted))
    expect(near, expected=tuple(round(part, 6) for part in wanted), got=got, hint=hint)


@check("1.7", points=1, en="is exact where the times lie on a line", es="es exacto si los tiempos están en una recta")
def test_exact_line(student):
    for a, b in ((0.5, 0.04), (3.0, 0.0), (0.0, 2.0)):
        expect_fit(student, [a + b * size for size in SIZES], (a, b), hint=t(
            "these times are {a} + {b}·B exactly: return (a, b), in that order. A line through the origin has no a, "
            "which is what batching shares out (section 1.8)",
            "estos tiempos son exactamente {a} + {b}·B: devuelve (a, b), en ese orden. Una recta por el origen no tiene a, "
            "que es lo que el lote reparte (sección 1.8)",
        ).format(a=a, b=b))  # fmt: skip


@check("1.7", points=2, en="is the least-squares line where they do not", es="si no lo están, es la recta de mínimos cuadrados")
def test_least_squares(student):
    import numpy

    rng = random.Random(5)
    for _ in range(3):
        times = [0.5 + 0.04 * size + rng.uniform(-0.2, 0.2) for size in SIZES]
        slope, start = numpy.polyfit(SIZES, times, 1)
        expect_fit(student, times, (float(start), float(slope)), hint=t(
            "the sum of the squared vertical distances is least for this line. All points count alike: a line through the "
            "first and the last ignores the others (section 1.8)",
            "la suma de los cuadrados de las distancias verticales es mínima para esta recta. Todos los puntos cuentan "
            "igual: una recta por el primero y el último ignora los demás (sección 1.8)",
        ))  # fmt: skip
