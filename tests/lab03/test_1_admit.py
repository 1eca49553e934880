"""Exercise 3.1: `admit` fills the free slots, oldest first, and never waits."""

import random
from dataclasses import replace

from minigpt.workloads.workload import Workload
from tests.grader.check import check
from tests.grader.outcomes import CRASHED, CheckFailed, expect, expect_equal, is_same, t, wrong
from tests.lab03.oracle import REMEMBERS
from tests.lab03.random_scenes import random_items
from tests.lab03.scenes import MS, scene

WAITED = t(
    "`admit` let time pass, which delays the running requests. When no request is left in the queue, return at once, even if "
    "none is in flight: waiting is the loop's job (section 3.1)",
    "`admit` dejó pasar tiempo, y eso retrasa a las peticiones en curso. Cuando no quede ninguna petición en la cola, acaba "
    "enseguida, aunque no haya ninguna en vuelo: esperar es cosa del bucle (sección 3.1)",
)
ASKED_AGAIN = t(
    "`admit` polled the queue again and again, but no request can arrive while it runs. When none is waiting, leave the free "
    "slots empty and return; the loop calls it again before the next step (section 3.1)",
    "`admit` consultó la cola una y otra vez, pero no puede llegar ninguna petición mientras se ejecuta. Cuando no haya "
    "ninguna en espera, deja vacíos los slots libres y termina; el bucle la llamará de nuevo antes del próximo paso (sección "
    "3.1)",
)
NOBODY_WAITED = t(
    "`admit` took from the queue although no request was waiting: check `empty()` before each `get_nowait()`, or catch "
    "queue.Empty. `get()` would wait, which only the loop may. `closed` means something else: that no more requests will come (section 3.1)",
    "`admit` tomó de la cola aunque no había peticiones en espera: comprueba `empty()` antes de cada `get_nowait()`, o "
    "captura queue.Empty. `get()` esperaría, y eso solo le toca al bucle. `closed` significa otra cosa: que ya no llegarán más peticiones (sección 3.1)",
)
WHY_CRASHED = {"BusyWait": ASKED_AGAIN, "Empty": NOBODY_WAITED}


def call_admit(student, host, running: list, *, again: bool = False) -> list[int]:
    """Call `admit`: the ids in flight afterwards."""
    num_before = len(host.server.log.requests)
    try:
        _, (after,) = student.call_on(host, "admit", running, again=again)
    except CheckFailed as failure:
        hints = [hint for name, hint in WHY_CRASHED.items() if name in failure.raised]
        if failure.outcome == CRASHED and hints:
            failure.hint = hints[0]
            if hints[0] is ASKED_AGAIN:  # the server's own advice, to wait, is for loops
                failure.got = t("polled the queue 10,000 times in a row", "consultó la cola 10 000 veces seguidas")
        raise
    strange = [each for each in after if not hasattr(each, "request_id")] if isinstance(after, list) else []
    expect(not strange, expected=t("requests in in_flight", "peticiones en in_flight"), got=strange[:1], hint=t(
        "what you appended is not a request: append what `server.queue.get_nowait()` returns, one request per call, with the "
        "parentheses (section 3.1)",
        "lo que añadiste no es una petición: añade lo que devuelve `server.queue.get_nowait()`, una petición por llamada, con "
        "los paréntesis (sección 3.1)",
    ))
    ids = [request.request_id for request in after] if isinstance(after, list) else after
    _expect_kept(list(host.server.log.requests), num_before, ids)
    return ids


def _expect_kept(taken: list[int], num_before: int, ids) -> None:
    """Fail the check if requests were taken from the queue (`taken`: by all calls so far) and are not in the list."""
    expect(not (len(taken) > num_before and ids == taken[:num_before]), expected=taken, got=ids, hint=t(
        "(ids in flight): requests were taken from the queue but are not in the list. `in_flight = …` only makes your name "
        "refer to a new list; the caller keeps the old one: change the list that was passed, with append (section 3.1)",
        "(ids en vuelo): se tomaron peticiones de la cola, pero no están en la lista. `in_flight = …` solo da ese "
        "nombre a una lista nueva dentro de la función; quien la llamó conserva la vieja: modifica la lista recibida, con append "
        "(sección 3.1)",
    ))
    missing = [i for i in taken if isinstance(ids, list) and i not in ids]
    expect(not missing, expected=taken, got=ids, hint=t(
        f"(ids in flight): {missing} were taken from the queue, which no longer has them, and are now lost. Take only as many "
        "as there are free slots. There is no need to sort: the queue returns the oldest first (section 3.1)",
        f"(ids en vuelo): {missing} se tomaron de la cola, que ya no las tiene, y se han perdido. Toma solo tantas como slots "
        "libres haya. No hace falta ordenar: la cola da primero la más antigua (sección 3.1)",
    ))


def admitted(student, *, waiting: int, in_flight: int, slots: int, later: int = 0):
    """Call `admit` with requests in flight and waiting; return the ids in flight afterwards, and the server."""
    workload = scene(*[(0, 5)] * (in_flight + waiting), *[(50, 5)] * later)
    host = student.server(workload, max_inflight=slots)
    return call_admit(student, host, host.take(in_flight)), host


