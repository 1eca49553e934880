"""Exercise 1.2: `attend`, the newest token's queries over one request's keys and values."""

import random

from tests.grader.check import check
from tests.grader.definition import KEPT, expect_unchanged
from tests.grader.outcomes import Text, t
from tests.lab01.scenes import NO_WEIGHTS, draw, expect_close, expect_tensor, is_close

D = 8
TOLERANCE = 1e-4  # fp32: sums over a thousand tokens, and an exponential of scores around 10, lose four of seven digits

SCALES = (
    (lambda h, k, d, s: 1.0, t("divide the scores by √D before the softmax",
                               "divide los productos por √D antes del softmax")),
    (lambda h, k, d, s: d, t("divide the scores by √D, not by D", "divide los productos por √D, no por D")),
    (lambda h, k, d, s: (h * d) ** 0.5,
     t("divide the scores by √D, D being the size of one head: √(H·D) is the size of all heads together",
       "divide los productos por √D, donde D es el tamaño de una cabeza: √(H·D) es el de todas juntas")),
    (lambda h, k, d, s: (k * d) ** 0.5,
     t("divide the scores by √D, D being the size of one head: √(K·D) is the size of all key/value heads together",
       "divide los productos por √D, donde D es el tamaño de una cabeza: √(K·D) es el de todas las de claves y valores")),
    (lambda h, k, d, s: s**0.5, t("divide the scores by √D, not by √S: the number of tokens does not matter",
                                  "divide los productos por √D, no por √S: el número de tokens no importa")),
    (lambda h, k, d, s: h**0.5, t("divide the scores by √D, not by √H", "divide los productos por √D, no por √H")),
    (lambda h, k, d, s: d**-0.5, t("divide the scores by √D: you seem to multiply",
                                   "divide los productos por √D: parece que multiplicas")),
)


LARGE = t(
    "it is right with small scores q·key / √D, and not with {which}. Did you write exp yourself, or apply it to the raw "
    "scores? It overflows above 88 and is 0 below −104, and a series, the limit formula or a rounded base such as "
    "2.718 is accurate only near 0. "
    "Subtracting one number from all scores of a head changes none of its weights: subtract the head's own largest score "
    "before exp, or let softmax(dim=-1) do it (section 1.3)",
    "acierta con productos q·clave / √D pequeños, y no con {which}. ¿Has escrito tu propia exp, o aplicas exp a los productos tal cual? "
    "Se desborda más allá de 88 y es 0 por debajo de −104, y una serie, un límite o una base como 2.718 solo aciertan cerca de "
    "0. Un número sumado a todos los productos de una cabeza no cambia ninguno de sus pesos: resta el mayor de la propia "
    "cabeza antes de exp, o deja que lo haga softmax(dim=-1) (sección 1.3)",
)


def large_scores(en: str, es: str) -> Text:
    """The hint for weights that are right only where scores are small."""
    return t(LARGE.en.format(which=en), LARGE.es.format(which=es))


def attention(q, keys, values, *, divisor: float | None = None, in_turn: bool = False):
    """The definition, head by head and in double precision: (H·D,). `in_turn` gives the heads other keys and values."""
    import torch

    (heads, size), kv_heads = q.shape, keys.shape[1]
    q, keys, values = q.double(), keys.double(), values.double()
    gathered = []
    for head in range(heads):
        shared = head % kv_heads if in_turn else head // (heads // kv_heads)
        weights = (keys[:, shared] @ q[head] / (divisor or size**0.5)).softmax(dim=0)  # (S,)
        gathered.append(weights @ values[:, shared])
    return torch.cat(gathered).float()


def _joined_in_turn(q, keys, values):
    """The right results of the heads, joined with the first of each group first."""
    return attention(q, keys, values).view(keys.shape[1], -1, q.shape[1]).transpose(0, 1).reshape(-1)


def _values_viewed(q, keys, values):
    """`view` in the place of a transpose of the values: a token's numbers go to the heads of others."""
    scores = q.view(keys.shape[1], -1, q.shape[1]) @ keys.permute(1, 2, 0) / q.shape[1] ** 0.5
    return (scores.softmax(dim=-1) @ values.reshape(keys.shape[1], -1, q.shape[1])).reshape(-1)


