"""Exercise 2.2: `run_full_inference` steps the whole batch until its longest member has ended.

    A  2 tokens   |AA##
    B  4 tokens   |BBBB      # a row that is computed for nothing
                   1234
"""

import random
from dataclasses import replace

from minigpt.workloads.workload import Workload
from tests.grader.check import check
from tests.grader.outcomes import CheckFailed, expect, expect_equal, t
from tests.lab02.batch_by_batch import has_left
from tests.lab03.oracle import REMEMBERS, expect_token_ids, one_step_early, one_step_late, prompt_counted, two_prompts
from tests.lab03.random_scenes import random_items
from tests.lab03.scenes import MS, scene

ANSWERS = t(
    "this function answered a request, and computed it again in the next step. It only computes: answering is the loop's job "
    "(section 2.4)",
    "esta función respondió a una petición y volvió a calcularla en el paso siguiente. Solo calcula: responder es cosa del "
    "bucle (sección 2.4)",
)


def ran(student, workload, *, again: bool = False):
    """Call `run_full_inference` on all requests of a workload: their outputs, and the server."""
    count = len(workload.items)
    host = student.server(workload, max_batch=count)
    batch = host.take(count)
    random.Random(count).shuffle(batch)  # their order need not be that of their ids
    try:
        _, (after,) = student.call_on(host, "run_full_inference", batch, again=again)
    except CheckFailed as failure:
        if not failure.hint and has_left(failure):
            failure.hint = ANSWERS
        raise
    expect_still_there(batch, after)
    return {i: list(request.output_token_ids) for i, request in host.requests.items()}, host


def expect_still_there(batch: list, after) -> None:
    """Fail the check if the list that was passed has lost requests."""
    ids = [sorted(getattr(request, "request_id", -1) for request in some) if isinstance(some, list) else some
           for some in (batch, after)]
    expect(ids[0] == ids[1], expected=ids[0], got=ids[1], hint=t(
        "(requests in `batch` after the call): you took requests out of the list that you were given. All its rows are "
        "computed to the end, and the caller answers the requests in it: leave the list as it is, and keep track of the "
        "running requests elsewhere (section 2.3)",
        "(peticiones en `batch` tras la llamada): sacaste peticiones de la lista recibida. Todas sus filas se calculan hasta "
        "el final, y quien llama a la función responde a las que están en ella: deja la lista como está y lleva aparte la "
        "cuenta de las que siguen en marcha (sección 2.3)",
    ))


def rows(host) -> list[list[int]]:
    """The requests of each step, in order of their ids."""
    return [sorted(step.request_ids) for step in host.server.log.steps]


@check("2.2", points=1, en="gives every request its own tokens", es="da a cada petición sus propios tokens")
def test_own_tokens(student):
    workload = scene((0, 5), (0, 5), (0, 5))
    outputs, _ = ran(student, workload)
    due = {item.request_id: list(item.answer) for item in workload.items}
    expect_token_ids(outputs, "2.3")
    expect(not (left := left_out(outputs, due)), expected=due, got=outputs, hint=t(
        "all three end in the same step, and {left} did not get the last token: each token of a step belongs to its request, "
        "even if another one has just ended. Does a `break`, a `return` or a removal from the list that you iterate over "
        "leave the rest of the batch out? (section 2.3)",
        "las tres terminan en el mismo paso, y {left} se quedó sin el último token: cada token de un paso es de su petición, "
        "aunque otra acabe de terminar. ¿Se queda fuera el resto del lote por un `break`, un `return` o porque quitas "
        "elementos de la lista que recorres? (sección 2.3)",
    ).format(left=", ".join(map(str, left))))
    is_cut = isinstance(outputs, dict) and all(outputs.get(i) == due[i][: len(outputs.get(i) or [])] for i in due)
    expect(outputs == due or not is_cut, expected=due, got=outputs, hint=(outputs != due and likely_limit(student)) or t(
        "the tokens are right, but there are too few: a request runs until its token is EOS or it has max_tokens output "
        "tokens, whichever comes first (section 2.3)",
        "los tokens son correctos, pero faltan: una petición sigue hasta que su token es EOS o hasta que tiene max_tokens "
        "tokens de salida, lo que ocurra primero (sección 2.3)",
    ))
    expect_equal(outputs, due, hint=t(
        "tokens come back in the order of the requests that you passed; append each of them once (section 2.3)",
        "los tokens vuelven en el orden de las peticiones que pasaste; añade cada uno una sola vez (sección 2.3)",
    ))


