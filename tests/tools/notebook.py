"""From a lab's one bilingual source to its two notebooks.

A cell begins with one of these lines and goes on to the next; each prose cell is followed by its twin:

    %% en             prose in English             %% exercise 3.1 en     an exercise, in English
    %% es             the same in Spanish          %% exercise 3.1 es     the same in Spanish
    %% code           code, the same in both notebooks but for its texts (tests/tools/cell_code.py)
    %% code needs 3.1 3.4      code that waits until these exercises have passed (the cell magic %%needs)
    %% code needs written 3.1  code that draws the student's own run, right or wrong: it waits until they are written
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from minigpt.notebook.exercises import Exercise
from tests.tools.cell_code import LANGUAGES, in_one_language

# Every line that starts with %% must be one: a mistyped beginning would be swallowed by the cell before it.
BEGINNING = re.compile(
    r"%% (?:exercise (?P<id>[0-9]+\.[0-9]+) )?(?P<kind>en|es|code)(?P<needs> needs(?: written)?(?: [0-9]+\.[0-9]+)+)? *")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """What stands between two beginnings of the source."""

    line: int         # where it begins, from 1 on
    kind: str         # "en", "es" or "code"
    exercise_id: str  # "" for anything but an exercise
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell of both notebooks; code differs in nothing but its texts."""

    is_code: bool
    exercise_id: str
    en: str
    es: str


def parse_source(source: str) -> tuple[Cell, ...]:
    """Return the cells of a bilingual source; a ValueError names the line of an error."""
    blocks = split_blocks(source)
    cells = []
    while blocks:
        first = blocks.pop(0)
        if first.kind == "code":
            cells.append(read_code(first))
            continue
        if first.kind == "es":
            raise fault(first.line, "an es cell without its en twin; write '%% en' and its text before it")
        twin = blocks.pop(0) if blocks else None
        if twin is None or (twin.kind, twin.exercise_id) != ("es", first.exercise_id):
            wanted = f"%% exercise {first.exercise_id} es" if first.exercise_id else "%% es"
            raise fault(first.line, f"an en cell without its es twin; write '{wanted}' and its text after it")
        cells.append(Cell(is_code=False, exercise_id=first.exercise_id, en=first.text, es=twin.text))
    return tuple(cells)


def read_code(block: Block) -> Cell:
    """Return a code cell with its texts in each language."""
    magic, code = re.fullmatch(r"(%%[^\n]*\n)?(.*)", block.text, re.DOTALL).groups(default="")
    try:
        en, es = (magic + in_one_language(code, language) for language in LANGUAGES)
    except ValueError as slip:
        raise fault(block.line, f"the cell that begins here: {slip}") from None
    return Cell(is_code=True, exercise_id="", en=en, es=es)


def split_blocks(source: str) -> list[Block]:
    """Cut a source at its beginnings."""
    lines = source.split("\n")
    starts = [number for number, line in enumerate(lines, 1) if line.startswith("%%")]
    before = "\n".join(lines[:starts[0] - 1] if starts else lines).strip()
    if before or not starts:
        raise fault(1, f"no cell begins before {before[:40]!r}; begin with '%% en' or '%% code'")
    ends = [start - 1 for start in starts[1:]] + [len(lines)]
    return [read_block(start, lines[start - 1:end]) for start, end in zip(starts, ends, strict=True)]


def read_block(number: int, lines: list[str]) -> Block:
    """Return one block from its lines, the first of which is its beginning."""
    begun = BEGINNING.fullmatch(lines[0])
    is_code = begun is not None and begun["kind"] == "code"
    if begun is None or (begun["id"] if is_code else begun["needs"]):
        raise fault(number, f"{lines[0]!r} begins no cell; write '%% en', '%% es', '%% code', '%% code needs N.M', "
                            "'%% exercise N.M en' or '%% exercise N.M es'")
    text = "\n".join(lines[1:]).strip("\n")
    if not text.strip():
        raise fault(number, f"the cell {lines[0]!r} is empty; write its text or take it out")
    if begun["needs"]:
        text = f"%%{begun['needs'].strip()}\n{text}"
    return Block(line=number, kind=begun["kind"], exercise_id=begun["id"] or "", text=text)


def build_notebooks(source: str, lab_name: str, exercises: Sequence[Exercise],
                    line_counts: Mapping[str, int]) -> dict[str, str]:
    """Return a lab's notebook in each language; `line_counts` says how long each exercise's reference is."""
    cells = parse_source(source)
    check_exercises(cells, exercises)
    file_name = lab_name.split("_", 1)[1] + ".py"
    built = {}
    for language in LANGUAGES:
        headings = {exercise.id: heading(exercise, language, line_counts.get(exercise.id, 0), file_name)
                    for exercise in exercises}
        built[language] = build_one(cells, lab_name, language, headings)
    return built


def check_exercises(cells: Sequence[Cell], exercises: Sequence[Exercise]) -> None:
    """The notebook asks for each exercise once, in the order of exercises.toml."""
    asked = [cell.exercise_id for cell in cells if cell.exercise_id]
    known = [exercise.id for exercise in exercises]
    if asked != known:
        raise ValueError(f"the exercise cells are {asked}, but exercises.toml has {known}; "
                         "write one '%% exercise N.M en' with its es twin for each, in that order")


def heading(exercise: Exercise, language: str, num_lines: int, file_name: str) -> str:
    """Return an exercise's heading: what to write, how long it is, where it goes."""
    word = "Exercise" if language == "en" else "Ejercicio"
    minutes = count(exercise.minutes, "minute", "minuto", language)
    if exercise.is_stretch:
        word, minutes = ("Stretch", f"{minutes}, no points") if language == "en" else ("Ampliación", f"{minutes}, sin puntos")
    if not exercise.function:
        return f"### {word} {exercise.id} · {getattr(exercise.titles, language)} ({minutes})"
    lines = count(num_lines, "line", "línea", language)
    about = "about" if language == "en" else "unas" if num_lines > 1 else "alrededor de"
    return f"### {word} {exercise.id} · `{exercise.function}` ({about} {lines}, {minutes}) · `{file_name}`"


def count(number: int, english: str, spanish: str, language: str) -> str:
    """Return "4 lines", "1 line", "4 líneas"."""
    return f"{number} {english if language == 'en' else spanish}{'' if number == 1 else 's'}"


def build_one(cells: Sequence[Cell], lab_name: str, language: str, headings: Mapping[str, str]) -> str:
    """Return one notebook's text, the same bytes at each run and on each machine."""
    import nbformat  # here: a second that tests without notebooks need not wait
    from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

    built = []
    for index, cell in enumerate(cells):
        # The default id is random. The same one in both languages: they are the same cell.
        cell_id = hashlib.sha256(f"{lab_name} {index}".encode()).hexdigest()[:12]
        text = getattr(cell, language)
        if cell.is_code:
            built.append(new_code_cell(text, id=cell_id))
        else:
            title = headings[cell.exercise_id] + "\n\n" if cell.exercise_id else ""
            built.append(new_markdown_cell(title + text, id=cell_id))
    notebook = new_notebook(cells=built, metadata={
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
        "minigpt": {"lab": lab_name, "language": language},
    })
    nbformat.validate(notebook)
    # nbformat writes as JupyterLab does (indent 1, sorted keys, accents as they are): saving changes no line.
    return nbformat.writes(notebook) + "\n"


def fault(line: int, message: str) -> ValueError:
    return ValueError(f"line {line}: {message}")
