"""Exercise 2.5: the share of slots that produced no token.

    A  1 token    |A##     three steps of four slots: 6 gave a token, 3 were held (#), 3 were empty (·)
    B  3 tokens   |BBB
    C  2 tokens   |CC#
                  |···
"""

import random
from collections.abc import Iterator

from minigpt.simulation.run import replay
from tests.grader.check import check
from tests.grader.outcomes import Text, expect, expect_equal, expect_number, t
from tests.lab03.oracle import expect_oracle, is_near
from tests.lab03.scenes import scene

KEYS = ("held", "empty")
BELOW_0 = t(
    "a share is never negative: over the whole run there are at least as many slots as rows, and at least as many rows as "
    "useful rows. Is each of the three a sum over all steps, and the smaller one taken from the larger? (section 2.9)",
    "una fracción nunca es negativa: en toda la ejecución hay al menos tantos slots como filas, y al menos tantas filas como "
    "filas útiles. ¿Es cada una de las tres una suma de todos los pasos, y restas la menor de la mayor? (sección 2.9)",
)


def step(rows: int, useful_rows: int, start_s: float = 0.0, end_s: float = 0.001) -> dict:
    return {"start_s": start_s, "end_s": end_s, "rows": rows, "useful_rows": useful_rows}


def expect_shares(student, steps: list[dict], max_batch: int, held: float, empty: float, hint) -> None:
    """Fail the check unless both shares are right."""
    found = student.call("wasted_slot_share", steps, max_batch)
    expect(isinstance(found, dict), expected=t("a dict", "un diccionario"), got=found, hint=t(
        "return a dict with the shares `held` and `empty`, from 0 to 1 (section 2.9)",
        "devuelve un diccionario con las fracciones `held` y `empty`, de 0 a 1 (sección 2.9)",
    ))
    expect_equal([key for key in KEYS if key in found], list(KEYS), hint=t("(keys of the dict) (section 2.9)",
                                                                   "(claves del diccionario) (sección 2.9)"))
    due = {"held": held, "empty": empty}
    expect(not any(due[key] and is_near(found[key], 100 * due[key]) for key in KEYS), expected=due, got=found, hint=t(
        "these are percentages: return shares, from 0 to 1 (section 2.9)", "esto está en porcentaje: devuelve fracciones, de 0 a 1 (sección 2.9)",
    ))
    is_turned = held != empty and is_near(found["held"], empty) and is_near(found["empty"], held)
    expect(not is_turned, expected=due, got=found, hint=t(
        "the two are swapped: a held slot is a row computed for a request that had ended, an empty one has no row "
        "(section 2.9)",
        "las dos están intercambiadas: un slot retenido es una fila calculada para una petición ya terminada; uno vacío no tiene "
        "fila (sección 2.9)",
    ))
    expect(not held or not is_near(found["empty"], held + empty), expected=due, got=found, hint=t(
        "(`empty`) a slot that is held has a row, so it is not empty: slots − rows (section 2.9)",
        "(`empty`) un slot retenido tiene fila, así que no está vacío: slots − filas (sección 2.9)",
    ))
    expect(not (_is_negative(found["held"]) or _is_negative(found["empty"])), expected=due, got=found, hint=BELOW_0)
    useful = 1 - held - empty
    for key, other in (("held", t("held slots are rows − useful rows", "slots retenidos son filas − filas útiles")),
                       ("empty", t("empty slots are slots − rows", "slots vacíos son slots − filas"))):
        of_use = useful if key == "held" else held + useful
        is_opposite = not is_near(due[key], of_use) and is_near(found[key], of_use)
        expect(not is_opposite, expected=due, got=found, hint=t(
            f"(`{key}`) that is the share of what was used: the {other.en} (section 2.9)",
            f"(`{key}`) esa es la fracción de lo que se usó: los {other.es} (sección 2.9)",
        ))
    for key, expected in due.items():
        expect_number(found[key], expected, tolerance=1e-9, hint=t(f"(`{key}`) {hint.en}", f"(`{key}`) {hint.es}"))


def _is_negative(share) -> bool:
    return type(share) in (int, float) and share < 0


@check("2.5", points=1, en="counts all slots, filled or not", es="cuenta todos los slots, con fila o sin ella")
def test_counts_slots(student):
    expect_shares(student, [step(3, 3), step(3, 2), step(3, 1)], 4, held=3 / 12, empty=3 / 12, hint=t(
        "three steps with four slots each make 12 slots, even though every step had three rows: divide by slots, not by rows "
        "or requests (section 2.9)",
        "tres pasos con cuatro slots cada uno son 12 slots, aunque cada paso tuviera tres filas: divide entre slots, no entre "
        "filas o peticiones (sección 2.9)",
    ))