def likely_limit(student):
    """The hint for what was compared with max_tokens, if the lengths of two answers of 6 tokens show it."""
    outputs, _ = ran(student, two_prompts())
    return {(5, 5): one_step_early("2.3"), (5, 3): prompt_counted("2.3")}.get((len(outputs[0]), len(outputs[1])))


def left_out(outputs: dict, due: dict) -> list[int]:
    """The requests that lack just the last token, if there are others that lack nothing."""
    short = [i for i in due if outputs[i] == due[i][:-1]]
    return short if len(short) < len(due) and all(outputs[i] == due[i] for i in due if i not in short) else []


@check("2.2", points=1, en="one forward pass per step, for the whole batch",
       es="una sola pasada por paso, para todo el lote")
def test_all_rows_in_every_step(student):
    _, host = ran(student, scene((0, 2), (0, 4), (0, 1)))
    expect(max(map(len, rows(host)), default=3) > 1, expected=[[0, 1, 2]] * 4, got=rows(host), hint=t(
        "(requests in each step): you call forward_one_step once per request. Call it once per step, with the whole list: it "
        "returns one token for each of them, and the cost of the pass is shared (section 2.3)",
        "(peticiones de cada paso): llamas a forward_one_step una vez por petición. Llámala una vez por paso, con la lista "
        "entera: devuelve un token para cada una, y el coste de la pasada se reparte (sección 2.3)",
    ))
    expect_equal(rows(host), [[0, 1, 2]] * 4, hint=one_step_late("2.3") if rows(host) == [[0, 1, 2]] * 5 else t(
        "(requests in each step): each step of a static batch computes the whole batch, including rows that have ended; "
        "leaving them out is a variant of section 2.11 (section 2.3)",
        "(peticiones de cada paso): cada paso de un lote estático calcula el lote entero, incluidas las filas que ya "
        "terminaron; quitarlas es una variante de la sección 2.11 (sección 2.3)",
    ))


@check("2.2", points=1, en="stops when the longest member ends", es="se detiene cuando termina la más larga")
def test_stops_with_the_longest(student):
    counts = {}
    for ends_with_eos in (False, True):
        _, host = ran(student, scene((0, 2), (0, 6), (0, 3), ends_with_eos=ends_with_eos))
        counts["EOS" if ends_with_eos else "max_tokens"] = len(host.server.log.steps)
    expect(counts["max_tokens"] >= 6 and counts["EOS"] >= 6, expected={"max_tokens": 6, "EOS": 7}, got=counts, hint=t(
        "(steps of a batch whose answers have 2, 6 and 3 tokens, ended by the limit or by EOS): you stop while a request is "
        "still running. Go on until all have ended: does a `return`, a `break` or an `any` end the loop with the first one? "
        "(section 2.3)",
        "(pasos de un lote cuyas respuestas tienen 2, 6 y 3 tokens, terminadas por el límite o por EOS): paras cuando aún "
        "queda una petición en marcha. Sigue hasta que todas hayan terminado: ¿acaba el bucle con la primera por un `return`, "
        "un `break` o un `any`? (sección 2.3)",
    ))
    expect_equal(counts, {"max_tokens": 6, "EOS": 7}, hint=t(
        "(steps of a batch whose longest answer has 6 tokens, ended by EOS or by the limit): EOS takes a step of its own. "
        "Stop as soon as no request is running, even if max_tokens would allow more (section 2.3)",
        "(pasos de un lote cuya respuesta más larga tiene 6 tokens, terminada por EOS o por el límite): EOS ocupa un paso "
        "propio. Para en cuanto no quede ninguna petición en marcha, aunque max_tokens permita más (sección 2.3)",
    ))


