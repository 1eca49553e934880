"""Exercise 3.2: `decode_one_step` gives each request its token and says who has ended."""

import random
from dataclasses import replace

from minigpt.workloads.workload import Workload
from tests.grader.check import check
from tests.grader.outcomes import expect, expect_equal, t
from tests.lab03.oracle import REMEMBERS, expect_token_ids, one_step_early, one_step_late, prompt_counted, two_prompts
from tests.lab03.random_scenes import random_items
from tests.lab03.scenes import scene


def stepped(student, workload, steps: int, *, again: bool = False):
    """Call `decode_one_step` `steps` times on a workload's requests: outputs, ended ids of each call, the server.

    With `again`, go on in the copy of the file that the last call used, as a loop does from step to step.
    """
    host = student.server(workload, max_inflight=len(workload.items), max_batch=2)
    running, ended = host.take(len(workload.items)), []
    random.Random(len(running)).shuffle(running)  # their order need not be that of their ids
    for count in range(steps):
        passed = running
        finished, (running,) = student.call_on(host, "decode_one_step", running, again=again or count > 0)
        expect_nobody_left(passed, running)
        ended.append(ids_of(finished, running))
        expect_no_answer(host, ended[-1])
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
           hint=t("return the list of requests that ended in this step; it is empty if none did (section 3.2)",
                  "devuelve la lista de las peticiones que terminaron en este paso; está vacía si no terminó ninguna (sección "
                  "3.2)"))
    are_requests = all(hasattr(request, "request_id") for request in finished)
    expect(are_requests, expected=t("requests", "peticiones"), got=finished, hint=t(
        "the list holds the requests themselves, not their ids or tokens (section 3.2)",
        "la lista contiene las peticiones mismas, no sus identificadores ni sus tokens (sección 3.2)"))
    ids = sorted(request.request_id for request in finished)
    expect(len(set(ids)) == len(ids), expected=sorted(set(ids)), got=ids, hint=t(
        "(ended in one step): a request that ended is listed twice. There are two ways to end: test both in one `if` with "
        "`or`, so that each request ends once (section 3.2)",
        "(terminadas en un paso): una petición terminada figura dos veces. Hay dos maneras de terminar: comprueba ambas en un "
        "solo `if` con `or`, para que cada petición termine una vez (sección 3.2)"))
    here = {request.request_id for request in running}
    expect(set(ids) <= here, expected=sorted(set(ids) & here), got=ids, hint=t(
        "(ended in this step): some of these ended in an earlier step. ", "(terminadas en este paso): algunas terminaron "
        "en un paso anterior. ").followed_by(REMEMBERS))
    return ids


def expect_no_answer(host, ids) -> None:
    """Fail the check if one of these has been answered."""
    answered = [i for i in ids if host.server.log.requests[i].finish_ns is not None]
    expect_equal(answered, [], hint=t(
        "(requests that it answered): this function only returns the requests that ended; answering them is the job of "
        "`retire` (section 3.3)",
        "(peticiones respondidas): esta función solo devuelve las peticiones que terminaron; responder es cosa de `retire` "
        "(sección 3.3)",
    ))


def expect_nobody_left(before: list, after) -> None:
    """Fail the check if the list that was passed has lost a request."""
    ids = [[getattr(request, "request_id", request) for request in some] if isinstance(some, list) else some
           for some in (before, after)]
    expect(isinstance(after, list) and set(ids[0]) <= set(ids[1]), expected=ids[0], got=ids[1], hint=t(
        "(ids in in_flight after the call): a request that has ended goes into the list that you return, but stays in "
        "in_flight until `retire`. Besides, removing from a list while iterating over it skips an item (section 3.2)",
        "(ids en in_flight tras la llamada): la que ha terminado va en la lista que devuelves, pero sigue en in_flight hasta "
        "`retire`. Además, si quitas elementos de una lista mientras la recorres, te saltas alguno (sección 3.2)",
    ))


@check("3.2", points=1, en="gives every request its own token", es="da a cada petición su propio token")
def test_each_gets_its_own_token(student):
    workload = scene((0, 5), (0, 5), (0, 5))
    outputs, _, _ = stepped(student, workload, steps=2)
    expect_token_ids(outputs, "3.2")
    answers = {item.request_id: item.answer for item in workload.items}
    due = {i: list(tokens[:2]) for i, tokens in answers.items()}
    is_short = outputs != due and all(tokens == [each for each in due[i] if each in tokens] for i, tokens in outputs.items())
    expect(not is_short, expected=due, got=outputs, hint=t(
        "the tokens are the right ones, but some are missing: append every token that is not `server.model.eos_token_id`; 0 is "
        "a token like any other (section 3.2)",
        "los tokens son los correctos, pero faltan algunos: añade todo token que no sea `server.model.eos_token_id`; 0 es un "
        "token como cualquier otro (sección 3.2)",
    ))
    took_steps = all(len(tokens) > 2 and tokens == list(answers[i][: len(tokens)]) for i, tokens in outputs.items())
    expect(not took_steps, expected=due, got=outputs, hint=t(
        "after two calls: each call computes one step only, one token for each request, and then returns, even if no request has "
        "ended; the loop of exercise 3.4 will call it again (section 3.2)",
        "tras dos llamadas: cada llamada calcula un solo paso, un token para cada petición, y vuelve, aunque no haya terminado "
        "ninguna; el bucle del ejercicio 3.4 la llamará otra vez (sección 3.2)",
    ))
    expect_equal(outputs, due, hint=t(
        "tokens come back in the order of the requests that you passed; append each of them once (section 3.2)",
        "los tokens vuelven en el orden de las peticiones que pasaste; añade cada uno una sola vez (sección 3.2)",
    ))


