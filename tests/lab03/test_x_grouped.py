"""Stretch 3.8: `grouped_batch_loop`, in which newcomers share a prefill pass. It has to beat the reference."""

from statistics import mean

from minigpt.analysis import metrics
from minigpt.runtime.clock import VirtualClock
from minigpt.simulation.run import replay
from minigpt.workloads.workload import Workload, workload
from tests.grader.check import check
from tests.grader.outcomes import CheckFailed, expect, expect_equal, t
from tests.lab03.oracle import REMEMBERS
from tests.lab03.random_scenes import random_workloads
from tests.lab03.scenes import MS, answers, finish_ms, scene, scripted_answers

BETTER, NOT_WORSE = 0.85, 1.10  # of the reference's p95
NUM_REQUESTS = 600
MOST_PATIENCE_MS = 500  # "some milliseconds" is a matter of taste, half a second is not


def both(student, kind: str, load: float, seed: int):
    """The student's run and the given loop's on the same requests; the check fails if an answer is wrong."""
    requests = workload(kind, load=load, num_requests=NUM_REQUESTS, seed=seed)
    own = _run(student, requests, clock=VirtualClock())
    return own, replay("continuous", requests, impl="given", tokens="scripted")


def p95_ratio(own, given) -> float:
    ours, theirs = (metrics.percentile(metrics.e2e_s(log), 95) for log in (own, given))
    return ours / theirs


@check("3.8", points=0, en="oldest first, within the cap, without changing a token",
       es="primero la más antigua, sin pasar del tope y sin cambiar ningún token")
def test_a_scheduler_all_the_same(student):
    own, _ = both(student, "mixed", 0.95, student.seed + 1)
    expect_scheduler(own)
    for workload_, settings in random_workloads(seed=38, number=20):
        expect_scheduler(_run(student, workload_, again=True, clock=settings["clock"](), max_inflight=settings["cap"]))
    first, second = (_run(student, scene(*LAST_ONE_LATE), again=again, max_inflight=4) for again in (False, True))
    expect_scheduler(first)
    expect_equal(finish_ms(second), finish_ms(first), hint=REMEMBERS)


LAST_ONE_LATE = ((0, 3), (2, 3))  # (arrival in ms, tokens): the last comes as the first one ends, when the queue is closed


def _run(student, requests: Workload, **settings):
    try:
        return student.run_loop("continuous", requests, function="grouped_batch_loop", **settings)
    except CheckFailed as failure:
        if "ServingError" in failure.raised and "forward_one_step" in str(failure.got):
            failure.hint = failure.hint or (TWICE if "twice" in str(failure.got) else EMPTY_STEP)
        raise


EMPTY_STEP = t(
    "no request was in flight at this step. Then none should wait for company: admit those that wait, even a single one; if "
    "none waits, `server.queue.get()`. Look at how many you admit, too: a slice up to 0, or up to a condition that is False, "
    "takes none (section 3.12)",
    "no había ninguna petición en vuelo en ese paso. Entonces ninguna debe esperar a otras: admite las que esperan, aunque sea "
    "una sola; si no espera ninguna, `server.queue.get()`. Mira también cuántas admites: un corte hasta 0, o hasta una condición "
    "que es False, no toma ninguna (sección 3.12)",
)
TWICE = t(
    "a request is in flight twice. What you admit has to leave your list of waiting requests at once: with `waiting[:n]`, "
    "`del waiting[:n]` (section 3.12)",
    "una petición está dos veces en vuelo. Lo que admites tiene que salir enseguida de tu lista de espera: con `waiting[:n]`, "
    "`del waiting[:n]` (sección 3.12)",
)


def expect_scheduler(own) -> None:
    """Fail the check unless the run keeps to the cap and to the order of arrival, and every answer is whole."""
    most = max(len(step.request_ids) for step in own.steps)
    expect(most <= own.max_inflight, expected=t(f"at most {own.max_inflight}", f"{own.max_inflight} como mucho"), got=most, hint=t(
        "(requests in a step): a group may be larger than the free slots; admit only as many as are free (section 3.1)",
        "(peticiones en un paso): un grupo puede ser mayor que los slots libres; admite solo las que quepan (sección 3.1)",
    ))
    due = sorted(own.requests, key=lambda i: (own.requests[i].arrival_ns, i))
    first_seen = list(dict.fromkeys(i for step in own.steps for i in sorted(step.request_ids, key=due.index)))
    expected = [i for i in due if i in first_seen]
    at = next((k for k, pair in enumerate(zip(expected, first_seen)) if pair[0] != pair[1]), 0)
    expect(first_seen == expected, expected=expected[at : at + 4], got=first_seen[at : at + 4], hint=t(
        f"(requests in the order in which they were first computed, from number {at + 1} on; expected is the order of arrival): "
        "take the group from the front of the waiting requests (section 3.1)",
        f"(peticiones en el orden en que se calcularon por primera vez, desde la número {at + 1}; se esperaba el orden de "
        "llegada): toma el grupo del principio de las que esperan (sección 3.1)",
    ))
    whole = scripted_answers(own.workload)
    expect(answers(own) == whole, expected=t("every answer complete", "cada respuesta completa"),
           got=t("another answer, or none", "otra respuesta, o ninguna"), hint=t(
        "requests waiting in your own list count too when you decide whether the loop is over (section 3.4)",
        "las peticiones que esperan en tu propia lista también cuentan al decidir si el bucle ha acabado (sección 3.4)",
    ))


