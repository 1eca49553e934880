"""Exercise 1.9: `decode_padded`, one step without a loop over the requests, which lie side by side in one tensor."""

from tests.grader.check import check
from tests.grader.definition import expect_unchanged
from tests.grader.outcomes import expect, expect_equal, t
from tests.lab01.scenes import DEEP, MODELS, alone, call_step, draw_tokens, expect_rows, filled_caches, is_close, shown

LENGTHS = (2, 4, 8, 31)  # with the new token
ROOM = 40


def padded_caches(spec, prompts: list[list[int]], room: int = ROOM, filler: float = 0.0) -> dict:
    """What `pad` makes of the caches of these prompts; `filler` is in the places that were never written."""
    import torch

    caches = filled_caches(spec, prompts)
    padded = {"lengths": torch.tensor([len(prompt) for prompt in prompts])}
    for place, name in enumerate(("keys", "values")):
        rows = [[cache[layer][place] for cache in caches] for layer in sorted(caches[0])]
        padded[name] = torch.full((len(rows), len(caches), room, *rows[0][0].shape[1:]), filler)
        for layer, parts in enumerate(rows):
            for row, part in enumerate(parts):
                padded[name][layer, row, : len(part)] = part
    return padded


def one_step(student, spec, prompts: list[list[int]], **settings):
    """Decode the last token of each prompt: logits, the oracle's, what was given, and what it is afterwards."""
    given = padded_caches(spec, [prompt[:-1] for prompt in prompts], **settings)
    fed = [prompt[-1] for prompt in prompts]
    got, (counts, after, fed_after) = call_step(student, "decode_padded", spec, given, fed)
    expect_unchanged(("tokens",), (fed,), (fed_after,))
    return got, [alone(spec, prompt)[-1] for prompt in prompts], after, counts


def prompts_of(student, lengths=LENGTHS) -> list[list[int]]:
    return [draw_tokens(length, seed=(student.seed, place, length)) for place, length in enumerate(lengths)]


def _expect_step(got, wanted: list, spec, prompts: list[list[int]], hint) -> None:
    """Fail the check unless the logits are right; if a slip gives just these, its hint says so."""
    import torch

    from tests.lab01.padded_slips import slip_hint  # imports the model

    if not is_close(got, torch.stack(wanted)):
        padded = padded_caches(spec, [prompt[:-1] for prompt in prompts])
        hint = slip_hint(got, spec, padded, [prompt[-1] for prompt in prompts]) or hint
    expect_rows(got, wanted, hint=hint)


@check("1.9", points=2, en="equal lengths: the same logits as for single requests",
       es="longitudes iguales: los mismos logits que con peticiones a solas")
def test_equal_lengths(student):
    for spec in (*MODELS, DEEP):
        prompts = prompts_of(student, (6, 6, 6))
        got, wanted, _, _ = one_step(student, spec, prompts)
        _expect_step(got, wanted, spec, prompts, t(
            "three requests of equal length: hide only the room after their tokens. Each new token attends to itself too, so "
            "its K and V are written before the scores are computed; heads that share a key/value head are neighbours, as in "
            "1.2; scores are divided by √D; two things are added to x, as in 1.4 (section 1.11)",
            "tres peticiones de igual longitud: oculta solo el sitio que queda detrás de sus tokens. Cada token nuevo se "
            "atiende también a sí mismo, así que su K y su V se escriben antes de calcular las puntuaciones; las cabezas que "
            "comparten una de claves y valores son vecinas, como en 1.2; las puntuaciones se dividen por √D; a x se le suman "
            "dos cosas, como en 1.4 (sección 1.11)",
        ))


@check("1.9", points=2, en="each request uses its own length", es="cada petición usa su propia longitud")
def test_lengths_may_differ(student):
    for spec in MODELS:
        prompts = prompts_of(student)
        got, wanted, _, _ = one_step(student, spec, prompts)
        _expect_step(got, wanted, spec, prompts, t(
            "requests of 1, 3, 7 and 30 tokens: lengths[i] is the position of request i's new token, for `project` and for "
            "the place where its K and V are written; hide everything after it, with −∞ *before* the softmax (section 1.11)",
            "peticiones de 1, 3, 7 y 30 tokens: lengths[i] es la posición del token nuevo de la petición i, para `project` y "
            "para el sitio donde se escriben su K y su V; oculta todo lo que queda detrás, con −∞ *antes* del softmax "
            "(sección 1.11)",
        ))


