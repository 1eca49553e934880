"""Exercise 1.1: `remember` puts new K and V behind the old ones, in this request's dict."""

import random

from tests.grader.check import check
from tests.grader.definition import expect_unchanged
from tests.grader.outcomes import CRASHED, Text, expect, explained_by, t
from tests.lab01.scenes import draw, expect_close, expect_equal_layers, expect_pair, is_close, lengths_of, shown

K, D = 2, 8  # key/value heads, size of a head


RAISES = t(
    "at a layer's first tokens the dict has no entry for it yet: `layer in cache` says so. After that, `torch.cat([old, new])` "
    "joins two tensors of shapes (S, K, D) and (T, K, D) along their first axis; `torch.stack` makes a new axis and needs equal "
    "shapes, and `+` adds numbers (section 1.2)",
    "con los primeros tokens de una capa, el diccionario aún no la contiene: lo dice `layer in cache`. Después, `torch.cat([viejo, "
    "nuevo])` une dos tensores de formas (S, K, D) y (T, K, D) por su primer eje; `torch.stack` crea un eje y exige formas "
    "iguales, y `+` suma números (sección 1.2)",
)


def remembered(student, *num_new: int, layer: int = 0, shape: tuple[int, int] = (K, D)):
    """Call `remember` with this many new tokens each time; return its last result, the cache, all keys, all values."""
    import torch

    cache, new_keys, new_values = {}, [], []
    for call, count in enumerate(num_new):
        new_keys.append(draw(count, *shape, seed=(student.seed, call)))
        new_values.append(draw(count, *shape, seed=(student.seed, call, "values")))
        given = (new_keys[-1], new_values[-1])
        with explained_by(RAISES, outcome=CRASHED):
            got, (cache, _, *after) = student.call_with("remember", cache, layer, *given, again=call > 0)
        expect_unchanged(("k", "v"), given, after)
    hint = t("return (keys, values) (section 1.2)", "devuelve (claves, valores) (sección 1.2)")
    return expect_pair(got, hint=hint), cache, torch.cat(new_keys), torch.cat(new_values)


SWAPPED = t(
    "first keys, then values, both in what you return and in what you store: are they swapped, is one of them kept twice, or "
    "do the newest come before the oldest? (section 1.2)",
    "primero las claves y después los valores, tanto en lo que devuelves como en lo que guardas: ¿están intercambiados, "
    "guardas dos veces lo mismo, o van los nuevos delante de los antiguos? (sección 1.2)",
)


@check("1.1", points=2, en="appends new keys after the old ones", es="añade las claves nuevas detrás de las antiguas")
def test_in_order(student):
    hint = t(
        "return all of this layer's keys so far, oldest first, including the newest: a token attends to itself too (section "
        "1.2)",
        "devuelve todas las claves de esta capa hasta ahora, primero las más antiguas, incluidas las nuevas: un token también "
        "se atiende a sí mismo (sección 1.2)",
    )
    for num_new in ((1,), (3, 1), (3, 1, 2)):
        (keys, _), cache, wanted, values = remembered(student, *num_new)
        likely = SWAPPED if is_close(keys, values, tolerance=0) else _why_lost(cache, num_new) or hint
        expect_close(keys, wanted, tolerance=0, hint=likely)
    for num_new, shape in (((40, 1, 1, 30), (1, 4)), ((1_000, 1, 99), (1, 2))):
        (keys, _), _, wanted, _ = remembered(student, *num_new, shape=shape)
        expect_close(keys, wanted, tolerance=0, hint=t(
            "{n} tokens were passed in, and all of them must be kept: do not drop the oldest (section 1.2)",
            "llegaron {n} tokens y hay que guardarlos todos: no descartes los más antiguos (sección 1.2)",
        ).format(n=sum(num_new)))


def _why_lost(cache, num_new: tuple[int, ...]) -> Text | None:
    """The hint for keys that are missing, if the dict itself shows why."""
    if lengths_of(cache) == {}:
        return t(
            "the dict is still empty after the call, so the next call finds nothing there: store the pair, `cache[layer] = …` "
            "(section 1.2)",
            "el diccionario sigue vacío tras la llamada, así que la siguiente no encuentra nada en él: guarda el par, "
            "`cache[layer] = …` (sección 1.2)",
        )
    if len(num_new) > 1 and lengths_of(cache) == {0: num_new[-1]}:
        return t(
            "the dict holds only the tokens of the last call: join the old and the new, then store and return the same pair "
            "(section 1.2)",
            "el diccionario contiene solo los tokens de la última llamada: junta los antiguos y los nuevos, y después guarda y "
            "devuelve ese mismo par (sección 1.2)",
        )
    return None


