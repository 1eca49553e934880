"""Exercise 4.4: what a continuous server completes, predicted from t(B) and the lengths, then replayed."""

import random
from dataclasses import asdict

from minigpt.runtime.clock import StepCost
from tests.grader.check import check
from tests.grader.definition import Definition, Slip, expect_defined, near_numbers
from tests.grader.outcomes import Text, expect, t
from tests.lab04.drawn import drawn_cost, drawn_lengths
from tests.lab04.figures import measured_capacity
from tests.lab04.formula import SLIPS, requests_per_s

BAR_PERCENT = 5.0

THROUGHPUT = Definition(
    function="throughput_per_s", arguments=("lengths", "in_flight", "cost"), truth=requests_per_s, near=near_numbers(1e-9),
    shown="{:.9g}".format, slips=tuple(Slip(answer=answer, hint=hint) for answer, hint in SLIPS),
)


def expect_formula(student, *fields: str, hint: Text) -> None:
    """Fail the check unless the formula of section 4.6 holds to nine digits where only `fields` cost anything."""
    rng = random.Random(f"{student.seed} {fields}")
    cases = [(drawn_lengths(rng), rng.choice((1, 2, 3, 7, 16, 64, 100)), drawn_cost(rng, *fields)) for _ in range(23)]
    log = [pair for _ in range(60) for pair in drawn_lengths(rng)]  # a few hundred requests: all of them count
    cases.append((log, 16, drawn_cost(rng, *fields)))
    expect_defined(student, THROUGHPUT, cases, hint=hint)


def prediction(student, name: str, cap: int) -> tuple[float, float]:
    """The student's requests per second, and what a replay of a full server completes."""
    lengths, measured = measured_capacity(name, cap)
    predicted = student.call("throughput_per_s", list(lengths), cap, asdict(StepCost()))
    expect(type(predicted) in (int, float) and predicted > 0, expected=t("requests per second", "peticiones por segundo"),
           got=predicted, hint=t("return one positive number (section 4.6)",
                                 "devuelve un número positivo (sección 4.6)"))
    return predicted, measured


def expect_close(student, cases, *, hint: Text) -> float:
    """Fail the check at the first case that is off by more than the bar; the largest error otherwise."""
    errors = []
    for name, cap in cases:
        predicted, measured = prediction(student, name, cap)
        errors.append(100 * (predicted / measured - 1))
        where = t(f"({name}, {cap} in flight): ", f"({name}, {cap} en vuelo): ")
        expect(
            abs(errors[-1]) <= BAR_PERCENT, hint=where.followed_by(hint),
            expected=t(f"{measured:.1f} requests per second ± 5 %", f"{measured:.1f} peticiones por segundo ± 5 %"),
            got=f"{predicted:.4g} ({errors[-1]:+.1f} %)",
        )
    return max(errors, key=abs)


@check("4.4", points=1, en="counts the decode pass", es="cuenta la pasada de decodificación")
def test_decode(student):
    expect_formula(student, "step_overhead_ns", "per_sequence_ns", hint=t(
        "(only the decode pass costs anything here): with B in flight a step takes a + b·(B − B/n̄), and B/n̄ requests end in "
        "each step, where n̄ is the mean of the steps (section 4.6)",
        "(aquí solo cuesta la pasada de decodificación): con B en vuelo un paso dura a + b·(B − B/n̄), y en cada paso "
        "terminan B/n̄ peticiones, donde n̄ es la media de los pasos (sección 4.6)",
    ))


@check("4.4", points=1, en="counts the prefill", es="cuenta el prellenado")
def test_prefill(student):
    fields = ("step_overhead_ns", "prefill_overhead_ns", "per_prefill_token_ns")
    expect_formula(student, *fields, hint=t(
        "(only a and the prefill cost anything here): each request that enters brings its prompt tokens, B/n̄ prompts per "
        "step, and a share 1 − (1 − 1/n̄)^B of the steps pays the overhead of a pass (section 4.6)",
        "(aquí solo cuestan a y el prellenado): cada petición que entra trae los tokens de su prompt, B/n̄ prompts "
        "por paso, y el coste fijo de una pasada se paga en una fracción 1 − (1 − 1/n̄)^B de los pasos (sección 4.6)",
    ))


@check("4.4", points=1, en="counts the context", es="cuenta el contexto")
def test_context(student):
    expect_formula(student, "step_overhead_ns", "per_context_token_ns", hint=t(
        "(only a and the context cost anything here): decode step k = 2 … n of a request attends to its prompt and to the k − "
        "1 tokens of its answer so far. Add up each request's steps, take the mean over the requests, and multiply by B/n̄ "
        "(section 4.6)",
        "(aquí solo cuestan a y el contexto): el paso de decodificación k = 2 … n de una petición atiende a su prompt y a los "
        "k − 1 tokens que lleva su respuesta. Suma los pasos de cada petición, calcula la media de las peticiones y "
        "multiplícala por B/n̄ (sección 4.6)",
    ))


@check("4.4", points=2, en="the whole formula, and within 5 % of the replay",
       es="la fórmula entera, con menos de un 5 % de error frente a la reproducción")
def test_within_5_percent(student):
    kinds = ("mixed", "lognormal:24,0.8,200", "documents")
    cases = [(name, cap) for name in kinds for cap in (4, 8, 16, 32)]
    student.measurements["throughput_error_percent"] = expect_close(student, cases, hint=t(
        "requests per second, predicted and replayed. With many in flight, several requests enter in one step and share one "
        "prefill pass (section 4.6)",
        "peticiones por segundo, predichas y reproducidas. Con muchas en vuelo, entran varias en un mismo paso y comparten "
        "una pasada de prellenado (sección 4.6)",
    ))
    expect_formula(student, hint=t(
        "this check needs the whole formula of section 4.6, for {n} lists of lengths and costs: a result within 5 % is not "
        "enough. Which of its terms did you round, or take from something other than `lengths` and `cost`? (section 4.6)",
        "esta comprobación exige la fórmula entera de la sección 4.6, con {n} listas de longitudes y costes: acertar con un "
        "margen del 5 % no basta. ¿Qué término redondeaste, o sacaste de algo que no es `lengths` ni `cost`? (sección 4.6)",
    ).format(n=24))
