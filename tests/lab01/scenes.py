"""Small models, prompts and caches whose right results are computed on this side, by the given model and without a cache.

torch is imported where it is needed: the checks of exercises 1.5 to 1.8 start without it.
"""

import random

from tests.grader.outcomes import CRASHED, CheckFailed, Text, expect, t
from tests.grader.remote_arguments import ModelSpec, TutorSpec

SIZES = dict(width=32, num_layers=2, num_heads=4, head_size=8, ffn_width=48, context=64)
ONE_KV_HEAD = ModelSpec(config=dict(SIZES, num_kv_heads=1), seed=3, spread=20.0)
TWO_KV_HEADS = ModelSpec(config=dict(SIZES, num_kv_heads=2), seed=4, spread=20.0)
MODELS = (ONE_KV_HEAD, TWO_KV_HEADS)
# Seven layers, a width that is not H·D, and room for 300 tokens; a norm whose eps counts.
DEEP = ModelSpec(config=dict(SIZES, num_layers=7, num_heads=6, num_kv_heads=3, context=300), seed=5, spread=20.0)
LARGE_EPS = ModelSpec(config=dict(SIZES, num_kv_heads=1, norm_eps=0.5), seed=6, spread=20.0)
TUTOR = TutorSpec()

# Of logits that lie several units apart. From one order of sums to another fp32 differs by about 1e-5; attention that is
# 1.0001 times too large moves them by 4e-4.
TOLERANCE = 1e-4
MOST_ROWS_NAMED = 8  # by a message about wrong rows


def draw_tokens(num_tokens: int, seed) -> list[int]:
    """Random text tokens; the seed may be anything that has a `repr`."""
    rng = random.Random(repr(seed))
    return [rng.randrange(256) for _ in range(num_tokens)]


def draw(*shape: int, seed):
    """A random tensor; the seed may be anything that has a `repr`."""
    import torch

    number = random.Random(repr(seed)).getrandbits(32)
    return torch.randn(shape, generator=torch.Generator().manual_seed(number))


def alone(spec: ModelSpec, tokens: list[int]):
    """Logits (T, V) after each token, without a cache: the oracle."""
    import torch

    return spec.build().forward(torch.tensor([tokens]))[0]


def greedy_alone(spec, prompt: list[int], num_tokens: int) -> list[int]:
    """The greedy answer, EOS included, computed without cache or batch; at most `max_tokens` tokens."""
    tokens, model = list(prompt), spec.build()
    for _ in range(num_tokens):
        tokens.append(int(alone(spec, tokens)[-1].argmax()))
        if tokens[-1] == model.eos_token_id:
            break
    return tokens[len(prompt) :]


def tutor_prompts() -> list[list[int]]:
    """Prompts that the tutor answers without doubt: at every step the best logit is clear of the second."""
    from minigpt.corpus.prompts import tutor_prompts

    pool = tutor_prompts()
    return [list(prompt.token_ids) for prompt in (*pool["fix"][:2], *pool["explain"][:1], *pool["fix"][-1:])]


def filled_caches(spec: ModelSpec, prompts: list[list[int]]) -> list[dict]:
    """The dict caches of these prompts, computed by the given model."""
    from minigpt.llm.kv_cache import KVCache
    from minigpt.studies.lab01 import dict_cache

    model = spec.build()
    cache = KVCache(model.config, len(prompts))
    slots = [cache.allocate() for _ in prompts]
    model.prefill(prompts, cache, slots)
    return [dict_cache(cache, slot) for slot in slots]


OF_ANOTHER_SHAPE = t(
    "the exception comes from `{where}`, and what your function passes to it has another shape than its docstring says. "
    "`remember` takes k and v of shape (T, K, D): for one token the slice k[i : i + 1], since k[i] loses an axis. `attend` takes "
    "q of shape (H, D), one row: q[i] (section 1.2)",
    "la excepción viene de `{where}`, y lo que le pasa tu función tiene otra forma que la que dice su docstring. `remember` "
    "recibe k y v de forma (T, K, D): para un token, la porción k[i : i + 1], porque k[i] pierde un eje. `attend` recibe q de "
    "forma (H, D), una fila: q[i] (sección 1.2)",
)