@check("3.1", points=1, en="fills all free slots", es="llena todos los slots libres")
def test_fills_every_free_slot(student):
    for in_flight, slots in ((1, 4), (3, 4), (0, 4)):
        ids, _ = admitted(student, waiting=5, in_flight=in_flight, slots=slots)
        expect(len(ids) <= 4, expected=4, got=len(ids), hint=t(
            f"(in flight afterwards, with 4 slots, {in_flight} of them taken before): that is more than max_inflight. Take one only "
            "while fewer are in flight, and count also those that were in flight before (section 3.1)",
            f"(en vuelo después, con 4 slots, {in_flight} ocupados antes): son más que max_inflight. Toma una solo mientras haya "
            "menos en vuelo, y cuenta también las que ya estaban en vuelo (sección 3.1)",
        ))
        expect(len(ids) > in_flight, expected=4, got=len(ids), hint=t(
            "(in flight afterwards): five requests were waiting for free slots, and none was taken. `empty` is a method: without "
            "its parentheses, `server.queue.empty` is never false (section 3.1)",
            "(en vuelo después): cinco peticiones esperaban con slots libres, y no se tomó ninguna. `empty` es un método: sin "
            "los paréntesis, `server.queue.empty` nunca es falso (sección 3.1)",
        ))
        expect_equal(len(ids), 4, hint=t(
            f"(in flight afterwards): {in_flight} of 4 slots were taken, and five requests were waiting: fill every free slot, "
            "whether one or many (section 3.1)",
            f"(en vuelo después): había {in_flight} de 4 slots ocupados y cinco peticiones en espera: llena todos los slots "
            "libres, sean uno o muchos (sección 3.1)",
        ))


@check("3.1", points=1, en="admits in order of arrival", es="admite por orden de llegada")
def test_oldest_first(student):
    ids, _ = admitted(student, waiting=3, in_flight=2, slots=5)
    expect_equal(sorted(ids), [0, 1, 2, 3, 4], hint=t(
        "(ids in flight): requests in flight stay, and waiting ones are appended (section 3.1)",
        "(ids en vuelo): las peticiones en vuelo se quedan, y las que esperan se añaden al final (sección 3.1)",
    ))
    longest_first = scene((0, 9), (1, 7), (2, 5), (3, 3), (4, 1))
    host = student.server(longest_first, max_inflight=2)
    host.server.clock.sleep(0.01)
    expect_equal(sorted(call_admit(student, host, [])), [0, 1], hint=t(
        "(ids in flight): five requests were waiting for two slots; the first to arrive get them (section 3.1)",
        "(ids en vuelo): había cinco peticiones en espera de dos slots; les tocan a las que llegaron primero (sección 3.1)",
    ))


@check("3.1", points=1, en="never exceeds max_inflight", es="nunca supera max_inflight")
def test_keeps_to_the_cap(student):
    found = [len(admitted(student, waiting=4, in_flight=busy, slots=3)[0]) for busy in (0, 2, 3)]
    expect_equal(found, [3, 3, 3], hint=t(
        "with 3 slots, of which 0, 2 or 3 are taken, 3 requests are in flight afterwards: look at the comparison with "
        "max_inflight (section 3.1)",
        "con 3 slots, de los que 0, 2 o 3 están ocupados, después hay 3 peticiones en vuelo: revisa la comparación con "
        "max_inflight (sección 3.1)",
    ))


@check("3.1", points=1, en="does not wait", es="no espera")
def test_never_waits(student):
    for waiting, in_flight in ((0, 1), (1, 1), (0, 0)):
        ids, host = admitted(student, waiting=waiting, in_flight=in_flight, slots=4, later=1)
        about, now_ms = t("(in flight, clock in ms): ", "(en vuelo, reloj en ms): "), host.server.clock.now_ns / MS
        expect_equal((len(ids), now_ms), (waiting + in_flight, 0.0), hint=about.followed_by(WAITED if now_ms else t(
            "a request that was waiting did not get its free slot (section 3.1)",
            "una petición que esperaba no recibió el slot libre (sección 3.1)")))


@check("3.1", points=1, en="correct in many random scenes, one after another",
       es="correcto en muchas escenas al azar, una tras otra")
def test_many_scenes(student):
    """The next requests of the queue are in, as far as there are slots, and not a nanosecond has passed."""
    rng = random.Random(31)
    for count in range(40):
        arrivals, slots = [rng.randrange(4) * 3 for _ in range(rng.randint(1, 16))], rng.randint(1, 12)
        items = [replace(item, arrival_ns=arrival * MS)
                 for item, arrival in zip(random_items(rng, len(arrivals)), arrivals, strict=True)]
        line = [item.request_id for item in sorted(items, key=lambda item: (item.arrival_ns, item.request_id))]
        come = sum(arrival <= NOW_MS for arrival in arrivals)
        busy = rng.randint(0, min(slots, come))
        expected = sorted(line[: min(slots, come)]), float(NOW_MS)
        got = _ids_and_clock(student, items, slots, busy, again=count > 0)
        if not is_same(got, expected):
            remembers = count and is_same(_ids_and_clock(student, items, slots, busy, again=False), expected)
            raise wrong(expected=expected, got=got, hint=t(
                f"(ids in flight, clock in ms): {slots} slots, {busy} of them taken; in order of arrival the requests are "
                f"{line}, and {come} of them have arrived (section 3.1). ",
                f"(ids en vuelo, reloj en ms): {slots} slots, {busy} ocupados; por orden de llegada las "
                f"peticiones son {line}, y han llegado {come} (sección 3.1). ",
            ).followed_by(REMEMBERS if remembers else t("", "")))


NOW_MS = 7


def _ids_and_clock(student, items: list, slots: int, busy: int, *, again: bool) -> tuple[list[int], float]:
    """Call `admit` at 7 ms, with `busy` slots taken: the ids in flight afterwards, and the clock in ms."""
    host = student.server(Workload(name="random", items=tuple(items)), max_inflight=slots)
    host.server.clock.sleep(NOW_MS / 1e3)
    return sorted(call_admit(student, host, host.take(busy), again=again)), host.server.clock.now_ns / MS
