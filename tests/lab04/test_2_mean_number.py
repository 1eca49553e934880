"""Exercise 4.2: L, by walking through the moments at which the number inside changes."""

from tests.grader.check import check
from tests.grader.definition import Definition, Slip, expect_defined, expect_worked_out, near_numbers
from tests.grader.outcomes import expect, expect_number, t
from tests.lab04.drawn import drawn_windows
from tests.lab04.scenes import FOUR, STAGES, busy_records, clipped, records_of
from tests.lab04.test_1_rate_and_stay import counted


def average(records, stage, start_s, end_s) -> float:
    """L by its definition: the time that each request is inside, added up."""
    return sum(clipped(records, stage, start_s, end_s)) / (end_s - start_s)


def _of(keep):
    """What a slip gives that sees only some of the records."""

    def answer(records, stage, start_s, end_s):
        entry, leave = STAGES[stage]
        return average([r for r in records if keep(r[entry], r[leave], start_s, end_s)], stage, start_s, end_s)

    return answer


def _walked(*, in_order=sorted, cut=True, tail=True, change_first=False, leaving=-1):
    """What a walk along the changes gives, with a slip in it."""

    def answer(records, stage, start_s, end_s):
        entry, leave = STAGES[stage]
        changes = [(r[entry], 1) for r in records if r[entry] is not None]
        changes += [(r[leave], leaving) for r in records if r[leave] is not None]
        area, inside, now_s = 0.0, 0, start_s
        for time_s, change in in_order(changes):
            until_s = max(now_s, min(time_s, end_s) if cut else time_s)
            area += (inside + change_first * change) * (until_s - now_s)
            now_s, inside = until_s, inside + change
        return (area + tail * inside * (end_s - now_s)) / (end_s - start_s)

    return answer


def _loosely_cut(*, guarded, cut):
    """A walk whose present moment is not cut to the window: time before it or after it is added, or taken away again."""

    def answer(records, stage, start_s, end_s):
        entry, leave = STAGES[stage]
        changes = [(r[entry], 1) for r in records if r[entry] is not None]
        changes += [(r[leave], -1) for r in records if r[leave] is not None]
        area, inside, now_s = 0.0, 0, start_s
        for time_s, change in sorted(changes):
            if time_s > now_s or not guarded:
                area += inside * ((min(time_s, end_s) if cut else time_s) - now_s)
                now_s = time_s
            inside += change
        return (area + inside * (end_s - now_s)) / (end_s - start_s)

    return answer


def _none_as_a_moment(records, stage, start_s, end_s):
    """Crashes, as a sort does that meets the exit of a request that never left."""
    entry, leave = STAGES[stage]
    if any(r[entry] is not None and r[leave] is None for r in records):
        raise TypeError
    return average(records, stage, start_s, end_s)


def _law(records, stage, start_s, end_s):
    rate, stay = counted(records, stage, start_s, end_s)
    return rate * stay


