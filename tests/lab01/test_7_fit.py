"""Exercise 1.7: `fit_line`, the fit t(B) = a + b·B."""

import math
import random
from collections.abc import Callable
from fractions import Fraction

from tests.grader.check import check
from tests.grader.definition import Definition, Slip, as_row, expect_defined
from tests.grader.outcomes import t

SIZES = [1, 2, 4, 8, 16, 32, 64]


def least_squares(sizes: list, times: list) -> tuple[float, float]:
    """(a, b), computed in fractions, so that nothing is rounded before the end."""
    sizes, times = [Fraction(size) for size in sizes], [Fraction(time) for time in times]
    mean_size, mean_time = sum(sizes) / len(sizes), sum(times) / len(times)
    above = sum((size - mean_size) * (time - mean_time) for size, time in zip(sizes, times))
    slope = above / sum((size - mean_size) ** 2 for size in sizes)
    return float(mean_time - slope * mean_size), float(slope)


def near(got, wanted) -> bool:
    """Whether both numbers are right to a billionth of the larger: some ten times what the order of sums can change."""
    got = as_row(got)
    is_pair = isinstance(got, (list, tuple)) and [type(part) in (int, float) for part in got] == [True, True]
    return is_pair and all(abs(one - other) <= 1e-9 * max(map(abs, wanted)) for one, other in zip(got, wanted))


def in_words(pair) -> str:
    a, b = as_row(pair)
    return f"({a:.9g}, {b:.9g})"


def _through(first: int, last: int):
    """The line through two of the points."""

    def answer(sizes, times):
        slope = (times[last] - times[first]) / (sizes[last] - sizes[first])
        return times[first] - slope * sizes[first], slope

    return answer


def _slope_of_the_ends(sizes, times):
    _, slope = _through(0, -1)(sizes, times)
    return sum(times) / len(times) - slope * sum(sizes) / len(sizes), slope


def _origin(sizes, times):
    return 0.0, sum(size * time for size, time in zip(sizes, times)) / sum(size * size for size in sizes)


def _slope(slope_of: Callable):
    """The line through the point of the means with another slope: `slope_of(right slope, n, sizes, times)`."""

    def answer(sizes, times):
        slope = slope_of(least_squares(sizes, times)[1], len(sizes), sizes, times)
        return sum(times) / len(times) - slope * sum(sizes) / len(sizes), slope

    return answer


def _intercept(intercept_of: Callable):
    """The right slope with another a: `intercept_of(slope, sizes, times, mean size, mean time)`."""

    def answer(sizes, times):
        slope = least_squares(sizes, times)[1]
        return intercept_of(slope, sizes, times, sum(sizes) / len(sizes), sum(times) / len(times)), slope

    return answer


def _no_repeats(sizes, times):
    return least_squares(*zip(*dict(zip(sizes, times)).items()))


def _not_negative(least_a: float, least_b: float):
    def answer(sizes, times):
        a, b = least_squares(sizes, times)
        return max(a, least_a), max(b, least_b)

    return answer


