"""Exercise 1.8: `batch_for_share`, from where on a larger batch hardly pays."""

import math
import random
from fractions import Fraction

from tests.grader.check import check
from tests.grader.definition import Definition, Slip, expect_defined, near_numbers
from tests.grader.outcomes import t

# Of shares within a millionth of 0 or 1 about ten digits are left, in whatever order one computes.
NEAR = near_numbers(1e-7)


def batch_of(a: float, b: float, share: float) -> float:
    if not 0 < share < 1:
        raise ValueError
    a, b, share = Fraction(a), Fraction(b), Fraction(share)
    return float(a * share / (b * (1 - share)))


SHARE = Definition(
    function="batch_for_share", arguments=("a", "b", "share"), truth=batch_of, near=NEAR, shown="{:.9g}".format, slips=(
        Slip(answer=lambda a, b, share: b * share / (a * (1 - share)), hint=t(
            "a and b are swapped: the larger the shared cost (a), the larger the batch that pays off (section 1.9)",
            "a y b están intercambiadas: cuanto mayor es el coste compartido (a), mayor es el lote que compensa (sección 1.9)",
        )),
        Slip(answer=lambda a, b, share: a * (1 - share) / (b * share), hint=t(
            "share and 1 − share are swapped: a larger share needs a larger batch (section 1.9)",
            "share y 1 − share están intercambiados: una fracción mayor necesita un lote mayor (sección 1.9)",
        )),
        Slip(answer=lambda a, b, share: share * a / b, hint=t(
            "B is on both sides of B = share/b · (a + b·B): bring b·B to the left first, which leaves B·(1 − share) (section 1.9)",
            "B está a ambos lados de B = share/b · (a + b·B): pasa antes b·B a la izquierda, y queda B·(1 − share) (sección 1.9)",
        )),
        Slip(answer=lambda a, b, share: share * a / (b * (1 + share)), hint=t(
            "a sign is wrong: from B = share/b · (a + b·B) follows B·(1 − share) = share·a/b (section 1.9)",
            "hay un signo mal: de B = share/b · (a + b·B) resulta B·(1 − share) = share·a/b (sección 1.9)",
        )),
        Slip(answer=lambda a, b, share: share * a / (1 - share * b), hint=t(
            "share is a share of the ceiling: solve B / (a + b·B) = share/b, not = share (section 1.9)",
            "share es una fracción del techo: despeja B en B / (a + b·B) = share/b, no = share (sección 1.9)",
        )),
        *(Slip(answer=lambda a, b, share, way=way: way(batch_of(a, b, share)), hint=t(
            "return the batch size that solves the equation, not rounded, even if it is below 1 (section 1.9)",
            "devuelve el tamaño de lote que resuelve la ecuación, sin redondear, aunque sea menor que 1 (sección 1.9)",
        )) for way in (round, math.ceil, math.floor, lambda exact: max(1.0, exact))),
    ),
)


def drawn_shares(seed: int):
    """Costs of all sizes and shares up to a millionth from both ends."""
    yield from ((0.6, 0.04, 0.5), (0.6, 0.04, 0.9), (2.0, 0.5, 0.8))
    yield from ((0.6, 0.04, share) for share in (1e-6, 1e-3, 0.009, 0.991, 1 - 1e-6))
    rng = random.Random(seed)
    for _ in range(40):
        yield 10 ** rng.uniform(-3, 3), 10 ** rng.uniform(-4, 2), rng.uniform(0.01, 0.99)


@check("1.8", points=2, en="half and 90 % of the ceiling", es="la mitad y el 90 % del techo")
def test_share_of_the_ceiling(student):
    expect_defined(student, SHARE, drawn_shares(student.seed), hint=lambda a, b, share: t(
        "a = {a:.6g} ms, b = {b:.6g} ms: solve B / (a + b·B) = {share:.7g} · 1/b for B. At half of the ceiling the shared "
        "cost equals the added cost: a = b·B. Every share between 0 and 1 has its B (section 1.9)",
        "a = {a:.6g} ms, b = {b:.6g} ms: despeja B en B / (a + b·B) = {share:.7g} · 1/b. En la mitad del techo, el coste "
        "compartido es igual al añadido: a = b·B. Toda fracción entre 0 y 1 tiene su B (sección 1.9)",
    ).format(a=a, b=b, share=share))


@check("1.8", points=1, en="raises ValueError for the ceiling itself",
       es="lanza ValueError para el propio techo", negative=True)
def test_never_all_of_it(student):
    shares = (0.5, 1, 1.0, 1.2, 90, math.inf, 0, 0.0, -0.25, -math.inf)
    cases = [(0.6, 0.04, share) for share in shares]
    expect_defined(student, SHARE, cases, hint=lambda a, b, share: t(
        "a share of 0.5 can be reached: return B = a / b = 15. Refuse only shares of 1 or more, and of 0 or less (section 1.9)",
        "una fracción de 0.5 se alcanza: devuelve B = a / b = 15. Rechaza solo las de 1 o más, y las de 0 o menos (sección 1.9)",
    ) if share == 0.5 else t(
        "no batch size gives {share} of the ceiling: raise a ValueError that names the value, before anything is computed. "
        "Shares of exactly 0 and exactly 1 are refused as well (section 1.9)",
        "ningún tamaño de lote da {share} del techo: lanza un ValueError que mencione el valor, antes de calcular nada. Las "
        "fracciones de justo 0 y justo 1 también se rechazan (sección 1.9)",
    ).format(share=share))