MEAN_NUMBER = Definition(
    function="mean_number", arguments=("records", "stage", "start_s", "end_s"), truth=average, near=near_numbers(1e-9),
    slips=(
        Slip(answer=_of(lambda entry, leave, start, end: entry != 0), hint=t(
            "0.0 s is a time like any other, but `if entry` treats it as no entry. Test `is not None` (section 4.1)",
            "0.0 s es un momento como cualquier otro, pero `if entry` lo trata como si no hubiera entrado. Comprueba `is not "
            "None` (sección 4.1)",
        )),
        Slip(answer=_of(lambda entry, leave, start, end: entry is not None and entry >= start), hint=t(
            "a request that entered before the window is inside when it opens (section 4.1)",
            "una petición que entró antes de la ventana ya está dentro cuando se abre (sección 4.1)",
        )),
        Slip(answer=_of(lambda entry, leave, start, end: leave is not None), hint=t(
            "a request that never left stays inside until the end of the window (section 4.1)",
            "una petición que nunca salió sigue dentro hasta el final de la ventana (sección 4.1)",
        )),
        Slip(answer=_none_as_a_moment, hint=t(
            "the exit of a request that never left is None: it has no moment of leaving, and is inside to the end (section 4.1)",
            "la salida de una petición que nunca salió es None: no tiene momento de salida, y sigue dentro hasta el final "
            "(sección 4.1)",
        )),
        Slip(answer=_walked(tail=False), hint=t(
            "the time from the last change to `end_s` is missing: a request that never left is inside until the window closes "
            "(section 4.1)",
            "falta el tiempo entre el último cambio y `end_s`: una petición que nunca salió sigue dentro hasta que se cierra la "
            "ventana (sección 4.1)",
        )),
        *(Slip(answer=_walked(cut=False, tail=tail), hint=t(
            "time after `end_s` is counted as well: cut each moment to the window, min(time, end_s) (section 4.1)",
            "se cuenta también el tiempo posterior a `end_s`: recorta cada momento a la ventana, min(momento, end_s) (sección "
            "4.1)",
        )) for tail in (True, False)),
        *(Slip(answer=_loosely_cut(guarded=guarded, cut=cut), hint=t(
            "the moment from which you count on leaves the window: cut it as well, to at least `start_s` and at most `end_s`, or "
            "time outside is added or taken away (section 4.1)",
            "el momento desde el que sigues contando se sale de la ventana: recórtalo también, como mínimo a `start_s` y como máximo "
            "a `end_s`, o se suma o se resta tiempo de fuera (sección 4.1)",
        )) for guarded, cut in ((True, True), (False, True), (False, False))),
        Slip(answer=_walked(change_first=True), hint=t(
            "until a change, the number inside is the one before it: add inside × time first, then apply the change (section "
            "4.1)",
            "hasta un cambio, el número de peticiones dentro es el anterior: suma primero dentro × tiempo y aplica después el "
            "cambio (sección 4.1)",
        )),
        Slip(answer=lambda records, stage, start, end: average(records, stage, 0.0, end) * end / (end - start), hint=t(
            "the time before `start_s` is added up as well: the walk begins at `start_s`, and earlier changes only say how many "
            "are inside then (section 4.1)",
            "se suma también el tiempo anterior a `start_s`: el recorrido empieza en `start_s`, y los cambios anteriores solo dicen "
            "cuántas hay dentro entonces (sección 4.1)",
        )),
        Slip(answer=lambda records, stage, start, end: average(records, stage, start, end) * (end - start), hint=t(
            "this is the area: divide it by the length of the window, end_s − start_s (section 4.1)",
            "esta es el área: divídela entre la longitud de la ventana, end_s − start_s (sección 4.1)",
        )),
        Slip(answer=lambda records, stage, start, end: average(records, stage, start, end) * (end - start) / end, hint=t(
            "divide by the length of the window, end_s − start_s, not by `end_s` (section 4.1)",
            "divide entre la longitud de la ventana, end_s − start_s, y no entre `end_s` (sección 4.1)",
        )),
        *(Slip(answer=_walked(leaving=leaving), hint=t(
            "a request that leaves stays in the count: each entry is +1, each exit −1 (section 4.1)",
            "la petición que sale se queda en la cuenta: la que entra suma 1; la que sale resta 1 (sección 4.1)",
        )) for leaving in (0, 1)),
        *(Slip(answer=lambda *scene, off=off: average(*scene) + off, hint=t(
            f"exactly one too {'many' if off > 0 else 'few'} at every moment: before the first entry no request is inside, so "
            "the count begins at 0 (section 4.1)",
            f"exactamente una de {'más' if off > 0 else 'menos'} en todo momento: antes de que entre la primera no hay ninguna "
            "dentro, así que la cuenta empieza en 0 (sección 4.1)",
        )) for off in (1, -1)),
        Slip(answer=_law, hint=t(
            "this is λ·W, made of the stays: L must be counted on its own, or the law has nothing to compare (section 4.1)",
            "esto es λ·W, hecho con las estancias: L se cuenta por separado, o la ley no tiene nada que comparar (sección 4.1)",
        )),
        Slip(answer=_walked(in_order=lambda changes: sorted(set(changes))), hint=t(
            "several requests can enter or leave at the same moment, and each of them counts: a set or a dict of moments "
            "keeps only one (section 4.1)",
            "pueden entrar o salir varias peticiones en un mismo momento, y cada una cuenta: un conjunto o un diccionario de "
            "momentos conserva solo una (sección 4.1)",
        )),
    ),
)


