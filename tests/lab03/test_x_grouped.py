"""Stretch 3.8: `grouped_batch_loop`, in which newcomers share a prefill pass. It has to beat the reference."""

from statistics import mean

from minigpt.analysis import metrics
from minigpt.runtime.clock import VirtualClock
from minigpt.simulation.run import replay
from minigpt.workloads.workload import workload
from tests.grader.check import check
from tests.grader.outcomes import expect, expect_equal, t
from tests.lab03.scenes import answers, scripted_answers

BETTER, NOT_WORSE = 0.85, 1.10  # of the reference's p95
NUM_REQUESTS = 600


def both(student, kind: str, load: float, seed: int):
    """The student's run and the given loop's on the same requests; the check fails if an answer is wrong."""
    requests = workload(kind, load=load, num_requests=NUM_REQUESTS, seed=seed)
    own = student.run_loop("continuous", requests, function="grouped_batch_loop", clock=VirtualClock())
    return own, replay("continuous", requests, impl="given", tokens="scripted")


def p95_ratio(own, given) -> float:
    ours, theirs = (metrics.percentile(metrics.e2e_s(log), 95) for log in (own, given))
    return ours / theirs


@check("3.8", points=0, en="oldest first, within the cap, and not a token changed",
       es="primero la más antigua, sin pasar del tope y sin cambiar un token")
def test_a_scheduler_all_the_same(student):
    own, _ = both(student, "mixed", 0.95, student.seed + 1)
    most = max(len(step.request_ids) for step in own.steps)
    expect(most <= own.max_inflight, expected=t(f"at most {own.max_inflight}", f"{own.max_inflight} como mucho"), got=most, hint=t(
        "(requests in a step): a group may be larger than the free seats; admit only as many as are free (section 3.1)",
        "(peticiones en un paso): un grupo puede ser mayor que los slots libres; admite solo las que quepan (sección 3.1)",
    ))
    first_seen = list(dict.fromkeys(request_id for step in own.steps for request_id in sorted(step.request_ids)))
    expect_equal(first_seen == sorted(first_seen), True, hint=t(
        "(are requests admitted in the order of arrival?) take the group from the front of those who wait (section 3.1)",
        "(¿se admiten por orden de llegada?) toma el grupo del principio de las que esperan (sección 3.1)",
    ))
    whole = scripted_answers(own.workload)
    expect(answers(own) == whole, expected=t("every answer whole", "cada respuesta entera"),
           got=t("another answer, or none", "otra respuesta, o ninguna"), hint=t(
        "requests that wait in your own list count too when you ask whether it is over (section 3.4)",
        "quien espera en tu propia lista también cuenta cuando preguntas si se acabó (sección 3.4)",
    ))


@check("3.8", points=0, en="equal lengths at load 0.95: p95 at least 15 % below the reference",
       es="longitudes iguales con carga 0.95: p95 al menos un 15 % por debajo de la referencia")
def test_beats_the_reference(student):
    ratios = [p95_ratio(*both(student, "constant:16", 0.95, student.seed + seed)) for seed in (1, 2)]
    expect(max(ratios) <= BETTER, expected=t(f"≤ {BETTER} × in both crowds", f"≤ {BETTER} × en ambas tandas"),
           got=" · ".join(f"{ratio:.2f} ×" for ratio in ratios), hint=t(
        "(your p95 over the reference's): while a request is in flight, let newcomers wait until two or more can be admitted "
        "together; one prefill pass then serves them all (section 3.5)",
        "(tu p95 entre el de la referencia): si hay alguien en vuelo, deja que las recién llegadas esperen a entrar dos o más "
        "juntas; una pasada de prellenado sirve entonces para todas (sección 3.5)",
    ))


@check("3.8", points=0, en="mixed lengths at load 0.5: hardly any request pays for it",
       es="longitudes mixtas con carga 0.5: casi nadie lo paga")
def test_costs_little_at_light_load(student):
    ratio = mean(p95_ratio(*both(student, "mixed", 0.5, student.seed + seed)) for seed in (3, 4))
    expect(ratio <= NOT_WORSE, expected=f"≤ {NOT_WORSE} ×", got=f"{ratio:.2f} ×", hint=t(
        "(your p95 over the reference's, mean of two crowds): where load is light a second one may not come for long. Bound the "
        "wait by a patience of some milliseconds, and do not wait with no request in flight (section 3.5)",
        "(tu p95 entre el de la referencia, media de dos tandas): con poca carga, una segunda puede tardar en llegar. Limita la "
        "espera con una paciencia de unos milisegundos, y no esperes si no hay nadie en vuelo (sección 3.5)",
    ))