@check("3.8", points=0, en="equal lengths at load 0.95: p95 at least 15 % below the reference",
       es="longitudes iguales con carga 0.95: p95 al menos un 15 % por debajo de la referencia")
def test_beats_the_reference(student):
    ratios = [p95_ratio(*both(student, "constant:16", 0.95, student.seed + seed)) for seed in (1, 2)]
    expect(max(ratios) <= BETTER, expected=t(f"≤ {BETTER} × in both workloads", f"≤ {BETTER} × en ambas cargas de trabajo"),
           got=" · ".join(f"{ratio:.2f} ×" for ratio in ratios), hint=t(
        "(your p95 over the reference's): while any request is in flight, let new arrivals wait until two or more can be "
        "admitted together; one prefill pass then serves them all (section 3.12)",
        "(tu p95 entre el de la referencia): si hay peticiones en vuelo, haz que las recién llegadas esperen hasta que puedan "
        "entrar dos o más juntas; una sola pasada de prellenado sirve entonces para todas (sección 3.12)",
    ))


@check("3.8", points=0, en="mixed lengths at load 0.5: p95 hardly rises",
       es="longitudes dispares con carga 0.5: el p95 apenas sube")
def test_costs_little_at_light_load(student):
    ratio = mean(p95_ratio(*both(student, "mixed", 0.5, student.seed + seed)) for seed in (3, 4))
    expect(ratio <= NOT_WORSE, expected=f"≤ {NOT_WORSE} ×", got=f"{ratio:.2f} ×", hint=t(
        "(your p95 over the reference's, mean of two workloads): when the load is light, it may be long before a second "
        "request arrives. Limit the wait to a few milliseconds, and do not wait when no request is in flight "
        "(section 3.12)",
        "(tu p95 entre el de la referencia, media de dos cargas de trabajo): con poca carga, una segunda petición puede "
        "tardar en llegar. Limita la espera a unos milisegundos, y no esperes si no hay peticiones en vuelo "
        "(sección 3.12)",
    ))


@check("3.8", points=0, en="no request waits longer than your limit, and none waits at an idle server",
       es="ninguna petición espera más que tu límite, y ninguna espera con el servidor ocioso")
def test_waits_are_bounded(student):
    """One long request is in flight, a single one comes at 10 ms, and no other for a long time."""
    log = _run(student, scene((0, 1_000), (10, 5), (900, 5)), max_inflight=8)
    started_ms = next((step.start_ns / MS for step in log.steps if 1 in step.request_ids), 1_000.0)
    expect(started_ms - 10 <= MOST_PATIENCE_MS, expected=f"≤ {MOST_PATIENCE_MS} ms", got=f"{started_ms - 10:.0f} ms", hint=t(
        "(how long a request that came alone waited, with a free slot): after a few milliseconds, admit the oldest waiting "
        "request on its own. Count from its own arrival_time_s (section 3.12)",
        "(cuánto esperó una petición que llegó sola, con un slot libre): pasados unos milisegundos, admite sola a la más "
        "antigua de las que esperan. Cuenta desde su propio arrival_time_s (sección 3.12)",
    ))
    # One slot becomes free at 60 ms, so no group has room; others keep coming, and the oldest has waited long enough.
    others = ((10 + 4 * k, 400) for k in range(60))
    log = _run(student, scene((0, 400), (0, 400), (0, 400), (0, 60), *others), max_inflight=4)
    started_ms = next((step.start_ns / MS for step in log.steps if 4 in step.request_ids), 400.0)
    expect(started_ms - 10 <= 200, expected="≤ 200 ms", got=f"{started_ms - 10:.0f} ms", hint=t(
        "(how long the oldest request waited: 50 ms with all slots taken, then with one free while others arrived): the "
        "limit counts from the oldest waiting request, not from the newest (section 3.12)",
        "(cuánto esperó la petición más antigua: 50 ms con todos los slots ocupados y después con uno libre, mientras "
        "llegaban otras): el límite cuenta desde la más antigua de las que esperan, no desde la más reciente (sección 3.12)",
    ))
    log = _run(student, scene((0, 3), (50, 3)), max_inflight=4)
    expect_equal(finish_ms(log), {0: 3.0, 1: 53.0}, hint=t(
        "(when each answer left, in ms): both requests arrived at an idle server, where waiting gains nothing (section 3.12)",
        "(cuándo salió cada respuesta, en ms): ambas peticiones llegaron a un servidor ocioso, donde esperar no sirve de nada "
        "(sección 3.12)",
    ))