@check("2.2", points=1, en="EOS is not part of the answer", es="EOS no forma parte de la respuesta")
def test_eos_is_not_stored(student):
    outputs, _ = ran(student, scene((0, 2), (0, 4), ends_with_eos=True))
    lengths = {i: len(tokens) for i, tokens in outputs.items()}
    expect_equal(lengths, {0: 2, 1: 4}, hint=t(
        "(tokens of each answer): EOS ends a request and is not stored; a row that has ended keeps producing EOS (section 2.3)",
        "(tokens de cada respuesta): EOS termina la petición y no se guarda; una fila que ya terminó sigue dando EOS "
        "(sección 2.3)",
    ))


@check("2.2", points=1, en="ends at max_tokens, to the token", es="termina en max_tokens, ni uno más ni uno menos")
def test_ends_at_the_limit(student):
    outputs, host = ran(student, scene((0, 1), (0, 3)))
    found = {i: len(tokens) for i, tokens in outputs.items()}, len(host.server.log.steps)
    expect_equal(found, ({0: 1, 1: 3}, 3), hint=t(
        "(tokens of each answer, steps): with max_tokens=3 a request ends in the step that produces its third token, and "
        "nothing is appended after that (section 2.3)",
        "(tokens de cada respuesta, pasos): con max_tokens=3 una petición termina en el paso que le da su tercer "
        "token, y después no se le añade nada (sección 2.3)",
    ))


@check("2.2", points=1, en="sends no answer", es="no envía ninguna respuesta", negative=True)
def test_sends_no_answer(student):
    _, host = ran(student, scene((0, 3), (0, 3)))
    expect_equal([record.item.request_id for record in host.server.log.finished], [], hint=t(
        "(requests that it answered): this function only computes; answering is the loop's job (section 2.4)",
        "(peticiones respondidas): esta función solo calcula; responder es cosa del bucle (sección 2.4)",
    ))


@check("2.2", points=2, en="many random batches, one after another", es="muchos lotes al azar, uno tras otro")
def test_many_batches(student):
    rng = random.Random(22)
    for count in range(24):
        items = tuple(replace(item, arrival_ns=0) for item in random_items(rng, rng.randint(1, 12)))
        workload = Workload(name="random", items=items) if count != 20 else scene((0, 2), (0, 250))  # a long one, too
        try:
            _expect_run(*ran(student, workload, again=count > 0), workload.items)
        except CheckFailed as failure:
            if count and _is_right_alone(student, workload):
                failure.hint = REMEMBERS
            raise


def _is_right_alone(student, workload) -> bool:
    try:
        _expect_run(*ran(student, workload), workload.items)
    except CheckFailed:
        return False
    return True


def _expect_run(outputs: dict, host, items: tuple) -> None:
    about = t("(answers as [tokens, max_tokens]: ", "(respuestas como [tokens, max_tokens]: ").followed_by(
        ", ".join(f"{item.request_id}: [{len(item.answer)}, {item.max_tokens}]" for item in items) + "). ")
    expect_equal(outputs, {item.request_id: list(item.answer) for item in items}, hint=about.followed_by(t(
        "(request: its tokens): an answer ends with EOS, which is not stored, or with the token that reaches max_tokens, "
        "which is stored; append nothing after the end (section 2.3)",
        "(petición: sus tokens): una respuesta termina con EOS, que no se guarda, o con el token que alcanza max_tokens, que "
        "sí se guarda; después del final no añadas nada (sección 2.3)",
    )))
    longest, ids = max(item.num_steps for item in items), sorted(item.request_id for item in items)
    expect_equal(rows(host), [ids] * longest, hint=about.followed_by(t(
        "(requests in each step): compute the whole batch until the last request has ended: one step per token, and one for "
        "EOS unless the limit ends the answer first (section 2.3)",
        "(peticiones de cada paso): calcula todo el lote hasta que termine la última: un paso por token, y uno para EOS salvo "
        "que el límite acabe antes la respuesta (sección 2.3)",
    )))
    expect_equal(host.server.clock.now_ns / MS, float(longest), hint=t(
        "(clock after the batch, in ms): each step takes 1 ms here, and nothing else takes time: do not sleep (section 2.3)",
        "(reloj tras el lote, en ms): aquí cada paso dura 1 ms, y ninguna otra cosa lleva tiempo: no uses sleep (sección 2.3)",
    ))
