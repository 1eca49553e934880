"""Exercise 3.6: a bootstrap interval of the p95 reduction, over pairs of the same request."""

import random

from minigpt.analysis.metrics import bootstrap_interval, percentile, reduction_percent
from tests.grader.check import check
from tests.grader.outcomes import expect, t
from tests.lab03.scenes import lasting

LOWER_FIRST = t(
    "return two numbers in per cent, the lower one first (section 3.7)",
    "devuelve dos números en por ciento, primero el menor (sección 3.7)",
)
RANKS = t(
    "(interval of 1, 2, 20, 39 and 40 resamples). The ranks are ⌈0.025·m⌉ and ⌈0.975·m⌉, counted from 1: up to 39 "
    "resamples the smallest and the largest, of 40 the smallest and the 39th. Round up with math.ceil, then subtract "
    "1 for the index; int(…) cuts off (section 3.7)",
    "(intervalo de 1, 2, 20, 39 y 40 remuestras). Los rangos son ⌈0.025·m⌉ y ⌈0.975·m⌉, contando desde 1: hasta 39 "
    "remuestras, la menor y la mayor; de 40, la menor y la 39.ª. Redondea hacia arriba con math.ceil y resta después 1 "
    "para el índice; int(…) trunca (sección 3.7)",
)


def interval(student, static, continuous, num_resamples=400, seed=3, hint=LOWER_FIRST):
    """The student's interval as two numbers."""
    got = student.call("reduction_interval", static, continuous, num_resamples, seed)
    is_pair = isinstance(got, (list, tuple)) and [type(part) in (int, float) for part in got] == [True, True]
    expect(is_pair, expected=t("(low, high)", "(bajo, alto)"), got=got, hint=LOWER_FIRST)
    expect(got[0] <= got[1], expected=t("low ≤ high", "bajo ≤ alto"), got=got, hint=hint)
    return got


def crowd(seed: int, num: int = 150) -> list[float]:
    rng = random.Random(seed)
    return [rng.lognormvariate(0, 1) for _ in range(num)]


@check("3.6", points=1, en="resamples pairs of the same request", es="remuestrea pares de la misma petición")
def test_pairs_by_request(student):
    latencies = crowd(5)
    static, continuous = lasting(*latencies), lasting(*(0.6 * latency for latency in latencies))
    random.Random(1).shuffle(continuous)
    low, high = interval(student, static, continuous)
    expect(abs(low - 40) < 1e-6 and abs(high - 40) < 1e-6, expected=[40.0, 40.0], got=[low, high], hint=t(
        "every request took 0.6 of its static time, so every resample of pairs falls by exactly 40 %. A wide interval "
        "means that the two halves were drawn apart, or paired by place instead of request_id (section 3.7)",
        "cada petición tardó 0.6 de su tiempo estático, así que toda remuestra de pares baja exactamente un 40 %. Un "
        "intervalo ancho significa que las mitades se sortearon por separado, o se emparejaron por posición y no por "
        "request_id (sección 3.7)",
    ))  # fmt: skip


@check("3.6", points=1, en="is as wide as it should be", es="tiene la anchura debida")
def test_width(student):
    before, after = crowd(8), [0.5 * latency for latency in crowd(9)]
    expected = bootstrap_interval(before, after, num_resamples=2_000, seed=1)
    got = interval(student, lasting(*before), lasting(*after))
    whole = reduction_percent(percentile(before, 95), percentile(after, 95))
    is_one_draw = got[0] == got[1] and abs(got[0] - whole) > 1e-6
    expect(not is_one_draw, expected=[round(x, 1) for x in expected], got=[round(x, 1) for x in got], hint=t(
        "every resample was the same draw: random.Random(seed) stands inside your loop and begins anew each time. Make "
        "it once, before the loop (section 3.7)",
        "todas las remuestras fueron el mismo sorteo: random.Random(seed) está dentro de tu bucle y empieza de nuevo "
        "cada vez. Créalo una sola vez, antes del bucle (sección 3.7)",
    ))  # fmt: skip
    near = [abs(one - other) < 12 for one, other in zip(got, expected)]
    expect(near == [True, True], expected=[round(x, 1) for x in expected], got=[round(x, 1) for x in got], hint=t(
        "draw as many pairs as there are, with replacement, and take the 2.5th and 97.5th percentile of the "
        "reductions: without replacement nothing varies, and minimum and maximum are too wide (section 3.7)",
        "sortea tantos pares como haya, con reemplazo, y toma los percentiles 2.5 y 97.5 de las reducciones: sin "
        "reemplazo nada varía, y el mínimo y el máximo son demasiado anchos (sección 3.7)",
    ))  # fmt: skip


@check("3.6", points=1, en="takes the ranks that it should", es="toma los rangos debidos")
def test_ranks(student):
    """With one seed the resamples of a short run are the first of a long one: that tells the ranks, however drawn."""
    static, continuous = lasting(*crowd(8)), lasting(*crowd(9))
    for seed in range(5):
        again, one, two, some, most, more = (
            interval(student, static, continuous, num_resamples=number, seed=seed, hint=RANKS)
            for number in (1, 1, 2, 20, 39, 40)
        )
        expect(list(one) == list(again), expected=one, got=again, hint=t(
            "(two runs with the same seed): draw with random.Random(seed), so that anybody can repeat it (section 3.7)",
            "(dos ejecuciones con la misma semilla): sortea con random.Random(seed), para que cualquiera pueda "
            "repetirlo (sección 3.7)",
        ))  # fmt: skip
        expect(some[0] < some[1], expected=t("low < high", "bajo < alto"), got=some, hint=t(
            "(20 resamples): drawn anew each time they are not all alike, so the interval has a width (section 3.7)",
            "(20 remuestras): sorteadas de nuevo cada vez no son todas iguales, así que el intervalo tiene anchura "
            "(sección 3.7)",
        ))  # fmt: skip
        # The smallest and the largest of more resamples lie further out; the 39th of 40 is not beyond the 39th of 39.
        growing = (one, two), (two, some), (some, most)
        nested = all(wide[0] <= narrow[0] and narrow[1] <= wide[1] for narrow, wide in growing)
        right = nested and one[0] == one[1] and one[0] in two and more[0] <= most[0] and more[1] <= most[1]
        shown = [[round(x, 1) for x in each] for each in (one, two, some, most, more)]
        expect(right, expected=t("ranks rounded up", "rangos redondeados hacia arriba"), got=shown, hint=RANKS)
