"""Exercise 3.7, the definition of done: p95 at least 30 % lower at the same throughput, and not a token changed."""

from functools import lru_cache

from minigpt.analysis import metrics
from minigpt.runtime.clock import VirtualClock
from minigpt.simulation.run import replay
from minigpt.workloads.workload import workload
from tests.grader.check import check
from tests.grader.outcomes import expect, t
from tests.grader.seeds import graded_seed

BAR_PERCENT = 30.0
NUM_REQUESTS = 1_000
NUM_MODEL_REQUESTS = 200  # the run in which the Mini-GPT computes every step


@lru_cache(maxsize=4)
def graded_workload(seed: int, num_requests: int = NUM_REQUESTS):
    """80 % corrections and 20 % explanations at 0.7 of what a static server could complete."""
    return workload("mixed", load=0.7, num_requests=num_requests, seed=graded_seed(seed))


@lru_cache(maxsize=4)
def static_run(seed: int):
    """The pristine static policy. Answers are scripted here: they are the model's own, and tests/unit shows it."""
    return replay("static", graded_workload(seed), impl="given", tokens="scripted")


def run(student, num_requests: int, tokens: str):
    """The student's run, kept for the next check."""
    requests = graded_workload(student.seed, num_requests)
    return student.once(tokens, lambda: student.run_loop("continuous", requests, clock=VirtualClock(), tokens=tokens))


def continuous_run(student):
    """The run that p95 and throughput are taken from."""
    return run(student, NUM_REQUESTS, "scripted")


@check("3.7", points=3, en="p95 is at least 30 % below static", es="el p95 baja al menos un 30 % frente al estático")
def test_p95_falls(student):
    static, continuous = static_run(student.seed), continuous_run(student)
    before, after = (metrics.percentile(metrics.e2e_s(log), 95) for log in (static, continuous))
    reduction = metrics.reduction_percent(before, after)
    student.measurements |= {
        "p95_static_ms": 1e3 * before, "p95_continuous_ms": 1e3 * after, "p95_reduction_percent": reduction,
        "throughput_ratio": metrics.throughput_per_s(continuous) / metrics.throughput_per_s(static),
    }
    expect(reduction >= BAR_PERCENT, expected=t("≥ 30 %", "≥ 30 %"), got=f"{reduction:.1f} %", hint=t(
        "draw the slot timeline of your run: look for slots that stay grey and answers that leave later than their last "
        "token; that is where time is lost (section 3.8)",
        "dibuja la línea de tiempo de tu ejecución: busca slots que sigan en gris y respuestas que salgan después de su "
        "último token; ahí se pierde el tiempo (sección 3.8)",
    ))


@check("3.7", points=1, en="throughput is not lower", es="el throughput no baja")
def test_throughput_holds(student):
    ratio = metrics.throughput_per_s(continuous_run(student)) / metrics.throughput_per_s(static_run(student.seed))
    expect(ratio >= 0.98, expected="≥ 0.98", got=f"{ratio:.3f}", hint=t(
        "(completions per second while requests arrive, continuous / static): both servers should complete everything that "
        "arrives; did any requests go unanswered? (section 3.8)",
        "(respuestas por segundo mientras llegan peticiones, continuo / estático): ambos servidores deberían completar todo "
        "lo que llega; ¿quedaron peticiones sin respuesta? (sección 3.8)",
    ))


@check("3.7", points=2, en="every answer is the same as when its request runs alone",
       es="cada respuesta es la misma que obtiene su petición a solas")
def test_answers_are_unchanged(student):
    logs = continuous_run(student), run(student, NUM_MODEL_REQUESTS, "model")
    wrong = [i for log in logs for i, record in log.requests.items() if record.answer != record.item.answer]
    total = NUM_REQUESTS + NUM_MODEL_REQUESTS
    expect(not wrong, expected=t(f"0 of {total}", f"0 de {total}"), got=f"{len(wrong)}: {wrong[:5]}", hint=t(
        "(answers that differ): a token was lost, repeated or given to another request (section 3.8)",
        "(respuestas distintas): se perdió o se repitió un token, o fue a parar a otra petición (sección 3.8)",
    ))
