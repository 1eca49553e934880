"""Exercise 4.1: λ and W of a stage, counted over one window."""

import math

from tests.grader.check import check
from tests.grader.definition import Definition, Slip, as_row, expect_defined, expect_worked_out, near_numbers
from tests.grader.outcomes import Text, expect, t
from tests.lab04.drawn import drawn_windows
from tests.lab04.scenes import FOUR, STAGES, busy_records, entering, records_of


def rate_and_stay(student, records, stage, start_s, end_s):
    """The student's λ and W."""
    got = as_row(student.call("rate_and_mean_stay", records, stage, start_s, end_s))
    is_pair = isinstance(got, (list, tuple)) and [type(part) in (int, float) for part in got] == [True, True]
    expect(is_pair, expected=t("(λ, W)", "(λ, W)"), got=got, hint=t(
        "return two numbers: requests per second, and their mean stay in seconds (section 4.1)",
        "devuelve dos números: peticiones por segundo y su estancia media en segundos (sección 4.1)",
    ))
    return tuple(got)


def expect_pair(got, expected, *, hint, tolerance=1e-9):
    near = all(abs(one - other) <= tolerance * max(1.0, abs(other)) for one, other in zip(got, expected))
    expect(near, expected=in_words(expected), got=in_words(got), hint=hint)


def in_words(pair) -> Text:
    """λ and W with their units."""
    rate, stay = (f"{value:.7g}" for value in pair)
    return t(f"λ = {rate} a second, W = {stay} s", f"λ = {rate} por segundo, W = {stay} s")


def counted(records, stage, start_s, end_s) -> tuple[float, float]:
    """λ and W by their definition."""
    return _counted(records, stage, start_s, end_s)


def _counted(records, stage, start_s, end_s, *, enters=None, stay_of=None) -> tuple[float, float]:
    """λ and W, or what comes of them if others are counted, or their stays otherwise."""
    enters = enters or (lambda entry, leave: start_s <= entry < end_s)
    stay_of = stay_of or (lambda entry, leave: math.inf if leave is None else leave - entry)
    spans = [tuple(record[name] for name in STAGES[stage]) for record in records]
    stays = [stay_of(*span) for span in spans if span[0] is not None and enters(*span)]
    if not stays:
        raise ValueError
    return len(stays) / (end_s - start_s), sum(stays) / len(stays)


def _if_counted(**otherwise):
    """What a slip answers: `enters` and `stay_of` also get the window."""

    def answer(records, stage, start_s, end_s):
        bound = {name: (lambda entry, leave, rule=rule: rule(entry, leave, start_s, end_s))
                 for name, rule in otherwise.items()}
        return _counted(records, stage, start_s, end_s, **bound)

    return answer


def _changed(change):
    """What a slip answers that makes something else of the right λ and W: `change(rate, stay, start_s, end_s)`."""
    return lambda records, stage, start_s, end_s: change(*counted(records, stage, start_s, end_s), start_s, end_s)


def _mean_of_those_that_left(divided_by_all: bool):
    """λ of all that enter, and the stays of those that have left."""

    def answer(records, stage, start_s, end_s):
        rate, _ = counted(records, stage, start_s, end_s)
        entry, leave = STAGES[stage]
        inside = [r for r in records if r[entry] is not None and start_s <= r[entry] < end_s]
        stays = [r[leave] - r[entry] for r in inside if r[leave] is not None]
        return rate, sum(stays) / len(inside if divided_by_all else stays)

    return answer


def _in_file_order(records, stage, start_s, end_s):
    entry = STAGES[stage][0]
    beyond = next((i for i, r in enumerate(records) if r[entry] is not None and r[entry] >= end_s), len(records))
    return counted(records[:beyond], stage, start_s, end_s)


