"""Exercise 1.1: `remember` puts new K and V behind the old ones, in this request's dict."""

from tests.grader.check import check
from tests.grader.outcomes import t
from tests.lab01.scenes import draw, expect_close, expect_equal_layers, expect_pair

K, D = 2, 8  # key/value heads, size of a head


def remembered(student, *num_new: int, layer: int = 0):
    """Call `remember` with so many new tokens each time: what it returned last, the cache, all keys, all values."""
    import torch

    cache, new_keys, new_values = {}, [], []
    for call, count in enumerate(num_new):
        new_keys.append(draw(count, K, D, seed=(student.seed, call)))
        new_values.append(draw(count, K, D, seed=(student.seed, call, "values")))
        got, (cache, *_) = student.call_with("remember", cache, layer, new_keys[-1], new_values[-1], again=call > 0)
    hint = t("return (keys, values) (section 1.2)", "devuelve (claves, valores) (sección 1.2)")
    return expect_pair(got, hint=hint), cache, torch.cat(new_keys), torch.cat(new_values)


@check("1.1", points=2, en="new keys come behind the old ones", es="las claves nuevas van detrás de las antiguas")
def test_in_order(student):
    for num_new in ((1,), (3, 1), (3, 1, 2)):
        (keys, _), _, wanted, _ = remembered(student, *num_new)
        expect_close(keys, wanted, tolerance=0, hint=t(
            "the keys that you return are all of this layer's so far, oldest first, and the newest are among them: a "
            "token attends to itself too (section 1.2)",
            "las claves que devuelves son todas las de esta capa hasta ahora, primero las más antiguas, y las nuevas "
            "están entre ellas: un token también se atiende a sí mismo (sección 1.2)",
        ))  # fmt: skip


@check("1.1", points=1, en="keys stay keys, values stay values", es="las claves siguen siendo claves, y los valores, valores")
def test_values_are_values(student):
    (keys, values), _, wanted_keys, wanted_values = remembered(student, 2, 1)
    hint = t(
        "first keys, then values, in what you return and in what you store: were they swapped, is one of them kept "
        "twice, or do the newest stand in front of the oldest? (section 1.2)",
        "primero las claves y después los valores, en lo que devuelves y en lo que guardas: ¿se cruzaron, guardas dos "
        "veces lo mismo, o van las nuevas delante de las antiguas? (sección 1.2)",
    )  # fmt: skip
    expect_close(values, wanted_values, tolerance=0, hint=hint)
    expect_close(keys, wanted_keys, tolerance=0, hint=hint)


@check("1.1", points=1, en="each layer has its own, in the request's own dict",
       es="cada capa tiene lo suyo, en el diccionario de la propia petición")  # fmt: skip
def test_each_layer_in_its_dict(student):
    cache = {}
    for turn, layer in enumerate((0, 1, 0)):
        k, v = draw(1, K, D, seed=turn), draw(1, K, D, seed=turn + 9)
        _, (cache, *_) = student.call_with("remember", cache, layer, k, v, again=turn > 0)
    expect_equal_layers(cache, {0: 2, 1: 1}, hint=t(
        "(layer: tokens): two tokens were stored in layer 0 and one in layer 1 of the same dict. Store under the number "
        "of the layer (section 1.2)",
        "(capa: tokens): se guardaron dos tokens en la capa 0 y uno en la capa 1 del mismo diccionario. Guarda bajo el "
        "número de la capa (sección 1.2)",
    ))  # fmt: skip
    other = {}
    _, (other, *_) = student.call_with("remember", other, 0, draw(1, K, D, seed=3), draw(1, K, D, seed=4), again=True)
    expect_equal_layers(other, {0: 1}, hint=t(
        "(layer: tokens): an empty dict is a new request, and it starts with nothing. Keep K and V in the dict that you "
        "were given and nowhere else (section 1.2)",
        "(capa: tokens): un diccionario vacío es una petición nueva, y empieza sin nada. Guarda K y V en el diccionario "
        "que recibes y en ningún otro sitio (sección 1.2)",
    ))  # fmt: skip
