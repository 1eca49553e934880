"""Exercise 1.2: `attend`, the newest token's queries over one request's keys and values."""

from tests.grader.check import check
from tests.grader.outcomes import t
from tests.lab01.scenes import draw, expect_close, expect_tensor

D = 8


def attended(student, *, heads: int, kv_heads: int, tokens: int):
    """The student's result, and the given model's way to the same numbers."""
    import torch

    shapes = {"q": (1, heads, D), "keys": (tokens, kv_heads, D), "values": (tokens, kv_heads, D)}
    q, keys, values = (draw(*shape, seed=(student.seed, name)) for name, shape in shapes.items())
    got = student.call("attend", q[0], keys, values)
    wanted = torch.nn.functional.scaled_dot_product_attention(
        q.transpose(0, 1), keys.transpose(0, 1), values.transpose(0, 1), enable_gqa=True
    )  # (H, 1, D)
    return got, wanted.reshape(-1)


@check("1.2", points=1, en="one vector, the heads one after another", es="un solo vector, una cabeza tras otra")
def test_shape(student):
    same = draw(1, D, seed=1).repeat(4, 1)  # (H, D)
    values = draw(3, 1, D, seed=2)
    got = student.call("attend", same, values, values)
    expect_tensor(got, (4 * D,), hint=t(
        "4 heads of 8 numbers make one vector of 32, ready for the product with attention_out (section 1.3)",
        "4 cabezas de 8 números forman un vector de 32, listo para el producto con attention_out (sección 1.3)",
    ))  # fmt: skip
    expect_close(got.view(4, D)[1:], got.view(4, D)[:3], hint=t(
        "four equal queries over one key/value head gather the same: the D numbers of a head stay together (section 1.3)",
        "cuatro consultas iguales sobre una cabeza de claves y valores recogen lo mismo: los D números de una cabeza van "
        "juntos (sección 1.3)",
    ))  # fmt: skip


@check("1.2", points=2, en="softmax(q·key / √D), over the tokens", es="softmax(q·clave / √D), sobre los tokens")
def test_weights(student):
    for tokens in (1, 5, 40):
        expect_close(*attended(student, heads=1, kv_heads=1, tokens=tokens), hint=t(
            "one head, S = {n}: divide the scores by √D before the softmax, and take the softmax over the tokens, so that "
            "the weights of a head add up to 1. Did `view` shuffle keys or values? Axes are moved by `permute` "
            "(section 1.3)",
            "una cabeza, S = {n}: divide los productos por √D antes del softmax, y aplica el softmax sobre los tokens, de "
            "modo que los pesos de una cabeza sumen 1. ¿Barajó `view` claves o valores? Los ejes se mueven con "
            "`permute` (sección 1.3)",
        ).format(n=tokens))  # fmt: skip


@check("1.2", points=1, en="neighbouring query heads share a key/value head",
       es="las cabezas de consulta vecinas comparten cabeza de claves y valores")  # fmt: skip
def test_groups(student):
    for heads, kv_heads in ((4, 1), (4, 2), (6, 3), (4, 4)):
        expect_close(*attended(student, heads=heads, kv_heads=kv_heads, tokens=5), hint=t(
            "{h} query heads, {k} key/value heads: query head h reads key/value head h // (H/K), so that neighbours share "
            "one. Did you deal them out in turn instead? (If the check above fails as well, begin there; section 1.3)",
            "{h} cabezas de consulta, {k} de claves y valores: la cabeza h lee la h // (H/K), de modo que las vecinas "
            "comparten una. ¿Las repartiste por turnos? (Si también falla la comprobación anterior, empieza por ella; "
            "sección 1.3)",
        ).format(h=heads, k=kv_heads))  # fmt: skip