NO_ROWS = t(
    "two shapes in this line do not fit. x has a row for each token of the step, (B, E), even for a single one, (1, E), and so has "
    "what attention adds to it: (B, H·D) @ layer.attention_out. `attend` gives one token's part, (H·D,) (section 1.4)",
    "en esta línea hay dos formas que no encajan. x tiene una fila por token del paso, (B, E), aunque sea uno solo, (1, E), igual "
    "que lo que le suma la atención: (B, H·D) @ layer.attention_out. `attend` da la parte de un token, (H·D,) (sección 1.4)",
)


BY_NUMBER = t(
    "the dict maps a layer's number to its keys and values, and the number, not the layer itself, is what `remember` takes: "
    "`for index, layer in enumerate(model.layers)` gives both (section 1.4)",
    "el diccionario asocia el número de una capa con sus claves y valores, y `remember` recibe ese número, no la capa: "
    "`for index, layer in enumerate(model.layers)` da ambas cosas (sección 1.4)",
)
A_MATRIX = t(
    "parentheses after a tensor: `layer.attention_out` is a matrix, not a function; multiply by it, … @ layer.attention_out "
    "(section 1.4)",
    "hay paréntesis tras un tensor: `layer.attention_out` es una matriz, no una función; multiplica por ella, … @ "
    "layer.attention_out (sección 1.4)",
)
SIDE_BY_SIDE = t(
    "two tensors in this line do not fit side by side. If it is the mask: {mask}",
    "dos tensores de esta línea no encajan uno con otro. Si se trata de la máscara: {mask}",
)
MASK_OF_A_PROMPT = t(
    "it has one row per new token and one column per place, (T, S), and S counts what the dict held before, too (section 1.11)",
    "tiene una fila por token nuevo y una columna por sitio, (T, S), y S cuenta también lo que el diccionario guardaba antes "
    "(sección 1.11)",
)
MASK_OF_A_BATCH = t(
    "hidden (B, S) needs two axes of size 1 to fit scores (B, K, H/K, S): hidden[:, None, None] (section 1.11)",
    "hidden (B, S) necesita dos ejes de tamaño 1 para encajar en las puntuaciones (B, K, H/K, S): hidden[:, None, None] "
    "(sección 1.11)",
)
MASKS = {"prefill": MASK_OF_A_PROMPT, "decode_padded": MASK_OF_A_BATCH}


def crash_hint(function: str, failure: CheckFailed) -> Text | None:
    """What an exception in a step most likely means; None if nothing is known about it."""
    what, is_inside = str(failure.got), failure.where in ("remember", "attend")
    if "unhashable type" in what:
        return BY_NUMBER
    if "'Tensor' object is not callable" in what:
        return A_MATRIX
    if "must match the size of tensor" in what and function in MASKS and not is_inside:
        return SIDE_BY_SIDE.format(mask=MASKS[function])
    if is_inside:
        return OF_ANOTHER_SHAPE.format(where=failure.where)
    return NO_ROWS if "RuntimeError" in failure.raised else None


def call_step(student, function: str, *args, again: bool = False):
    """`student.call_with` for a step; an exception in one of the functions that it is built from is explained."""
    try:
        return student.call_with(function, *args, again=again)
    except CheckFailed as failure:
        if failure.outcome == CRASHED and not failure.hint:
            failure.hint = crash_hint(function, failure) or ""
        raise