RATE_AND_STAY = Definition(
    function="rate_and_mean_stay", arguments=("records", "stage", "start_s", "end_s"), truth=counted,
    near=lambda got, wanted: near_numbers(1e-9)(as_row(got), wanted), shown=in_words, slips=(
        Slip(answer=_if_counted(enters=lambda entry, leave, start, end: start <= entry <= end), hint=t(
            "a request that enters at `end_s` itself belongs to the next window: start_s ≤ t < end_s (section 4.1)",
            "una petición que entra justo en `end_s` pertenece a la ventana siguiente: start_s ≤ t < end_s (sección 4.1)",
        )),
        Slip(answer=_if_counted(enters=lambda entry, leave, start, end: start < entry < end), hint=t(
            "a request that enters at `start_s` itself is counted: start_s ≤ t < end_s (section 4.1)",
            "una petición que entra justo en `start_s` cuenta: start_s ≤ t < end_s (sección 4.1)",
        )),
        Slip(answer=_if_counted(enters=lambda entry, leave, start, end: entry and start <= entry < end), hint=t(
            "0.0 s is a time like any other, but `if entry` treats it as no entry. Test `is not None` (section 4.1)",
            "0.0 s es un momento como cualquier otro, pero `if entry` lo trata como si no hubiera entrado. Comprueba `is not "
            "None` (sección 4.1)",
        )),
        Slip(answer=_if_counted(stay_of=lambda entry, leave, start, end: leave - entry if leave else math.inf), hint=t(
            "0.0 s is a time like any other, but `if leave` treats it as no exit. Test `is None` (section 4.1)",
            "0.0 s es un momento como cualquier otro, pero `if leave` lo trata como si no hubiera salido. Comprueba `is None` "
            "(sección 4.1)",
        )),
        *(Slip(answer=_if_counted(stay_of=stay_of), hint=t(
            "your stays are cut at `end_s`: W counts each stay in full, including the part after the window (section 4.1)",
            "tus estancias están cortadas en `end_s`: W cuenta cada estancia entera, también la parte posterior a la ventana "
            "(sección 4.1)",
        )) for stay_of in (
            lambda entry, leave, start, end: math.inf if leave is None else min(leave, end) - entry,
            lambda entry, leave, start, end: (end if leave is None else min(leave, end)) - entry,
        )),
        Slip(answer=_if_counted(enters=lambda entry, leave, start, end: leave is not None and start <= leave < end), hint=t(
            "count the requests that enter in the window: yours are those that leave in it (section 4.1)",
            "cuenta las peticiones que entran en la ventana: las tuyas son las que salen en ella (sección 4.1)",
        )),
        *(Slip(answer=_if_counted(enters=enters), hint=t(
            "every request that enters in the window counts, whenever it leaves: yours leaves out those that stay beyond "
            "`end_s` (section 4.1)",
            "toda petición que entra en la ventana cuenta, salga cuando salga: te faltan las que se quedan más allá de "
            "`end_s` (sección 4.1)",
        )) for enters in (
            lambda entry, leave, start, end: start <= entry and (leave or 0) <= end > entry,
            lambda entry, leave, start, end: start <= entry < end and leave is not None and leave <= end,
            lambda entry, leave, start, end: start <= entry < end and leave is not None and leave < end,
        )),
        Slip(answer=_if_counted(enters=lambda entry, leave, start, end: start <= entry < end and leave is not None), hint=t(
            "a request that has not left has still entered, and its stay is infinite: yours are left out (section 4.1)",
            "una petición que no ha salido también entró, y su estancia es infinita: en tu cuenta faltan (sección 4.1)",
        )),
        *(Slip(answer=_mean_of_those_that_left(divided_by_all), hint=t(
            "λ is right, but W is the mean of those stays that have ended: a request that has not left has an infinite stay, "
            "which is one of the stays (section 4.1)",
            "λ es correcta, pero W es la media de las estancias que ya acabaron: una petición que no ha salido tiene una estancia "
            "infinita, que también cuenta (sección 4.1)",
        )) for divided_by_all in (False, True)),
        Slip(answer=_if_counted(stay_of=lambda entry, leave, start, end: (end if leave is None else leave) - entry), hint=t(
            "a request that has not left has an infinite stay, not one up to `end_s`: nobody knows how long it will be (section "
            "4.1)",
            "una petición que no ha salido tiene una estancia infinita, no una hasta `end_s`: nadie sabe cuánto durará (sección "
            "4.1)",
        )),
        Slip(answer=lambda records, stage, start_s, end_s: counted(records, "system", start_s, end_s), hint=t(
            "these are the λ and W of the whole system, whatever the stage: `columns_of(stage)` names the two columns of the "
            "stage that is asked for (section 4.1)",
            "estas son la λ y la W del sistema entero, sea cual sea la etapa: `columns_of(stage)` nombra las dos columnas de la "
            "etapa que se pide (sección 4.1)",
        )),
        Slip(answer=_changed(lambda rate, stay, start, end: (stay, rate)), hint=t(
            "these are the right numbers in the wrong order: first λ, then W (section 4.1)",
            "son los números correctos en el orden equivocado: primero λ, después W (sección 4.1)",
        )),
        Slip(answer=_changed(lambda rate, stay, start, end: (rate, 1e3 * stay)), hint=t(
            "this W is in milliseconds: the records are in seconds, and so is W (section 4.1)",
            "esta W está en milisegundos: los registros están en segundos, y W también (sección 4.1)",
        )),
        Slip(answer=_changed(lambda rate, stay, start, end: (rate * (end - start), stay)), hint=t(
            "this is the number of requests: λ is their number per second, so divide it by end_s − start_s (section 4.1)",
            "este es el número de peticiones: λ es su número por segundo, así que divídelo entre end_s − start_s (sección 4.1)",
        )),
        Slip(answer=_changed(lambda rate, stay, start, end: (rate * (end - start) / end, stay)), hint=t(
            "λ divides by the length of the window, end_s − start_s; yours divides by `end_s` (section 4.1)",
            "λ se divide entre la longitud de la ventana, end_s − start_s; la tuya, entre `end_s` (sección 4.1)",
        )),
        Slip(answer=_changed(lambda rate, stay, start, end: (rate, stay * rate * (end - start))), hint=t(
            "this is the sum of the stays: W is their mean (section 4.1)",
            "esta es la suma de las estancias: W es su media (sección 4.1)",
        )),
        Slip(answer=_in_file_order, hint=t(
            "the records are in no particular order: do not stop at the first request beyond the window (section 4.1)",
            "los registros no siguen ningún orden: no pares en la primera petición posterior a la ventana (sección 4.1)",
        )),
    ),
)


