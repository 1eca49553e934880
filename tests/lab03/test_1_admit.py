"""Exercise 3.1: `admit` fills the free seats, oldest first, and never waits."""

from tests.grader.check import check
from tests.grader.outcomes import expect, expect_equal, t
from tests.lab03.scenes import scene


def admitted(student, *, waiting: int, in_flight: int, slots: int, later: int = 0):
    """Call `admit` with so many in flight and so many waiting: the ids in flight afterwards, and the server."""
    workload = scene(*[(0, 5)] * (in_flight + waiting), *[(50, 5)] * later)
    host = student.server(workload, max_inflight=slots)
    running = host.take(in_flight)
    _, (after,) = student.call_on(host, "admit", running)
    ids = [request.request_id for request in after] if isinstance(after, list) else after
    taken = sorted(host.server.log.requests)  # the first of them were in flight before
    expect(not (len(taken) > in_flight and ids == taken[:in_flight]), expected=taken, got=ids, hint=t(
        "(ids in flight): requests were taken from the queue and are not in the list. `in_flight = …` gives a new "
        "list a name of yours, and whoever called you keeps the old one: "
        "change the list that you got, with append (section 3.1)",
        "(ids en vuelo): se tomaron peticiones de la cola y no están en la lista. `in_flight = …` da un nombre tuyo a "
        "una lista nueva, y quien te llamó conserva la vieja: modifica la lista que recibiste, con append (sección "
        "3.1)",
    ))  # fmt: skip
    return ids, host


@check("3.1", points=1, en="fills every free seat", es="llena cada asiento libre")
def test_fills_every_free_slot(student):
    ids, _ = admitted(student, waiting=5, in_flight=1, slots=4)
    expect_equal(len(ids), 4, hint=t(
        "one seat was taken and three were free, with five waiting: how many did you admit? (section 3.1)",
        "había un asiento ocupado y tres libres, y esperaban cinco: ¿cuántas admitiste? (sección 3.1)",
    ))  # fmt: skip


@check("3.1", points=1, en="admits in the order of arrival", es="admite por orden de llegada")
def test_oldest_first(student):
    ids, _ = admitted(student, waiting=3, in_flight=2, slots=5)
    expect_equal(ids, [0, 1, 2, 3, 4], hint=t(
        "which end of the queue did you take from? Those in flight stay, the oldest of the waiting come next "
        "(section 3.1)",
        "¿de qué extremo de la cola tomaste? Las que están en vuelo siguen; después vienen las más antiguas de la cola "
        "(sección 3.1)",
    ))  # fmt: skip


@check("3.1", points=1, en="never exceeds max_inflight", es="nunca supera max_inflight")
def test_keeps_to_the_cap(student):
    found = [len(admitted(student, waiting=4, in_flight=busy, slots=3)[0]) for busy in (0, 2, 3)]
    expect_equal(found, [3, 3, 3], hint=t(
        "with 3 seats and 0, 2 or 3 of them taken, 3 are in flight afterwards: look at the comparison with "
        "max_inflight (section 3.1)",
        "con 3 asientos y 0, 2 o 3 ocupados, después hay 3 en vuelo: mira la comparación con max_inflight "
        "(sección 3.1)",
    ))  # fmt: skip


@check("3.1", points=1, en="lets no time pass", es="no deja pasar tiempo")
def test_never_waits(student):
    found = []
    for waiting in (0, 1):
        ids, host = admitted(student, waiting=waiting, in_flight=1, slots=4, later=1)
        found.append((len(ids), host.server.clock.now_ns / 1e6))
    expect_equal(found, [(1, 0.0), (2, 0.0)], hint=t(
        "(in flight, clock in ms): with nobody left in the queue `admit` returns at once. A call that waits for the "
        "next arrival keeps the running request waiting too (section 3.1)",
        "(en vuelo, reloj en ms): cuando no queda nadie en la cola, `admit` vuelve enseguida. Una llamada que espera "
        "a la próxima llegada hace esperar también a la petición en curso (sección 3.1)",
    ))  # fmt: skip