@check("3.2", points=1, en="one forward pass for all requests", es="una sola pasada del modelo para todas")
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
            "(rows in each forward pass): all requests share one pass, including new ones: the server computes their prompts "
            "in the same step. A pass for each request multiplies the cost (section 3.2)",
            "(filas de cada pasada): todas las peticiones comparten una pasada, también las nuevas: el servidor calcula sus "
            "prompts en el mismo paso. Una pasada por petición multiplica el coste (sección 3.2)",
        ))


@check("3.2", points=1, en="EOS is not part of the answer", es="EOS no forma parte de la respuesta")
def test_eos_ends_and_is_not_stored(student):
    outputs, ended, _ = stepped(student, scene((0, 2), (0, 4), (0, 0), ends_with_eos=True), steps=6)
    lengths = {i: len(tokens) for i, tokens in outputs.items()}
    expect_equal(lengths, {0: 2, 1: 4, 2: 0}, hint=t(
        "(tokens of each answer): EOS takes a step and ends the request, but it is not a token of the answer; if it comes "
        "first, the answer is empty (section 3.2)",
        "(tokens de cada respuesta): EOS ocupa un paso y termina la petición, pero no es un token de la respuesta; si es el "
        "primero, la respuesta queda vacía (sección 3.2)",
    ))
    expect_equal(ended, [[2], [], [0], [], [1]], hint=t(
        "(ended in each step): a request of 2 tokens ends in the third step, when its EOS comes, and one whose first token is "
        "EOS ends in the first step (section 3.2)",
        "(terminadas en cada paso): una petición de 2 tokens termina en el tercer paso, cuando llega su EOS, y una cuyo "
        "primer token es EOS termina en el primer paso (sección 3.2)",
    ))


@check("3.2", points=1, en="ends at max_tokens, to the token", es="termina en max_tokens, ni uno más ni uno menos")
def test_ends_at_the_limit(student):
    outputs, ended, _ = stepped(student, scene((0, 1), (0, 3)), steps=4)
    if ended != [[0], [], [1]]:
        _, of_six, _ = stepped(student, two_prompts(), steps=6)
        is_early, counts_prompt = of_six == [[], [], [], [], [0, 1]], of_six == [[], [], [1], [], [0]]
        expect(not (is_early or counts_prompt), expected=[[0], [], [1]], got=ended, hint=t(
            "(ended in each step): ", "(terminadas en cada paso): ").followed_by(
            one_step_early("3.2") if is_early else prompt_counted("3.2")))
    expect_equal(ended, [[0], [], [1]], hint=one_step_late("3.2") if ended == [[], [0], [], [1]] else t(
        "(ended in each step): with max_tokens=3 a request ends in the step that produces its third token; look at the "
        "comparison with max_tokens (section 3.2)",
        "(terminadas en cada paso): con max_tokens=3 una petición termina en el paso que le da su tercer token; revisa la "
        "comparación con max_tokens (sección 3.2)",
    ))
    lengths = {i: len(tokens) for i, tokens in outputs.items()}
    expect_equal(lengths, {0: 1, 1: 3}, hint=t(
        "(tokens of each answer): the request ended in the right step, but its last token is missing. Unlike EOS, the token "
        "that reaches max_tokens belongs to the answer: append first, then compare (section 3.2)",
        "(tokens de cada respuesta): la petición terminó en el paso correcto, pero falta su último token. A diferencia de "
        "EOS, el token que alcanza max_tokens forma parte de la respuesta: añádelo antes de comparar (sección 3.2)",
    ))


@check("3.2", points=1, en="sends no answer and does not wait", es="ni responde ni espera")
def test_only_computes(student):
    host = student.server(scene((0, 1), (0, 3)), max_inflight=2)
    student.call_on(host, "decode_one_step", host.take(2))
    expect_no_answer(host, host.server.log.requests)
    expect_equal(host.server.clock.now_ns / 1e6, 1.0, hint=t(
        "(clock after one step, in ms): a step takes 1 ms here, and nothing else takes time: call the model once, and do not "
        "sleep (section 3.2)",
        "(reloj tras un paso, en ms): aquí un paso dura 1 ms, y ninguna otra cosa lleva tiempo: llama al modelo una sola vez y no "
        "uses sleep (sección 3.2)",
    ))


@check("3.2", points=1, en="many random batches, one after another", es="muchos lotes al azar, uno tras otro")
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
            "(ended in each step): an answer shorter than its limit ends with EOS, one step after its last token; several "
            "requests may end in the same step (section 3.2). ",
            "(terminadas en cada paso): una respuesta más corta que su límite termina con EOS, un paso después de su último "
            "token; pueden terminar varias peticiones en el mismo paso (sección 3.2). ",
        )))
        expect_equal(outputs, {item.request_id: list(item.answer) for item in items}, hint=about.followed_by(t(
            "(request: its tokens) (section 3.2)", "(petición: sus tokens) (sección 3.2)")))
