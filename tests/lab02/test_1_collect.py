"""Exercise 2.1: `collect_batch` waits for company, but not for longer than it may.

A line is a clock in milliseconds; `|` is where the batch leaves, `!` where its wait ends.
"""

from tests.grader.check import check
from tests.grader.outcomes import CheckFailed, Text, expect, expect_equal, is_same, t, wrong
from tests.lab02.random_batches import batches_of, random_stops, told
from tests.lab03.oracle import REMEMBERS
from tests.lab03.scenes import MS, scene

WAIT_S = 0.005
NOT_CAUGHT = t(
    "queue.Empty is how `get` and `get_nowait` say that no request came, and here it ends your function. Catch it at each of "
    "these calls, with `except queue.Empty:`, and return the requests collected so far: an empty list if there are none "
    "(section 2.2)",
    "queue.Empty es como `get` y `get_nowait` dicen que no llegó ninguna petición, y aquí termina tu función. Captúrala en "
    "cada una de esas llamadas, con `except queue.Empty:`, y devuelve las peticiones reunidas hasta entonces: una lista vacía "
    "si no hay ninguna (sección 2.2)",
)


def collected(student, arrivals_ms, *, max_batch: int = 4, now_ms: float = 0.0):
    """Call `collect_batch` at `now_ms`: the ids of the batch, and when it leaves, in ms."""
    host = student.server(scene(*((arrival, 3) for arrival in arrivals_ms)), max_batch=max_batch, max_wait_s=WAIT_S)
    if now_ms:  # an earlier batch has kept the server busy
        host.server.clock.sleep(now_ms / 1e3)
    ids = ids_of(collect(student, host))
    expect_none_lost(host, ids)
    return ids, host.server.clock.now_ns / MS


def expect_none_lost(host, ids: list[int]) -> None:
    """Fail the check if a request was taken from the queue and is not in the batch: it will never be answered."""
    taken = sorted(host.server.log.requests)
    expect(ids or not taken, expected=taken, got=ids, hint=t(
        "(requests in the batch; expected are those that your function took from the queue): it had collected them, and lost "
        "them when no further one came. There `get` raises queue.Empty: return the requests you have collected. The empty list "
        "belongs to the first `get` alone, so one `try` around everything is not enough: that of the loop needs its own "
        "(section 2.2)",
        "(peticiones del lote; se esperaban las que tu función sacó de la cola): las tenía reunidas y las perdió al no llegar "
        "ninguna más. Entonces `get` lanza queue.Empty: devuelve las peticiones que hayas reunido. La lista vacía corresponde "
        "solo al primer `get`, así que no basta un `try` para todo: el del bucle necesita el suyo (sección 2.2)",
    ))
    expect(not set(taken) - set(ids), expected=taken, got=ids, hint=t(
        "(requests in the batch; expected are those that your function took from the queue): what you take has to be in the "
        "batch that you return, the first one included. Ask whether the batch is full, and whether its wait is over, before you take another (section "
        "2.2)",
        "(peticiones del lote; se esperaban las que tu función sacó de la cola): lo que tomas tiene que estar en el lote que "
        "devuelves, también la primera. Mira si el lote está completo, y si su espera ha acabado, antes de tomar otra (sección 2.2)",
    ))


def collect(student, host, *, again: bool = False):
    """What `collect_batch` returns; if the queue's own exception ends it, the message says what that means."""
    try:
        return student.call_on(host, "collect_batch", again=again)[0]
    except CheckFailed as failure:
        if "Empty" in failure.raised:
            failure.hint = NOT_CAUGHT
        raise


def ids_of(batch) -> list[int]:
    """The ids of a batch, as it came back."""
    expect(isinstance(batch, (list, tuple)), expected=t("a list of requests", "una lista de peticiones"), got=batch, hint=t(
        "return the batch as a list, empty if the queue is closed (section 2.2)",
        "devuelve el lote como lista, vacía si la cola está cerrada (sección 2.2)",
    ))
    return [getattr(request, "request_id", request) for request in batch]


@check("2.1", points=1, en="takes the waiting requests, oldest first", es="toma las que esperan, primero la más antigua")
def test_oldest_first(student):
    ids, _ = collected(student, [0, 1, 2, 30], max_batch=3, now_ms=10)
    expect(ids not in ([0], [0, 1]), expected=[0, 1, 2], got=ids, hint=t(
        "three requests were waiting for a batch of three, and the wait was over. Take the requests that are already waiting "
        "anyway: get(0) does not wait, nor does a timeout below 0 (section 2.2)",
        "había tres peticiones en espera para un lote de tres, y el plazo ya había acabado. Toma igualmente las que ya "
        "esperan: get(0) no espera, y un límite por debajo de 0 tampoco (sección 2.2)",
    ))
    expect_equal(ids, [0, 1, 2], hint=t(
        "three requests were waiting for a batch of three: from which end of the queue did you take them? (section 2.2)",
        "había tres peticiones en espera para un lote de tres: ¿de qué extremo de la cola las tomaste? (sección 2.2)",
    ))


