"""Exercise 4.3: Little's law with an L that owes nothing to the server's own events."""

import math
import random

from tests.grader.check import check
from tests.grader.definition import Definition, Slip, as_row, expect_defined, near_numbers
from tests.grader.outcomes import CRASHED, expect, explained_by, t
from tests.grader.seeds import graded_seed
from tests.lab04.drawn import TICK_S, drawn_records
from tests.lab04.scenes import FOUR, busy_records, clipped, entering, records_of
from tests.lab04.test_1_rate_and_stay import counted, expect_pair

NUM_REQUESTS, WARM_UP, EVERY_S = 1_000, 50, 0.005
BAR_PERCENT = 5.0


def sampled(student, records):
    """The student's L, λ and W."""
    got = as_row(student.call("sample_the_law", records, WARM_UP, EVERY_S))
    is_triple = isinstance(got, (list, tuple)) and [type(part) in (int, float) for part in got] == [True] * 3
    expect(is_triple, expected="(L, λ, W)", got=got, hint=t(
        "return three numbers: L, λ and W (section 4.3)", "devuelve tres números: L, λ y W (sección 4.3)",
    ))
    return got


def looked(records, warm_up, every_s, *, arrivals=None, window=None, moments=None, entry="arrival_s") -> tuple[float, float, float]:
    """L, λ and W by their definition; a slip takes its arrivals in another order, another window, looks at other moments, or
    counts from another moment on."""
    arrivals = arrivals or sorted(record["arrival_s"] for record in records)
    start_s, end_s = window(records, arrivals) if window else (arrivals[warm_up], arrivals[-1])
    looks = [start_s + k * every_s for k in range(math.ceil((end_s - start_s) / every_s))]
    if moments:
        looks = [moment for moment in moments(records) if start_s <= moment < end_s]
    spans = [[math.inf if r[name] is None else r[name] for name in (entry, "finish_s")] for r in records]
    inside = [sum(entered <= look < left for entered, left in spans) for look in looks]
    return sum(inside) / len(looks), *counted(records, "system", start_s, end_s)


def _in_order_of(key):
    """What a slip gives that takes the requests in an order other than that of arrival."""
    return lambda records, warm_up, every_s: looked(
        records, warm_up, every_s, arrivals=[r["arrival_s"] for r in (sorted(records, key=key) if key else records)])


def _from_the_first(records, warm_up, every_s):
    return looked(records, 0, every_s)


def _latecomers_only(records, warm_up, every_s):
    arrivals = sorted(record["arrival_s"] for record in records)
    late = [record for record in records if record["arrival_s"] >= arrivals[warm_up]]
    return looked(late, warm_up, every_s, window=lambda *_: (arrivals[warm_up], arrivals[-1]))


def _with(**otherwise):
    """What a slip gives in another window, or that looks at other moments."""
    return lambda records, warm_up, every_s: looked(records, warm_up, every_s, **otherwise)


def _exits(records) -> list[float]:
    return [record["finish_s"] for record in records if record["finish_s"] is not None]


def _area(records, warm_up, every_s):
    """L as `mean_number` gives it."""
    arrivals = sorted(record["arrival_s"] for record in records)
    start_s, end_s = arrivals[warm_up], arrivals[-1]
    area = sum(clipped(records, "system", start_s, end_s))
    return area / (end_s - start_s), *counted(records, "system", start_s, end_s)


def _product(records, warm_up, every_s):
    _, rate, stay = looked(records, warm_up, every_s)
    return rate * stay, rate, stay


QUEUE_MISSING = t(
    "your L counts only what is in flight: in the \"system\" a request is also inside while it waits in the queue (section 4.3)",
    "tu L cuenta solo lo que está en vuelo: en el sistema, \"system\", una petición también está dentro mientras espera en la "
    "cola (sección 4.3)",
)