def expect_tensor(got, shape: tuple, *, hint) -> None:
    """Fail the check unless `got` is a tensor of float32 of this shape."""
    import torch

    found = f"{tuple(got.shape)} {str(got.dtype).removeprefix('torch.')}" if isinstance(got, torch.Tensor) else got
    expect(found == f"{tuple(shape)} float32", expected=f"{tuple(shape)} float32", got=found, hint=hint)


NO_WEIGHTS = t(
    "(nan): the softmax of a row in which every score is −∞ is nan. A token sees at least itself, so hide only what comes "
    "after it (>, not ≥), and take the softmax over the tokens, the last axis, of scores that are finite",
    "(nan): el softmax de una fila en la que todas las puntuaciones son −∞ es nan. Un token se ve al menos a sí mismo, así "
    "que oculta solo lo que queda detrás (>, no ≥), y aplica el softmax sobre los tokens, el último eje, a puntuaciones "
    "finitas",
)


def expect_close(got, wanted, *, hint, tolerance: float = TOLERANCE, if_nan: Text = NO_WEIGHTS, where=None) -> None:
    """Fail the check unless two tensors of one shape differ by no more than the tolerance anywhere.

    `where(got, wanted)` adds to the message which parts differ.
    """
    expect_tensor(got, tuple(wanted.shape), hint=hint)
    gap = float((got - wanted).abs().max())
    place = where(got, wanted) if where and not gap <= tolerance else t("", "")
    expect(gap <= tolerance, hint=hint if gap == gap else if_nan,
           expected=t(f"the same numbers, within {tolerance:g}", f"los mismos números, con margen de {tolerance:g}"),
           got=t(f"a largest difference of {gap:.3g}", f"una diferencia máxima de {gap:.3g}").followed_by(place))


def is_close(got, wanted, *, tolerance: float = TOLERANCE) -> bool:
    """Whether `got` is a tensor of float32 of the same shape and differs by no more than the tolerance anywhere."""
    import torch

    is_such = isinstance(got, torch.Tensor) and got.dtype == torch.float32 and got.shape == wanted.shape
    return is_such and float((got - wanted).abs().max()) <= tolerance


def expect_rows(got, wanted: list, *, hint) -> None:
    """Fail the check unless `got` has these rows, in this order."""
    import torch

    expect_close(got, torch.stack(wanted), hint=hint, where=_rows_that_differ)


def _rows_that_differ(got, wanted) -> Text:
    """Which rows are wrong and which are right, where that says something."""
    wrong = [row for row, pair in enumerate(zip(got, wanted)) if not is_close(*pair)]
    right = [row for row in range(len(wanted)) if row not in wrong]
    if not right or len(wanted) > MOST_ROWS_NAMED:
        return t("", "")
    wrong, right = (", ".join(map(str, rows)) for rows in (wrong, right))
    return t(f" (wrong rows: {wrong}; right rows: {right})", f" (filas incorrectas: {wrong}; filas correctas: {right})")


def expect_pair(got, *, hint) -> tuple:
    """The two parts of a pair; fail the check if it is none."""
    is_pair = isinstance(got, (list, tuple)) and len(got) == 2
    expect(is_pair, expected=t("two values", "dos valores"), got=shown(got), hint=hint)
    return tuple(got)


def expect_equal_layers(cache, wanted: dict[int, int], *, hint) -> None:
    """Fail the check unless a dict cache holds this many tokens in each layer."""
    expect(lengths_of(cache) == wanted, expected=wanted, got=lengths_of(cache), hint=hint)


def lengths_of(cache) -> object:
    """Tokens in each layer of a dict cache; something that is none is given back as it is."""
    try:
        return {layer: len(keys) for layer, (keys, _) in cache.items()}
    except (AttributeError, TypeError, ValueError):
        return shown(cache)


def shown(value) -> str:
    """A value in one line, tensors as their shapes."""
    if hasattr(value, "shape"):
        return t(f"a tensor of shape {tuple(value.shape)}", f"un tensor de forma {tuple(value.shape)}")
    return f"{type(value).__name__}: {value}"[:80]