def _weights_over(axis: int):
    """The softmax of the scores (K, H/K, S) over an axis other than the tokens."""

    def attend(q, keys, values):
        scores = q.view(keys.shape[1], -1, q.shape[1]) @ keys.permute(1, 2, 0) / q.shape[1] ** 0.5
        return (scores.softmax(dim=axis) @ values.transpose(0, 1)).reshape(-1)

    return attend


OTHERWISE = (
    (lambda *args: attention(*args, in_turn=True), t(
        "neighbouring query heads share a key/value head: query head h reads h // (H/K); yours take them in turn, like h % K",
        "las cabezas de consulta vecinas comparten una de claves y valores: la cabeza h lee la h // (H/K); las tuyas las toman por "
        "turnos, como h % K",
    )),
    (_joined_in_turn, t(
        "each head's result is right, but they are joined in another order: head 0 first, then head 1, and so on. No axes have "
        "to be swapped before the last reshape",
        "el resultado de cada cabeza es correcto, pero se juntan en otro orden: primero la cabeza 0, después la 1, etc. Antes del "
        "último reshape no hay que intercambiar ejes",
    )),
    (_values_viewed, t(
        "`view` (or `reshape`) mixes up the values of the K heads: it leaves the numbers in their order. `transpose` or "
        "`permute` moves axes, from (S, K, D) to (K, S, D)",
        "`view` (o `reshape`) mezcla los valores de las K cabezas: deja los números en su orden. Los ejes se mueven con "
        "`transpose` o `permute`, de (S, K, D) a (K, S, D)",
    )),
    *((_weights_over(axis), t(
        "the softmax runs over the heads: it runs over the S tokens, dim=-1 of scores (K, H/K, S), so that the weights of each "
        "head add up to 1",
        "el softmax recorre las cabezas: recorre los S tokens, dim=-1 de unas puntuaciones (K, H/K, S), para que los pesos de "
        "cada cabeza sumen 1",
    )) for axis in (0, 1)),
)


def drawn(seed, *, heads: int, kv_heads: int, tokens: int, size: int = D, spread: float = 1.0):
    """Random queries (H, D), keys and values (S, K, D)."""
    shapes = {"q": (heads, size), "keys": (tokens, kv_heads, size), "values": (tokens, kv_heads, size)}
    q, keys, values = (draw(*shape, seed=(seed, shape, name)) for name, shape in shapes.items())
    return spread * q, keys, values


def expect_attended(student, args, *, hint: Text, again: bool) -> None:
    """Fail the check unless the student's result is the definition's and q, keys, values are as they were."""
    got, after = student.call_with("attend", *args, again=again)
    wanted, if_nan = attention(*args), NO_WEIGHTS
    if not is_close(got, wanted, tolerance=TOLERANCE):
        kept = again and is_close(student.call("attend", *args), wanted, tolerance=TOLERANCE)
        slip = KEPT if kept else _slip_hint(student, got, args)
        hint, if_nan = slip or hint, slip or if_nan
    expect_close(got, wanted, tolerance=TOLERANCE, hint=hint, if_nan=if_nan)
    expect_unchanged(("q", "keys", "values"), args, after)


def _slip_hint(student, got, args) -> Text | None:
    """The hint of a wrong divisor, or of an exp that is right near 0 only, if that explains the result."""
    q, keys, values = args
    sizes = (q.shape[0], keys.shape[1], q.shape[1], keys.shape[0])
    for divisor_of, hint in SCALES:
        if is_close(got, attention(*args, divisor=divisor_of(*sizes)), tolerance=TOLERANCE):
            return hint.followed_by(t(" (section 1.3)", " (sección 1.3)"))
    for answer, hint in OTHERWISE:
        if is_close(got, answer(*args), tolerance=TOLERANCE):
            return hint.followed_by(t(" (section 1.3)", " (sección 1.3)"))
    small = (q / 16, keys, values)
    if is_close(student.call("attend", *small), attention(*small), tolerance=TOLERANCE):
        return large_scores("large ones", "los grandes")
    return None


