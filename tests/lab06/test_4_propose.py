"""Exercise 6.4: guesses from the sequence's own text."""

import random

from tests.grader.check import check
from tests.grader.definition import Definition, Slip, expect_defined
from tests.grader.outcomes import t
from tests.lab06.oracles import followers, texts


def same_tokens(got, wanted) -> bool:
    return isinstance(got, (list, tuple)) and list(got) == list(wanted) and all(type(token) is int for token in got)


def guessed(token_ids, num_tokens, longest, *, lengths=None, pick=max, skip=0):
    """The tokens after an earlier place with the same ending; a slip takes other lengths, or another place."""
    for length in lengths(longest) if lengths else range(longest, 0, -1):
        if found := followers(token_ids, length):
            start = pick(found) + skip
            return token_ids[start : start + num_tokens]
    return []


def _apart(token_ids, num_tokens, longest):
    """A slip: only places that end before the ending begins."""
    for length in range(longest, 0, -1):
        if found := [end for end in followers(token_ids, length) if end <= len(token_ids) - length]:
            return token_ids[max(found) : max(found) + num_tokens]
    return []


def _with_enough_behind(token_ids, num_tokens, longest):
    """A slip: only places followed by as many tokens as may be guessed."""
    for length in range(longest, 0, -1):
        if found := [end for end in followers(token_ids, length) if end + num_tokens <= len(token_ids)]:
            return token_ids[max(found) : max(found) + num_tokens]
    return []


def _itself(token_ids, num_tokens, longest):
    """A slip: a search up to the very end finds the ending itself, and nothing after it."""
    return []


PROPOSE = Definition(function="propose", arguments=("token_ids", "num_tokens", "longest"), truth=guessed, near=same_tokens, slips=(
    Slip(answer=_itself, hint=t(
        "the last tokens always match themselves at the very end of the text: look at earlier places only (section 6.2)",
        "los últimos tokens siempre coinciden consigo mismos al final del texto: mira solo lugares anteriores (sección 6.2)",
    )),
    Slip(answer=lambda *args: guessed(*args, pick=min), hint=t(
        "of several places you seem to take the first; take the latest: what was said last is most likely to be said again "
        "(section 6.2)",
        "de varios lugares parece que tomas el primero; toma el último: lo dicho hace poco es lo que más probablemente se "
        "repita (sección 6.2)",
    )),
    Slip(answer=lambda *args: guessed(*args, lengths=lambda longest: [longest]), hint=t(
        "you seem to look only for the last `longest` tokens: if these occur nowhere earlier, fewer of them still may "
        "(section 6.2)",
        "parece que buscas solo los últimos `longest` tokens: si no aparecen antes, quizá sí aparezcan menos de ellos "
        "(sección 6.2)",
    )),
    Slip(answer=lambda *args: guessed(*args, lengths=lambda longest: range(1, longest + 1)), hint=t(
        "you seem to begin with the last token alone: begin with `longest` tokens, since a longer match guesses better (section 6.2)",
        "parece que empiezas por el último token solo: empieza con `longest` tokens; una coincidencia más larga adivina "
        "mejor (sección 6.2)",
    )),
    Slip(answer=lambda token_ids, num_tokens, longest: guessed(token_ids, num_tokens + 1, longest), hint=t(
        "one token too many: at most num_tokens (section 6.2)", "un token de más: a lo sumo num_tokens (sección 6.2)",
    )),
    Slip(answer=_with_enough_behind, hint=t(
        "the latest place counts even if fewer than num_tokens tokens come after it: guess those (section 6.2)",
        "cuenta el último lugar aunque le sigan menos de num_tokens tokens: adivina esos (sección 6.2)",
    )),
    Slip(answer=_apart, hint=t(
        "an earlier copy may overlap the ending itself: in 7 8 7 8 7 the last three tokens also occur at the very beginning "
        "(section 6.2)",
        "una copia anterior puede solaparse con el propio final: en 7 8 7 8 7 los tres últimos tokens también están al "
        "principio del todo (sección 6.2)",
    )),
    Slip(answer=lambda *args: guessed(*args, lengths=lambda longest: range(min(longest, 3), 0, -1)), hint=t(
        "`longest` is an argument, and not always 3: begin with as many tokens as it says (section 6.2)",
        "`longest` es un argumento, y no siempre vale 3: empieza con tantos tokens como diga (sección 6.2)",
    )),
    Slip(answer=lambda token_ids, num_tokens, longest: guessed(
        token_ids, num_tokens, longest, lengths=lambda _: range(num_tokens, 0, -1)), hint=t(
        "you seem to look for the last `num_tokens` tokens: that is how many to guess, and `longest` is how many to look for "
        "(section 6.2)",
        "parece que buscas los últimos `num_tokens` tokens: ese es el número que hay que adivinar, y `longest`, el que hay que "
        "buscar (sección 6.2)",
    )),
    Slip(answer=lambda *args: guessed(*args, skip=-1), hint=t(
        "you seem to repeat the last token: the guess starts after the tokens that were found (section 6.2)",
        "parece que repites el último token: lo adivinado empieza detrás de los tokens encontrados (sección 6.2)",
    )),
))


@check("6.4", points=2, en="guesses what followed the last time", es="adivina lo que siguió la última vez")
def test_what_followed(student):
    cases = [(text, 4, longest) for longest in (3, 1, 2, 5, 7) for text in texts(random.Random(longest), 25)]
    expect_defined(student, PROPOSE, cases, hint=lambda token_ids, num_tokens, longest: t(
        f"(token_ids = {token_ids}, longest = {longest}): find the last tokens at their latest earlier place; the guess is "
        "what comes after them there. If `longest` of them are not found, look for one fewer, down to one (section 6.2)",
        f"(token_ids = {token_ids}, longest = {longest}): busca los últimos tokens en su último lugar anterior; lo adivinado "
        "es lo que viene ahí detrás. Si no se encuentran `longest`, busca uno menos, hasta llegar a uno solo (sección 6.2)",
    ))


@check("6.4", points=1, en="guesses no more tokens than allowed", es="no adivina más tokens de los permitidos")
def test_at_most(student):
    text = [1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3]
    cases = [(text, count, 3) for count in (1, 2, 5, 8, 20)] + [([4, 9, 4], 5, 2), ([7, 7], 3, 3), (text, 0, 3)]
    expect_defined(student, PROPOSE, cases, hint=lambda token_ids, num_tokens, longest: t(
        f"num_tokens is {num_tokens}: no more guesses than that, and none after the end of the text (section 6.2)",
        f"num_tokens es {num_tokens}: no adivines más, y nada tras el final del texto (sección 6.2)",
    ))


@check("6.4", points=1, en="guesses nothing where nothing repeats", es="no adivina nada donde nada se repite", negative=True)
def test_nothing(student):
    cases = [([1, 2, 3, 4], 3, 3), ([5], 3, 3), ([], 2, 3), ([1, 2, 3, 1, 4], 2, 4), ([3, 1, 4, 1, 5], 4, 2)]
    expect_defined(student, PROPOSE, cases, hint=t(
        "if the last token occurs nowhere earlier, return []; do so for a text of one token or none, too (section 6.2)",
        "si el último token no está en ningún lugar anterior, devuelve []; también con un texto de un token, o de ninguno "
        "(sección 6.2)",
    ))
