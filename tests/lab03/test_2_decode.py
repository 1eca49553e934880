"""Exercise 3.2: `decode_one_step` gives each request its token and says who has ended."""

import random
from dataclasses import replace

from minigpt.workloads.workload import Workload
from tests.grader.check import check
from tests.grader.outcomes import expect, expect_equal, t
from tests.lab03.oracle import REMEMBERS
from tests.lab03.random_scenes import random_items
from tests.lab03.scenes import scene


def stepped(student, workload, steps: int, *, again: bool = False):
    """Call `decode_one_step` so often on all requests of a workload: outputs, ended ids of each call, the server.

    `again` goes on in the load of the file that the last call had, as a loop does from step to step.
    """
    host = student.server(workload, max_inflight=len(workload.items), max_batch=2)
    running, ended = host.take(len(workload.items)), []
    random.Random(len(running)).shuffle(running)  # their order need not be that of their ids
    for count in range(steps):
        passed = running
        finished, (running,) = student.call_on(host, "decode_one_step", running, again=again or count > 0)
        expect_nobody_left(passed, running)
        ended.append(ids_of(finished, running))
        gone = {request for request in running if request.request_id in ended[-1]}
        for request in gone:
            host.server.respond(request)
        running = [request for request in running if request not in gone]
        if not running:
            break
    return {i: request.output_token_ids for i, request in host.requests.items()}, ended, host


def ids_of(finished, running: list) -> list[int]:
    """The ids of those that ended, in rising order; a message of its own for anything that is not a list of requests."""
    expect(isinstance(finished, (list, tuple)), expected=t("a list of requests", "una lista de peticiones"), got=finished,
           hint=t("return the list of requests that ended in this step, empty if none did (section 3.2)",
                  "devuelve la lista de las peticiones que terminaron en este paso, vacía si ninguna (sección 3.2)"))
    are_requests = all(hasattr(request, "request_id") for request in finished)
    expect(are_requests, expected=t("requests", "peticiones"), got=finished, hint=t(
        "the list holds the requests themselves, not their ids or tokens (section 3.2)",
        "la lista contiene las peticiones mismas, no sus identificadores ni sus tokens (sección 3.2)"))
    ids = sorted(request.request_id for request in finished)
    expect(len(set(ids)) == len(ids), expected=sorted(set(ids)), got=ids, hint=t(
        "(ended in one step): each request ends once. With two ways to end, one `if` with `or` names it once (section "
        "3.2)",
        "(terminadas en un paso): cada petición termina una vez. Como hay dos maneras de terminar, un solo `if` con "
        "`or` la nombra una vez (sección 3.2)"))
    here = {request.request_id for request in running}
    expect(set(ids) <= here, expected=sorted(set(ids) & here), got=ids, hint=t(
        "(ended in this step): some of these ended in an earlier step. ", "(terminadas en este paso): algunas terminaron "
        "en un paso anterior. ").followed_by(REMEMBERS))
    return ids


def expect_nobody_left(before: list, after) -> None:
    """Fail the check if the list that was passed has lost a request."""
    ids = [[getattr(request, "request_id", request) for request in some] if isinstance(some, list) else some
           for some in (before, after)]
    expect(isinstance(after, list) and set(ids[0]) <= set(ids[1]), expected=ids[0], got=ids[1], hint=t(
        "(ids in in_flight after the call): a request that has ended is in the list that you return, and stays in "
        "in_flight until `retire`. Removing from a list while walking along it skips a neighbour, too (section 3.2)",
        "(ids en in_flight tras la llamada): la que ha terminado va en la lista que devuelves y sigue en in_flight "
        "hasta `retire`. Además, quitar de una lista mientras la recorres se salta a una vecina (sección 3.2)",
    ))


@check("3.2", points=1, en="gives every request its own token", es="da a cada petición su propio token")
def test_each_gets_its_own_token(student):
    workload = scene((0, 5), (0, 5), (0, 5))
    outputs, _, _ = stepped(student, workload, steps=2)
    expect_equal(outputs, {item.request_id: list(item.answer[:2]) for item in workload.items}, hint=t(
        "tokens come back in the order of the requests that you passed; each is appended once (section 3.2)",
        "los tokens vuelven en el orden de las peticiones que pasaste; cada uno se añade una vez (sección 3.2)",
    ))


@check("3.2", points=1, en="one forward pass for all", es="un solo paso del modelo para todas")
def test_one_pass_for_all(student):
    host = student.server(scene((0, 5), (0, 5), (0, 5)), max_inflight=3)
    running = host.take(3)
    for expected, newcomers in (([2], 0), ([3], 1)):  # the second step has two running requests and a new one
        running = running[: 2 + newcomers]
        num_before = len(host.server.log.steps)
        _, (running,) = student.call_on(host, "decode_one_step", running, again=newcomers > 0)
        if not newcomers:
            running = [*running, host.requests[2]]
        rows = [len(step.request_ids) for step in host.server.log.steps[num_before:]]
        expect_equal(rows, expected, hint=t(
            "(rows of each forward pass): all requests share one pass, new ones too: the server computes their prompts "
            "in the same step. A pass for each costs three times as much (section 3.2)",
            "(filas de cada paso): todas las peticiones comparten un paso, también las nuevas: el servidor calcula sus "
            "prompts en el mismo paso. Uno por petición cuesta el triple (sección 3.2)",
        ))


