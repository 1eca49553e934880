"""Exercise 3.3: `retire` lets those that ended leave at once."""

from tests.grader.check import check
from tests.grader.outcomes import expect, expect_equal, t
from tests.lab03.scenes import scene


def retired(student):
    """Four in flight, of which 1 and 2 have ended after one step: ids in flight, the server."""
    host = student.server(scene((0, 5), (0, 1), (0, 1), (0, 5)), max_inflight=4)
    running = host.take(4)
    for request, token in zip(running, host.server.model.forward_one_step(running)):
        request.append(token)
    # Both arguments name the same requests: the worker has one object for each.
    _, (after, _) = student.call_on(host, "retire", running, running[1:3])
    ids = [request.request_id for request in after] if isinstance(after, list) else after
    return ids, host


@check("3.3", points=1, en="frees the seats of those that ended", es="libera los asientos de las que terminaron")
def test_frees_the_slots(student):
    ids, _ = retired(student)
    expect(ids != [0, 1, 2, 3], expected=[0, 3], got=ids, hint=t(
        "nobody left the list that was passed. `in_flight = …` gives a new list a name of yours, and the loop keeps "
        "the old one: change the list that you got, with remove (section 3.3)",
        "nadie salió de la lista recibida. `in_flight = …` da un nombre tuyo a una lista nueva, y el bucle conserva la "
        "vieja: modifica la lista que recibiste, con remove (sección 3.3)",
    ))  # fmt: skip
    expect_equal(ids, [0, 3], hint=t(
        "requests 1 and 2 had ended, 0 and 3 go on in their order. Did you walk along the list while removing from it? "
        "(section 3.3)",
        "las peticiones 1 y 2 habían terminado; 0 y 3 siguen en su orden. ¿Recorriste la lista mientras quitabas "
        "elementos? (sección 3.3)",
    ))  # fmt: skip


@check("3.3", points=1, en="answers in the same step", es="responde en el mismo paso")
def test_answers_at_once(student):
    _, host = retired(student)
    left = {record.item.request_id: record.finish_ns / 1e6 for record in host.server.log.finished}
    expect_equal(left, {1: 1.0, 2: 1.0}, hint=t(
        "(request: when its answer left, in ms): the step ended at 1 ms, and both answers leave then, through "
        "server.respond (section 3.3)",
        "(petición: cuándo salió su respuesta, en ms): el paso terminó en el ms 1, y las dos respuestas salen "
        "entonces, con server.respond (sección 3.3)",
    ))  # fmt: skip