@check("1.2", points=1, en="one vector, the heads one after another", es="un solo vector, una cabeza tras otra")
def test_shape(student):
    same = draw(1, D, seed=1).repeat(4, 1)  # (H, D)
    values = draw(3, 1, D, seed=2)
    got = student.call("attend", same, values, values)
    expect_tensor(got, (4 * D,), hint=t(
        "4 heads of 8 numbers make one vector of 32, ready for the product with attention_out (section 1.3)",
        "4 cabezas de 8 números forman un vector de 32, listo para el producto con attention_out (sección 1.3)",
    ))
    expect_close(got.view(4, D)[1:], got.view(4, D)[:3], hint=t(
        "four equal queries over one key/value head give equal results: the D numbers of a head stay together (section 1.3)",
        "cuatro consultas iguales sobre una cabeza de claves y valores dan el mismo resultado: los D números de una cabeza "
        "van juntos (sección 1.3)",
    ))


@check("1.2", points=2, en="softmax(q·key / √D), over the tokens", es="softmax(q·clave / √D), sobre los tokens")
def test_weights(student):
    scenes = [dict(heads=1, tokens=tokens) for tokens in (1, 5, 40)]  # one head: nothing but the weights
    large = ((4, 7, 16, 1.0), (3, 9, 32, 4.0), (2, 300, 4, 1.0), (1, 1_100, 2, 6.0))
    scenes += [dict(heads=heads, tokens=tokens, size=size, spread=spread) for heads, tokens, size, spread in large]
    for count, scene in enumerate(scenes):
        expect_attended(student, drawn(student.seed, kv_heads=1, **scene), again=count > 0, hint=t(
            "H = {h}, K = 1, D = {d}, S = {n}: divide the scores by √D before the softmax, and take the softmax over the "
            "tokens, all of them, so that the weights of each head add up to 1. Did `view` mix up keys or values? Use "
            "`permute` to move axes (section 1.3)",
            "H = {h}, K = 1, D = {d}, S = {n}: divide los productos por √D antes del softmax, y aplica el softmax sobre los "
            "tokens, sobre todos, de modo que los pesos de cada cabeza sumen 1. ¿Mezcló `view` claves o valores? Para mover "
            "ejes, usa `permute` (sección 1.3)",
        ).format(h=scene["heads"], d=scene.get("size", D), n=scene["tokens"]))
    expect_large_scores(student)


def expect_large_scores(student) -> None:
    """Fail the check unless large scores give the weights of small ones.

    The factors of the scores are small multiples of a quarter and √D is 4: every order of sums gives the same scores.
    """
    import torch

    # What is added to all scores of each head, and to those of one token in the middle.
    scenes = [(offsets, 0) for offsets in ((-30, 0, 30), (90, 60, 80), (-90, -120, -110), (1000, -1000, 0))]
    for offsets, gap in (*scenes, ((0, 0, 0), 200), ((0, 0, 0), -200)):
        q, keys, values = drawn(student.seed, heads=3, kv_heads=1, tokens=6, size=16)
        q, keys = (4 * q).round() / 4, keys.round()
        keys[..., 0], keys[2, :, 0] = 4.0, 4.0 + 4 * gap
        q[:, 0] = torch.tensor(offsets) + (gap != 0)
        scores = ", ".join(map(str, [*sorted({*offsets}), *[gap] * (gap != 0)]))
        hint = large_scores(f"scores around {scores}", f"otros de alrededor de {scores}")
        expect_close(student.call("attend", q, keys, values), attention(q, keys, values), tolerance=TOLERANCE, hint=hint, if_nan=hint)


@check("1.2", points=1, en="neighbouring query heads share a key/value head",
       es="las cabezas de consulta vecinas comparten cabeza de claves y valores")
def test_groups(student):
    rng = random.Random(student.seed)
    shapes = [(4, 1), (4, 2), (6, 3), (4, 4)]
    shapes += [(kv_heads * rng.randint(1, 5), kv_heads) for kv_heads in (2, 3, 5, 8)]
    for count, (heads, kv_heads) in enumerate(shapes):
        args = drawn(student.seed, heads=heads, kv_heads=kv_heads, tokens=5, size=rng.choice((4, D, 20)))
        expect_attended(student, args, again=count > 0, hint=t(
            "{h} query heads, {k} key/value heads: query head h reads key/value head h // (H/K), so that neighbours "
            "share one. Did you assign them in turn instead? (If the check above fails as well, start there; "
            "section 1.3)",
            "{h} cabezas de consulta, {k} de claves y valores: la cabeza h lee la h // (H/K), de modo que las vecinas "
            "comparten una. ¿Las repartiste por turnos? (Si también falla la comprobación anterior, empieza por ella; "
            "sección 1.3)",
        ).format(h=heads, k=kv_heads))