@check("2.1", points=1, en="never exceeds max_batch", es="nunca supera max_batch")
def test_keeps_to_max_batch(student):
    sizes = [len(collected(student, [0] * 9, max_batch=most)[0]) for most in (1, 3, 8)]
    expect_equal(sizes, [1, 3, 8], hint=t(
        "(batch sizes with nine requests waiting and max_batch = 1, 3, 8): look at the comparison with max_batch (section 2.2)",
        "(tamaños del lote con nueve peticiones en espera y max_batch = 1, 3, 8): revisa la comparación con max_batch "
        "(sección 2.2)",
    ))


@check("2.1", points=1, en="waits for more requests, up to max_wait_s", es="espera a otras peticiones, hasta max_wait_s")
def test_waits_for_company(student):
    """
    arrivals  0  1  .  .  .  5         9
    batch     0--1-----------2!|                one that comes exactly at the end of the wait joins
    """
    found = collected(student, [0, 1, 5, 9])
    expect(found[1] <= 5, expected=([0, 1, 2], 5.0), got=found, hint=t(
        "(batch, when it leaves in ms): request 0 came at 0 ms, so its wait of 5 ms ends at 5; yours goes on after that. Each "
        "`get` may wait only for what is left, the deadline minus `server.clock.time()`, and not for max_wait_s again (section "
        "2.2)",
        "(lote, cuándo sale en ms): la petición 0 llegó a los 0 ms, así que su espera de 5 ms acaba a los 5; la tuya continúa. "
        "Cada `get` puede esperar solo lo que queda, el plazo menos `server.clock.time()`, y no max_wait_s otra vez (sección "
        "2.2)",
    ))
    expect_equal(found, ([0, 1, 2], 5.0), hint=t(
        "(batch, when it leaves in ms): arrivals at 0, 1, 5 and 9 ms, max_wait_s = 5 ms, room for four. The batch leaves 5 ms "
        "after the first arrival, with the requests that came by then; the queue's get takes a timeout (section 2.2)",
        "(lote, cuándo sale en ms): llegadas a los 0, 1, 5 y 9 ms, max_wait_s = 5 ms, sitio para cuatro. El lote sale 5 ms "
        "después de la primera llegada, con las peticiones que hayan llegado hasta entonces; el get de la cola admite un "
        "límite de tiempo (sección 2.2)",
    ))


@check("2.1", points=1, en="a full batch does not wait", es="un lote completo sale enseguida")
def test_full_batch_leaves_at_once(student):
    """
    arrivals  0  1  2  .  4
    batch     0--1--2|       !
    """
    expect_equal(collected(student, [0, 1, 2, 4], max_batch=3), ([0, 1, 2], 2.0), hint=t(
        "(batch, when it leaves in ms): the third request fills the batch at 2 ms, and waiting longer gains nothing "
        "(section 2.2)",
        "(lote, cuándo sale en ms): la tercera petición completa el lote a los 2 ms, y esperar más no beneficia a ninguna "
        "(sección 2.2)",
    ))


@check("2.1", points=1, en="one deadline for the whole batch", es="un solo plazo para todo el lote")
def test_deadline_is_not_restarted(student):
    """
    arrivals  0  .  .  .  4  .  .  .  8
    batch     0-----------1--!|                 2 comes after the first one's wait has ended
    """
    expect_equal(collected(student, [0, 4, 8]), ([0, 1], 5.0), hint=t(
        "(batch, when it leaves in ms): arrivals at 0, 4 and 8 ms, max_wait_s = 5 ms. If every arrival restarts the wait, the "
        "first request waits longer with each one: fix the deadline once (section 2.2)",
        "(lote, cuándo sale en ms): llegadas a los 0, 4 y 8 ms, max_wait_s = 5 ms. Si cada llegada reinicia la "
        "espera, la primera petición espera más con cada una: fija el plazo una sola vez (sección 2.2)",
    ))


@check("2.1", points=1, en="an idle server starts the wait at the first arrival",
       es="un servidor ocioso cuenta la espera desde la primera llegada")
