"""What wrong bootstrap intervals have in common, so that a message can name the mistake."""

import math

from tests.grader.outcomes import Text, t
from tests.lab03.bootstrap_law import RANKS, Seen, ranks_of, surprise

MOST_SURPRISE = 5.0  # standard deviations


def of_values(got: tuple[float, float], due: float) -> Text | None:
    """The hint for an interval that should be one value twice: what was computed in the place of a reduction."""
    share = 1 - due / 100  # continuous / static
    slips = (
        (due / 100, t("That is a fraction: the reduction is in per cent", "Eso es una fracción: la reducción va en porcentaje")),
        (-due, t("The sign is wrong: a p95 that falls is a positive reduction",
                 "El signo está invertido: un p95 que baja es una reducción positiva")),
        (100 * share, t("That is what is left, not what was saved: 100 · (1 − continuous / static)",
                        "Eso es lo que queda, no lo que se ahorró: 100 · (1 − continuo / estático)")),
        (100 * (1 - 1 / share), t("The ratio is upside down: it is continuous over static",
                                  "El cociente está al revés: continuo entre estático")),
        (100 * (1 - share) / share, t("The difference was divided by the continuous p95: divide by the static one",
                                      "La diferencia se dividió entre el p95 continuo: divide entre el estático")),
    )
    return next((hint for value, hint in slips if all(math.isclose(end, value, rel_tol=1e-6) for end in got)), None)


def _cut(number: int) -> tuple[int, int]:
    return max(1, number // 40), number * 39 // 40


def _cut_from_0(number: int) -> tuple[int, int]:
    return number // 40 + 1, number * 39 // 40 + 1


def _one_too_high(number: int) -> tuple[int, int]:
    return tuple(min(rank + 1, number) for rank in RANKS(number))


def _rounded(number: int) -> tuple[int, int]:
    return max(1, round(number / 40)), max(1, round(number * 39 / 40))


def _largest(number: int) -> tuple[int, int]:
    return RANKS(number)[0], number


SLIPS = (
    ({"ranks": ranks_of((1, 200), (199, 200))}, t(
        "That is a 99 % interval: the middle 95 % leaves 2.5 % at each end",
        "Eso es un intervalo del 99 %: el 95 % central deja un 2.5 % en cada extremo")),
    ({"ranks": ranks_of((1, 20), (19, 20))}, t(
        "That is a 90 % interval: the middle 95 % leaves 2.5 % at each end, not 5 %",
        "Eso es un intervalo del 90 %: el 95 % central deja un 2.5 % en cada extremo, no un 5 %")),
    ({"ranks": ranks_of((1, 80), (79, 80))}, t(
        "That leaves 1.25 % at each end: the middle 95 % leaves 2.5 %",
        "Eso deja un 1.25 % en cada extremo: el 95 % central deja un 2.5 %")),
    ({"ranks": lambda number: (1, number)}, t(
        "Those are the smallest and the largest reduction: with more resamples they only move further apart. Leave 2.5 % at "
        "each end",
        "Esas son la reducción menor y la mayor: cuantas más remuestras, más se separan. Deja un 2.5 % en cada extremo")),
    ({"ranks": _largest}, t("The upper end is the largest reduction: take the one at rank ⌈0.975·m⌉",
                 "El extremo superior es la reducción mayor: toma la de rango ⌈0.975·m⌉")),
    ({"ranks": _cut_from_0}, t(
        "The index is int(share · m), which counts from 0: one rank too high when share · m is a whole number. Use "
        "math.ceil(share · m) − 1: round up, then subtract 1",
        "El índice es int(fracción · m), que cuenta desde 0: un rango de más cuando fracción · m es entero. Usa "
        "math.ceil(fracción · m) − 1: redondea hacia arriba y después resta 1")),
    ({"ranks": _cut}, t("The rank was cut off (int or //): round up with math.ceil, then subtract 1 for the index",
             "El rango se truncó (int o //): redondea hacia arriba con math.ceil y resta después 1 para el índice")),
    ({"ranks": _rounded}, t("The rank was rounded to the nearest integer: round up with math.ceil, then subtract 1 for the "
                            "index",
                 "El rango se redondeó al entero más cercano: redondea hacia arriba con math.ceil y resta después 1 para el "
                 "índice")),
    ({"ranks": _one_too_high}, t("Both are one rank too high: ranks count from 1 and indices from 0",
                      "Ambos tienen un rango de más: los rangos cuentan desde 1 y los índices desde 0")),
    ({"draws": lambda size: max(1, size // 2)}, t("Each resample seems to draw half as many pairs as there are: k = len(pairs)",
                                       "Cada remuestra parece sortear la mitad de los pares que hay: k = len(pairs)")),
    ({"draws": lambda size: size - 1}, t("Each resample seems to draw one pair too few: k = len(pairs)",
                              "Cada remuestra parece sortear un par de menos: k = len(pairs)")),
    ({"draws": lambda size: size + 1}, t("Each resample seems to draw one pair too many: k = len(pairs)",
                                         "Cada remuestra parece sortear un par de más: k = len(pairs)")),
    ({"draws": lambda size: 2 * size}, t("Each resample seems to draw twice as many pairs as there are: k = len(pairs)",
                              "Cada remuestra parece sortear el doble de los pares que hay: k = len(pairs)")),
    ({"percent": 90}, t("Those are reductions of the p90: take the p95", "Esas son reducciones del p90: toma el p95")),
    ({"percent": 99}, t("Those are reductions of the p99: take the p95", "Esas son reducciones del p99: toma el p95")),
    ({"percent": 100}, t("Those are reductions of the maximum: take the p95",
                         "Esas son reducciones del máximo: toma el p95")),
)
IMPOSSIBLE = t(
    "No resample of these pairs has this reduction. A reduction is 100 · (1 − p95 continuous / p95 static), both from the "
    "same resample, and the ends are two of these reductions as they are: not rounded, not interpolated",
    "Ninguna remuestra de estos pares tiene esa reducción. Una reducción es 100 · (1 − p95 continuo / p95 estático), ambos de "
    "la misma remuestra, y los extremos son dos de esas reducciones tal cual: sin redondear ni interpolar",
)
ELSE = t(
    "Draw as many pairs as there are, with replacement, num_resamples times; sort the reductions; take those at ranks "
    "⌈0.025·m⌉ and ⌈0.975·m⌉, counted from 1",
    "Sortea tantos pares como haya, con reemplazo, num_resamples veces; ordena las reducciones; toma las de rango ⌈0.025·m⌉ y "
    "⌈0.975·m⌉, contando desde 1",
)


def of_laws(seen: list[Seen]) -> Text:
    """The hint for intervals that do not follow the law: the slip whose law they follow best."""
    least, best = min(((surprise(seen, **slip), place) for place, (slip, _) in enumerate(SLIPS)))
    if least <= MOST_SURPRISE:
        return SLIPS[best][1]
    return IMPOSSIBLE if surprise(seen) == math.inf else ELSE