LAW = Definition(
    function="sample_the_law", arguments=("records", "warm_up", "every_s"), truth=looked,
    near=lambda got, wanted: near_numbers(1e-9)(as_row(got), wanted), slips=(
        *(Slip(answer=_in_order_of(key), hint=t(
            "request number `warm_up` is counted in order of arrival, but the log is in no particular order: sort the "
            "arrivals instead of relying on the log's order or on `request_id` (section 4.3)",
            "la petición número `warm_up` se cuenta por orden de llegada, pero el registro no sigue ningún orden: ordena las "
            "llegadas en vez de fiarte del orden del registro o de `request_id` (sección 4.3)",
        )) for key in (None, lambda record: record["request_id"])),
        Slip(answer=_from_the_first, hint=t(
            "the window begins with request number `warm_up`, not with the first (section 4.3)",
            "la ventana empieza en la petición número `warm_up`, no en la primera (sección 4.3)",
        )),
        Slip(answer=lambda records, warm_up, every_s: looked(records, warm_up + 1, every_s), hint=t(
            "requests are counted from 0: `arrivals[warm_up]` (section 4.3)",
            "las peticiones se cuentan desde 0: `arrivals[warm_up]` (sección 4.3)",
        )),
        Slip(answer=lambda records, warm_up, every_s: looked(records, warm_up - 1, every_s), hint=t(
            "requests are counted from 0: `arrivals[warm_up]`, not `arrivals[warm_up - 1]` (section 4.3)",
            "las peticiones se cuentan desde 0: `arrivals[warm_up]`, no `arrivals[warm_up - 1]` (sección 4.3)",
        )),
        Slip(answer=_with(window=lambda records, arrivals: (0.0, arrivals[-1])), hint=t(
            "the window begins with the arrival of request number `warm_up`, not at 0 s (section 4.3)",
            "la ventana empieza con la llegada de la petición número `warm_up`, no en 0 s (sección 4.3)",
        )),
        Slip(answer=lambda records, warm_up, every_s: looked(
            records, warm_up, every_s, window=lambda records, arrivals: (arrivals[warm_up], max(_exits(records)))), hint=t(
            "the window ends with the last arrival, not with the last exit: after it the server only drains (section 4.3)",
            "la ventana acaba con la última llegada, no con la última salida: después el servidor solo se vacía (sección 4.3)",
        )),
        Slip(answer=_latecomers_only, hint=t(
            "L counts every request inside, including those that arrived before the window (section 4.3)",
            "L cuenta todas las peticiones que están dentro, también las que llegaron antes de la ventana (sección 4.3)",
        )),
        Slip(answer=_with(entry="admitted_s"), hint=QUEUE_MISSING),
        Slip(answer=_with(moments=lambda records: [record["arrival_s"] for record in records]), hint=t(
            "you look when a request arrives, and count that request each time: look every `every_s`, at the instants of "
            "`sample_times` (section 4.3)",
            "miras cuando llega una petición, y la cuentas cada vez: mira cada `every_s`, en los instantes de `sample_times` "
            "(sección 4.3)",
        )),
        Slip(answer=_area, hint=t(
            "this is the result of `mean_number`, computed from the server's own log of entries and exits: then L, λ and W have "
            "one source, and the law could not fail. Look every `every_s` (section 4.3)",
            "este es el resultado de `mean_number`, calculado con las entradas y salidas que anota el propio servidor: así L, "
            "λ y W tienen una misma fuente y la ley no podría fallar. Mira cada `every_s` (sección 4.3)",
        )),
        Slip(answer=_product, hint=t(
            "this L is λ·W itself: count what an observer sees, or the law has nothing to compare (section 4.3)",
            "esta L es la propia λ·W: cuenta lo que ve un observador, o la ley no tiene nada que comparar (sección 4.3)",
        )),
    ),
)


def _first(slip: Slip) -> Slip:
    return Slip(answer=lambda *args: slip.answer(*args)[:1], hint=slip.hint)


# L alone: a mistake in λ and W is not counted here.
NUMBER = Definition(
    function=LAW.function, arguments=LAW.arguments, truth=lambda *args: looked(*args)[:1],
    near=lambda got, wanted: isinstance(as_row(got), (list, tuple)) and LAW.near(list(as_row(got))[:1], wanted),
    shown=lambda answer: f"L = {answer[0]:g}", slips=tuple(map(_first, LAW.slips)),
)


def drawn_logs(seed: int, count: int):
    """(records, warm_up, every_s): logs in any order whose window is not empty, seldom and often looked at."""
    rng = random.Random(seed)
    while count:
        records = drawn_records(rng, rng.choice((2, 3, 8, 20)))
        warm_up = rng.choice((0, 1, rng.randrange(len(records))))
        arrivals = sorted(record["arrival_s"] for record in records)
        if arrivals[warm_up] < arrivals[-1]:
            count -= 1
            yield records, warm_up, TICK_S * rng.choice((0.5, 1, 3, 7))


def window_of(records) -> tuple[float, float]:
    return records[WARM_UP]["arrival_s"], records[-1]["arrival_s"]


@check("4.3", points=2, en="samples at instants that the server does not choose",
       es="muestrea en instantes que el servidor no elige")
