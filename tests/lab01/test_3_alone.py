"""Exercise 1.3: `decode_one`, one step of one request, equal to the model without a cache."""

from tests.grader.check import check
from tests.grader.outcomes import expect, t
from tests.lab01.scenes import MODELS, alone, draw_tokens, expect_close, expect_equal_layers, filled_caches


@check("1.3", points=2, en="equals the uncached model, token by token", es="es igual al modelo sin caché, token a token")
def test_equals_the_uncached_model(student):
    hints = (
        t("(first token): wrong before any cache matters. x gets two additions, once each: attention, then the "
          "feed-forward, which does its own. What you return is one row, shape (V,) (section 1.4)",
          "(primer token): falla antes de que importe la caché. A x se le suman dos cosas, una sola vez cada una: la "
          "atención y después la red feed-forward, que ya hace su suma. Se devuelve una fila, de forma (V,) (sección 1.4)"),
        t("(token {n}): the first token was right, so it is the cache: remember the new K and V before attending, so that "
          "the token sees itself and all before it (section 1.4)",
          "(token {n}): el primer token era correcto, así que es la caché: guarda K y V nuevos antes de atender, para que "
          "el token se vea a sí mismo y a todos los anteriores (sección 1.4)"),
    )  # fmt: skip
    for spec in MODELS:
        tokens, cache = draw_tokens(7, seed=(student.seed, spec.seed)), {}
        for place, (token, wanted) in enumerate(zip(tokens, alone(spec, tokens))):
            got, (_, cache, _) = student.call_with("decode_one", spec, cache, token, again=place > 0)
            expect_close(got, wanted, hint=hints[min(place, 1)].format(n=place + 1))


@check("1.3", points=1, en="the new token's position is the number of tokens before it",
       es="la posición del token nuevo es el número de tokens anteriores")  # fmt: skip
def test_goes_on_with_a_filled_cache(student):
    for spec in MODELS:
        tokens = draw_tokens(10, seed=(student.seed, spec.seed))
        (cache,) = filled_caches(spec, [tokens[:9]])
        got, _ = student.call_with("decode_one", spec, cache, tokens[9])
        expect_close(got, alone(spec, tokens)[9], hint=t(
            "the given model had computed 9 tokens into this cache, positions 0 to 8: the new one is at 9, in every "
            "layer. The cache grows in layer 0: ask for its length before that (section 1.4)",
            "el modelo dado había calculado 9 tokens en esta caché, posiciones 0 a 8: el nuevo está en la 9, en todas las "
            "capas. La caché crece en la capa 0: pregunta su longitud antes (sección 1.4)",
        ))  # fmt: skip


@check("1.3", points=1, en="the cache holds one token more afterwards", es="después, la caché guarda un token más")
def test_the_cache_grows_by_one(student):
    spec = MODELS[0]
    (cache,) = filled_caches(spec, [draw_tokens(5, seed=1)])
    _, (_, after, _) = student.call_with("decode_one", spec, cache, 65)
    expect(type(after) is dict, expected="dict", got=type(after).__name__, hint=t(
        "the cache is the dict that you were given (section 1.4)",
        "la caché es el diccionario que recibiste (sección 1.4)",
    ))  # fmt: skip
    expect_equal_layers(after, {0: 6, 1: 6}, hint=t(
        "(layer: tokens): there were 5 in each layer, and one came. Work on the dict that you were given, not on a copy, "
        "and remember once a layer (section 1.4)",
        "(capa: tokens): había 5 en cada capa y llegó uno. Trabaja sobre el diccionario que recibes, no sobre una copia, y "
        "guarda una vez por capa (sección 1.4)",
    ))  # fmt: skip
