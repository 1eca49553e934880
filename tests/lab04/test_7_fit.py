"""Exercise 4.7: how many sequences share a memory."""

from minigpt.llm.kv_memory import bytes_per_token
from minigpt.llm.model_shapes import MODELS
from tests.grader.check import check
from tests.grader.outcomes import expect_equal, t

MODEL = MODELS["Mini-GPT"]
BYTES = bytes_per_token(MODEL)
LENGTHS = [40, 100, 16, 17, 200, 33, 90, 5, 64, 120]


def fits(student, num_places: int, way: str, lengths=LENGTHS, spare_bytes: int = 0):
    budget = num_places * BYTES + spare_bytes
    return student.call("sequences_that_fit", budget, MODEL.as_dict(), lengths, way, 16)


@check("4.7", points=1, en="reserving the maximum", es="reservando el máximo")
def test_maximum(student):
    got = [fits(student, places, "maximum") for places in (1023, 1024, 5 * 1024 + 1000, 100_000)]
    expect_equal(got, [0, 1, 5, 10], hint=t(
        "(in 1023, 1024, 6120 and 100000 places): each of the 10 sequences takes the model's whole context of "
        "1024, however short it is, and there are no more than 10 (section 4.9)",
        "(en 1023, 1024, 6120 y 100000 plazas): cada una de las 10 secuencias ocupa todo el contexto del modelo, "
        "1024, por corta que sea, y no hay más de 10 (sección 4.9)",
    ))  # fmt: skip


@check("4.7", points=1, en="exact lengths", es="longitudes exactas")
def test_exact(student):
    cases = ((139, 0), (140, 0), (172, 0), (173, BYTES - 1), (685, 0))
    got = [fits(student, places, "exact", spare_bytes=spare) for places, spare in cases]
    expect_equal(got, [1, 2, 3, 4, 10], hint=t(
        "(in 139, 140, 172, 173 and 685 places): 40 + 100 + 16 + 17 + …, as long as the next one fits as a whole. "
        "Part of a token's bytes is no place (section 4.9)",
        "(en 139, 140, 172, 173 y 685 plazas): 40 + 100 + 16 + 17 + …, mientras la siguiente quepa entera. Parte de "
        "los bytes de un token no es una plaza (sección 4.9)",
    ))  # fmt: skip


@check("4.7", points=2, en="whole blocks", es="bloques enteros")
def test_blocks(student):
    got = [fits(student, places, "blocks") for places in (47, 48, 160, 175, 176, 207, 208, 800)]
    expect_equal(got, [0, 1, 2, 2, 3, 3, 4, 10], hint=t(
        "(in 47, 48, 160, 175, 176, 207, 208 and 800 places, blocks of 16): 40 tokens take 3 blocks, 100 take 7, 16 "
        "take 1, 17 take 2. A block begun is a block taken (section 4.9)",
        "(en 47, 48, 160, 175, 176, 207, 208 y 800 plazas, bloques de 16): 40 tokens ocupan 3 bloques; 100, 7; 16, "
        "1; 17, 2. Bloque empezado, bloque ocupado (sección 4.9)",
    ))  # fmt: skip
