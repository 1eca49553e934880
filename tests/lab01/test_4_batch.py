"""Exercise 1.4: `decode_batch`, one step for requests of different lengths.

Which request is in which row, in the check of joining and leaving (one row per request, one column per step):

    step     1  2  3  4  5  6  7
    row 0    A  A  A  C  C  C  C      C takes A's row in step 4, with an empty dict
    row 1    B  B  B  B  B  A' A'     A' is a new request with A's tokens
"""

from tests.grader.check import check
from tests.grader.definition import expect_unchanged
from tests.grader.outcomes import Text, expect, expect_equal, t
from tests.lab01.scenes import (
    DEEP,
    MODELS,
    TUTOR,
    alone,
    call_step,
    draw_tokens,
    expect_rows,
    filled_caches,
    greedy_alone,
    is_close,
    tutor_prompts,
)

NUM_TOKENS = 12  # of each answer, at most


def expect_step(student, spec, prompts: list[list[int]], *, hint, again: bool = False):
    """Decode the last token of each prompt on caches of all the others; how often each weight matrix was used.

    Fails the check unless the logits are the oracle's, each dict holds one token more and `tokens` is as it was.
    """
    caches = [filled_caches(spec, [prompt[:-1]])[0] if prompt[1:] else {} for prompt in prompts]
    fed = [prompt[-1] for prompt in prompts]
    got, (counts, after, fed_after) = call_step(student, "decode_batch", spec, caches, fed, again=again)
    wanted = [alone(spec, prompt)[-1] for prompt in prompts]
    expect_rows(got, wanted, hint=_slip_hint(got, wanted, spec, caches, fed) or hint)
    _expect_caches(after, [len(prompt) for prompt in prompts])
    expect_unchanged(("tokens",), (fed,), (fed_after,))
    return counts


def _slip_hint(got, wanted: list, spec, caches: list[dict], fed: list[int]) -> Text | None:
    """The hint of a mistake in how the two halves of a layer are joined, if it gives just the first row."""
    from tests.lab01.prefill_slips import halves_hint  # imports the model

    if getattr(got, "ndim", 0) != 2 or len(got) != len(wanted) or is_close(got[0], wanted[0]):
        return None
    return halves_hint(got[0], spec, caches[0], fed[:1], t(" (section 1.4)", " (sección 1.4)"))


@check("1.4", points=2, en="a request attends only to its own keys and values",
       es="cada petición atiende solo a sus propias claves y valores")
def test_nobody_sees_a_neighbour(student):
    for spec in MODELS:
        expect_step(student, spec, [draw_tokens(6, seed=(student.seed, i)) for i in range(3)], hint=t(
            "three requests of equal length, all at the same position: row i of q, k and v belongs to caches[i], both for "
            "remembering and for attending. If that is right: is the position the length of the request's dict, read before "
            "layer 0 makes the caches grow? (section 1.5)",
            "tres peticiones de igual longitud, todas en la misma posición: la fila i de q, k y v pertenece a caches[i], tanto al "
            "guardar como al atender. Si eso está bien: ¿es la posición la longitud del diccionario de la petición, leída "
            "antes de que la capa 0 haga crecer las cachés? (sección 1.5)",
        ))
    for count in (1, 33):
        expect_step(student, MODELS[1], [draw_tokens(3, seed=(student.seed, i)) for i in range(count)], hint=t(
            "right for three requests, wrong for {n}: the result has one row per request, however many there are, even for a "
            "single one (section 1.5)",
            "correcto con tres peticiones, incorrecto con {n}: el resultado tiene una fila por petición, sean cuantas sean, "
            "también si hay una sola (sección 1.5)",
        ).format(n=count))


@check("1.4", points=2, en="each request is at its own position", es="cada petición está en su propia posición")
def test_lengths_may_differ(student):
    for spec in MODELS:
        expect_step(student, spec, [draw_tokens(n, seed=(student.seed, n)) for n in (2, 4, 8, 31)], hint=t(
            "requests of 1, 3, 7 and 30 tokens: each new token is at the position of its own request, and attends to that "
            "request's tokens and itself, not to as many as the longest request has (section 1.5)",
            "peticiones de 1, 3, 7 y 30 tokens: cada token nuevo está en la posición de su propia petición, y atiende a los "
            "tokens de esa petición y a sí mismo, no a tantos como tiene la más larga (sección 1.5)",
        ))
    for spec, lengths in ((MODELS[1], (64, 1, 20)), (DEEP, (1, 300, 1, 2)), (MODELS[0], (9, 40, 3))):
        expect_step(student, spec, [draw_tokens(n, seed=(student.seed, n)) for n in lengths], again=True, hint=t(
            "requests that hold {lengths} tokens: a new one, with an empty dict, is at position 0; one whose context has a "
            "single place left is at the last position. Keep nothing from an earlier batch (section 1.5)",
            "peticiones que guardan {lengths} tokens: una nueva, con un diccionario vacío, está en la posición 0; una a la "
            "que solo le queda un sitio en el contexto, en la última posición. No conserves nada de un lote anterior (sección "
            "1.5)",
        ).format(lengths=", ".join(str(n - 1) for n in lengths)))


@check("1.4", points=2, en="each weight matrix is read once per step", es="cada matriz de pesos se lee una vez por paso",
       negative=True)
