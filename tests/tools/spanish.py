"""The skeleton in Spanish: the same code, with the docstrings and comments of ``skeleton.es.toml``.

Each text stands there next to the English one, in the order of the skeleton, so that a change of the English is noticed:

    [[text]]
    en = "Fill the free seats."
    es = "Llena los slots libres."

The two lines of a stub (`# EXERCISE 3.2 (about 6 lines)` and what it raises) are translated by rule.
"""

import inspect
import io
import re
import tokenize
from dataclasses import dataclass

from minigpt.notebook.exercises import tomllib

EXERCISE = re.compile(r"# EXERCISE (?P<id>\S+) \(about (?P<count>\d+) lines?\)")
RAISED = ('NotImplementedError("exercise ', 'NotImplementedError("ejercicio ')
MOST_COLUMNS = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A docstring or a comment in a source text."""

    text: str               # without quotes, "# " and indentation
    start: tuple[int, int]  # line from 1 on, column from 0 on
    end: tuple[int, int]
    is_comment: bool


def build_spanish(skeleton: str, source: str) -> str:
    """Return the Spanish skeleton; a ValueError says which text has no translation, or one of an older text."""
    places = find_texts(skeleton)
    pairs = read_pairs(source)
    asked = [place for place in places if not is_exercise_line(place)]
    check_in_step([place.text for place in asked], [pair["en"] for pair in pairs])
    spanish = dict(zip(asked, (pair["es"] for pair in pairs), strict=True))
    lines = skeleton.split("\n")
    for place in reversed(places):  # from the end, so that the places before stay where they are
        replace(lines, place, spanish.get(place) or exercise_line(place.text))
    text = "\n".join(lines)
    check_same_code(skeleton, text)
    return text.replace(*RAISED)


def read_pairs(source: str) -> list[dict]:
    """Return the pairs of texts, without the line ends of TOML's long strings."""
    data = tomllib.loads(source)
    pairs = data.get("text", [])
    for number, pair in enumerate(pairs, 1):
        is_whole = pair.keys() == {"en", "es"} and all(isinstance(t, str) and t.strip() for t in pair.values())
        if not is_whole or data.keys() != {"text"}:
            raise ValueError(f"text {number}: {pair}; write [[text]] with en = … and es = …, and nothing else")
    return [{language: text.strip() for language, text in pair.items()} for pair in pairs]


def find_texts(source: str) -> list[Place]:
    """Return the docstrings and comments of a source text, in order."""
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    found, starts_line = [], True
    for token, following in zip(tokens, tokens[1:], strict=False):
        if token.type == tokenize.COMMENT or is_docstring(token, following, starts_line):
            found.append(Place(text=bare(token), start=token.start, end=token.end,
                               is_comment=token.type == tokenize.COMMENT))
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            starts_line = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    return found


def is_docstring(token, following, starts_line: bool) -> bool:
    """Whether a token is a string that is a statement of its own."""
    return starts_line and token.type == tokenize.STRING and following.type == tokenize.NEWLINE


def bare(token) -> str:
    """The text of a comment or of a docstring, of which all in our skeletons have three double quotes."""
    if token.type == tokenize.COMMENT:
        return token.string.removeprefix("#").strip()
    return inspect.cleandoc(token.string.strip('"'))


def is_exercise_line(place: Place) -> bool:
    return place.is_comment and EXERCISE.fullmatch(f"# {place.text}") is not None


def exercise_line(text: str) -> str:
    """The Spanish of "EXERCISE 3.2 (about 6 lines)"."""
    found = EXERCISE.fullmatch(f"# {text}")
    lines = "alrededor de una línea" if found["count"] == "1" else f"unas {found['count']} líneas"
    return f"EJERCICIO {found['id']} ({lines})"


def check_in_step(texts: list[str], translated: list[str]) -> None:
    """Refuse the translation of other texts than the skeleton has."""
    for number, text in enumerate(texts, 1):
        known = translated[number - 1] if number <= len(translated) else None
        if known != text:
            raise ValueError(f"text {number}: the skeleton says {text!r}, and here `en` is {known!r}; "
                             "write the new English, and translate it anew")
    if len(translated) > len(texts):
        raise ValueError(f"text {len(texts) + 1}: the skeleton has no {translated[len(texts)]!r} any more; delete it")


def replace(lines: list[str], place: Place, text: str) -> None:
    """Put a text in a place of the lines."""
    (first, left), (last, right) = place.start, place.end
    before, after = lines[first - 1][:left], lines[last - 1][right:]
    own = [f"# {text}"] if place.is_comment else docstring(text, indent=left)
    own[0] = before + own[0]
    own[-1] += after
    for line in own:
        if len(line) > MOST_COLUMNS:
            raise ValueError(f"over {MOST_COLUMNS} columns, break the line: {line.strip()}")
    lines[first - 1:last] = own


def docstring(text: str, indent: int) -> list[str]:
    """The lines of a docstring, of which the first is not indented."""
    lines = [(" " * indent + line).rstrip() if number else line for number, line in enumerate(text.split("\n"))]
    lines[0] = '"""' + lines[0]
    return [*lines, " " * indent + '"""'] if len(lines) > 1 else [lines[0] + '"""']


def check_same_code(ours: str, theirs: str) -> None:
    """Two texts differ in nothing but docstrings and comments."""
    try:
        is_same = code_of(ours) == code_of(theirs)
    except (SyntaxError, tokenize.TokenError):
        is_same = False
    if not is_same:
        raise ValueError("the code of the two skeletons differs: a translation must hold no quotes of a docstring")


def code_of(source: str) -> list[tuple[int, str]]:
    """The tokens of a source text without comments, with empty docstrings, and stubs as they are in English."""
    source = source.replace(*reversed(RAISED))
    texts = {place.start for place in find_texts(source)}
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    left_out = (tokenize.COMMENT, tokenize.NL)
    return [(token.type, "" if token.start in texts else token.string) for token in tokens if token.type not in left_out]
