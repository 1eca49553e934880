"""Exercise 3.6: a bootstrap interval of the p95 reduction, over pairs of the same request.

Students may draw in their own way (pairs or indices, choices or randrange), so two right answers differ by chance.
How much they may differ is computed, not guessed: bootstrap_law.py has the exact probability of every interval.
"""

import math
import random

from tests.grader.check import check
from tests.grader.outcomes import CRASHED, CheckFailed, Text, expect, t
from tests.lab03.bootstrap_law import Seen, reduction_law, surprise
from tests.lab03.interval_slips import MOST_SURPRISE, of_laws, of_values
from tests.lab03.oracle import CHANGED, REMEMBERS
from tests.lab03.scenes import record

SECTION = t(" (section 3.7)", " (sección 3.7)")
LOWER_FIRST = t(
    "return two numbers in per cent, the lower one first (section 3.7)",
    "devuelve dos números en porcentaje, primero el menor (sección 3.7)",
)
BEYOND = t(
    " Or your index lies beyond the list of reductions: the rank ⌈0.975·num_resamples⌉ counts from 1, an index from 0",
    " O tu índice queda fuera de la lista de reducciones: el rango ⌈0.975·num_resamples⌉ cuenta desde 1; un índice, desde 0",
)
TICK_S = 1 / 64  # latencies are whole ticks: exact as floats, whatever the arrivals are


def crowd(seed: int, size: int) -> tuple[tuple[float, float], ...]:
    """Pairs of (static, continuous) latency, no two continuous ones alike.

    The first and the last are the slowest under continuous: always drawing one, or never drawing the other, shows.
    """
    rng = random.Random(seed)
    static = [rng.randint(60, 2_000) for _ in range(size)]
    *others, last, first = sorted(rng.sample(range(20, 1_900), size))
    rng.shuffle(others)
    return tuple((a * TICK_S, c * TICK_S) for a, c in zip(static, (first, *others, last), strict=True))


def interval(student, pairs, num_resamples: int, seed: int, *, burst: bool = False, again: bool = False):
    """The student's interval for these pairs of latencies; the two lists come in different orders."""
    apart_s = 0.0 if burst else 10.0  # in a burst the arrivals do not identify the requests
    rng = random.Random(len(pairs))
    ids = rng.sample(range(len(pairs)), len(pairs))  # neither list is in order: sorting one in place shows
    static, continuous = ([_record(i, apart_s * i, latency) for i, latency in zip(ids, half)] for half in zip(*pairs))
    rng.shuffle(continuous)
    args = [static, continuous, num_resamples, seed]
    try:
        got, after = student.call_with("reduction_interval", *args, again=again)
    except CheckFailed as failure:
        if "IndexError" in failure.raised:
            failure.hint = swapped(num_resamples, len(pairs)).followed_by(BEYOND)
        raise
    is_pair = isinstance(got, (list, tuple)) and [type(part) in (int, float) for part in got] == [True, True]
    expect(is_pair, expected=t("(low, high)", "(bajo, alto)"), got=got, hint=LOWER_FIRST)
    expect(not got[0] > got[1], expected=t("low ≤ high", "bajo ≤ alto"), got=got, hint=LOWER_FIRST)
    expect(after == args, expected=t("records left unchanged", "registros sin modificar"),
           got=t("changed ones", "cambiados"), hint=CHANGED)
    return tuple(got)


def swapped(num_resamples: int, num_pairs: int) -> Text:
    """The hint where there are more or fewer reductions than resamples were asked for."""
    return t(
        f"(num_resamples = {num_resamples}, {num_pairs} pairs): each resample gives one reduction; with a single resample, "
        "both ends are that reduction. Did you swap the number of resamples and the number of pairs in each, or use a fixed "
        "number for one of them? (section 3.7)",
        f"(num_resamples = {num_resamples}, {num_pairs} pares): cada remuestra da una reducción; con una sola remuestra, ambos "
        "extremos son esa reducción. ¿Intercambiaste el número de remuestras y el de pares en cada una, o usaste un número "
        "fijo para alguno? (sección 3.7)",
    )


def _record(request_id: int, arrival_s: float, latency_s: float) -> dict:
    return record(request_id, arrival_s, None if latency_s == math.inf else arrival_s + latency_s, arrival_s)


def expect_value(student, pairs, due: float, hint, **options) -> None:
    """Fail the check unless both ends are one value, whatever is drawn."""
    low, high = interval(student, pairs, 200, 3, **options)
    is_due = math.isclose(low, due, rel_tol=1e-9) and math.isclose(high, due, rel_tol=1e-9)
    expect(is_due, expected=[due, due], got=[low, high], hint=of_values((low, high), due) or hint)