@check("3.2", points=1, en="EOS is not part of the answer", es="EOS no forma parte de la respuesta")
def test_eos_ends_and_is_not_stored(student):
    outputs, ended, _ = stepped(student, scene((0, 2), (0, 4), (0, 0), ends_with_eos=True), steps=6)
    lengths = {i: len(tokens) for i, tokens in outputs.items()}
    expect_equal(lengths, {0: 2, 1: 4, 2: 0}, hint=t(
        "(tokens of each answer): EOS takes its step and ends the request, but it is not a token of the answer; if it "
        "comes first, the answer is empty (section 3.2)",
        "(tokens de cada respuesta): EOS ocupa su paso y termina la petición, pero no es un token de la respuesta; si "
        "llega el primero, la respuesta queda vacía (sección 3.2)",
    ))
    expect_equal(ended, [[2], [], [0], [], [1]], hint=t(
        "(ended in each step): a request of 2 tokens ends in the third step, in which its EOS comes, and one whose "
        "first token is EOS ends in the first (section 3.2)",
        "(terminadas en cada paso): una petición de 2 tokens termina en el tercer paso, en el que llega su EOS, y una "
        "cuyo primer token es EOS termina en el primero (sección 3.2)",
    ))


@check("3.2", points=1, en="ends at max_tokens, to the token", es="termina en max_tokens, ni uno más ni uno menos")
def test_ends_at_the_limit(student):
    outputs, ended, _ = stepped(student, scene((0, 1), (0, 3)), steps=4)
    expect_equal(ended, [[0], [], [1]], hint=t(
        "(ended in each step): with max_tokens=3 a request ends in the step that gives its third token; look at the "
        "comparison with max_tokens (section 3.2)",
        "(terminadas en cada paso): con max_tokens=3 una petición termina en el paso que le da su tercer token; mira "
        "la comparación con max_tokens (sección 3.2)",
    ))
    lengths = {i: len(tokens) for i, tokens in outputs.items()}
    expect_equal(lengths, {0: 1, 1: 3}, hint=t(
        "(tokens of each answer): the request ended in the right step, and its last token is missing. Unlike EOS, the "
        "token with which max_tokens is reached belongs to the answer: append first, then compare (section 3.2)",
        "(tokens de cada respuesta): la petición terminó en el paso debido, y falta su último token. A diferencia de "
        "EOS, el token con el que se llega a max_tokens forma parte de la respuesta: añádelo antes de comparar "
        "(sección 3.2)",
    ))


@check("3.2", points=1, en="neither answers nor lets time pass", es="ni responde ni deja pasar tiempo")
def test_only_computes(student):
    host = student.server(scene((0, 1), (0, 3)), max_inflight=2)
    student.call_on(host, "decode_one_step", host.take(2))
    answered = [i for i, record in host.server.log.requests.items() if record.finish_ns is not None]
    expect_equal(answered, [], hint=t(
        "(requests answered by it): this function says who has ended; answering is the business of `retire` (section "
        "3.3)",
        "(peticiones respondidas por ella): esta función dice quién ha terminado; responder es cosa de `retire` "
        "(sección 3.3)",
    ))
    expect_equal(host.server.clock.now_ns / 1e6, 1.0, hint=t(
        "(clock after one step, in ms): a step takes 1 ms here, and nothing else takes time: one forward pass, no sleep "
        "(section 3.2)",
        "(reloj tras un paso, en ms): aquí un paso dura 1 ms, y nada más ocupa tiempo: una pasada, sin sleep (sección "
        "3.2)",
    ))


@check("3.2", points=1, en="many batches at random, one after another", es="muchos lotes al azar, uno tras otro")
def test_many_batches(student):
    rng = random.Random(32)
    for count in range(20):
        items = [replace(item, arrival_ns=0) for item in random_items(rng, rng.randint(1, 14))]
        outputs, ended, _ = stepped(student, Workload(name="random", items=tuple(items)), steps=30, again=count > 0)
        due = [sorted(item.request_id for item in items if item.num_steps == step)
               for step in range(1, max(item.num_steps for item in items) + 1)]
        about = t("(answers as [tokens, max_tokens]: ", "(respuestas como [tokens, max_tokens]: ").followed_by(
            ", ".join(f"{item.request_id}: [{len(item.answer)}, {item.max_tokens}]" for item in items) + "). ")
        expect_equal(ended, due, hint=about.followed_by(t(
            "(ended in each step): an answer shorter than its limit ends with EOS, one step after its last token; "
            "several may end in one step (section 3.2). ",
            "(terminadas en cada paso): una respuesta más corta que su límite termina con EOS, un paso después de su "
            "último token; pueden terminar varias en un paso (sección 3.2). ",
        )))
        expect_equal(outputs, {item.request_id: list(item.answer) for item in items}, hint=about.followed_by(t(
            "(request: its tokens) (section 3.2)", "(petición: sus tokens) (sección 3.2)")))
