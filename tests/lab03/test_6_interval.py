"""Exercise 3.6: a bootstrap interval of the p95 reduction, over pairs of the same request."""

import random

from minigpt.metrics import bootstrap_interval
from tests.grader.check import check
from tests.grader.outcomes import expect, t
from tests.lab03.scenes import lasting


def interval(student, static, continuous, num_resamples=400, seed=3):
    """The student's interval as two numbers."""
    got = student.call("reduction_interval", static, continuous, num_resamples, seed)
    is_pair = isinstance(got, (list, tuple)) and [type(part) in (int, float) for part in got] == [True, True]
    expect(is_pair and got[0] <= got[1], expected=t("(low, high)", "(bajo, alto)"), got=got, hint=t(
        "return two numbers in per cent, the lower one first (section 3.7)",
        "devuelve dos números en por ciento, primero el menor (sección 3.7)",
    ))  # fmt: skip
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
    near = [abs(one - other) < 12 for one, other in zip(got, expected)]
    expect(near == [True, True], expected=[round(x, 1) for x in expected], got=[round(x, 1) for x in got], hint=t(
        "draw as many pairs as there are, with replacement, and take the 2.5th and 97.5th percentile of the reductions: "
        "without replacement nothing varies, and minimum and maximum are too wide (section 3.7)",
        "sortea tantos pares como haya, con reemplazo, y toma los percentiles 2.5 y 97.5 de las reducciones: sin "
        "reemplazo nada varía, y el mínimo y el máximo son demasiado anchos (sección 3.7)",
    ))  # fmt: skip