@check("1.9", points=2, en="places after a request's tokens are never attended to",
       es="nunca se atiende a los sitios que quedan detrás de una petición")
def test_leftovers_are_hidden(student):
    for spec in MODELS:
        prompts = prompts_of(student)
        got, wanted, _, _ = one_step(student, spec, prompts, filler=7.5)
        expect_rows(got, wanted, hint=t(
            "the same step, but the places after each request hold what another request left there, not zeros: a score of 0 "
            "still has a weight, −∞ has none. Mask the places after lengths[i], the new token's own, for each request (section 1.11)",
            "el mismo paso, pero los sitios que quedan detrás de cada petición guardan restos de otra, no ceros: una "
            "puntuación de 0 aún tiene peso; −∞, ninguno. Oculta lo que queda detrás de lengths[i], el sitio del token nuevo, en cada petición "
            "(sección 1.11)",
        ))


@check("1.9", points=2, en="the new token is written at its own place, and lengths grow by one",
       es="el token nuevo se escribe en su sitio, y lengths aumenta en uno")
def test_changed_in_place(student):
    for spec in MODELS:
        prompts = prompts_of(student)
        _, _, after, _ = one_step(student, spec, prompts)
        lengths = after.get("lengths") if isinstance(after, dict) else after
        expect_equal(lengths.tolist() if hasattr(lengths, "tolist") else shown(lengths), list(LENGTHS), hint=t(
            "(lengths after the step): change that same tensor, lengths += 1, once, after the last layer: every layer still "
            "needs the old values (section 1.11)",
            "(lengths tras el paso): modifica ese mismo tensor, lengths += 1, una vez, tras la última capa: todas las capas "
            "necesitan aún los valores anteriores (sección 1.11)",
        ))
        wanted = padded_caches(spec, prompts)
        for name in ("keys", "values"):
            _expect_same(after.get(name), wanted[name])


def _expect_same(got, wanted) -> None:
    same = hasattr(got, "shape") and tuple(got.shape) == tuple(wanted.shape)
    gap = float((got - wanted).abs().max()) if same else 0.0
    expect(same and gap <= 1e-3, expected=t("one new row per request and layer", "una fila nueva por petición y capa"),
           got=t(f"a largest difference of {gap:.3g}", f"una diferencia máxima de {gap:.3g}") if same else shown(got),
           hint=t("(keys and values after the step): `padded[\"keys\"][index][torch.arange(B), lengths] = k` writes row i at "
                  "the place lengths[i] and touches nothing else (section 1.11)",
                  "(claves y valores tras el paso): `padded[\"keys\"][index][torch.arange(B), lengths] = k` escribe la fila i en "
                  "el sitio lengths[i] y no toca nada más (sección 1.11)"))


@check("1.9", points=1, en="step after step, each weight matrix is read once",
       es="paso tras paso, cada matriz de pesos se lee una vez")
def test_several_steps(student):
    spec, prompts = MODELS[0], prompts_of(student, (9, 12, 20))
    padded = padded_caches(spec, [prompt[:5] for prompt in prompts])
    for place in range(5, 9):
        fed = [prompt[place] for prompt in prompts]
        got, (counts, padded, _) = call_step(student, "decode_padded", spec, padded, fed, again=place > 5)
        expect_rows(got, [alone(spec, prompt[: place + 1])[-1] for prompt in prompts], hint=t(
            "several steps in a row: each step continues from what the previous one wrote and counted (section 1.11)",
            "varios pasos seguidos: cada paso continúa a partir de lo que escribió y contó el anterior (sección 1.11)",
        ))
        most = max(counts) if isinstance(counts, list) and counts else counts
        expect(type(most) is int and most <= 1, expected=1, got=most, hint=t(
            "(products of a weight matrix in a step of three requests): do not loop over the requests; all rows go through "
            "each layer together (section 1.11)",
            "(productos de una matriz de pesos en un paso de tres peticiones): no recorras las peticiones en un bucle; todas "
            "las filas pasan juntas por cada capa (sección 1.11)",
        ))