@check("4.1", points=2, en="the lab's scene, stage by stage", es="la escena del laboratorio, etapa por etapa")
def test_each_stage(student):
    rate_and_stay(student, records_of(*FOUR), "system", 0.0, 12.0)  # the form of the answer
    worked_out = {"queue": (4 / 12, 0.5), "in_flight": (4 / 12, 4.5), "system": (4 / 12, 5.0)}
    scenes = [(records_of(*FOUR), stage, 0.0, 12.0) for stage in worked_out]
    expect_worked_out(student, RATE_AND_STAY, scenes, worked_out.values(), hint=lambda records, stage, *_: t(
        f"(stage {stage}, the scene of section 4.1 in seconds): four requests enter in 12 s; C spends 2 s of its 6 in the "
        "queue, and the system is the queue plus what is in flight (section 4.1)",
        f"(etapa {stage}, la escena de la sección 4.1 en segundos): entran cuatro peticiones en 12 s; C pasa en cola 2 de "
        "sus 6 s, y el sistema abarca la cola y el vuelo (sección 4.1)",
    ))


@check("4.1", points=1, en="counts the requests that enter during the window",
       es="cuenta las peticiones que entran en la ventana")
def test_entries_of_the_window(student):
    # One comes too early, one stays too long, one never leaves: here it shows which of them was counted, or left out.
    each_kind = records_of((0.0, 0.0, 2.0), (1.0, 1.0, 9.0), (2.0, 2.0, None), (3.0, 3.0, 4.0)), "system", 1.0, 5.0
    expect_defined(student, RATE_AND_STAY, [each_kind, *drawn_windows(student.seed, 60)], hint=lambda records, stage, start_s, end_s: t(
        f"(stage {stage}, a log of {len(records)} requests in any order, from {start_s:g} to {end_s:g} s): λ and W count the "
        "requests that enter at start_s ≤ t < end_s, each with its whole stay, and λ divides by the length of that same "
        "window; if no request enters, raise ValueError (section 4.1)",
        f"(etapa {stage}, un registro de {len(records)} peticiones en cualquier orden, de {start_s:g} a {end_s:g} s): λ y W "
        "cuentan las peticiones que entran en start_s ≤ t < end_s, cada una con toda su estancia, y λ se divide entre la "
        "longitud de esa misma ventana; si no entra ninguna, lanza ValueError (sección 4.1)",
    ))
    records = busy_records(0.8, 300, seed=3)
    start_s, end_s = records[50]["arrival_s"], records[220]["arrival_s"]
    for stage in STAGES:
        stays = entering(records, stage, start_s, end_s)
        expected = len(stays) / (end_s - start_s), sum(stays) / len(stays)
        expect_pair(rate_and_stay(student, records, stage, start_s, end_s), expected, hint=t(
            f"(stage {stage}): λ and W count only the requests that enter at start_s ≤ t < end_s; divide λ by the length of "
            "the window in which you counted (section 4.1)",
            f"(etapa {stage}): λ y W cuentan solo las peticiones que entran en start_s ≤ t < end_s; divide λ entre la longitud "
            "de la ventana en la que contaste (sección 4.1)",
        ))


