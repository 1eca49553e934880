"""Exercise 3.2: `decode_one_step` gives each request its token and says who has ended."""

from tests.grader.check import check
from tests.grader.outcomes import expect, expect_equal, t
from tests.lab03.scenes import scene


def stepped(student, workload, steps: int):
    """Call `decode_one_step` so often on all requests of a workload: outputs, ended ids of each call, the server."""
    host = student.server(workload, max_inflight=len(workload.items))
    running, ended = host.take(len(workload.items)), []
    for _ in range(steps):
        passed = running
        finished, (running,) = student.call_on(host, "decode_one_step", running)
        expect_nobody_left(passed, running)
        expect(isinstance(finished, list), expected=t("a list of requests", "una lista de peticiones"), got=finished,
               hint=t("return the list of requests that ended in this step, empty if none did (section 3.2)",
                      "devuelve la lista de las peticiones que terminaron en este paso, vacía si ninguna "
                      "(sección 3.2)"))  # fmt: skip
        ended.append([getattr(request, "request_id", request) for request in finished])
        gone = {request for request in finished}
        running = [request for request in running if request not in gone]
        if not running:
            break
    return {i: request.output_token_ids for i, request in host.requests.items()}, ended, host


def expect_nobody_left(before: list, after) -> None:
    """Fail the check if the list that was passed has lost a request."""
    ids = [[getattr(request, "request_id", request) for request in some] if isinstance(some, list) else some
           for some in (before, after)]  # fmt: skip
    expect(isinstance(after, list) and set(ids[0]) <= set(ids[1]), expected=ids[0], got=ids[1], hint=t(
        "(ids in in_flight after the call): whoever has ended is named in the list that you return, and stays in "
        "in_flight until `retire`. Removing from a list while walking along it skips a neighbour, too (section 3.2)",
        "(ids en in_flight tras la llamada): quien ha terminado va en la lista que devuelves y sigue en in_flight "
        "hasta `retire`. Además, quitar de una lista mientras la recorres se salta a una vecina (sección 3.2)",
    ))  # fmt: skip


@check("3.2", points=1, en="gives every request its own token", es="da a cada petición su propio token")
def test_each_gets_its_own_token(student):
    workload = scene((0, 5), (0, 5), (0, 5))
    outputs, _, _ = stepped(student, workload, steps=2)
    expect_equal(outputs, {item.request_id: list(item.answer[:2]) for item in workload.items}, hint=t(
        "tokens come back in the order of the requests that you passed; each is appended once (section 3.2)",
        "los tokens vuelven en el orden de las peticiones que pasaste; cada uno se añade una vez (sección 3.2)",
    ))  # fmt: skip


@check("3.2", points=1, en="one forward pass for all", es="un solo paso del modelo para todas")
def test_one_pass_for_all(student):
    _, _, host = stepped(student, scene((0, 5), (0, 5), (0, 5)), steps=1)
    rows = [len(step.request_ids) for step in host.server.log.steps]
    expect_equal(rows, [3], hint=t(
        "(rows of each forward pass): three requests share one pass; a pass for each costs three times as much "
        "(section 3.2)",
        "(filas de cada paso): las tres peticiones comparten un paso; uno por petición cuesta el triple (sección 3.2)",
    ))  # fmt: skip


@check("3.2", points=1, en="EOS is not part of the answer", es="EOS no forma parte de la respuesta")
def test_eos_ends_and_is_not_stored(student):
    outputs, ended, _ = stepped(student, scene((0, 2), (0, 4), ends_with_eos=True), steps=6)
    lengths = {i: len(tokens) for i, tokens in outputs.items()}
    expect_equal(lengths, {0: 2, 1: 4}, hint=t(
        "EOS takes its step and ends the request, but it is not a token of the answer (section 3.2)",
        "EOS ocupa su paso y termina la petición, pero no es un token de la respuesta (sección 3.2)",
    ))  # fmt: skip
    expect_equal(ended, [[], [], [0], [], [1]], hint=t(
        "(ended in each step): a request of 2 tokens ends in the third step, in which its EOS comes (section 3.2)",
        "(terminadas en cada paso): una petición de 2 tokens termina en el tercer paso, en el que llega su EOS "
        "(sección 3.2)",
    ))  # fmt: skip


@check("3.2", points=1, en="ends at max_tokens, to the token", es="termina en max_tokens, ni uno más ni uno menos")
def test_ends_at_the_limit(student):
    _, ended, _ = stepped(student, scene((0, 1), (0, 3)), steps=4)
    expect_equal(ended, [[0], [], [1]], hint=t(
        "(ended in each step): with max_tokens=3 a request ends in the step that gives its third token; look at the "
        "comparison with max_tokens (section 3.2)",
        "(terminadas en cada paso): con max_tokens=3 una petición termina en el paso que le da su tercer token; mira "
        "la comparación con max_tokens (sección 3.2)",
    ))  # fmt: skip
