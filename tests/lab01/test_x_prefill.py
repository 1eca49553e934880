"""Stretch 1.10: `prefill`, all tokens of a prompt in one pass over the request's dict."""

from tests.grader.check import check
from tests.grader.definition import expect_unchanged
from tests.grader.outcomes import Text, expect, t
from tests.lab01.scenes import (
    DEEP,
    MODELS,
    alone,
    call_step,
    draw_tokens,
    expect_close,
    expect_equal_layers,
    expect_tensor,
    filled_caches,
    is_close,
)

# (model, tokens in the dict, new ones): one after another in one load; a single token, and a whole context, too.
PROMPTS = ((DEEP, 0, 5), (MODELS[1], 0, 64), (DEEP, 90, 110), (MODELS[0], 63, 1))


def expect_last(got, spec, cache: dict, new: list[int], *, wanted, hint: Text) -> None:
    """Fail the check unless these are the logits after the last token, with the hint of the slip that gives just these."""
    from tests.lab01.prefill_slips import slip_hint  # imports the model

    expect_tensor(got, tuple(wanted.shape), hint=t(
        "return the logits of the last token alone, one row of shape (V,): `logits_of(model, x[-1:])[0]` (section 1.11)",
        "devuelve los logits del último token solo, una fila de forma (V,): `logits_of(model, x[-1:])[0]` (sección 1.11)",
    ))
    expect_close(got, wanted, hint=hint if is_close(got, wanted) else slip_hint(got, spec, cache, new) or hint)


@check("1.10", points=0, en="the last token's logits are those of the uncached model", es="los logits del último token son los del modelo sin caché")
def test_equals_the_uncached_model(student):
    for spec in MODELS:
        tokens = draw_tokens(9, seed=(student.seed, "prompt"))
        got, (counts, after, tokens_after) = call_step(student, "prefill", spec, {}, tokens)
        expect_last(got, spec, {}, tokens, wanted=alone(spec, tokens)[-1], hint=t(
            "a prompt of 9 tokens and an empty dict: token t is at position t and sees the tokens up to and including itself; "
            "set the scores of those after it to -math.inf before the softmax. Return the logits of the last row (section "
            "1.11)",
            "un prompt de 9 tokens y un diccionario vacío: el token t está en la posición t y ve los tokens hasta él mismo, "
            "incluido; pon -math.inf en las puntuaciones de los que quedan detrás, antes del softmax. Devuelve los logits de "
            "la última fila (sección 1.11)",
        ))
        expect_unchanged(("tokens",), (tokens,), (tokens_after,))
        expect_equal_layers(after, dict.fromkeys(range(spec.config["num_layers"]), 9), hint=t(
            "(tokens in each layer of the dict after the pass): store all nine, once (section 1.11)",
            "(tokens en cada capa del diccionario tras la pasada): guarda los nueve, una sola vez (sección 1.11)",
        ))
        most = max(counts) if isinstance(counts, list) and counts else counts
        expect(type(most) is int and most <= 1, expected=1, got=most, hint=t(
            "(products of a weight matrix for a prompt of 9 tokens): run one pass for the whole prompt, not one per token "
            "(section 1.11)",
            "(productos de una matriz de pesos con un prompt de 9 tokens): haz una sola pasada para todo el prompt, no una "
            "por token (sección 1.11)",
        ))


@check("1.10", points=0, en="it continues from what the cache holds", es="continúa con lo que guarda la caché")
def test_goes_on_with_a_filled_cache(student):
    for spec in MODELS:
        tokens = draw_tokens(14, seed=(student.seed, "two parts"))
        [cache] = filled_caches(spec, [tokens[:5]])
        got, _ = call_step(student, "prefill", spec, cache, tokens[5:])
        expect_last(got, spec, cache, tokens[5:], wanted=alone(spec, tokens)[-1], hint=t(
            "five tokens are in the dict, and nine are new: the first of these is at position 5, and all of them see the "
            "earlier five. Read the length before layer 0 remembers (section 1.11)",
            "hay cinco tokens en el diccionario y llegan nueve nuevos: el primero de estos está en la posición 5, y todos ven "
            "los cinco anteriores. Lee la longitud antes de que la capa 0 guarde (sección 1.11)",
        ))
    for count, (spec, before, new) in enumerate(PROMPTS):
        tokens = draw_tokens(before + new, seed=(student.seed, before, new))
        cache = filled_caches(spec, [tokens[:before]])[0] if before else {}
        got, _ = call_step(student, "prefill", spec, cache, tokens[before:], again=count > 0)
        expect_close(got, alone(spec, tokens)[-1], hint=t(
            "{before} tokens are in the dict and {new} are new; the model has {heads} query heads and {kv} key/value heads. "
            "Your function is right with a shorter prompt, with another model or in a first call: take every size from the "
            "tensors, and keep nothing from an earlier call (section 1.11)",
            "hay {before} tokens en el diccionario y llegan {new} nuevos; el modelo tiene {heads} cabezas de consulta y {kv} "
            "de claves y valores. Tu función es correcta con un prompt más corto, con otro modelo o en la primera llamada: "
            "toma todos los tamaños de los tensores, y no conserves nada de una llamada anterior (sección 1.11)",
        ).format(before=before, new=new, heads=spec.config["num_heads"], kv=spec.config["num_kv_heads"]))
