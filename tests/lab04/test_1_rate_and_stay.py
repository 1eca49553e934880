"""Exercise 4.1: λ and W of a stage, counted over one window."""

import math

from tests.grader.check import check
from tests.grader.outcomes import Text, expect, expect_value_error, t
from tests.lab04.scenes import FOUR, STAGES, busy_records, entering, records_of


def rate_and_stay(student, records, stage, start_s, end_s):
    """The student's λ and W."""
    got = student.call("rate_and_mean_stay", records, stage, start_s, end_s)
    is_pair = isinstance(got, (list, tuple)) and [type(part) in (int, float) for part in got] == [True, True]
    expect(is_pair, expected=t("(λ, W)", "(λ, W)"), got=got, hint=t(
        "return two numbers: requests a second, and their mean stay in seconds (section 4.1)",
        "devuelve dos números: peticiones por segundo y su estancia media en segundos (sección 4.1)",
    ))  # fmt: skip
    return tuple(got)


def expect_pair(got, expected, *, hint, tolerance=1e-9):
    near = all(abs(one - other) <= tolerance * max(1.0, abs(other)) for one, other in zip(got, expected))
    expect(near, expected=in_words(expected), got=in_words(got), hint=hint)


def in_words(pair) -> Text:
    """λ and W with their units."""
    rate, stay = (f"{value:.7g}" for value in pair)
    return t(f"λ = {rate} a second, W = {stay} s", f"λ = {rate} por segundo, W = {stay} s")


@check("4.1", points=2, en="the scene of the lab, stage by stage", es="la escena del laboratorio, etapa por etapa")
def test_each_stage(student):
    expected = {"queue": (4 / 12, 0.5), "in_flight": (4 / 12, 4.5), "system": (4 / 12, 5.0)}
    for stage, pair in expected.items():
        got = rate_and_stay(student, records_of(*FOUR), stage, 0.0, 12.0)
        expect_pair(got, pair, hint=t(
            f"(stage {stage}, the scene of section 4.1 in seconds): four requests enter in 12 s; C waits 2 s of its 6 "
            "in the queue, and the system is queue and flight together (section 4.1)",
            f"(etapa {stage}, la escena de la sección 4.1 en segundos): entran cuatro peticiones en 12 s; C espera en "
            "cola 2 s de sus 6, y el sistema es cola y vuelo juntos (sección 4.1)",
        ))  # fmt: skip


@check("4.1", points=1, en="counts those that enter in the window", es="cuenta las que entran en la ventana")
def test_entries_of_the_window(student):
    records = busy_records(0.8, 300, seed=3)
    start_s, end_s = records[50]["arrival_s"], records[220]["arrival_s"]
    for stage in STAGES:
        stays = entering(records, stage, start_s, end_s)
        expected = len(stays) / (end_s - start_s), sum(stays) / len(stays)
        expect_pair(rate_and_stay(student, records, stage, start_s, end_s), expected, hint=t(
            f"(stage {stage}): λ and W are of those that enter at start_s ≤ t < end_s, and of nobody else; the "
            "window that λ divides by is the window in which you counted (section 4.1)",
            f"(etapa {stage}): λ y W son de las que entran en start_s ≤ t < end_s, y de nadie más; la ventana "
            "entre la que divide λ es la misma en la que contaste (sección 4.1)",
        ))  # fmt: skip


@check("4.1", points=1, en="who never left is not left out", es="la que nunca salió no se omite")
def test_unfinished(student):
    records = records_of((0.0, 0.0, 1.0), (1.0, 2.0, None), (2.0, None, None))
    expected = {"system": (0.3, math.inf), "in_flight": (0.2, math.inf), "queue": (0.3, math.inf)}
    for stage, pair in expected.items():
        got = rate_and_stay(student, records, stage, 0.0, 10.0)
        expect(abs(got[0] - pair[0]) < 1e-9 and got[1] == pair[1], expected=in_words(pair), got=in_words(got), hint=t(
            f"(stage {stage}): a request that has not left has entered all the same, and its stay is "
            "infinite; without it a server that answers nobody would look quick. An entry of None is no entry "
            "(section 4.1)",
            f"(etapa {stage}): una petición que no ha salido también entró, y su estancia es infinita; "
            "sin ella, un servidor que no responde a nadie parecería rápido. Una entrada None no es una entrada "
            "(sección 4.1)",
        ))  # fmt: skip


@check("4.1", points=1, en="of nobody there is no mean stay", es="de nadie no hay estancia media", negative=True)
def test_nobody_enters(student):
    # From 2 to 3 s B is in flight and C in the queue; nobody enters the system.
    expect_value_error(student, "rate_and_mean_stay", records_of(*FOUR), "system", 2.0, 3.0, hint=t(
        "(the scene of section 4.1 in seconds, from 2 to 3 s): some are inside, but nobody enters, so there is no mean "
        "stay. Raise ValueError and say so: a 0 would look like a very quick server (section 4.1)",
        "(la escena de la sección 4.1 en segundos, de 2 a 3 s): hay algunas dentro, pero no entra nadie, así que no "
        "hay estancia media. Lanza ValueError y dilo: un 0 parecería un servidor rapidísimo (sección 4.1)",
    ))  # fmt: skip