@check("3.6", points=1, en="resamples pairs that belong to the same request",
       es="remuestrea pares que son de la misma petición")
def test_pairs_by_request(student):
    pairs = tuple((a, 0.625 * a) for a, _ in crowd(5, 60))
    for burst in (False, True):
        expect_value(student, pairs, 37.5, burst=burst, hint=t(
            "every request took 0.625 of its static time, so the p95 falls by exactly 37.5 % in every resample of pairs. A "
            "wide interval means that the two halves were drawn separately (or one of them was not drawn at all), or that "
            "they were paired by position or arrival instead of request_id (section 3.7)",
            "cada petición tardó 0.625 de su tiempo estático, así que en toda remuestra de pares el p95 baja exactamente un "
            "37.5 %. Un intervalo ancho significa que las mitades se sortearon por separado (o una de ellas no se sorteó), o "
            "que se emparejaron por posición o llegada en vez de por request_id (sección 3.7)",
        ))


@check("3.6", points=1, en="compares p95 with p95", es="compara p95 con p95")
def test_of_the_p95(student):
    """Three in four pairs are the slowest by far and all alike: so is the p95 of any resample, and nothing else is."""
    pairs = ((10.0, 4.0),) * 45 + tuple((k / 8, k / 8) for k in range(1, 16))
    expect_value(student, pairs, 60.0, hint=t(
        "in 45 of the 60 pairs the times are the slowest, 10 s and 4 s, so these are the p95 values of every resample, and "
        "every reduction is 60 %. Other values come from means, medians or a mean of reductions: take the p95 of each half, "
        "then one reduction (section 3.7)",
        "en 45 de los 60 pares los tiempos son los más lentos, 10 s y 4 s, así que esos son los p95 de toda remuestra, y toda "
        "reducción es del 60 %. Otros valores salen de medias, medianas o una media de reducciones: toma el p95 de cada mitad "
        "y después una sola reducción (sección 3.7)",
    ))
    pairs = tuple((2.0, math.inf if k < 30 else 1.0) for k in range(40))
    expect_value(student, pairs, -math.inf, hint=t(
        "30 of the 40 requests went unanswered under continuous, so its p95 is infinite in every resample and the "
        "reduction is −inf: no request is left out (section 3.7)",
        "30 de las 40 peticiones quedaron sin respuesta con el continuo, así que su p95 es infinito en toda remuestra y la "
        "reducción es −inf: no se omite ninguna petición (sección 3.7)",
    ))
    expect_unanswered_static(student)


def expect_unanswered_static(student) -> None:
    """Fail the check unless requests without an answer under static count there too."""
    pairs = tuple((math.inf if k < 30 else 2.0, 1.0) for k in range(40))
    hint = t(
        "30 of the 40 requests went unanswered under static, so its p95 is infinite in every resample, and the reduction is "
        "100 · (1 − 1/inf) = 100 %. A request without an answer is not left out, nor given a latency that it did not have, "
        "and a resample with an infinite p95 counts like any other (section 3.7)",
        "30 de las 40 peticiones quedaron sin respuesta con el estático, así que su p95 es infinito en toda remuestra y la "
        "reducción es 100 · (1 − 1/inf) = 100 %. Una petición sin respuesta no se omite ni recibe una latencia que no tuvo, "
        "y una remuestra con un p95 infinito cuenta como cualquier otra (sección 3.7)",
    )
    try:
        low, high = interval(student, pairs, 200, 3)
    except CheckFailed as failure:
        failure.hint = hint if failure.outcome == CRASHED else failure.hint
        raise
    is_due = {low, high} == {100.0} or low != low and high != high  # nan: (inf − 1) / inf, the same formula written otherwise
    expect(is_due, expected=[100.0, 100.0], got=[low, high], hint=hint)


@check("3.6", points=1, en="has the right width", es="tiene la anchura correcta")
def test_width(student):
    pairs = crowd(8, 39)  # one pair more in a resample would leave room for another above its p95, 40 · 5 % = 2
    got = [interval(student, pairs, 2_000, seed, again=seed > 1) for seed in (1, 2)]
    whole = reduction_law(pairs)
    expect(got[0][0] < got[0][1], expected=t("low < high", "bajo < alto"), got=_shown(got[0]), hint=t(
        "every resample was the same draw. Is random.Random(seed) inside your loop, so that it starts over each time? Or do "
        "you draw without replacement, or not at all? Create the generator once, before the loop, and draw with choices(…) "
        "(section 3.7)",
        "todas las remuestras salieron iguales. ¿Está random.Random(seed) dentro de tu bucle, de modo que empieza de "
        "nuevo cada vez? ¿O sorteas sin reemplazo, o no sorteas? Crea el generador una sola vez, antes del bucle, y sortea "
        "con choices(…) (sección 3.7)",
    ))
    due = [_near(whole, 0.025), _near(whole, 0.975)]
    expect_lawful([Seen(pairs=pairs, num_resamples=2_000, interval=each) for each in got], _shown(due))