@check("4.2", points=1, en="is an average over time", es="es una media en el tiempo")
def test_average_over_time(student):
    worked_out = {"system": 20 / 12, "in_flight": 18 / 12, "queue": 2 / 12}
    scenes = [(records_of(*FOUR), stage, 0.0, 12.0) for stage in worked_out]
    expect_worked_out(student, MEAN_NUMBER, scenes, worked_out.values(), hint=lambda records, stage, *_: t(
        f"(stage {stage}): weight each number of requests inside by how long it lasts: 3 are inside the system for 2 s, 1 for "
        "4 s, none for 1 s (section 4.1)",
        f"(etapa {stage}): pondera cada número de peticiones dentro por lo que dura: en el sistema hay 3 durante 2 s, 1 "
        "durante 4 s, ninguna durante 1 s (sección 4.1)",
    ))


@check("4.2", points=2, en="is exact on any window; on a complete one L·T = ΣW",
       es="es exacta en cualquier ventana; en una completa, L·T = ΣW")
def test_identity(student):
    expect_defined(student, MEAN_NUMBER, drawn_windows(student.seed, 60), hint=lambda records, stage, start_s, end_s: t(
        f"(stage {stage}, a log of {len(records)} requests in any order, from {start_s:g} to {end_s:g} s): add up number "
        "inside × time over all changes in order of time, then divide by the length of the window. If no request is ever "
        "inside, the mean is 0 (section 4.1)",
        f"(etapa {stage}, un registro de {len(records)} peticiones en cualquier orden, de {start_s:g} a {end_s:g} s): suma "
        "peticiones dentro × tiempo con todos los cambios en orden temporal y divide entre la longitud de la ventana. Si "
        "nunca hay peticiones dentro, la media es 0 (sección 4.1)",
    ))
    records = busy_records(0.9, 400, seed=5)
    end_s = max(record["finish_s"] for record in records)
    for stage in STAGES:
        number = student.call("mean_number", records, stage, 0.0, end_s)
        stays = sum(clipped(records, stage, 0.0, end_s))
        near = type(number) in (int, float) and abs(number * end_s / stays - 1) <= 1e-9
        expect(near, expected=stays / end_s, got=number, hint=t(
            f"(stage {stage}, 400 requests): on a complete window the area equals the sum of all stays, to the last digit. Are "
            "all changes in order of time, and is every request counted? (section 4.2)",
            f"(etapa {stage}, 400 peticiones): en una ventana completa el área es igual a la suma de todas las estancias, "
            "hasta la última cifra. ¿Están todos los cambios en orden temporal y cuentan todas las peticiones? (sección 4.2)",
        ))


@check("4.2", points=1, en="only time inside the window counts", es="solo cuenta el tiempo dentro de la ventana")
def test_window(student):
    worked_out = {(2.0, 8.0): 12 / 6, (4.0, 6.0): 2.0, (8.5, 20.0): 3 / 11.5}
    scenes = [(records_of(*FOUR), "system", *window) for window in worked_out]
    expect_worked_out(student, MEAN_NUMBER, scenes, worked_out.values(), hint=lambda records, stage, start_s, end_s: t(
        f"(from {start_s:g} to {end_s:g} s in the scene of section 4.1, in seconds): a request that entered before the window "
        "is inside when it opens, and only time in the window counts (section 4.1)",
        f"(de {start_s:g} a {end_s:g} s en la escena de la sección 4.1, en segundos): una petición que entró antes de la "
        "ventana ya está dentro cuando se abre, y solo cuenta el tiempo de la ventana (sección 4.1)",
    ))


@check("4.2", points=1, en="a request that never left stays inside until the end",
       es="una petición que nunca salió sigue dentro hasta el final")
def test_never_left(student):
    records = records_of((0.0, 0.0, 1.0), (1.0, 2.0, None), (2.0, None, None))
    for stage, expected in {"system": 1.8, "in_flight": 0.9, "queue": 0.9}.items():
        got = student.call("mean_number", records, stage, 0.0, 10.0)
        expect_number(got, expected, tolerance=1e-9, hint=t(
            f"(stage {stage}): of three requests, one is done at 1 s, one arrives at 1 s and is in flight from 2 s on, and one "
            "waits from 2 s on. The last two stay until the window closes at 10 s, although nothing changes any more (section "
            "4.1)",
            f"(etapa {stage}): de tres peticiones, una acaba en el segundo 1; otra llega entonces y está en vuelo desde el 2; otra "
            "espera desde el 2. Las dos últimas siguen hasta que la ventana se cierra en el segundo 10, aunque ya no cambie nada "
            "(sección 4.1)",
        ))
