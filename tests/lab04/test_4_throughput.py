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
DECODE = StepCost(prefill_overhead_ns=0, per_prefill_token_ns=0, per_context_token_ns=0)
PREFILL = StepCost(prefill_overhead_ns=300_000, per_prefill_token_ns=60_000, per_context_token_ns=0)
CONTEXT = StepCost(prefill_overhead_ns=0, per_prefill_token_ns=0, per_context_token_ns=1_000)
OTHER_UNIT = t(
    "the coefficients of `cost` are nanoseconds, and a second has 10⁹ of them (section 4.6)",
    "los coeficientes de `cost` son nanosegundos, y un segundo tiene 10⁹ (sección 4.6)",
)  # fmt: skip

THROUGHPUT = Definition(
    function="throughput_per_s", arguments=("lengths", "in_flight", "cost"), truth=requests_per_s, near=near_numbers(1e-9),
    shown="{:.9g}".format, slips=tuple(Slip(answer=answer, hint=hint) for answer, hint in SLIPS),
)  # fmt: skip


def expect_formula(student, *fields: str, hint: Text) -> None:
    """Fail the check unless the formula of section 4.6 holds to nine digits for steps in which only `fields` cost anything."""
    rng = random.Random(f"{student.seed} {fields}")
    cases = [(drawn_lengths(rng), rng.choice((1, 2, 3, 7, 16, 64, 100)), drawn_cost(rng, *fields)) for _ in range(24)]
    expect_defined(student, THROUGHPUT, cases, hint=hint)


def prediction(student, name: str, cap: int, cost: StepCost) -> tuple[float, float]:
    """The student's requests a second, and what a replay of a full house completes."""
    lengths, measured = measured_capacity(name, cap, cost)
    predicted = student.call("throughput_per_s", list(lengths), cap, asdict(cost))
    expect(type(predicted) in (int, float) and predicted > 0, expected=t("requests a second", "peticiones por segundo"),
           got=predicted, hint=t("return one positive number (section 4.6)",
                                 "devuelve un número positivo (sección 4.6)"))  # fmt: skip
    return predicted, measured


def expect_close(student, cases, *, hint: Text) -> float:
    """Fail the check at the first case that is off by more than the bar; the largest error otherwise."""
    errors = []
    for name, cap, cost in cases:
        predicted, measured = prediction(student, name, cap, cost)
        errors.append(100 * (predicted / measured - 1))
        where = t(f"({name}, {cap} in flight): ", f"({name}, {cap} en vuelo): ")
        why = OTHER_UNIT if predicted < measured / 1e5 else hint
        expect(
            abs(errors[-1]) <= BAR_PERCENT, hint=t(where.en + why.en, where.es + why.es),
            expected=t(f"{measured:.1f} requests a second ± 5 %", f"{measured:.1f} peticiones por segundo ± 5 %"),
            got=f"{predicted:.4g} ({errors[-1]:+.1f} %)",
        )  # fmt: skip
    return max(errors, key=abs)


@check("4.4", points=1, en="decode passes of many", es="pasadas de decodificación de muchas")
def test_decode(student):
    cases = [("uniform:1,63", cap, DECODE) for cap in (1, 4, 16, 64)]
    expect_close(student, cases, hint=t(
        "prompts cost nothing here. With so many in flight a step takes a + b·(rows), and in each step in_flight / "
        "(mean steps) requests end (section 4.6)",
        "aquí las entradas no cuestan nada. Con tantas en vuelo un paso dura a + b·(filas), y en cada paso terminan "
        "in_flight / (media de pasos) peticiones (sección 4.6)",
    ))  # fmt: skip
    expect_formula(student, "step_overhead_ns", "per_sequence_ns", hint=t(
        "only the decode pass costs anything here: a + b·(B − B/n̄), and B/n̄ requests a step (section 4.6)",
        "aquí solo cuesta la pasada de decodificación: a + b·(B − B/n̄), y B/n̄ peticiones por paso (sección 4.6)",
    ))  # fmt: skip


