"""Exercise 2.6, the definition of done: the timeline, the p95, and no answer before its batch has ended."""

from functools import lru_cache

from minigpt.analysis import metrics
from minigpt.runtime.clock import StepCost, StepShape, VirtualClock
from minigpt.simulation.run import replay
from minigpt.workloads.workload import workload
from tests.grader.check import check
from tests.grader.outcomes import expect, t
from tests.grader.seeds import graded_seed
from tests.lab02.batches import answered_early
from tests.lab02.test_3_loop import expect_left

LOADS = (0.3, 0.7, 0.95)
NUM_REQUESTS = 400
MODEL_LOAD, NUM_MODEL_REQUESTS = 0.7, 200  # the run in which the Mini-GPT computes every step
ONE_STEP_MS = StepCost().step_ns(StepShape(num_decode=8, num_prefill_tokens=0, num_context_tokens=0)) / 1e6


@lru_cache(maxsize=8)
def graded_workload(seed: int, load: float, num_requests: int = NUM_REQUESTS):
    """80 % corrections and 20 % explanations, at a share of what the static server can complete."""
    return workload("mixed", load=load, num_requests=num_requests, seed=graded_seed(seed))


def model_run(student):
    """The student's run with the Mini-GPT; kept for the next check."""
    requests = graded_workload(student.seed, MODEL_LOAD, NUM_MODEL_REQUESTS)
    return student.once("model", lambda: student.run_loop("static", requests, clock=VirtualClock(), tokens="model"))


@check("2.6", points=2, en="a timeline worked out by hand, step by step",
       es="una línea de tiempo hecha a mano, paso a paso")
def test_hand_worked_timeline(student):
    """Three slots, a wait of 4 ms; signs as in test_3_loop.py.

    ms   0    5    10   15   20   25   30   35   40   45   50   55   60
    A 6  ----AAAAAA
    B 3    --BBB###
    C 1       .....C####                                        C comes one step too late for A and B
    D 2         ...DD###
    E 5         ...EEEEE
    F 1          .......F###                                    F's wait was over at 12 ms
    G 4           ......GGGG
    H 2                                ----HH
    I 1                                   -I#                   I comes in time
    J 1                                                              J
    """
    arrivals = (0, 6), (2, 3), (5, 1), (7, 2), (7, 5), (8, 1), (9, 4), (30, 2), (33, 1), (60, 1)
    expected = [10.0] * 2 + [15.0] * 3 + [19.0] * 2 + [36.0] * 2 + [61.0]
    expect_left(student, *arrivals, max_batch=3, max_wait_s=0.004, expected=expected, hint=t(
        "(when A to J left, in ms): the first time that differs shows which batch started too early or too late (section 2.4)",
        "(cuándo salieron A a J, en ms): el primer tiempo distinto muestra qué lote salió demasiado pronto o demasiado tarde "
        "(sección 2.4)",
    ))


@check("2.6", points=3, en="p95 within one step of the reference, at three loads",
       es="el p95 difiere en menos de un paso del de la referencia, con tres cargas")
def test_p95(student):
    got, expected = [], []
    for load in LOADS:
        requests = graded_workload(student.seed, load)
        mine = student.run_loop("static", requests, clock=VirtualClock())
        reference = replay("static", requests, impl="given", tokens="scripted")
        for log, found in ((mine, got), (reference, expected)):
            found.append(round(1e3 * metrics.percentile(metrics.e2e_s(log), 95), 2))
    student.measurements["p95_static_ms"] = got[LOADS.index(MODEL_LOAD)]
    near = all(abs(one - other) <= ONE_STEP_MS for one, other in zip(got, expected))
    expect(near, expected=expected, got=got, hint=t(
        "(p95 in ms at load 0.3, 0.7 and 0.95). If it is too high: does a full batch leave at once, does the wait count from "
        "the first arrival, does time pass anywhere else? If it is too low: are all rows computed to the end? (section 2.10)",
        "(p95 en ms con carga 0.3, 0.7 y 0.95). Si es demasiado alto: ¿sale enseguida un lote completo, cuenta la espera "
        "desde la primera llegada, se pierde tiempo en algún otro sitio? Si es demasiado bajo: ¿se calculan todas las filas "
        "hasta el final? (sección 2.10)",
    ))


@check("2.6", points=1, en="no answer before its batch has ended",
       es="ninguna respuesta antes de que termine su lote", negative=True)
def test_no_answer_is_early(student):
    early = answered_early(model_run(student))
    expect(not early, expected=t("0 of 200", "0 de 200"), got=f"{len(early)}: {early[:5]}", hint=t(
        "(answers that left before the longest member of their batch had ended): a static server answers the whole batch at "
        "once; section 2.11 shows what answering early is worth (section 2.10)",
        "(respuestas que salieron antes de terminar la más larga de su lote): un servidor estático responde al lote entero de "
        "una vez; la sección 2.11 muestra cuánto vale responder antes (sección 2.10)",
    ))


@check("2.6", points=1, en="every answer is the same as when its request runs alone",
       es="cada respuesta es la misma que obtiene su petición a solas")
def test_answers_are_unchanged(student):
    wrong = [i for i, record in model_run(student).requests.items() if record.answer != record.item.answer]
    expect(not wrong, expected=t("0 of 200", "0 de 200"), got=f"{len(wrong)}: {wrong[:5]}", hint=t(
        "(answers that differ): a token was lost, repeated or given to another request (section 2.10)",
        "(respuestas distintas): se perdió o se repitió un token, o fue a parar a otra petición (sección 2.10)",
    ))