FIT = Definition(
    function="fit_line", arguments=("batch_sizes", "times"), truth=least_squares, near=near, shown=in_words, slips=(
        Slip(answer=lambda sizes, times: least_squares(sizes, times)[::-1], hint=t(
            "return (a, b), in that order: first the cost of a step that does not depend on B, then what each request adds "
            "(section 1.8)",
            "devuelve (a, b), en ese orden: primero el coste de un paso que no depende de B; después, lo que añade cada "
            "petición (sección 1.8)",
        )),
        Slip(answer=_origin, hint=t(
            "a line through the origin has no a, but a is the cost that batching shares (section 1.8)",
            "una recta por el origen no tiene a, pero a es el coste que el lote reparte (sección 1.8)",
        )),
        *(Slip(answer=answer, hint=t(
            "a slope through the first and the last point, or any other two, ignores the rest; all points count alike "
            "(section 1.8)",
            "una pendiente por el primer punto y el último, o por otros dos cualesquiera, ignora los demás; todos los puntos "
            "cuentan igual (sección 1.8)",
        )) for answer in (_through(0, -1), _through(0, 1), _slope_of_the_ends)),
        *(Slip(answer=_slope(slope_of), hint=t(
            "the slope is a quotient of two sums, and only one of yours is divided by the number of points, or one by n and "
            "the other by n − 1: `statistics.covariance` and `variance` divide by n − 1, `pvariance` and a mean by n. b = "
            "Σ (B − mean B)·(t − mean t) / Σ (B − mean B)² (section 1.8)",
            "la pendiente es un cociente de dos sumas, y de las tuyas solo una está dividida entre el número de puntos, o una "
            "entre n y la otra entre n − 1: `statistics.covariance` y `variance` dividen entre n − 1; `pvariance` y una media, "
            "entre n. b = Σ (B − media de B)·(t − media de t) / Σ (B − media de B)² (sección 1.8)",
        )) for slope_of in (
            lambda b, n, *_: b * n / (n - 1), lambda b, n, *_: b * (n - 1) / n, lambda b, n, *_: b * n,
            lambda b, n, *_: b / n, lambda b, n, *_: b * (n - 1), lambda b, n, *_: b / (n - 1),
        )),
        Slip(answer=_slope(lambda b, n, sizes, times: 1 / least_squares(times, sizes)[1]), hint=t(
            "that is the line that fits the sizes to the times: divide by Σ (B − mean B)², not by the sum that belongs to the "
            "times (section 1.8)",
            "esa es la recta que ajusta los tamaños a los tiempos: divide entre Σ (B − media de B)², no con la suma de los "
            "tiempos (sección 1.8)",
        )),
        Slip(answer=_slope(lambda b, n, sizes, times: least_squares(times, sizes)[1]), hint=t(
            "the slope is divided by the squares of the times: divide by those of the sizes, Σ (B − mean B)² (section 1.8)",
            "la pendiente está dividida entre los cuadrados de los tiempos: divide entre los de los tamaños, Σ (B − media de B)² "
            "(sección 1.8)",
        )),
        Slip(answer=_slope(lambda b, n, sizes, times: _origin(sizes, times)[1]), hint=t(
            "the slope is computed from B·t and B² as they are: subtract the means first, (B − mean B)·(t − mean t) and (B − mean "
            "B)² (section 1.8)",
            "la pendiente se calcula con B·t y B² tal cual: resta antes las medias, (B − media de B)·(t − media de t) y (B − "
            "media de B)² (sección 1.8)",
        )),
        *(Slip(answer=_intercept(intercept_of), hint=t(
            "b is right, a is not: the line goes through the point of the two means, so a = mean t − b · mean B (section 1.8)",
            "b es correcta y a no: la recta pasa por el punto de las dos medias, así que a = media de t − b · media de B "
            "(sección 1.8)",
        )) for intercept_of in (
            lambda b, sizes, times, size, time: time, lambda b, sizes, times, size, time: time + b * size,
            lambda b, sizes, times, size, time: b * size - time, lambda b, sizes, times, size, time: time - b,
            lambda b, sizes, times, size, time: times[0] - b * sizes[0],
        )),
        Slip(answer=_no_repeats, hint=t(
            "the same B was measured more than once: each measurement is a point of its own, but a dict keeps only one of "
            "them (section 1.8)",
            "el mismo B se midió más de una vez: cada medida es un punto, pero un diccionario conserva solo una (sección 1.8)",
        )),
        Slip(answer=lambda sizes, times: least_squares(sorted(sizes), sorted(times)), hint=t(
            "times[i] belongs to batch_sizes[i]: sorting the two lists separately breaks the pairs (section 1.8)",
            "times[i] corresponde a batch_sizes[i]: si ordenas las dos listas por separado, rompes los pares (sección 1.8)",
        )),
        *(Slip(answer=_not_negative(*least), hint=t(
            "do not clip the least-squares line: a or b can come out negative (section 1.8)",
            "no recortes la recta de mínimos cuadrados: a o b pueden salir negativas (sección 1.8)",
        )) for least in ((0.0, -math.inf), (-math.inf, 0.0), (0.0, 0.0))),
    ),
)


def drawn_points(seed: int):
    """Sizes in any order, some measured twice; times of all magnitudes, rising, falling, and with a negative a."""
    rng = random.Random(seed)
    yield from ((SIZES, [0.5 + 0.04 * size + rng.uniform(-0.2, 0.2) for size in SIZES]) for _ in range(3))
    for _ in range(40):
        sizes = rng.sample(range(1, 129), rng.randint(2, 8))
        sizes += rng.choices(sizes, k=rng.randint(0, 3))
        a, b, noise = rng.uniform(-1, 2), rng.uniform(-0.05, 0.1), rng.choice((0.02, 0.5))
        unit = 10.0 ** rng.randint(-6, 3)
        yield sizes, [unit * (a + b * size + rng.uniform(-noise, noise)) for size in sizes]


@check("1.7", points=1, en="is exact when the times lie on a line", es="es exacto si los tiempos están en una recta")
def test_exact_line(student):
    lines = ((0.5, 0.04), (3.0, 0.0), (0.0, 2.0), (-0.25, 0.5), (40.0, -0.5))
    cases = [(SIZES, [a + b * size for size in SIZES]) for a, b in lines]
    expect_defined(student, FIT, cases, hint=lambda sizes, times: t(
        "these times are {line} exactly, so there is one right a and one right b. The slope is b = Σ (B − mean B)·(t − mean t) / "
        "Σ (B − mean B)², and a = mean t − b · mean B (section 1.8)",
        "estos tiempos son exactamente {line}, así que solo hay una a y una b correctas. La pendiente es b = Σ (B − media de "
        "B)·(t − media de t) / Σ (B − media de B)², y a = media de t − b · media de B (sección 1.8)",
    ).format(line="{:.6g} + {:.6g}·B".format(*least_squares(sizes, times))))


@check("1.7", points=2, en="is the least-squares line when they do not", es="si no lo están, es la recta de mínimos cuadrados")
def test_least_squares(student):
    expect_defined(student, FIT, drawn_points(student.seed), hint=t(
        "the sum of the squared vertical distances is smallest for this line. All points count alike: it goes through the "
        "point of the two means, with the slope Σ (B − mean B)·(t − mean t) / Σ (B − mean B)² (section 1.8)",
        "la suma de los cuadrados de las distancias verticales es mínima para esta recta. Todos los puntos cuentan "
        "igual: pasa por el punto de las dos medias, con la pendiente Σ (B − media de B)·(t − media de t) / "
        "Σ (B − media de B)² (sección 1.8)",
    ))
