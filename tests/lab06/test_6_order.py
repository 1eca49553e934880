"""Exercise 6.6: the shortest prediction first, and no request overtaken more often than is allowed."""

from minigpt.analysis.service import times_overtaken
from minigpt.runtime.clock import VirtualClock
from tests.grader.check import check
from tests.grader.definition import Definition, Slip, expect_defined
from tests.grader.outcomes import expect, t
from tests.grader.seeds import graded_seed
from tests.lab06.crowds import BOUND, LEAST_PERCENT, crowd, mean_ms
from tests.lab06.turns import TELLING, drawn_lines, next_place

ROOMY = 1_024  # blocks


def _last_of_equals(predicted, overtaken, most):
    return max(range(len(predicted)), key=lambda i: (-predicted[i], i)) if _is_free(overtaken, most) else 0


def _is_free(overtaken, most) -> bool:
    return most is None or overtaken[0] < most


def _one_too_many(predicted, overtaken, most):
    return next_place(predicted, overtaken, None if most is None else most + 1)


def _shortest_at_the_bound(predicted, overtaken, most):
    if _is_free(overtaken, most):
        return next_place(predicted, overtaken, most)
    return min((i for i, times in enumerate(overtaken) if times >= most), key=lambda i: (predicted[i], i))


def _zero_is_no_bound(predicted, overtaken, most):
    return next_place(predicted, overtaken, most or None)


SLIPS = (
    Slip(answer=lambda predicted, overtaken, most: min(predicted), hint=t(
        "this is a prediction, not an index: return its index in the list, counted from 0 (section 6.3)",
        "esto es una predicción, no una posición: devuelve dónde está en la lista, desde 0 (sección 6.3)",
    )),
    Slip(answer=lambda predicted, overtaken, most: predicted.index(max(predicted)), hint=t(
        "this is the longest request: the shortest prediction goes first (section 6.3)",
        "esta es la petición más larga: la predicción más corta va primero (sección 6.3)",
    )),
    Slip(answer=_last_of_equals, hint=t(
        "of several equally short requests, the one that came first goes first: the lists are in order of arrival (section 6.3)",
        "entre varias igual de cortas va primero la que llegó antes: las listas van por orden de llegada (sección 6.3)",
    )),
    Slip(answer=lambda predicted, *rest: next_place([round(each) for each in predicted], *rest), hint=t(
        "compare the predictions as they are, without rounding: 2.2 is shorter than 2.4 (section 6.3)",
        "compara las predicciones tal cual, sin redondear: 2.2 es más corta que 2.4 (sección 6.3)",
    )),
    Slip(answer=lambda predicted, *rest: next_place([int(each) for each in predicted], *rest), hint=t(
        "compare the predictions as they are, with their decimals: 2.2 is shorter than 2.4 (section 6.3)",
        "compara las predicciones tal cual, con sus decimales: 2.2 es más corta que 2.4 (sección 6.3)",
    )),
    Slip(answer=_shortest_at_the_bound, hint=t(
        "if several requests may not be overtaken again, the first to arrive is next, not the shortest of them: any other "
        "would overtake it (section 6.3)",
        "si hay varias a las que ya no se puede adelantar, le toca a la que llegó primero, no a la más corta de ellas: "
        "cualquier otra la adelantaría (sección 6.3)",
    )),
    Slip(answer=lambda predicted, overtaken, most: next_place(predicted, overtaken, most and most - 1), hint=t(
        "a request may be overtaken most_overtaken times: one time fewer, and it is not at its limit yet (section 6.3)",
        "a una petición se la puede adelantar most_overtaken veces: con una menos aún no llegó a su límite (sección 6.3)",
    )),
    Slip(answer=_one_too_many, hint=t(
        "a request overtaken most_overtaken times is at its limit: once more would be too many. `>=`, not `>` "
        "(section 6.3)",
        "una petición adelantada most_overtaken veces está en su límite: una vez más sería demasiado. `>=`, no `>` (sección "
        "6.3)",
    )),
    Slip(answer=_zero_is_no_bound, hint=t(
        "most_overtaken = 0 is a limit: no request may be overtaken at all, which is first come, first served. Test `is None` "
        "(section 6.3)",
        "most_overtaken = 0 es un límite: no se puede adelantar a ninguna petición, es decir, van por orden de llegada. "
        "Comprueba `is None` (sección 6.3)",
    )),
    Slip(answer=lambda predicted, overtaken, most: next_place(predicted, overtaken, None), hint=t(
        "the limit is not kept: a request overtaken most_overtaken times is next, however long it takes (section 6.3)",
        "no se respeta el límite: le toca a la petición adelantada most_overtaken veces, por larga que sea (sección 6.3)",
    )),
    Slip(answer=lambda predicted, overtaken, most: 0, hint=t(
        "this is first come, first served: while no request is at its limit, the shortest prediction is next "
        "(section 6.3)",
        "esto es por orden de llegada: mientras ninguna llegue a su límite, le toca a la predicción más corta "
        "(sección 6.3)",
    )),
)
NEXT = Definition(function="next_in_line", arguments=("predicted", "overtaken", "most_overtaken"), truth=next_place,
                  slips=SLIPS)


