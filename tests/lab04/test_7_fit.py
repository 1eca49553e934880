"""Exercise 4.7: how many sequences share a memory."""

from itertools import accumulate

from minigpt.llm.model_shapes import MODELS
from tests.grader.check import check
from tests.grader.definition import Definition, Slip, expect_defined
from tests.grader.outcomes import Text, t
from tests.lab04.drawn import drawn_memories
from tests.lab04.test_6_kv_bytes import bytes_of

MODEL = MODELS["Mini-GPT"].as_dict()
BYTES = bytes_of(MODEL)
LENGTHS = [40, 100, 16, 17, 200, 33, 90, 5, 64, 120]
WAYS = {
    "maximum": lambda model, length, block_size: model["context"],
    "exact": lambda model, length, block_size: length,
    "blocks": lambda model, length, block_size: -(-length // block_size) * block_size,
}


def places_of(model, lengths, way, block_size) -> list[int]:
    return [WAYS[way](model, length, block_size) for length in lengths]


def fitting(budget_bytes, model, lengths, way, block_size) -> int:
    """How many of the sequences, in order, fit together."""
    totals = accumulate(places_of(model, lengths, way, block_size))
    return sum(total * bytes_of(model) <= budget_bytes for total in totals)


def _skipping(budget_bytes, model, lengths, way, block_size):
    left, count = budget_bytes // bytes_of(model), 0
    for places in places_of(model, lengths, way, block_size):
        if places <= left:
            left, count = left - places, count + 1
    return count


def _with(**otherwise):
    """The right count of something else: another budget, other lengths, another block size."""

    def answer(*args):
        named = dict(zip(FIT.arguments, args))
        return fitting(**named | {name: change(named) for name, change in otherwise.items()})

    return answer


def _whole_tokens(given: dict) -> int:
    """The budget in bytes, rounded down to whole tokens."""
    return given["budget_bytes"] // bytes_of(given["model"]) * bytes_of(given["model"])


FIT = Definition(
    function="sequences_that_fit", arguments=("budget_bytes", "model", "lengths", "way", "block_size"), truth=fitting,
    slips=(
        Slip(answer=_skipping, hint=t(
            "take them in order until one does not fit: those after it have to wait, even if one of them would fit (section "
            "4.9)",
            "tómalas por orden hasta que una no quepa: las siguientes esperan su turno, aunque alguna sí cupiera (sección 4.9)",
        )),
        Slip(answer=_with(budget_bytes=lambda given: _whole_tokens(given) - 1), hint=t(
            "a sequence that fills the memory to the last place still fits: compare with <= (section 4.9)",
            "una secuencia que llena la memoria hasta la última posición aún cabe: compara con <= (sección 4.9)",
        )),
        Slip(answer=_with(budget_bytes=lambda given: given["budget_bytes"] + bytes_of(given["model"]) - 1), hint=t(
            "a fraction of a token's bytes is not a token place: round the budget down to whole tokens (section 4.9)",
            "una parte de los bytes de un token no es una posición: redondea el presupuesto hacia abajo, a tokens enteros "
            "(sección 4.9)",
        )),
        Slip(answer=_with(lengths=lambda given: sorted(given["lengths"])), hint=t(
            "take them in the given order: sorting lets short sequences overtake (section 4.9)",
            "tómalas en el orden dado: si las ordenas, las cortas se adelantan (sección 4.9)",
        )),
        Slip(answer=_with(lengths=lambda given: [length + 1 for length in given["lengths"]]), hint=t(
            "each sequence gets one place too many: `lengths` are final lengths, and 16 tokens fill one block of 16, not two "
            "(section 4.9)",
            "cada secuencia recibe una posición de más: `lengths` son longitudes finales, y 16 tokens llenan un bloque de 16, "
            "no dos (sección 4.9)",
        )),
        Slip(answer=_with(block_size=lambda given: 16), hint=t(
            "a block holds `block_size` tokens, not always 16 (section 4.9)",
            "un bloque tiene `block_size` tokens, no siempre 16 (sección 4.9)",
        )),
        *(Slip(answer=answer, hint=t(
            "exactly one too many: a sequence counts only if all of it fits (section 4.9)",
            "exactamente una de más: una secuencia cuenta solo si cabe entera (sección 4.9)",
        )) for answer in (lambda *args: min(fitting(*args) + 1, len(args[2])), lambda *args: fitting(*args) + 1)),
    ),
)


def expect_fits(student, way: str, cases, *, hint: Text) -> None:
    """Fail the check unless the number that fits is right in some memories worked out by hand, and in random ones."""
    worked_out = [(places * BYTES + spare, MODEL, LENGTHS, way, 16) for places, spare, _ in cases]
    assert [fitting(*case) for case in worked_out] == [count for *_, count in cases], "the definition itself"
    random_ones = drawn_memories(student.seed, way, 40, bytes_of=bytes_of, places=places_of)
    def with_case(budget, model, lengths, way, block_size):
        places, rest = divmod(budget, bytes_of(model))
        over = t(f" and {rest} bytes", f" y {rest} bytes") if rest else t("", "")
        return hint.followed_by(t(
            f" ({len(lengths)} sequences in {places} places{over.en}, blocks of {block_size}: {lengths})",
            f" ({len(lengths)} secuencias en {places} posiciones{over.es}, bloques de {block_size}: {lengths})",
        ))

    expect_defined(student, FIT, [*worked_out, *random_ones], hint=with_case)


@check("4.7", points=1, en="reserving the maximum", es="reservando el máximo")
def test_maximum(student):
    cases = ((1_023, 0, 0), (1_024, 0, 1), (6_120, 0, 5), (100_000, 0, 10))
    expect_fits(student, "maximum", cases, hint=t(
        "each sequence takes the model's whole context, however short it is and whatever the block size; do not count more "
        "sequences than `lengths` has (section 4.9)",
        "cada secuencia ocupa todo el contexto del modelo, por corta que sea y sea cual sea el tamaño de bloque; no cuentes "
        "más secuencias de las que hay en `lengths` (sección 4.9)",
    ))


@check("4.7", points=1, en="exact lengths", es="longitudes exactas")
def test_exact(student):
    cases = ((139, 0, 1), (140, 0, 2), (172, 0, 3), (173, BYTES - 1, 4), (685, 0, 10))
    expect_fits(student, "exact", cases, hint=t(
        "each sequence takes its own length, in order, as long as all of the next one fits (section 4.9)",
        "cada secuencia ocupa su propia longitud, por orden, mientras la siguiente quepa entera (sección 4.9)",
    ))


@check("4.7", points=2, en="whole blocks", es="bloques enteros")
def test_blocks(student):
    counts = ((47, 0), (48, 1), (160, 2), (175, 2), (176, 3), (207, 3), (208, 4), (800, 10))
    expect_fits(student, "blocks", [(places, 0, count) for places, count in counts], hint=t(
        "with blocks of 16, 40 tokens take 3 blocks, 100 take 7, 16 take 1, 17 take 2. A partly filled block counts in full "
        "(section 4.9)",
        "con bloques de 16, 40 tokens ocupan 3 bloques; 100, 7; 16, 1; 17, 2. Un bloque a medio llenar cuenta entero (sección "
        "4.9)",
    ))