def test_deadline_waits_for_the_first(student):
    """
    looks at  0
    arrivals                    30  .  .  33  .  35
    batch                       30--------33-----!|
    """
    expect_equal(collected(student, [30, 33, 50]), ([0, 1], 35.0), hint=t(
        "(batch, when it leaves in ms): no request came until 30 ms, so the wait runs from 30 to 35 ms. Did you count it from "
        "the moment the function was called? (section 2.2)",
        "(lote, cuándo sale en ms): no llegó ninguna petición hasta los 30 ms, así que la espera va de los 30 a los 35 ms. "
        "¿La contaste desde que se llamó a la función? (sección 2.2)",
    ))


@check("2.1", points=1, en="the wait runs from the first arrival", es="la espera cuenta desde la primera llegada")
def test_deadline_runs_from_the_first_arrival(student):
    """
    looks at               10
    arrivals      7  .  .  .  11 .  .  14       the wait ends at 7 + 5
    batch         7--------.--11-!|
    arrivals   2  .  .  .  .  .  12             it has ended long ago: waiting requests are taken, and it leaves
    batch      2-----------|
    """
    expect_equal(collected(student, [7, 11, 14], now_ms=10), ([0, 1], 12.0), hint=t(
        "(batch, when it leaves in ms): the server was busy until 10 ms, and request 0 has waited since 7 ms. Its 5 ms "
        "end at 12 ms: count from arrival_time_s (section 2.2)",
        "(lote, cuándo sale en ms): el servidor estuvo ocupado hasta los 10 ms, y la petición 0 espera desde los "
        "7 ms. Sus 5 ms acaban a los 12 ms: cuenta desde arrival_time_s (sección 2.2)",
    ))
    found = collected(student, [0, 6, 20], now_ms=3)
    expect_equal(found, ([0], 5.0), hint=t(
        "(batch, when it leaves in ms): the server was busy until 3 ms, and request 0 has waited since 0.0 s. That is a time "
        "like any other, although `if` and `or` treat it as false. Its 5 ms end at 5 ms (section 2.2)",
        "(lote, cuándo sale en ms): el servidor estuvo ocupado hasta los 3 ms, y la petición 0 espera desde el segundo 0.0. "
        "Es un tiempo como cualquier otro, aunque para `if` y `or` sea falso. Sus 5 ms acaban a los 5 ms (sección 2.2)",
    ) if is_same(found, ([0, 1], 8.0)) else t(
        "(batch, when it leaves in ms): the server was busy until 3 ms. By then request 0 has waited for 3 of its 5 ms, so "
        "each further wait may last until 5 ms: the deadline minus what the clock says now, not minus the last arrival "
        "(section 2.2)",
        "(lote, cuándo sale en ms): el servidor estuvo ocupado hasta los 3 ms. A esas alturas la petición 0 lleva esperados 3 "
        "de sus 5 ms, así que cada espera puede durar hasta los 5 ms: el plazo menos lo que marca ahora el reloj, no menos la "
        "última llegada (sección 2.2)",
    ))
    expect_equal(collected(student, [6, 7, 10.5, 14], now_ms=10), ([0, 1, 2], 11.0), hint=t(
        "(batch, when it leaves in ms): at 10 ms requests 0 and 1 are waiting, and request 0's 5 ms, from 6 ms, end at 11. "
        "The batch must not leave before that, even though it already has two requests and the server was busy until now "
        "(section 2.2)",
        "(lote, cuándo sale en ms): a los 10 ms esperan las peticiones 0 y 1, y los 5 ms de la 0, desde los 6 ms, acaban a los "
        "11. Que ya sean dos, o que vayan con retraso, no es razón para salir antes (sección 2.2)",
    ))
    expect_equal(collected(student, [2, 3, 12], now_ms=10), ([0, 1], 10.0), hint=t(
        "(batch, when it leaves in ms): request 0 came at 2 ms and its 5 ms were over at 7, while the server was busy. The "
        "batch starts at 10 ms with all waiting requests, without waiting any longer (section 2.2)",
        "(lote, cuándo sale en ms): la petición 0 llegó a los 2 ms y sus 5 ms acabaron a los 7, con el servidor ocupado. El "
        "lote sale a los 10 ms con todas las que esperan, sin esperar más (sección 2.2)",
    ))


@check("2.1", points=1, en="the end of the workload", es="el final de la carga de trabajo")
def test_when_the_queue_closes(student):
    """
    arrivals  0  1                              no more will come: `get` says so without letting time pass
    batch     0--1|
    """
    expect_equal(collected(student, [0, 1]), ([0, 1], 1.0), hint=t(
        "(batch, when it leaves in ms): the last two requests are a batch too. When the queue closes, return the requests you "
        "have collected (section 2.2)",
        "(lote, cuándo sale en ms): las dos últimas peticiones también son un lote. Cuando la cola se cierre, devuelve las "
        "que hayas reunido (sección 2.2)",
    ))
    host = student.server(scene((0, 3)), max_batch=4, max_wait_s=WAIT_S)
    host.take(1)
    batch = collect(student, host)
    expect_equal(batch, [], hint=t(
        "the queue is closed and no request is waiting: return an empty list. In that case `get` raises queue.Empty (section "
        "2.2)",
        "la cola está cerrada y no hay peticiones en espera: devuelve una lista vacía. En ese caso `get` lanza queue.Empty "
        "(sección 2.2)",
    ))


