"""Exercise 2.5: the share of slots that gave nobody a token.

    A  1 token    |A##     three steps of four slots: 6 gave a token, 3 were held (#), 3 were empty (·)
    B  3 tokens   |BBB
    C  2 tokens   |CC#
                  |···
"""

from minigpt.simulation.run import replay
from tests.grader.check import check
from tests.grader.outcomes import expect, expect_equal, expect_number, t
from tests.lab03.scenes import scene


def step(rows: int, useful_rows: int, start_s: float = 0.0, end_s: float = 0.001) -> dict:
    return {"start_s": start_s, "end_s": end_s, "rows": rows, "useful_rows": useful_rows}


def expect_shares(student, steps: list[dict], max_batch: int, held: float, empty: float, hint) -> None:
    """Fail the check unless both shares are right."""
    found = student.call("wasted_slot_share", steps, max_batch)
    expect(isinstance(found, dict), expected=t("a dict", "un diccionario"), got=found, hint=t(
        "return a dict with the shares `held` and `empty`, from 0 to 1 (section 2.9)",
        "devuelve un diccionario con las fracciones `held` y `empty`, de 0 a 1 (sección 2.9)",
    ))  # fmt: skip
    expect_equal(sorted(map(str, found)), ["empty", "held"], hint=t("(keys of the dict) (section 2.9)",
                                                                   "(claves del diccionario) (sección 2.9)"))  # fmt: skip
    for key, expected in (("held", held), ("empty", empty)):
        expect_number(found[key], expected, tolerance=1e-9, hint=t(f"(`{key}`) {hint.en}", f"(`{key}`) {hint.es}"))


@check("2.5", points=1, en="counts slots, filled or not", es="cuenta slots, con fila o sin ella")
def test_counts_slots(student):
    expect_shares(student, [step(3, 3), step(3, 2), step(3, 1)], 4, held=3 / 12, empty=3 / 12, hint=t(
        "three steps with four slots each make 12, though every step had three rows: divide by slots, not by the rows "
        "or requests in them (section 2.9)",
        "tres pasos con cuatro slots cada uno son 12, aunque cada paso tuviera tres filas: divide entre slots, no "
        "entre las filas o peticiones que hay en ellos (sección 2.9)",
    ))  # fmt: skip


@check("2.5", points=1, en="weighs every slot alike", es="todos los slots pesan lo mismo")
def test_weighs_slots_alike(student):
    steps = [step(8, 8), *[step(8, 1)] * 29, step(2, 2), step(2, 1)]
    expect_shares(student, steps, 8, held=(29 * 7 + 1) / 256, empty=12 / 256, hint=t(
        "a batch of 30 steps counts fifteen times as much as one of two: add up first, divide once (section 2.9)",
        "un lote de 30 pasos cuenta quince veces más que uno de dos: suma primero, divide una sola vez (sección 2.9)",
    ))  # fmt: skip


@check("2.5", points=1, en="a run of the reference", es="una ejecución de la referencia")
def test_a_run(student):
    requests = scene((0, 1), (0, 3), (0, 2), (1, 4))
    log = replay("static", requests, clock="steps", tokens="scripted", impl="solution", max_batch=3)
    expect_shares(student, log.step_records(), 3, held=3 / 21, empty=8 / 21, hint=t(
        "three steps of A, B and C, then four of D alone: 21 slots, 3 of them held, 8 empty (section 2.9)",
        "tres pasos con A, B y C, y después cuatro con D sola: 21 slots, 3 de ellos retenidos y 8 vacíos (sección 2.9)",
    ))  # fmt: skip
