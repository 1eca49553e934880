"""Exercise 2.3: batch after batch, by timelines worked out by hand.

One step is one millisecond. A row is a request from its arrival on:

    .  in the queue, since the server is busy          A  a step that gives it a token (or its EOS)
    -  taken, waiting for the batch to form            #  has its answer, and is held until the batch has ended
"""

import random

from minigpt.runtime.clock import steps_clock
from tests.grader.check import check
from tests.grader.outcomes import CheckFailed, expect, expect_equal, t
from tests.lab02.batch_by_batch import due_run, first_difference, ran
from tests.lab02.batches import why_unanswered
from tests.lab02.drawn import drawn, how_to_look
from tests.lab03.oracle import REMEMBERS
from tests.lab03.random_scenes import random_workloads
from tests.lab03.scenes import answers, finish_ms, scene, scripted_answers

LEFT = t("(when each answer left, in ms). ", "(cuándo salió cada respuesta, en ms). ")
COMPARE = t(
    "Compare row by row: when does each batch leave, and when does its longest member end? (section 2.4)",
    "Compara fila a fila: ¿cuándo sale cada lote y cuándo termina su petición más larga? (sección 2.4)",
)
LOOK = t("\nYour own run, in a cell:", "\nTu propia ejecución, en una celda:")


def expect_left(student, *requests, expected: list[float], hint=None, max_wait_s: float = 0.005, **scene_of) -> None:
    """Fail the check unless the answers of these requests (arrival in ms, length) leave when they should, in ms."""
    workload = scene(*requests, ends_with_eos=scene_of.get("ends_with_eos", False))
    log = ran(student, workload, max_batch=scene_of["max_batch"], max_wait_s=max_wait_s)
    found = finish_ms(log)
    left = [found.get(item.request_id) for item in workload.items]
    expect_equal(left, expected, hint=why_unanswered(log) or hint or late(requests, max_wait_s=max_wait_s, **scene_of))


def late(requests, **scene_of):
    """The scene of a check as a drawing: the expected result can be worked out from it, but is not shown."""
    look = how_to_look(requests, **scene_of)
    text = LEFT.followed_by(drawn(requests, **scene_of)).followed_by(COMPARE)
    return text.followed_by(LOOK).followed_by(look) if look else text


def busy_scene(seed: int):
    """Sixty requests of 1 to 40 tokens that come in a crowd and then in drops; some end with EOS."""
    rng = random.Random(seed)
    arrivals = sorted(rng.choice((0, 0, rng.uniform(0, 300), rng.uniform(500, 900))) for _ in range(60))
    return scene(*((arrival, rng.randint(1, 40)) for arrival in arrivals), ends_with_eos=seed % 2 == 0)


@check("2.3", points=2, en="the lab's scene, step by step", es="la escena del laboratorio, paso a paso")
def test_the_scene_of_the_lab(student):
    """Three slots, a wait of 5 ms.

    ms    0    5    10   15   20
    A  4  -----AAAA########            B comes in time, C does not
    B 12     --BBBBBBBBBBBB
    C  2        ...........CC####      C, D and E fill the next batch, which leaves as soon as the server is free
    D  6          .........DDDDDD
    E  3           ........EEE###
    """
    requests = (0, 4), (3, 12), (6, 2), (8, 6), (9, 3)
    expect_left(student, *requests, max_batch=3, expected=[17.0, 17.0, 23.0, 23.0, 23.0], hint=t(
        "(when A to E left, in ms): the first batch leaves at 5 ms and ends with B, the second ends with D. Do all answers of "
        "a batch leave together when it has ended? (section 2.4)",
        "(cuándo salieron A a E, en ms): el primer lote sale a los 5 ms y termina con B; el segundo, con D. ¿Salen juntas "
        "todas las respuestas de un lote cuando este ha terminado? (sección 2.4)",
    ))


@check("2.3", points=1, en="a full batch starts at once", es="un lote completo empieza enseguida")
def test_full_batch_starts_at_once(student):
    """Two slots, a wait of 5 ms.

    ms   0    5    10   15   20
    A 3  --AAA
    B 1    B##
    C 2     ..---CC                    C came at 3 ms: its wait ends at 8
    D 1                      D         no more will come: the queue is closed, and D does not wait
    """
    expect_left(student, (0, 3), (2, 1), (3, 2), (20, 1), max_batch=2, expected=[5.0, 5.0, 10.0, 21.0])


@check("2.3", points=1, en="a wait that ended while the server was busy",
       es="una espera que acabó con el servidor ocupado")