def in_words(predicted, overtaken, most):
    return t(f"(predicted {predicted}, overtaken {overtaken}, limit {most}): ",
             f"(previstas {predicted}, adelantadas {overtaken}, límite {most}): ")


@check("6.6", points=2, en="the shortest prediction is next", es="le toca a la predicción más corta")
def test_shortest(student):
    expect_defined(student, NEXT, list(drawn_lines(student.seed, 80, bounds=(None,))), hint=lambda *args: in_words(*args).followed_by(t(
        "without a limit, return the index of the smallest prediction, the first one in a tie; indices are whole numbers "
        "counted from 0 (section 6.3)",
        "sin límite, devuelve la posición de la menor predicción, la primera entre iguales; las posiciones son enteros y "
        "cuentan desde 0 (sección 6.3)",
    )))


@check("6.6", points=2, en="no request is overtaken too often", es="a ninguna petición se la adelanta demasiadas veces")
def test_bound(student):
    expect_defined(student, NEXT, [*TELLING, *drawn_lines(student.seed + 1, 120)], hint=lambda *args: in_words(*args).followed_by(t(
        "if the first request is at its limit, it is next; otherwise, the shortest prediction is (section 6.3)",
        "si la primera petición llegó a su límite, le toca a ella; si no, a la predicción más corta (sección 6.3)",
    )))


def run(student, most_overtaken, *, again: bool = False):
    """The given loop with the student's line; all must have been answered."""
    requests, predicted, _ = crowd(graded_seed(student.seed))
    host = student.paged_server(requests, clock=VirtualClock(), num_blocks=ROOMY)
    student.call_on(host, "shortest_first_loop", predicted, most_overtaken, again=again)
    return host.server.log.closed_at(host.server.clock.now_ns)


@check("6.6", points=2, en="the mean falls, and no request starves", es="baja la media y ninguna petición espera sin fin")
def test_no_starvation(student):
    first_come_ms, log = crowd(graded_seed(student.seed))[2], run(student, BOUND)
    fewer = 100 * (1 - mean_ms(log) / first_come_ms)
    student.measurements["mean_reduction_percent"] = fewer
    expect(fewer >= LEAST_PERCENT, expected=t("a mean at least 8 % below first come, first served",
                                   "una media al menos un 8 % menor que por orden de llegada"), got=f"{fewer:.1f} %", hint=t(
        "(240 requests at load 2.4, a limit of 32): corrections should overtake the explanations that wait (section 6.3)",
        "(240 peticiones con carga 2.4, límite de 32): las correcciones deberían adelantar a las explicaciones que esperan "
        "(sección 6.3)",
    ))
    worst = max(times_overtaken(log).values())
    expect(worst <= BOUND, expected=t("at most 32 times", "como mucho 32 veces"), got=worst, hint=t(
        "(how often one request was overtaken in the run of 240): the limit holds for every request at every step; a request "
        "leaves the queue only when it is admitted (section 6.3)",
        "(cuántas veces se adelantó a una petición en la ejecución de 240): el límite vale para todas y en cada paso; una "
        "petición solo sale de la fila al admitirse (sección 6.3)",
    ))
