"""Exercise 6.5: what stays of a pass that checked guesses."""

import random

from tests.grader.check import check
from tests.grader.definition import Definition, Slip, answer, expect_defined
from tests.grader.outcomes import CheckFailed, expect, expect_equal, t
from tests.lab06.oracles import followers, num_agreeing


def is_pair(got) -> bool:
    return (isinstance(got, (list, tuple)) and len(got) == 2 and isinstance(got[0], (list, tuple)) and type(got[1]) is int
            and all(type(token) is int for token in got[0]))


def tokens_near(got, wanted) -> bool:
    return is_pair(got) and list(got[0]) == list(wanted[0])


def both_near(got, wanted) -> bool:
    return tokens_near(got, wanted) and got[1] == wanted[1]


def kept(guesses, choices):
    right = num_agreeing(guesses, choices)
    return [*guesses[:right], choices[right]], len(guesses) - right


def _all_that_agree(guesses, choices):
    right = [guess for guess, choice in zip(guesses, choices) if guess == choice]
    return [*right, choices[len(right)]], len(guesses) - len(right)


TOKEN_SLIPS = (
    Slip(answer=lambda guesses, choices: ([*guesses, choices[-1]], 0), hint=t(
        "you seem to keep every guess: compare each with the model's own choice at its place, and stop at the first that "
        "differs (section 6.2)",
        "parece que conservas todo lo adivinado: compara cada token con lo que el modelo elige en esa posición y detente "
        "en el primero distinto (sección 6.2)",
    )),
    Slip(answer=lambda guesses, choices: (guesses[: num_agreeing(guesses, choices)], 0), hint=t(
        "the model's own token after the last right guess is missing: it comes free with the pass, so a step never gives "
        "fewer than one token (section 6.2)",
        "falta el token propio del modelo tras el último acierto: viene gratis con la pasada, así que un paso nunca da menos "
        "de un token (sección 6.2)",
    )),
    Slip(answer=_all_that_agree, hint=t(
        "whatever comes after the first wrong guess was computed from a token that is not in the text: it says nothing, even "
        "where it agrees (section 6.2)",
        "lo que viene tras el primer fallo se calculó a partir de un token que no está en el texto: no dice nada, aunque "
        "coincida (sección 6.2)",
    )),
    Slip(answer=lambda guesses, choices: (list(choices), 0), hint=t(
        "you seem to keep every choice of the model: those after the first wrong guess were made from a token that is not in "
        "the text (section 6.2)",
        "parece que conservas todo lo que elige el modelo: lo que viene tras el primer fallo se eligió a partir de un token "
        "que no está en el texto (sección 6.2)",
    )),
)
TOKENS = Definition(function="accept", arguments=("guesses", "choices"), truth=kept, near=tokens_near, slips=TOKEN_SLIPS)
BOTH = Definition(function="accept", arguments=("guesses", "choices"), truth=kept, near=both_near, slips=(
    Slip(answer=lambda guesses, choices: (kept(guesses, choices)[0], len(guesses) + 1 - num_agreeing(guesses, choices)), hint=t(
        "one too many: the model's own token has no K and V yet, so it cannot be dropped. The pass stored the last known "
        "token and the guesses; only the wrong guesses are dropped (section 6.2)",
        "uno de más: el token propio del modelo aún no tiene K y V, así que no se puede descartar. La pasada guardó el último "
        "token conocido y lo adivinado; solo se descarta lo que no se acierta (sección 6.2)",
    )),
    Slip(answer=lambda guesses, choices: (kept(guesses, choices)[0], 0), hint=t(
        "K and V of wrong guesses are still in the cache: how many guesses are not kept? (section 6.2)",
        "K y V de lo que no se acertó siguen en la caché: ¿cuántos tokens adivinados no se conservan? (sección 6.2)",
    )),
    Slip(answer=lambda guesses, choices: (kept(guesses, choices)[0], num_agreeing(guesses, choices)), hint=t(
        "that is how many guesses are kept; return how many are dropped (section 6.2)",
        "esos son los que se conservan; devuelve cuántos se descartan (sección 6.2)",
    )),
))


def cases(rng: random.Random, count: int = 60):
    """Guesses that are right up to any place, and that agree again behind a wrong one."""
    for _ in range(count):
        choices = [rng.randrange(6) for _ in range(rng.randint(1, 6))]
        guesses = [token if rng.random() < 0.7 else rng.randrange(6) for token in choices[:-1]]
        yield guesses, choices