@check("1.1", points=1, en="keys stay keys, values stay values", es="las claves siguen siendo claves, y los valores, valores")
def test_values_are_values(student):
    for num_new in ((2, 1), (1, 1, 1)):  # after two calls, swapping twice would look like not swapping
        (keys, values), cache, wanted_keys, wanted_values = remembered(student, *num_new)
        expect_close(values, wanted_values, tolerance=0, hint=SWAPPED)
        expect_close(keys, wanted_keys, tolerance=0, hint=SWAPPED)
        _expect_stored(cache, 0, wanted_keys, wanted_values)


def _expect_stored(cache, layer: int, keys, values) -> None:
    """Fail the check unless the dict holds just these keys and values under the layer, as two tensors."""
    stored = cache.get(layer) if isinstance(cache, dict) else cache
    is_pair = isinstance(stored, (list, tuple)) and [type(part) for part in stored] == [type(keys)] * 2
    wanted = t("a pair of tensors", "un par de tensores")
    expect(is_pair, expected=wanted, got=shown(stored), hint=t(
        "(what the dict holds of a layer): (keys, values), two tensors of shape (S, K, D), as you return them. "
        "`length` and `attend` rely on that (section 1.2)",
        "(lo que el diccionario guarda de una capa): (claves, valores), dos tensores de forma (S, K, D), tal como los "
        "devuelves. `length` y `attend` cuentan con eso (sección 1.2)",
    ))
    for got, due in zip(stored, (keys, values)):
        expect_close(got, due, tolerance=0, hint=t(
            "(what the dict holds of a layer): the same pair that you return, first all keys and then all values (section "
            "1.2)",
            "(lo que el diccionario guarda de una capa): el mismo par que devuelves, primero todas las claves y después "
            "todos los valores (sección 1.2)",
        ))


@check("1.1", points=1, en="each layer has its own pair, in the request's own dict",
       es="cada capa tiene su propio par, en el diccionario de la propia petición")
def test_each_layer_in_its_dict(student):
    cache = {}
    for turn, layer in enumerate((0, 1, 0)):
        k, v = draw(1, K, D, seed=turn), draw(1, K, D, seed=turn + 9)
        _, (cache, *_) = student.call_with("remember", cache, layer, k, v, again=turn > 0)
    expect_equal_layers(cache, {0: 2, 1: 1}, hint=t(
        "(layer: tokens): two tokens were stored in layer 0 and one in layer 1 of the same dict. Use the number of the layer "
        "as the key (section 1.2)",
        "(capa: tokens): se guardaron dos tokens en la capa 0 y uno en la capa 1 del mismo diccionario. Usa el número de la "
        "capa como clave (sección 1.2)",
    ))
    other = {}
    _, (other, *_) = student.call_with("remember", other, 0, draw(1, K, D, seed=3), draw(1, K, D, seed=4), again=True)
    expect_equal_layers(other, {0: 1}, hint=NEW_REQUEST)
    _expect_several_requests(student)


def _expect_several_requests(student) -> None:
    """Fail the check unless three requests that take turns, layer by layer in any order, each keep what is theirs."""
    import torch

    rng = random.Random(student.seed)
    caches, due = [{}, {}, {}], [{}, {}, {}]
    for turn in range(16):
        who, layer, count = rng.randrange(3), rng.choice((2, 0, 7)), rng.choice((1, 1, 3))
        k, v = draw(count, K, D, seed=(turn, "k")), draw(count, K, D, seed=(turn, "v"))
        _, (caches[who], *_) = student.call_with("remember", caches[who], layer, k, v, again=True)
        old = due[who].get(layer, (k[:0], v[:0]))
        due[who][layer] = tuple(torch.cat(pair) for pair in zip(old, (k, v)))
        expect_equal_layers(caches[who], {layer: len(keys) for layer, (keys, _) in due[who].items()}, hint=NEW_REQUEST)
        for each, pair in due[who].items():
            for got, wanted in zip(caches[who][each], pair):
                expect_close(got, wanted, tolerance=0, hint=NEW_REQUEST)


NEW_REQUEST = t(
    "(layer: tokens; several requests take turns): an empty dict belongs to a new request, which starts with nothing. Keep K "
    "and V in the dict that you were given, with the number of the layer as the key, and nowhere else (section 1.2)",
    "(capa: tokens; varias peticiones se turnan): un diccionario vacío es el de una petición nueva, que empieza sin nada. "
    "Guarda K y V en el diccionario que recibes, con el número de la capa como clave, y en ningún otro sitio (sección 1.2)",
)