def test_wait_over_while_busy(student):
    """Four slots, a wait of 5 ms.

    ms   0    5    10   15   20   25        40
    A 9  -----AAAAAAAAA
    B 2        ........BB#                       B's wait was over at 11 ms: it leaves at 14 ms, with C, without D
    C 3               .CCC
    D 1                  .----D                  D's wait ends at 21 ms
    E 1                                     E
    """
    requests = (0, 9), (6, 2), (13, 3), (16, 1), (40, 1)
    expect_left(student, *requests, max_batch=4, expected=[14.0, 17.0, 17.0, 22.0, 41.0])


@check("2.3", points=1, en="EOS takes a step of its own", es="EOS ocupa un paso propio")
def test_eos_takes_its_step(student):
    """Two slots; each answer ends with EOS, in a step after its last token; D's answer is empty.

    ms   0    5    10
    A 2  AAA##
    B 4  BBBBB
    C 1   ....CC
    D 0    ...D#
    """
    requests = (0, 2), (0, 4), (1, 1), (2, 0)
    expect_left(student, *requests, max_batch=2, ends_with_eos=True, expected=[5.0, 5.0, 7.0, 7.0])


@check("2.3", points=1, en="a burst is served in order of arrival", es="una avalancha se atiende por orden de llegada")
def test_a_crowd(student):
    """Two slots, six requests at once.

    ms   0    5    10   15
    A 5  AAAAA
    B 1  B####
    C 2  .....CC#####
    D 7  .....DDDDDDD
    E 1  ............E##
    F 3  ............FFF
    """
    requests = [(0, length) for length in (5, 1, 2, 7, 1, 3)]
    expect_left(student, *requests, max_batch=2, expected=[5.0, 5.0, 12.0, 12.0, 15.0, 15.0])


@check("2.3", points=1, en="a lone request waits the full max_wait_s",
       es="una petición sola espera max_wait_s entero")
def test_alone(student):
    """Four slots, a wait of 5 ms, and a request every 10 ms.

    ms   0    5    10   15   20
    A 2  -----AA
    B 2            -----BB
    C 2                      CC        the last one: the queue is closed
    """
    expect_left(student, (0, 2), (10, 2), (20, 2), max_batch=4, expected=[7.0, 17.0, 22.0])


@check("2.3", points=2, en="every request is answered, with its own tokens",
       es="cada petición recibe respuesta, con sus propios tokens")
def test_everybody_is_answered(student):
    for seed in (21, 22):
        workload = busy_scene(seed)
        log = ran(student, workload)
        got, expected = answers(log), scripted_answers(workload)
        numbers = [t(f"{len(some)} answers", f"{len(some)} respuestas") for some in (expected, got)]
        expect(got.keys() == expected.keys(), expected=numbers[0], got=numbers[1], hint=why_unanswered(log))
        different = [i for i in expected if got[i] != expected[i]]
        expect_equal(different, [], hint=t(
            "(requests whose tokens differ from those they get alone): batching must not change an answer (section 2.4)",
            "(peticiones cuyos tokens no son los que obtienen a solas): el batching no debe cambiar ninguna respuesta "
            "(sección 2.4)",
        ))


WAITS_S = (0.005, 0.0, 0.002, 0.0173)


@check("2.3", points=2, en="many random runs, one after another, to the nanosecond",
       es="muchas ejecuciones al azar, una tras otra, exactas al nanosegundo")
def test_many_runs(student):
    for count, (workload, settings) in enumerate(random_workloads(seed=23, number=30)):
        settings["max_wait_s"] = WAITS_S[count % len(WAITS_S)]
        difference = run_once(student, workload, settings, again=count > 0)
        if difference is not None:
            if count and run_once(student, workload, settings, again=False) is None:
                difference.hint = REMEMBERS
            raise difference
    crowd = scene(*((9 * k, 1) for k in range(300)))  # a long day: no number of batches is the last one
    settings = {"clock": steps_clock, "cap": 1, "max_wait_s": 0.0}
    difference = run_once(student, crowd, settings, again=False)
    if difference is not None:
        raise difference


def run_once(student, workload, settings: dict, *, again: bool) -> CheckFailed | None:
    """Let the loop serve a workload: the first difference from what is due, or None."""
    try:
        log = ran(student, workload, clock=settings["clock"](), max_batch=settings["cap"],
                  max_wait_s=settings["max_wait_s"], again=again)
    except CheckFailed as failure:
        return failure
    return first_difference(log, due_run(workload, settings), settings)