@check("2.5", points=1, en="every slot counts the same", es="todos los slots cuentan lo mismo")
def test_weighs_slots_alike(student):
    steps = [step(8, 8), *[step(8, 1)] * 29, step(2, 2), step(2, 1)]
    expect_shares(student, steps, 8, held=(29 * 7 + 1) / 256, empty=12 / 256, hint=t(
        "a batch of 30 steps counts fifteen times as much as one of two: add up first, divide once (section 2.9)",
        "un lote de 30 pasos cuenta quince veces más que uno de dos: suma primero, divide una sola vez (sección 2.9)",
    ))


@check("2.5", points=1, en="a run of the reference", es="una ejecución de la referencia")
def test_a_run(student):
    requests = scene((0, 1), (0, 3), (0, 2), (1, 4))
    log = replay("static", requests, clock="steps", tokens="scripted", impl="given", max_batch=3)
    expect_shares(student, log.step_records(), 3, held=3 / 21, empty=8 / 21, hint=t(
        "three steps of A, B and C, then four of D alone: 21 slots, 3 of them held, 8 empty (section 2.9)",
        "tres pasos con A, B y C, y después cuatro con D sola: 21 slots, 3 de ellos retenidos y 8 vacíos (sección 2.9)",
    ))


@check("2.5", points=1, en="correct for many random runs, one after another, and leaves them unchanged",
       es="correcto con muchas ejecuciones al azar, una tras otra, sin modificar ninguna")
def test_many_runs(student):
    expect_oracle(
        student, "wasted_slot_share", random_runs(seed=25), by_definition, is_right=same_shares,
        why=lambda args, got: why_wrong(*args, got), about=lambda steps, max_batch: t(
            f"({len(steps)} steps, max_batch = {max_batch}).", f"({len(steps)} pasos, max_batch = {max_batch})."),
    )


def random_runs(seed: int) -> Iterator[list]:
    """Runs of 1 to 40 steps of 1 to 16 slots, some of them full, steps of unequal duration."""
    rng = random.Random(seed)
    for num_steps in (1, 1, 2, 3, *(rng.randint(1, 40) for _ in range(26))):
        max_batch, steps, now_s = rng.choice((1, 2, 3, 8, 16)), [], 0.0
        for _ in range(num_steps):
            rows, end_s = rng.randint(1, max_batch), now_s + rng.randint(1, 9) / 64
            steps.append(step(rows, rng.randint(1, rows), now_s, end_s))
            now_s = end_s
        yield [steps, max_batch]


def by_definition(steps: list[dict], max_batch: int) -> dict:
    """Slot by slot: `#` is held, `·` empty."""
    slots = "".join("+" * each["useful_rows"] + "#" * (each["rows"] - each["useful_rows"])
                    + "·" * (max_batch - each["rows"]) for each in steps)
    return {"held": slots.count("#") / len(slots), "empty": slots.count("·") / len(slots)}


def same_shares(got, expected: dict) -> bool:
    return isinstance(got, dict) and all(is_near(got.get(key), expected[key]) for key in KEYS)


def why_wrong(steps: list[dict], max_batch: int, got) -> Text:
    """The hint for wrong shares: the slip that gives just these, or the definition."""
    held, empty = by_definition(steps, max_batch).values()
    most, rows = max(each["rows"] for each in steps), sum(each["rows"] for each in steps) / len(steps)
    slips = (
        ((empty, held), t("held and empty are swapped", "held y empty están intercambiados")),
        ((100 * held, 100 * empty), t("these are percentages: shares go from 0 to 1",
                                      "son porcentajes: las fracciones van de 0 a 1")),
        ((held * max_batch / rows, empty), t("held was divided by rows: both are shares of all slots",
                                             "held se dividió entre filas: ambas son fracciones del total de slots")),
        ((held * max_batch / most, 1 - rows / most), t(
            "count max_batch slots per step, even if no batch ever filled them",
            "cuenta max_batch slots por paso, aunque ningún lote llegara a llenarlos")),
        ((held, empty + held), t("a held slot has a row, so it is not empty",
                                 "un slot retenido tiene fila, así que no está vacío")),
    )
    for (wrong_held, wrong_empty), hint in slips:
        if same_shares(got, {"held": wrong_held, "empty": wrong_empty}):
            return hint
    return t(
        "each step has max_batch slots: `useful_rows` of them produced a token, the rest of `rows` are held, and those "
        "without a row are empty. Each slot counts the same, however long its step took; do not round (section 2.9)",
        "cada paso tiene max_batch slots: `useful_rows` produjeron un token, el resto de `rows` está retenido y los que no "
        "tienen fila están vacíos. Todos los slots cuentan igual, dure lo que dure su paso; no redondees nada (sección 2.9)",
    )
