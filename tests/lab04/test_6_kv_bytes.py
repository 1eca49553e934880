"""Exercise 4.6: bytes of KV cache a token."""

from minigpt.llm.kv_memory import bytes_per_token
from minigpt.llm.model_shapes import MODELS
from tests.grader.check import check
from tests.grader.outcomes import expect_equal, t


def expect_models(student, names, *, hint):
    for name in names:
        shape = MODELS[name]
        got = student.call("kv_bytes_per_token", shape.as_dict())
        expect_equal(got, bytes_per_token(shape), hint=t(f"({name}): {hint.en}", f"({name}): {hint.es}"))


@check("4.6", points=1, en="a key and a value in every layer, in bytes",
       es="una clave y un valor en cada capa, en bytes")  # fmt: skip
def test_keys_and_values(student):
    expect_models(student, ("GPT-2", "Llama-2-7B"), hint=t(
        "each layer keeps a key and a value for each KV head, of head_size numbers each, and a number takes "
        "bytes_per_element (section 4.9)",
        "cada capa guarda una clave y un valor por cabeza KV, de head_size números cada uno, y un número ocupa "
        "bytes_per_element (sección 4.9)",
    ))  # fmt: skip


@check("4.6", points=1, en="query heads leave nothing behind", es="las cabezas de consulta no dejan nada")
def test_kv_heads(student):
    expect_models(student, ("Mini-GPT", "Llama-3-8B", "Falcon-7B"), hint=t(
        "several query heads read one KV head; only keys and values are kept (section 4.9)",
        "varias cabezas de consulta leen una misma cabeza KV; solo se guardan claves y valores (sección 4.9)",
    ))  # fmt: skip
