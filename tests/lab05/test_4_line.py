"""Exercise 5.4: who is next. Urgent ones overtake, and no request is overtaken forever."""

import random

from tests.grader.check import check
from tests.grader.definition import one_of
from tests.grader.outcomes import CRASHED, expect, expect_equal, explained_by, t
from tests.lab05.oracles import due_time
from tests.lab05.scenes import scene

MULTIPLY = t("each step of priority is worth aging_s seconds: multiply the priority by it. A division turns it upside down, and "
             "fails where aging_s is 0, with which only the arrival counts (section 5.4)",
             "cada escalón de prioridad vale aging_s segundos: multiplica la prioridad por él. Una división lo invierte y falla si "
             "aging_s es 0, con lo que solo cuenta la llegada (sección 5.4)")
LINE_SLIPS = (  # the first part of a key, of (arrival in seconds, priority, aging_s)
    (lambda arrival, priority, aging: arrival + priority / aging, MULTIPLY),
    (lambda arrival, priority, aging: arrival - priority * aging, t(
        "your key subtracts priority · aging_s from the arrival. The smallest key is next, and lower numbers are more urgent: "
        "add it (section 5.4)",
        "tu clave resta prioridad · aging_s de la llegada. Va primero la clave menor, y los números más bajos son más "
        "urgentes: súmalo (sección 5.4)")),
    (lambda arrival, priority, aging: arrival + priority, t(
        "your key adds the priority itself, as if aging_s were always one second: each step of priority is worth aging_s "
        "(section 5.4)",
        "tu clave suma la propia prioridad, como si aging_s fuera siempre un segundo: cada escalón de prioridad vale aging_s "
        "(sección 5.4)")),
    (lambda arrival, priority, aging: arrival + aging, t(
        "your key adds aging_s to each arrival, whatever the priority: each step of priority is worth aging_s (section 5.4)",
        "tu clave suma aging_s a cada llegada, sea cual sea la prioridad: cada escalón de prioridad vale aging_s (sección 5.4)")),
    (lambda arrival, priority, aging: priority, t(
        "the first part of your key is the priority alone, so no waiting ever makes up for it: a request of priority 1 could "
        "wait forever. Add arrival and priority · aging_s (section 5.4)",
        "la primera parte de tu clave es la prioridad sola, y ninguna espera la compensa: una petición de prioridad 1 podría "
        "esperar para siempre. Suma la llegada y prioridad · aging_s (sección 5.4)")),
)


def likely_slip(student):
    """The hint of the slip that gives the first part of every key, to the last digits that matter."""
    requests = ((0, 1), (130, 0), (130, 3), (700, 2))
    keys = [(keys_of(student, aging_s, *requests), aging_s) for aging_s in (0.2, 1.5)]
    return one_of(hint for slip, hint in LINE_SLIPS if all(
        abs(found[i][0] - slip(ms / 1_000, priority, aging_s)) < 1e-9
        for found, aging_s in keys for i, (ms, priority) in enumerate(requests)))


def line(student, aging_s: float, *requests, again=False) -> list[int]:
    """Ids in the order of the student's key, of requests (arrival in ms, priority)."""
    keys = keys_of(student, aging_s, *requests, again=again)
    return sorted(keys, key=keys.get)


def keys_of(student, aging_s: float, *requests, again=False) -> dict[int, tuple]:
    """The student's key of each request (arrival in ms, priority), by id; they are asked last to first."""
    host = student.paged_server(scene(*((arrival, 4, 4, priority) for arrival, priority in requests)))
    host.server.clock.sleep(10.0)
    taken = host.take(len(requests))
    keys = {}
    for request in reversed(taken):
        key = student.call_beside(host, "place_in_line", request, aging_s, again=again or bool(keys))
        is_key = isinstance(key, (list, tuple)) and key and all(type(part) in (int, float) for part in key)
        expect(is_key and len(key) == 2, expected=t("a tuple (seconds, request id)", "una tupla (segundos, "
                                                                                     "id)"), got=key,
               hint=t("return (time in seconds, request.request_id) (section 5.4)",
                      "devuelve (tiempo en segundos, request.request_id) (sección 5.4)"))
        keys[request.request_id] = tuple(key)
    return keys


@check("5.4", points=1, en="requests of equal priority go in order of arrival",
       es="con la misma prioridad, van por orden de llegada", negative=True)
