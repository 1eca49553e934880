"""Exercise 1.3: `decode_one`, one step of one request, equal to the model without a cache."""

from tests.grader.check import check
from tests.grader.outcomes import Text, expect, t
from tests.lab01.scenes import (
    DEEP,
    LARGE_EPS,
    MODELS,
    SIZES,
    TOLERANCE,
    alone,
    call_step,
    draw_tokens,
    expect_close,
    expect_equal_layers,
    filled_caches,
    is_close,
)

FIRST = t(
    "(first token): it is wrong before the cache even matters. Two things are added to x, once each: you add the attention "
    "output, and the feed-forward adds its own. Return one row, of shape (V,) (section 1.4)",
    "(primer token): con el primer token la caché aún no influye, y ya falla. A x se le suman dos cosas, una sola vez cada una: tú sumas la "
    "salida de la atención, y `feed_forward` ya suma la suya. Devuelve una fila, de forma (V,) (sección 1.4)",
)
LATER = t(
    "(token {n}): the first token was right, so the error is in the cache or the position: remember the new K and V before "
    "attending, so that the token sees itself and all tokens before it; its position is the number of tokens before it "
    "(section 1.4)",
    "(token {n}): el primer token era correcto, así que el error está en la caché o en la posición: guarda la K y la V "
    "nuevas antes de atender, para que el token se vea a sí mismo y a todos los anteriores; su posición es el número de "
    "tokens que hay antes (sección 1.4)",
)
ITS_OWN_ROW = t(
    "only the logit of the token itself is wrong: `model.embedding[token : token + 1]` is a view of the weights, and "
    "`x += …` writes into them. `x = x + …` makes a new tensor (section 1.4)",
    "solo está mal el logit del propio token: `model.embedding[token : token + 1]` es una vista de los pesos, y "
    "`x += …` escribe en ellos. `x = x + …` crea un tensor nuevo (sección 1.4)",
)
EVERY_LAYER = t(
    "right for a model with 2 layers, wrong for one with 7, whose 6 query heads share 3 key/value heads: go through all of "
    "`model.layers`, however many there are, and take the sizes from the tensors (section 1.4)",
    "correcto con un modelo de 2 capas, incorrecto con uno de 7, cuyas 6 cabezas de consulta comparten 3 de claves y valores: "
    "recorre todas las capas de `model.layers`, sean cuantas sean, y toma los tamaños de los tensores (sección 1.4)",
)
ITS_EPS = t(
    "right for other models, wrong for one whose norms use an eps of 0.5: pass `model.config.norm_eps`, not a number of your "
    "own (section 1.4)",
    "correcto con otros modelos, incorrecto con uno cuyas normas tienen un eps de 0.5: pasa `model.config.norm_eps`, "
    "no un número tuyo (sección 1.4)",
)


def expect_token_by_token(student, spec, tokens: list[int], *, first: Text, later: Text) -> None:
    """Fail the check unless each token's logits, from an empty cache on, are those of the model without a cache."""
    from tests.lab01.prefill_slips import halves_hint  # imports the model

    cache = {}
    for place, (token, wanted) in enumerate(zip(tokens, alone(spec, tokens))):
        before = cache
        got, (_, cache, _) = call_step(student, "decode_one", spec, before, token, again=place > 0)
        hint = ITS_OWN_ROW if _differs_only_at(got, wanted, token) else later if place else first
        if not is_close(got, wanted) and not place:
            hint = halves_hint(got, spec, before, [token], t(" (section 1.4)", " (sección 1.4)")) or hint
        expect_close(got, wanted, hint=hint.format(n=place + 1))


def _differs_only_at(got, wanted, token: int) -> bool:
    if is_close(got, wanted) or getattr(got, "shape", None) != wanted.shape:
        return False
    return ((got - wanted).abs() > TOLERANCE).nonzero().flatten().tolist() == [token]


@check("1.3", points=2, en="matches the uncached model, token by token", es="coincide con el modelo sin caché, token a token")
def test_equals_the_uncached_model(student):
    for spec in MODELS:
        tokens = draw_tokens(7, seed=(student.seed, spec.seed))
        expect_token_by_token(student, spec, [*tokens, tokens[0]], first=FIRST, later=LATER)
    for spec, hint in ((DEEP, EVERY_LAYER), (LARGE_EPS, ITS_EPS)):
        expect_token_by_token(student, spec, draw_tokens(3, seed=(student.seed, spec.seed)), first=hint, later=hint)


@check("1.3", points=1, en="the new token's position is the number of tokens before it",
       es="la posición del nuevo token es el número de tokens anteriores")
def test_goes_on_with_a_filled_cache(student):
    for spec in MODELS:
        _expect_next(student, spec, 9, again=False, hint=t(
            "this cache already holds 9 tokens, at positions 0 to 8, so the new one is at 9 in every layer. The cache grows "
            "in layer 0: read its length before that (section 1.4)",
            "esta caché ya guarda 9 tokens, en las posiciones 0 a 8, así que el nuevo está en la 9 en todas las capas. La "
            "caché crece en la capa 0: lee su longitud antes (sección 1.4)",
        ))
    # Up to the last place of the context, one request after another in one load.
    last, deep_last = SIZES["context"] - 1, DEEP.config["context"] - 1
    for spec, filled in ((MODELS[1], last), (DEEP, 150), (MODELS[0], 2), (DEEP, deep_last)):
        _expect_next(student, spec, filled, again=True, hint=t(
            "this cache holds {n} tokens, and the model has room for {room}: the new token is at position {n} and attends to "
            "all of them. Keep nothing from an earlier request (section 1.4)",
            "esta caché guarda {n} tokens, y en el modelo caben {room}: el nuevo está en la posición {n} y atiende a todos "
            "ellos. No conserves nada de una petición anterior (sección 1.4)",
        ).format(n=filled, room=spec.config["context"]))


def _expect_next(student, spec, filled: int, *, again: bool, hint: Text) -> None:
    tokens = draw_tokens(filled + 1, seed=(student.seed, spec.seed))
    (cache,) = filled_caches(spec, [tokens[:filled]])
    got, _ = call_step(student, "decode_one", spec, cache, tokens[filled], again=again)
    expect_close(got, alone(spec, tokens)[filled], hint=hint)


@check("1.3", points=1, en="the cache holds one more token afterwards", es="después, la caché guarda un token más")
def test_the_cache_grows_by_one(student):
    spec = MODELS[0]
    (cache,) = filled_caches(spec, [draw_tokens(5, seed=1)])
    _, (_, after, _) = call_step(student, "decode_one", spec, cache, 65)
    expect(type(after) is dict, expected="dict", got=type(after).__name__, hint=t(
        "the cache is the dict that you were given (section 1.4)",
        "la caché es el diccionario que recibiste (sección 1.4)",
    ))
    expect_equal_layers(after, {0: 6, 1: 6}, hint=t(
        "(layer: tokens): there were 5 in each layer, and one was added. Work on the dict that you were given, not on a copy, "
        "and call `remember` once per layer (section 1.4)",
        "(capa: tokens): había 5 en cada capa y se añadió uno. Trabaja sobre el diccionario que recibes, no sobre una copia, "
        "y llama a `remember` una vez por capa (sección 1.4)",
    ))