@check("4.4", points=1, en="counts the prefill", es="cuenta el prellenado")
def test_prefill(student):
    cases = [("documents", cap, PREFILL) for cap in (4, 16)] + [("exponential:16,128", 8, PREFILL)]
    expect_close(student, cases, hint=t(
        "prompts are dear here. Each request that enters brings its prompt tokens, and steps that somebody enters "
        "pay for the pass (section 4.6)",
        "aquí las entradas son caras. Cada petición que entra trae los tokens de su entrada, y los pasos en que "
        "entra alguien pagan la pasada (sección 4.6)",
    ))  # fmt: skip
    fields = ("step_overhead_ns", "prefill_overhead_ns", "per_prefill_token_ns")
    expect_formula(student, *fields, hint=t(
        "only a and the prefill cost anything here: B/n̄ prompts a step, token by token, and the overhead in a share "
        "1 − (1 − 1/n̄)^B of the steps (section 4.6)",
        "aquí solo cuestan a y el prellenado: B/n̄ entradas por paso, token a token, y el coste fijo en una fracción "
        "1 − (1 − 1/n̄)^B de los pasos (sección 4.6)",
    ))  # fmt: skip


@check("4.4", points=1, en="counts the context", es="cuenta el contexto")
def test_context(student):
    # Lengths far apart: with those of `exponential` a context of the mean length is off by 29 %.
    cases = [("documents", 8, CONTEXT), ("uniform:100,300", 8, CONTEXT), ("exponential:100,800", 8, CONTEXT)]
    expect_close(student, cases, hint=t(
        "reading keys and values is dear here. Each decode step of a request attends to its prompt and to all that "
        "it has said so far. The mean length does not tell: long requests are in flight more often. Add up whole "
        "requests, then take the mean (section 4.6)",
        "aquí es caro leer claves y valores. Cada paso de decodificación de una petición atiende a su entrada y a "
        "todo lo que ha dicho hasta entonces. La longitud media no basta: las largas están en vuelo más a menudo. "
        "Suma peticiones enteras y después saca la media (sección 4.6)",
    ))  # fmt: skip
    expect_formula(student, "step_overhead_ns", "per_context_token_ns", hint=t(
        "only a and the context cost anything here: decode step k = 2 … n attends to the prompt and k − 1 tokens more. Add "
        "these up over each whole request, take the mean, times B/n̄ (section 4.6)",
        "aquí solo cuestan a y el contexto: el paso de decodificación k = 2 … n atiende a la entrada y a k − 1 tokens más. "
        "Súmalos en cada petición entera, saca la media, y por B/n̄ (sección 4.6)",
    ))  # fmt: skip


@check("4.4", points=2, en="within 5 % of the replay", es="a menos del 5 % de la reproducción")
def test_within_5_percent(student):
    kinds = ("mixed", "lognormal:24,0.8,200", "documents")
    cases = [(name, cap, StepCost()) for name in kinds for cap in (4, 8, 16, 32)]
    student.measurements["throughput_error_percent"] = expect_close(student, cases, hint=t(
        "requests a second, predicted against replayed. With many in flight several enter in one step and share one "
        "prefill pass (section 4.6)",
        "peticiones por segundo, predichas frente a reproducidas. Con muchas en vuelo entran varias en un mismo "
        "paso y comparten una pasada de prellenado (sección 4.6)",
    ))  # fmt: skip
    expect_formula(student, hint=t(
        "the whole formula of section 4.6, for {n} lists of lengths and costs: within 5 % is not yet the formula. Which of "
        "its terms did you round, or take from somewhere else than `lengths` and `cost`? (section 4.6)",
        "la fórmula entera de la sección 4.6, con {n} listas de longitudes y costes: acertar con un margen del 5 % aún no "
        "es la fórmula. ¿Qué término redondeaste, o tomaste de otro sitio que `lengths` y `cost`? (sección 4.6)",
    ).format(n=24))  # fmt: skip