@check("4.1", points=1, en="counts requests that never left", es="cuenta las peticiones que nunca salieron")
def test_unfinished(student):
    records = records_of((0.0, 0.0, 1.0), (1.0, 2.0, None), (2.0, None, None))
    expected = {"system": (0.3, math.inf), "in_flight": (0.2, math.inf), "queue": (0.3, math.inf)}
    for stage, pair in expected.items():
        got = rate_and_stay(student, records, stage, 0.0, 10.0)
        expect(abs(got[0] - pair[0]) < 1e-9 and got[1] == pair[1], expected=in_words(pair), got=in_words(got), hint=t(
            f"(stage {stage}): a request that has not left has still entered, and its stay is infinite; without it, a server "
            "that never answers would look fast. An entry of None means that it never entered (section 4.1)",
            f"(etapa {stage}): una petición que no ha salido también entró, y su estancia es infinita; sin ella, un servidor "
            "que nunca responde parecería rápido. Una entrada None significa que nunca entró (sección 4.1)",
        ))


def _some_enter(records, stage, start_s, end_s) -> bool:
    return any(r[STAGES[stage][0]] is not None and start_s <= r[STAGES[stage][0]] < end_s for r in records)


_COUNTED_HERE = t(
    "(a window in which some requests do enter): then there is no error to raise. λ counts those that enter at start_s ≤ t < "
    "end_s, and W is the mean of their stays, each whole, even if it goes on after `end_s` (section 4.1)",
    "(una ventana en la que sí entran peticiones): entonces no hay error que lanzar. λ cuenta las que entran en start_s ≤ t < "
    "end_s, y W es la media de sus estancias, cada una entera, aunque siga después de `end_s` (sección 4.1)",
)


@check("4.1", points=1, en="raises ValueError when no request enters",
       es="lanza ValueError cuando no entra ninguna petición", negative=True)
def test_nobody_enters(student):
    # From 2 to 3 s B is in flight and C in the queue; no request enters the system. In the other windows one does.
    records, late = records_of(*FOUR), records_of((5.0, None, None))
    cases = [(records, "system", 0.0, 3.0), (records, "system", 2.0, 3.0), ([], "queue", 0.0, 1.0),
             (late, "in_flight", 0.0, 9.0), (late, "queue", 0.0, 9.0)]
    expect_defined(student, RATE_AND_STAY, cases, hint=lambda *case: _COUNTED_HERE if _some_enter(*case) else t(
        "(the scene of section 4.1 in seconds, from 2 to 3 s, and logs in which no request enters a stage): some requests may "
        "be inside, but none enters, so there is no mean stay. Raise a ValueError that says so, and only in this case: a 0 "
        "would look like a very fast server (section 4.1)",
        "(la escena de la sección 4.1 en segundos, de 2 a 3 s, y registros en que ninguna petición entra en una etapa): puede "
        "haber algunas dentro, pero no entra ninguna, así que no hay estancia media. Lanza un ValueError que lo diga, y solo "
        "entonces: un 0 parecería un servidor rapidísimo (sección 4.1)",
    ))