def test_one_product_a_matrix(student):
    # Right rows first: a step that computes nothing reads no matrix twice.
    counts = expect_step(student, MODELS[0], [draw_tokens(4, seed=i) for i in range(5)], hint=t(
        "(five requests of equal length): this check compares the logits first; only then does it count how often each matrix "
        "is read (section 1.5)",
        "(cinco peticiones de igual longitud): esta comprobación compara primero los logits, y solo después cuenta cuántas "
        "veces se lee cada matriz (sección 1.5)",
    ))
    most = max(counts) if isinstance(counts, list) and counts else counts
    expect(type(most) is int and most <= 1, expected=1, got=most, hint=t(
        "(products of a weight matrix in a step of five requests): the linear layers compute all rows in one product; only "
        "attention goes request by request. This is where the gain comes from (section 1.5)",
        "(productos de una matriz de pesos en un paso de cinco peticiones): las capas lineales calculan todas las filas en un "
        "solo producto; solo la atención va petición a petición. De ahí viene la ganancia (sección 1.5)",
    ))


def comings_and_goings(seed: int):
    """The requests of the scene: request -> (its row, its first step, its tokens)."""
    a, b, c = (draw_tokens(n, seed=(seed, name)) for n, name in ((3, "A"), (5, "B"), (4, "C")))
    return {"A": (0, 1, a), "B": (1, 1, b), "C": (0, 4, c), "A'": (1, 6, a[:2])}


@check("1.4", points=2, en="a finished request leaves nothing behind", es="una petición terminada no deja rastro")
def test_rows_change_hands(student):
    for spec in MODELS:
        records, caches = comings_and_goings(student.seed), {}
        for step in range(1, 8):
            here = sorted((row, name) for name, (row, first, tokens) in records.items() if first <= step < first + len(tokens))
            names = [name for _, name in here]
            places = [step - records[name][1] for name in names]
            fed = [records[name][2][place] for name, place in zip(names, places)]
            got, (_, after, _) = call_step(
                student, "decode_batch", spec, [caches.get(name, {}) for name in names], fed, again=step > 1
            )
            _expect_caches(after, [place + 1 for place in places])
            caches |= zip(names, after)
            wanted = [alone(spec, records[name][2])[place] for name, place in zip(names, places)]
            expect_rows(got, wanted, hint=t(
                "step {n} of a batch in which requests come and go: in step 4 a new request with an empty dict takes the row "
                "of one that has left. What it remembers may come only from its own dict (section 1.5)",
                "paso {n} de un lote en el que entran y salen peticiones: en el paso 4, una petición nueva con un diccionario "
                "vacío ocupa la fila de otra que se fue. Lo que recuerda solo puede venir de su propio diccionario (sección "
                "1.5)",
            ).format(n=step))


def _expect_caches(after, lengths: list[int]) -> None:
    found = [len(cache[0][0]) if _has_layer_0(cache) else 0 for cache in after] if isinstance(after, list) else after
    expect_equal(found, lengths, hint=t(
        "(tokens in each request's dict after the step): what a request remembers is kept in its own dict, whichever row it "
        "has. A new request that takes over a row finds nothing there (section 1.5)",
        "(tokens en el diccionario de cada petición tras el paso): lo que una petición recuerda está en su propio "
        "diccionario, ocupe la fila que ocupe. Una petición nueva que ocupa una fila no encuentra nada en ella "
        "(sección 1.5)",
    ))


def _has_layer_0(cache) -> bool:
    layer = cache.get(0) if isinstance(cache, dict) else None
    return isinstance(layer, (list, tuple)) and len(layer) == 2 and getattr(layer[0], "ndim", 0) > 0


@check("1.4", points=1, en="the tutor's answers in a batch are the same as for single requests, token by token",
       es="las respuestas del tutor en lote son las mismas que a solas, token a token")
def test_token_for_token(student):
    # For trying many wrong solutions, a small model in the place of the tutor: its answers are dull, and quick to get.
    spec = MODELS[0] if student.scripted else TUTOR
    prompts = [draw_tokens(n, seed=101 + n) for n in (1, 3, 7, 40)] if student.scripted else tutor_prompts()
    wanted = [greedy_alone(spec, prompt, NUM_TOKENS) for prompt in prompts]
    logits = [alone(spec, prompt + answer)[len(prompt) - 1 :] for prompt, answer in zip(prompts, wanted)]
    answers, running = [[] for _ in prompts], list(range(len(prompts)))
    caches = {i: filled_caches(spec, [prompt[:-1]])[0] if prompt[1:] else {} for i, prompt in enumerate(prompts)}
    for step in range(NUM_TOKENS):
        fed = [(prompts[i] + answers[i])[-1] for i in running]
        got, (_, after, _) = call_step(student, "decode_batch", spec, [caches[i] for i in running], fed, again=step > 0)
        expect_rows(got, [logits[i][step] for i in running], hint=HINT)
        _expect_caches(after, [len(prompts[i]) + step for i in running])
        caches |= zip(running, after)
        for i, row in zip(running, got):
            answers[i].append(int(row.argmax()))
        running = [i for i in running if len(answers[i]) < len(wanted[i])]
        if not running:
            break
    expect_equal(answers, wanted, hint=HINT)


HINT = t(
    "(four answers of the tutor): batching must not change a single token. If the checks above fail too, start there. If they "
    "pass: what differs between the first step and a later one? (section 1.5)",
    "(cuatro respuestas del tutor): el lote no debe cambiar ni un token. Si fallan también las comprobaciones de arriba, "
    "empieza por ellas. Si no fallan: ¿qué distingue el primer paso de uno posterior? (sección 1.5)",
)