def test_instants(student):
    records = busy_records(0.5, 600, seed=9)
    start_s, end_s = window_of(records)
    true_number, in_flight = (sum(clipped(records, stage, start_s, end_s)) / (end_s - start_s)
                              for stage in ("system", "in_flight"))
    with explained_by(t(
        "the window runs from the arrival of request number `warm_up`, `arrivals[warm_up]`, to the last arrival: `warm_up` is a "
        "number of requests, not of seconds (section 4.3)",
        "la ventana va de la llegada de la petición número `warm_up`, `arrivals[warm_up]`, a la última llegada: `warm_up` es "
        "un número de peticiones, no de segundos (sección 4.3)",
    ), outcome=CRASHED):
        number = sampled(student, records)[0]
    no_queue = abs(number / in_flight - 1) < 0.01
    expect(abs(number / true_number - 1) < 0.03, expected=f"{true_number:.3f} ± 3 %", got=f"{number:.3f}", hint=QUEUE_MISSING if no_queue else t(
        "(L, the first of the three): look every `every_s` seconds of the window, not when a request arrives or leaves. If you "
        "look at arrivals, you count the newcomer each time; at completions, the server decides when you look: you always see "
        "it just before or just after a request leaves. Every request inside counts, including those that arrived before the "
        "window (section 4.3)",
        "(L, el primero de los tres): mira cada `every_s` segundos de la ventana, no cuando llega o sale una petición. Si miras "
        "en las llegadas, cuentas cada vez a la recién llegada; si miras en las salidas, es el servidor quien decide cuándo: lo "
        "ves siempre justo antes o justo después de que salga una petición. Cuentan todas las que están dentro, también las "
        "que llegaron antes de la ventana (sección 4.3)",
    ))
    # Two samples are few enough to differ from the area: 2.5 inside, where the average over time is 15/8.
    scene = records_of(*FOUR), 2, 5.0
    assert looked(*scene)[0] == 2.5, "the definition itself"
    expect_defined(student, NUMBER, [scene, *drawn_logs(student.seed, 12)], hint=lambda records, warm_up, every_s: t(
        f"(L of {len(records)} requests, warm_up = {warm_up}, a look every {every_s:g} s): in the scene of section 4.1, in seconds, "
        "with warm_up = 2, the window goes from 1 to 9 s; with a look every 5 s the observer looks at 1 s and at 6 s, and sees "
        "3 and 2 inside (section 4.3)",
        f"(L de {len(records)} peticiones, warm_up = {warm_up}, mirando cada {every_s:g} s): en la escena de la sección 4.1, en "
        "segundos, con warm_up = 2, la ventana va de 1 a 9 s; mirando cada 5 s, el observador mira en los segundos 1 y 6, y ve 3 y 2 "
        "dentro (sección 4.3)",
    ))


@check("4.3", points=1, en="λ and W come from the same window", es="λ y W vienen de la misma ventana")
def test_same_window(student):
    expect_defined(student, LAW, drawn_logs(student.seed, 60), hint=lambda records, warm_up, every_s: t(
        f"(L, λ and W of {len(records)} requests in any order, warm_up = {warm_up}, a look every {every_s:g} s): use one "
        "window for all three, from the arrival of request number `warm_up` (in order of arrival, counted from 0) to the last "
        "arrival. If only L is right, check 4.1 first (section 4.3)",
        f"(L, λ y W de {len(records)} peticiones en cualquier orden, warm_up = {warm_up}, mirando cada {every_s:g} s): usa una "
        "misma ventana para las tres, desde la llegada de la petición número `warm_up` (por orden de llegada, contando desde "
        "0) hasta la última llegada. Si solo L es correcta, revisa primero 4.1 (sección 4.3)",
    ))
    records = busy_records(0.9, 600, seed=10)
    start_s, end_s = window_of(records)
    stays = entering(records, "system", start_s, end_s)
    expected = len(stays) / (end_s - start_s), sum(stays) / len(stays)
    expect_pair(sampled(student, records)[1:], expected, hint=t(
        "(λ and W of the system): the window goes from the arrival of request 50, in order of arrival, to the last arrival. "
        "After that no request comes and the server drains: that is a different situation (section 4.3)",
        "(λ y W del sistema): la ventana va desde la llegada de la petición 50, por orden de llegada, hasta la última "
        "llegada. Después no llega ninguna petición y el servidor se vacía: es otra situación (sección 4.3)",
    ))


@check("4.3", points=2, en="Little's law holds within 5 % for 1,000 requests",
       es="la ley de Little se cumple con menos de un 5 % de error con 1000 peticiones")
def test_law_holds(student):
    number, rate, stay = sampled(student, busy_records(0.8, NUM_REQUESTS, graded_seed(student.seed)))
    gap = 100 * (number / (rate * stay) - 1)
    student.measurements["littles_law_gap_percent"] = gap
    expect(abs(gap) <= BAR_PERCENT, expected="|L / (λ·W) − 1| ≤ 5 %", got=f"{gap:+.1f} %", hint=t(
        f"L = {number:.2f}, λ = {rate:.1f} per second, W = {stay:.4f} s: do L and W include the time in the queue, and do all "
        "three come from the same window? (section 4.3)",
        f"L = {number:.2f}, λ = {rate:.1f} por segundo, W = {stay:.4f} s: ¿cuentan L y W la cola y vienen los "
        "tres de una misma ventana? (sección 4.3)",
    ))
