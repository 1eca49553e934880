"""Exercise 3.4: the loop, step by step.

One step is one millisecond. The scene of the lab, with two slots:

    A  3 tokens   |AAA
    B 30 tokens   |BBBBBBBBBBBBBBBBBBBBBBBBBBBBBB
    C  5 tokens   |...CCCCC          waits for A's slot, has it in step 4
                   123456789…

Each run is first looked through for what no right loop does (violations.py), so that a message names the mistake;
then its times are compared.
"""

import random

from minigpt.schedulers.continuous import continuous_batch_loop
from minigpt.simulation.run import replay
from tests.grader.check import check
from tests.grader.outcomes import expect, expect_equal, t
from tests.lab03.random_scenes import random_workloads
from tests.lab03.scenes import finish_ms, scene
from tests.lab03.served import served, served_in_turn
from tests.lab03.violations import ms

LAB_SCENE = ((0, 3), (0, 30), (0, 5))


def busy_scene(seed: int = 11):
    """Sixty requests of 1 to 40 tokens that come in a crowd and then in drops; some end with EOS."""
    rng = random.Random(seed)
    arrivals = [rng.choice((0, 0, rng.uniform(0, 120), rng.uniform(200, 400))) for _ in range(60)]
    return scene(*((arrival, rng.randint(1, 40)) for arrival in arrivals), ends_with_eos=seed % 2 == 0)


@check("3.4", points=2, en="the lab's scene, step by step", es="la escena del laboratorio, paso a paso")
def test_the_scene_of_the_lab(student):
    expect_equal(finish_ms(served(student, scene(*LAB_SCENE), max_inflight=2)), {0: 3.0, 1: 30.0, 2: 8.0}, hint=t(
        "(request: step in which it left) (section 3.4)", "(petición: paso en que salió) (sección 3.4)"))


@check("3.4", points=2, en="every request is answered, with its own tokens",
       es="cada petición recibe respuesta, con sus propios tokens")
def test_everybody_is_answered(student):
    for seed in (11, 12):
        workload = busy_scene(seed)
        log = served(student, workload)
        got = {i: record.answer for i, record in log.requests.items()}
        expect_equal(got, {item.request_id: item.answer for item in workload.items}, hint=t(
            "(request: its answer) (section 3.4)", "(petición: su respuesta) (sección 3.4)"))


@check("3.4", points=1, en="waits for the next arrival when no request is in flight",
       es="espera a la próxima llegada cuando no hay ninguna en vuelo")
def test_waits_when_idle(student):
    expect_equal(finish_ms(served(student, scene((5, 2), (100.5, 3)))), {0: 7.0, 1: 103.5}, hint=t(
        "(request: when it left, in ms): a request that arrives at an empty server starts at once (section 3.4)",
        "(petición: cuándo salió, en ms): una petición que llega a un servidor vacío empieza enseguida (sección 3.4)",
    ))


@check("3.4", points=1, en="starts without waiting for a full batch", es="empieza sin esperar un lote completo")
def test_starts_at_once(student):
    log = served(student, scene((0, 4), (2, 4), (50, 1)), max_inflight=4, max_wait_s=0.02)
    expect_equal(finish_ms(log), {0: 4.0, 1: 6.0, 2: 51.0}, hint=t(
        "(request: when it left, in ms): the first request starts alone at 0 ms; no request waits for others here (section "
        "3.4)",
        "(petición: cuándo salió, en ms): la primera petición empieza sola, a los 0 ms; aquí ninguna espera a otras (sección "
        "3.4)",
    ))


@check("3.4", points=1, en="every request in flight gets a token in every step",
       es="toda petición en vuelo recibe un token en cada paso")
def test_nobody_starves(student):
    log = served(student, busy_scene())
    late = [i for i, record in log.requests.items() if _skipped_steps(log, record)]
    expect_equal(late, [], hint=t(
        "(requests in flight that got no token in a step): pass all of in_flight to every step (section 3.4)",
        "(peticiones en vuelo que no recibieron token en un paso): pasa todo in_flight en cada paso (sección 3.4)",
    ))