@check("2.1", points=2, en="many random batches, to the nanosecond",
       es="muchos lotes al azar, exactos al nanosegundo")
def test_many_batches(student):
    for count, stop in enumerate(random_stops(seed=21, number=36)):
        due = batches_of(student.server(stop.workload, **stop.settings).server, stop.away_ms)
        host = student.server(stop.workload, **stop.settings)
        for number, (away_ms, (ids, leaves_ms)) in enumerate(zip(stop.away_ms, due, strict=True)):
            host.server.clock.sleep(away_ms / 1e3)
            batch = collect(student, host, again=count + number > 0)
            got = ids_of(batch), host.server.clock.now_ns / MS
            if not is_same(got, (ids, leaves_ms)):
                hint = TOO_LARGE if len(got[0]) > stop.settings["max_batch"] else why_wrong(*got, ids, leaves_ms)
                remembers = count + number and _is_right_alone(student, stop, due)
                raise wrong(expected=(ids, leaves_ms), got=got, hint=told(stop).followed_by(REMEMBERS if remembers else hint))
            if not ids:
                break


def _is_right_alone(student, stop, due) -> bool:
    """Whether all batches of a stop are right if each call meets a fresh load of the file."""
    host = student.server(stop.workload, **stop.settings)
    for away_ms, expected in zip(stop.away_ms, due, strict=True):
        host.server.clock.sleep(away_ms / 1e3)
        batch = collect(student, host)
        if not is_same((ids_of(batch), host.server.clock.now_ns / MS), expected):
            return False
        if not expected[0]:
            break
    return True


def why_wrong(got: list[int], got_ms: float, due: list[int], due_ms: float) -> Text:
    """The hint for a batch that is not the one due: what is wrong about it."""
    if len(set(got)) < len(got):
        return t("A request is in the batch twice: add each one once, where it is taken from the queue (section 2.2)",
                 "Una petición está dos veces en el lote: añade cada una una sola vez, al tomarla de la cola (sección 2.2)")
    if sorted(got) == sorted(due) and got_ms == due_ms:
        return t("Oldest first: keep the order of the queue (section 2.2)",
                 "Primero la más antigua: conserva el orden de la cola (sección 2.2)")
    if set(got) == set(due) and got_ms > due_ms or got_ms > due_ms and len(got) > len(due):
        return LATE
    if set(got) == set(due):
        return t("The batch left before its wait was over, and another request might still have come (section 2.2)",
                 "El lote salió antes de acabar la espera, y aún podría haber llegado otra petición (sección 2.2)")
    if len(got) < len(due):
        return t(
            "A request was left behind. The wait ends server.max_wait_s after the first request's arrival; a request that "
            "arrives at exactly that moment joins the batch, and so do those already waiting when the wait is over (section "
            "2.2)",
            "Una petición se quedó fuera. La espera acaba server.max_wait_s después de la llegada de la primera; la que llega "
            "en ese mismo instante entra en el lote, y también las que ya esperan cuando acaba (sección 2.2)",
        )
    return t("Compare with a drawing of the arrivals: when does the first request's wait end? (section 2.2)",
             "Compáralo con un dibujo de las llegadas: ¿cuándo acaba la espera de la primera? (sección 2.2)")


TOO_LARGE = t("The batch is too large: look at the comparison with max_batch (section 2.2)",
              "El lote es demasiado grande: revisa la comparación con max_batch (sección 2.2)")
LATE = t(
    "The batch left too late. Time passes only where you wait: `get()` and `get(timeout_s)` return at the moment of arrival "
    "or at the end of the timeout, while sleeping and checking again overshoots both. The wait ends server.max_wait_s after "
    "the first request's arrival_time_s, even if that is 0 (section 2.2)",
    "El lote salió demasiado tarde. El tiempo pasa solo donde esperas: `get()` y `get(timeout_s)` vuelven en el instante de "
    "la llegada o al vencer el límite, mientras que un bucle que duerme y vuelve a mirar llega tarde. La espera acaba "
    "server.max_wait_s después del arrival_time_s de la primera, aunque este sea 0 (sección 2.2)",
)