@check("3.6", points=2, en="takes the right ranks", es="toma los rangos correctos")
def test_ranks(student):
    """One interval of few resamples says little, because of chance; eighty show exactly which ranks were taken."""
    pairs = crowd(9, 20)  # one pair fewer would leave no room above its p95: that of 19 is the largest
    low, high = interval(student, pairs, 1, 7)
    expect(low == high, expected=t("low = high", "bajo = alto"), got=_shown((low, high)), hint=swapped(1, len(pairs)))
    single = {interval(student, pairs, 1, seed) for seed in range(8)}
    expect(len(single) > 1, expected=t("a different resample for a different seed", "otra remuestra con otra semilla"),
           got=_shown((low, high)), hint=t(
        "(num_resamples = 1, eight seeds, always the same reduction): each of the num_resamples reductions comes from drawn "
        "pairs; the reduction of the original data is not one of them (section 3.7)",
        "(num_resamples = 1, ocho semillas, siempre la misma reducción): cada una de las num_resamples reducciones sale de "
        "pares sorteados; la reducción de los datos originales no es una de ellas (sección 3.7)"))
    few, many = ([interval(student, pairs, number, seed) for seed in range(4)] for number in (100, 500))
    expect(few != many, expected=t("different ends with "
                                   "500 resamples", "otros extremos con 500 remuestras"), got=_shown(many[0]),
           hint=swapped(500, len(pairs)))
    for num_resamples in (40, 41, 100):
        expect_lawful([
            Seen(pairs=pairs, num_resamples=num_resamples, interval=interval(
                student, pairs, num_resamples, seed, again=True))
            for seed in range(80)
        ], t(f"ranks ⌈0.025·{num_resamples}⌉ and ⌈0.975·{num_resamples}⌉",
             f"rangos ⌈0.025·{num_resamples}⌉ y ⌈0.975·{num_resamples}⌉"))


@check("3.6", points=1, en="depends only on its arguments, including the seed",
       es="depende solo de sus argumentos, incluida la semilla")
def test_seeds(student):
    pairs = crowd(10, 41)
    for seed in (3, 4):  # two runs that draw without a seed give the same interval once in a hundred times
        first, second = (interval(student, pairs, 50, seed) for _ in range(2))
        expect(first == second, expected=_shown(first), got=_shown(second), hint=t(
            "(two runs with the same seed): draw with random.Random(seed), so that anyone can reproduce the result (section 3.7)",
            "(dos ejecuciones con la misma semilla): sortea con random.Random(seed), para que cualquiera pueda reproducir el "
            "resultado (sección 3.7)",
        ))
    third = interval(student, pairs, 50, 4, again=True)
    expect(first == third, expected=_shown(first), got=_shown(third), hint=REMEMBERS.followed_by(t(
        " This applies to the generator, too (section 3.7)", " Lo mismo vale para el generador (sección 3.7)")))
    some = {interval(student, pairs, 50, seed) for seed in range(8)}
    expect(len(some) > 1, expected=t("a different interval for a different seed", "otro intervalo con otra semilla"),
           got=_shown(first), hint=t("(eight seeds gave the same interval): use random.Random(seed) with the seed that you "
                                     "are given (section 3.7)",
                                     "(ocho semillas dieron el mismo intervalo): usa random.Random(seed) con la semilla que "
                                     "recibes (sección 3.7)"))


def expect_lawful(seen: list[Seen], due) -> None:
    """Fail the check unless these intervals are what the ranks of right resamples give, but for chance."""
    off = surprise(seen)
    got = t(f"{_shown(seen[0].interval)} (off by {off:.0f} standard deviations)",
            f"{_shown(seen[0].interval)} (a {off:.0f} desviaciones típicas)")
    if off > MOST_SURPRISE:
        expect(False, expected=due, got=got, hint=of_laws(seen).followed_by(SECTION))


def _near(law, share: float) -> float:
    return next(value for value, so_far in zip(law.values, law.shares, strict=True) if so_far >= share)


def _shown(ends) -> list[float]:
    return [round(end, 1) for end in ends]