def test_in_order_of_arrival(student):
    found = [line(student, 0.2, (0, 1), (5, 1), (5, 1), (9, 1))]
    with explained_by(MULTIPLY, outcome=CRASHED):  # a key that works with 0.2 and fails with 0
        found.append(line(student, 0.0, (0, 1), (5, 0), (9, 1)))
    expect_equal(found, [[0, 1, 2, 3], [0, 1, 2]], hint=t(
        "(ids in line): with the same priority, or aging_s = 0: first come, first served, and ties in order of id (section "
        "5.4)",
        "(ids en la fila): con la misma prioridad, o aging_s = 0, por orden de llegada; los empates, por id "
        "(sección 5.4)",
    ))


@check("5.4", points=2, en="an urgent request overtakes others", es="una petición urgente adelanta a otras")
def test_urgent_first(student):
    # The third is not a mere reversal, which one key for all would give here, too.
    found = [line(student, 0.2, *requests) for requests in (
        [(0, 1), (100, 0)], [(0, 2), (50, 1), (100, 0)], [(0, 1), (100, 0), (120, 0)])]
    due = [[1, 0], [2, 1, 0], [1, 2, 0]]
    expect_equal(found, due, hint=(found != due and likely_slip(student)) or t(
        "(ids in line; aging_s = 0.2 s): a request of priority 0 that arrives 100 ms later goes before one of priority 1: "
        "lower numbers are more urgent (section 5.4)",
        "(ids en la fila; aging_s = 0.2 s): una petición de prioridad 0 que llegó 100 ms después va antes que una de "
        "prioridad 1: los números más bajos son más urgentes (sección 5.4)",
    ))


@check("5.4", points=2, en="waiting makes up for priority", es="la espera compensa la prioridad")
def test_aging(student):
    found = [line(student, 0.2, (0, 1), (199, 0), (201, 0)), line(student, 0.1, (0, 2), (190, 0), (210, 0))]
    due = [[1, 0, 2], [1, 0, 2]]
    expect_equal(found, due, hint=(found != due and likely_slip(student)) or t(
        "(ids in line): with aging_s = 0.2 s, a request of priority 1 is overtaken only by urgent requests that arrive within "
        "0.2 s after it. The same holds for priority 2 with 0.1 s: there may be more than two classes, and each step of "
        "priority counts. Without aging it could wait forever (section 5.4)",
        "(ids en la fila): con aging_s = 0.2 s, a una petición de prioridad 1 solo la adelantan las urgentes que llegan hasta "
        "0.2 s después. Lo mismo vale para la prioridad 2 con 0.1 s: puede haber más de dos clases, y cada escalón de prioridad "
        "cuenta. Sin envejecimiento podría esperar para siempre (sección 5.4)",
    ))
    expect_due_order(student)


def expect_due_order(student) -> None:
    """Classes 0 to 5, some of them a few microseconds apart when they are due; all keys of one load of the file."""
    rng = random.Random(54)
    for number in range(6):
        aging_s = rng.choice((0.05, 0.2, 1.5))
        requests = []
        for _ in range(6):
            priority = rng.randint(0, 5)
            due_ms = rng.choice((1_000 * 5 * aging_s, rng.uniform(0, 9_000))) + rng.choice((0.02, 0.4, 3)) * rng.randint(1, 9)
            requests.append((round(max(0.0, due_ms - 1_000 * aging_s * priority), 3), priority))
        requests = sorted(set(requests))
        due = {i: due_time((ms / 1_000, priority), aging_s) for i, (ms, priority) in enumerate(requests)}
        apart = {round(value, 5): i for i, value in due.items()}  # leave no ties to the last bit of a float
        requests = [requests[i] for i in sorted(apart.values())]
        expected = sorted(range(len(requests)), key=lambda i: due_time((requests[i][0] / 1_000, requests[i][1]), aging_s))
        found = line(student, aging_s, *requests, again=number > 0)
        asked = ", ".join(f"{i}: {ms:g} ms, {priority}" for i, (ms, priority) in enumerate(requests))
        expect(found == expected, got=found, expected=t(
            f"{expected} (aging_s {aging_s}; id: arrival, priority: {asked})",
            f"{expected} (aging_s {aging_s}; id: llegada, prioridad: {asked})"), hint=t(
            "(ids in line): there may be more than two classes, and each step of priority counts aging_s; do not round times; "
            "each request has its own key: do you keep anything from an earlier call? (section 5.4)",
            "(ids en la fila): puede haber más de dos clases, y cada escalón de prioridad cuenta aging_s; no redondees los "
            "tiempos; cada petición tiene su propia clave: ¿guardas algo de una llamada anterior? (sección 5.4)",
        ))
