"""Exercise 4.6: bytes of KV cache per token."""

import random

from minigpt.llm.model_shapes import MODELS
from tests.grader.check import check
from tests.grader.definition import Definition, Slip, expect_defined
from tests.grader.outcomes import t
from tests.lab04.drawn import drawn_model


def bytes_of(model: dict) -> int:
    return 2 * model["num_layers"] * model["num_kv_heads"] * model["head_size"] * model["bytes_per_element"]


KV_BYTES = Definition(
    function="kv_bytes_per_token", arguments=("model",), truth=bytes_of, slips=(
        Slip(answer=lambda model: bytes_of(model) // 2, hint=t(
            "each layer keeps a key and a value, which is twice as much (section 4.9)",
            "cada capa guarda una clave y un valor, es decir, el doble (sección 4.9)",
        )),
        Slip(answer=lambda model: bytes_of(model) // model["bytes_per_element"], hint=t(
            "these are numbers; each of them takes bytes_per_element bytes (section 4.9)",
            "estos son números; cada uno ocupa bytes_per_element bytes (sección 4.9)",
        )),
        Slip(answer=lambda model: bytes_of(model) / 1024, hint=t(
            "these are KiB: return bytes (section 4.9)", "estos son KiB: devuelve bytes (sección 4.9)",
        )),
        Slip(answer=lambda model: 8 * bytes_of(model), hint=t(
            "these are bits: return bytes (section 4.9)", "estos son bits: devuelve bytes (sección 4.9)",
        )),
        Slip(answer=lambda model: bytes_of(model) // model["num_layers"], hint=t(
            "this is one layer; each of the num_layers layers keeps its own (section 4.9)",
            "esto es una capa; cada una de las num_layers guarda los suyos (sección 4.9)",
        )),
        Slip(answer=lambda model: bytes_of(model | {"num_kv_heads": model["num_heads"]}), hint=t(
            "query heads take no cache memory: several of them read one KV head, and only keys and values are kept "
            "(section 4.9)",
            "las cabezas de consulta no ocupan caché: varias leen una misma cabeza KV, y solo se guardan claves y valores "
            "(sección 4.9)",
        )),
    ),
)


def expect_models(student, names, *, drawn: int, alike: bool, hint):
    """Fail the check unless the bytes of these models and of some fictitious ones are right, to the byte."""
    rng = random.Random(f"{student.seed} {alike}")
    models = [MODELS[name].as_dict() for name in names] + [drawn_model(rng, alike=alike) for _ in range(drawn)]
    expect_defined(student, KV_BYTES, [(model,) for model in models], hint=lambda model: t(
        f"({model.get('name', model)}): {hint.en}", f"({model.get('name', model)}): {hint.es}"))


@check("4.6", points=1, en="a key and a value in every layer, in bytes",
       es="una clave y un valor en cada capa, en bytes")
def test_keys_and_values(student):
    expect_models(student, ("GPT-2", "Llama-2-7B"), drawn=8, alike=True, hint=t(
        "each layer keeps a key and a value for each KV head, of head_size numbers each, and a number takes bytes_per_element "
        "bytes (section 4.9)",
        "cada capa guarda una clave y un valor por cabeza KV, de head_size números cada uno, y un número ocupa "
        "bytes_per_element bytes (sección 4.9)",
    ))


@check("4.6", points=1, en="query heads take no memory", es="las cabezas de consulta no ocupan memoria")
def test_kv_heads(student):
    expect_models(student, ("Mini-GPT", "Llama-3-8B", "Falcon-7B"), drawn=8, alike=False, hint=t(
        "several query heads read one KV head; only keys and values are kept (section 4.9)",
        "varias cabezas de consulta leen una misma cabeza KV; solo se guardan claves y valores (sección 4.9)",
    ))