@check("6.5", points=2, en="keeps guesses up to the first wrong one", es="conserva lo adivinado hasta el primer fallo")
def test_up_to_the_first_wrong(student):
    expect_defined(student, TOKENS, cases(random.Random(6)), hint=t(
        "return (tokens, number dropped): the guesses that equal the model's choice at their place, up to the first that does "
        "not, followed by the model's own choice there (section 6.2)",
        "devuelve (tokens, cuántos se descartan): lo adivinado que coincide con lo que el modelo elige en esa posición, "
        "hasta el primer fallo, y después lo que el modelo elige ahí (sección 6.2)",
    ))


@check("6.5", points=1, en="every step gives a token", es="cada paso da un token")
def test_at_least_one(student):
    expect_defined(student, TOKENS, [([], [5]), ([1], [2, 3]), ([1, 2], [1, 2, 3]), ([4, 4], [0, 4, 4])], hint=t(
        "without guesses, or with the first one wrong, the model's own token is left; if all are right, there is one more "
        "after the last (section 6.2)",
        "sin nada adivinado, o si falla el primero, queda el token propio del modelo; si se acierta todo, hay uno más tras el "
        "último (sección 6.2)",
    ))


@check("6.5", points=2, en="drops what was computed for wrong guesses", es="descarta lo que se calculó para los fallos")
def test_dropped(student):
    expect_defined(student, BOTH, cases(random.Random(7)), hint=t(
        "(tokens, number dropped): the guesses that are not kept are dropped, one entry of the cache each (section 6.2)",
        "(tokens, cuántos se descartan): se descarta lo adivinado que no se conserva, una posición de la caché por token "
        "(sección 6.2)",
    ))


@check("6.5", points=2, en="the answer is the same as without guesses", es="la respuesta es la misma que sin adivinar")
def test_same_answer(student):
    for seed in range(3):
        rng, first = random.Random(seed), seed == 0
        prompt = [rng.randrange(4) for _ in range(6)]
        due = list(prompt)
        while len(due) < 40:
            due.append(next_token(due))
        tokens, cache = generated(student, prompt, 40, again=not first)
        expect_equal(tokens[:40], due, hint=t(
            "(40 tokens of a toy model, guessed and checked): greedy decoding must give the same tokens as without guesses "
            "(section 6.2)",
            "(40 tokens de un modelo de juguete, adivinados y comprobados): la decodificación voraz debe dar los mismos "
            "tokens que sin adivinar (sección 6.2)",
        ))
        expect(cache == tokens[:-1], expected=t("all tokens but the last", "todos los tokens menos el último"), got=cache, hint=t(
            "(the tokens whose K and V are in the cache at the end): the number dropped does not match the tokens that were "
            "kept (section 6.2)",
            "(los tokens cuyas K y V tiene la caché al final): el número de descartados no cuadra con los tokens que se "
            "conservaron (sección 6.2)",
        ))


def next_token(tokens: list[int]) -> int:
    """A toy model: greedy, and it repeats itself often enough."""
    return (3 * tokens[-1] + tokens[-2] + len(tokens) // 9) % 5


def generated(student, prompt: list[int], length: int, *, again: bool) -> tuple[list[int], list[int]]:
    """A sequence made of steps with guesses, and the tokens that its cache holds in the end."""
    tokens, cache = [*prompt, next_token(prompt)], list(prompt)
    while len(tokens) < length:
        found = followers(tokens, 2)
        guesses = tokens[max(found) :][:3] if found else []
        choices = [next_token([*tokens, *guesses[:ahead]]) for ahead in range(len(guesses) + 1)]
        got, _ = answer(student, "accept", [guesses, choices], again=again)
        again = True
        shown = got.got if isinstance(got, CheckFailed) else got
        expect(is_pair(got) and got[0] and 0 <= got[1] <= len(guesses), got=shown, expected=t(
            f"([a token or more], at most {len(guesses)})", f"([un token o más], {len(guesses)} como mucho)"), hint=t(
                f"({len(guesses)} guesses in this step): (new tokens, how many entries the cache drops). A step gives at least "
                "one token, and drops at most as many entries as there were guesses (section 6.2)",
                f"({len(guesses)} tokens adivinados en este paso): (tokens nuevos, cuántas posiciones descarta la caché). Un paso "
                "da al menos un token, y descarta a lo sumo tantas posiciones como tokens se adivinaron (sección 6.2)"))
        cache += [tokens[-1], *guesses]
        cache = cache[: len(cache) - got[1]]
        tokens += got[0]
    return tokens, cache