def _skipped_steps(log, record) -> int:
    during = sum(record.admitted_ns <= step.start_ns and step.end_ns <= record.finish_ns for step in log.steps)
    return during - sum(record.item.request_id in step.request_ids for step in log.steps)


@check("3.4", points=2, en="no slot stays empty while a request waits, at any cap",
       es="ningún slot vacío mientras espera una petición, con cualquier tope")
def test_no_slot_is_empty(student):
    """Three come at once and one at a time after them: slots become free one by one, and are filled one by one."""
    for cap in (1, 2, 3, 5, 8):
        log = served(student, scene(*((k // 3 + k % 3 // 2, 3 + 5 * k % 7) for k in range(24))), max_inflight=cap)
        expect_equal(max(len(step.request_ids) for step in log.steps), cap, hint=t(
            f"(most rows in a step, with max_inflight = {cap} and a burst waiting) (section 3.4)",
            f"(máximo de filas en un paso, con max_inflight = {cap} y una ráfaga en espera) (sección 3.4)"))


@check("3.4", points=1, en="never exceeds the cap", es="nunca supera el tope")
def test_keeps_to_the_cap_all_along(student):
    log = served(student, busy_scene(), max_inflight=5)
    expect_equal(max((len(step.request_ids) for step in log.steps), default=0), 5, hint=t(
        "(most rows in a step, with max_inflight=5 and a burst waiting) (section 3.4)",
        "(máximo de filas en un paso, con max_inflight=5 y una ráfaga en espera) (sección 3.4)",
    ))


@check("3.4", points=1, en="equal lengths in one burst: the same as static batching",
       es="longitudes iguales en una ráfaga: igual que el batching estático")
def test_equal_lengths_in_one_burst(student):
    log = served(student, scene(*[(0, 16)] * 32), max_inflight=8)
    last = sorted(finish_ms(log).values())
    expect_equal(last, [16.0] * 8 + [32.0] * 8 + [48.0] * 8 + [64.0] * 8, hint=t(
        "(when the 32 answers left, in ms): when all requests have equal lengths and arrive together, continuous batching "
        "forms the same batches as static (section 3.5)",
        "(cuándo salieron las 32 respuestas, en ms): si todas las peticiones tienen la misma longitud y llegan a la vez, el "
        "batching continuo forma los mismos lotes que el estático (sección 3.5)",
    ))


@check("3.4", points=2, en="many random runs, one after another, to the nanosecond",
       es="muchas ejecuciones al azar, una tras otra, exactas al nanosegundo")
def test_many_runs(student):
    scenes = list(random_workloads(seed=34, number=30))
    for (workload, settings), log in zip(scenes, served_in_turn(student, scenes), strict=True):
        due = replay("continuous", workload, clock=settings["clock"](), tokens="scripted", loop=continuous_batch_loop,
                     max_inflight=settings["cap"])
        for mine, other in zip(log.steps, due.steps, strict=False):
            same = (mine.start_ns, sorted(mine.request_ids)) == (other.start_ns, sorted(other.request_ids))
            expect(same, expected=_shown(other), got=_shown(mine), hint=t(
                f"(a step of a run with max_inflight = {settings['cap']}): only one order is right: admit as many as there is "
                "room for, run one step, retire (section 3.4)",
                f"(un paso de una ejecución con max_inflight = {settings['cap']}): solo hay un orden correcto: admitir todas "
                "las que quepan, ejecutar un paso, retirar (sección 3.4)"))
        expect_equal(finish_ms(log), finish_ms(due), hint=t("(request: when it left, in ms) (section 3.4)",
                                                            "(petición: cuándo salió, en ms) (sección 3.4)"))


def _shown(step):
    ids = ", ".join(map(str, sorted(step.request_ids)))
    return t(f"at {ms(step.start_ns)} ms: requests {ids}", f"a los {ms(step.start_ns)} ms: peticiones {ids}")
