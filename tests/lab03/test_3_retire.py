"""Exercise 3.3: `retire` lets those that ended leave at once."""

import random

from tests.grader.check import check
from tests.grader.outcomes import CheckFailed, expect, expect_equal, t
from tests.lab03.scenes import scene

FINISHED_CHANGED = t(
    "(`finished` after the call): take the requests out of `in_flight` only. Removing from `finished` while you iterate over it "
    "skips some of them (section 3.3)",
    "(`finished` tras la llamada): quita las peticiones solo de `in_flight`. Si quitas elementos de `finished` mientras la "
    "recorres, te saltas algunas (sección 3.3)",
)
ONE_BY_ONE = t(
    "`server.respond` takes one request: go through `finished`, and call it for each of them (section 3.3)",
    "`server.respond` recibe una sola petición: recorre `finished` y llámala con cada una (sección 3.3)",
)


def retired(student, ended: tuple[int, ...] = (1, 2), number: int = 4, *, again: bool = False, with_eos: bool = False):
    """Requests in flight, of which some have ended after one step: ids in flight, the server.

    They end by their limit with one token, or with EOS at once and so with none.
    """
    lengths = [(0 if with_eos else 1) if i in ended else 5 for i in range(number)]
    host = student.server(scene(*((0, length) for length in lengths), ends_with_eos=with_eos), max_inflight=number)
    running = host.take(number)
    eos = host.server.model.eos_token_id
    for request, token in zip(running, host.server.model.forward_one_step(running), strict=True):
        if token != eos:
            request.append(token)
    # Both arguments name the same requests: the worker has one object for each.
    finished = [running[i] for i in ended]
    try:
        _, (after, finished_after) = student.call_on(host, "retire", running, finished, again=again)
    except CheckFailed as failure:
        if "'list' object" in str(failure.got):
            failure.hint = failure.hint or ONE_BY_ONE
        raise
    ids, ended_after = _ids(after), _ids(finished_after)
    # Their order is free, but the code that uses the list next has to find them in it.
    expect(isinstance(ended_after, list) and sorted(ended_after) == sorted(ended), expected=list(ended), got=ended_after,
           hint=FINISHED_CHANGED)
    return ids, host


def _ids(requests):
    return [request.request_id for request in requests] if isinstance(requests, list) else requests


def left_ms(host) -> dict[int, float]:
    """When each answer left, in ms."""
    return {i: record.finish_ns / 1e6 for i, record in host.server.log.requests.items() if record.finish_ns is not None}


@check("3.3", points=1, en="frees the slots of requests that ended", es="libera los slots de las peticiones terminadas")
def test_frees_the_slots(student):
    ids, _ = retired(student)
    expect(ids != [0, 1, 2, 3], expected=[0, 3], got=ids, hint=t(
        "no request was removed from the list that was passed: change that list, with `in_flight.remove(request)`. With "
        "`in_flight = …` your name would only refer to a new list; the loop keeps the old one (section 3.3)",
        "no se quitó ninguna petición de la lista recibida: modifica esa lista, con `in_flight.remove(request)`. Con "
        "`in_flight = …` ese nombre solo pasaría a una lista nueva; el bucle conserva la vieja (sección 3.3)",
    ))
    expect(ids != [], expected=[0, 3], got=ids, hint=t(
        "all requests were removed, although 0 and 3 have not ended: remove those in `finished`, and no others (section 3.3)",
        "se quitaron todas las peticiones, aunque la 0 y la 3 no han terminado: quita las de `finished` y ninguna más (sección "
        "3.3)",
    ))
    expect_equal(ids, [0, 3], hint=t(
        "requests 1 and 2 had ended; 0 and 3 stay, in the same order. Retire all of `finished`, not one per call. Or did you "
        "iterate over the list while removing from it? Then some are skipped (section 3.3)",
        "las peticiones 1 y 2 habían terminado; 0 y 3 se quedan, en el mismo orden. Saca todas las de `finished`, no una por "
        "llamada. ¿O recorriste la lista mientras quitabas elementos? Así se salta alguno (sección 3.3)",
    ))


@check("3.3", points=1, en="answers in the same step", es="responde en el mismo paso")
def test_answers_at_once(student):
    _, host = retired(student)
    expect_equal(left_ms(host), {1: 1.0, 2: 1.0}, hint=t(
        "(request: when its answer left, in ms): the step ended at 1 ms, and both answers leave then: send them with "
        "server.respond (section 3.3)",
        "(petición: cuándo salió su respuesta, en ms): el paso terminó en el ms 1, y ambas respuestas salen entonces: "
        "envíalas con server.respond (sección 3.3)",
    ))


@check("3.3", points=1, en="retires every request that has ended, however many and however they ended",
       es="retira todas las que hayan terminado, sean cuantas sean y terminen como terminen")
def test_many_scenes(student):
    rng = random.Random(33)
    for count in range(24):
        number, with_eos = rng.randint(1, 6), count % 2 == 1
        ended = tuple(rng.sample(range(number), rng.choice((0, 1, number, rng.randint(0, number)))))
        ids, host = retired(student, ended, number, again=count > 0, with_eos=with_eos)
        staying = [i for i in range(number) if i not in ended]
        about = t(f"({number} in flight, of which {sorted(ended)} ended{', with EOS as the first token' * with_eos}). ",
                  f"({number} en vuelo; terminaron {sorted(ended)}{', con EOS como primer token' * with_eos}). ")
        expect(isinstance(ids, list) and sorted(ids) == staying, expected=staying, got=ids, hint=about.followed_by(t(
            "All requests that are not in `finished` stay in flight, and no others; `finished` may be empty or hold "
            "every request (section 3.3)",
            "Siguen en vuelo las peticiones que no están en `finished`, y solo esas; `finished` puede estar vacía o "
            "contenerlas todas (sección 3.3)")))
        expect(left_ms(host) == dict.fromkeys(sorted(ended), 1.0), expected=dict.fromkeys(sorted(ended), 1.0),
               got=left_ms(host), hint=about.followed_by(t(
                   "(request: when its answer left, in ms): answer every request in `finished` now, whatever ended it; an "
                   "empty answer is an answer, too (section 3.3)",
                   "(petición: cuándo salió su respuesta, en ms): responde ahora a todas las peticiones de `finished`, "
                   "terminaran como terminaran; una respuesta vacía también es una respuesta (sección 3.3)")))
        answers = {i: host.server.log.requests[i].answer for i in ended}
        expect_equal(answers, {i: host.server.log.requests[i].item.answer for i in ended}, hint=about.followed_by(t(
            "(request: its answer): retiring a request adds no token and loses none; EOS is not a token of the answer "
            "(section 3.3)",
            "(petición: su respuesta): al retirar una petición no se añade ni se pierde ningún token; EOS no es un token de "
            "la respuesta (sección 3.3)")))
