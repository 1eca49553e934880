"""``python -m tests.tools.build [--check]``: make each lab's skeleton and notebooks from their sources.

The sources are ``name.py``, ``skeleton.es.toml`` and ``notebook.md`` in ``solutions/NN_name``, and
``labs/NN_name/exercises.toml``.
"""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from minigpt.cli.arguments import Parser
from minigpt.language import say
from minigpt.notebook.exercises import Exercise, load_exercises
from minigpt.paths import list_labs, notebook_file, repository_root, skeleton_file, solution_file
from tests.tools import glossary, rubric
from tests.tools.notebook import LANGUAGES, build_notebooks
from tests.tools.skeleton import build_skeleton, count_lines
from tests.tools.spanish import build_spanish


def list_built_labs(root: Path) -> list[Path]:
    """Return the folders labs/NN_name of the labs that have a solution or a notebook's source."""
    labs = [root / "labs" / path.name for path in sorted((root / "solutions").glob("[0-9][0-9]_*"))]
    return [lab for lab in labs if solution_file(lab).is_file() or notebook_source(lab).is_file()]


def notebook_source(lab: Path) -> Path:
    """Return the bilingual source of a lab's notebooks."""
    return solution_file(lab).with_name("notebook.md")


def spanish_source(lab: Path) -> Path:
    """Return the Spanish texts of a lab's skeleton."""
    return solution_file(lab).with_name("skeleton.es.toml")


def build_lab(lab: Path) -> dict[Path, str]:
    """Return a lab's generated files and their texts; a ValueError names the source with an error."""
    exercises = load_exercises(lab)
    built: dict[Path, str] = {}
    line_counts: dict[str, int] = {}
    solution, source = solution_file(lab), notebook_source(lab)
    if solution.is_file():
        text = solution.read_text(encoding="utf-8")
        built |= build_skeletons(lab, text, exercises)
        line_counts = count_lines(text)
    elif any(exercise.function for exercise in exercises):
        raise ValueError(f"{solution}: missing; the headings of the exercises count its lines")
    if source.is_file():
        text = source.read_text(encoding="utf-8")
        texts = naming(source, lambda: build_notebooks(text, lab.name, exercises, line_counts))
        built |= {notebook_file(lab, language): texts[language] for language in LANGUAGES}
    return built


def build_skeletons(lab: Path, solution: str, exercises: Sequence[Exercise]) -> dict[Path, str]:
    """Return both skeletons of a lab: English from the solution, and Spanish with texts of its own."""
    english = naming(solution_file(lab), lambda: build_skeleton(solution, exercises))
    source = spanish_source(lab)
    if not source.is_file():
        raise ValueError(f"{source}: missing; write the Spanish of each docstring and comment of the skeleton there")
    spanish = naming(source, lambda: build_spanish(english, source.read_text(encoding="utf-8")))
    return {skeleton_file(lab): english, skeleton_file(lab, "es"): spanish}


def naming(path: Path, work: Callable):
    """Do the work; put the path before the message of what it refuses."""
    try:
        return work()
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def out_of_step(built: dict[Path, str]) -> list[Path]:
    """Return the generated files that are not there or differ from what is built now."""
    return [path for path, text in built.items()
            if not path.is_file() or path.read_text(encoding="utf-8") != text]


def orphans(root: Path) -> list[Path]:
    """Return the skeletons and notebooks whose source is gone."""
    found = []
    for lab in list_labs(root):
        candidates = [(skeleton_file(lab, language), solution_file(lab)) for language in LANGUAGES]
        candidates += [(notebook_file(lab, language), notebook_source(lab)) for language in LANGUAGES]
        found += [path for path, source in candidates if path.is_file() and not source.is_file()]
    return found


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all, with the same line ends on every system."""
    draft = path.with_name(path.name + ".new")
    draft.write_bytes(text.encode("utf-8"))
    os.replace(draft, path)


def build_pages() -> dict[Path, str]:
    """Return the pages that are made from data: the glossary, the rubric."""
    return glossary.build_pages() | rubric.build_pages()


def put(root: Path, built: dict[Path, str], check: bool) -> int:
    """Write what is out of step, or with `check` only name it; return 1 if something is and stays so."""
    stale = out_of_step(built)
    for path in stale:
        if not check:
            write(path, built[path])
        name = path.relative_to(root).as_posix()
        print(say(en=f"out of step: {name}", es=f"desactualizado: {name}") if check else name)
    return int(check and bool(stale))


def build_all(root: Path, check: bool) -> int:
    """Write or check all labs' files; return 0 when all are in step, 1 when not, 2 for a faulty source."""
    status = 0
    for lab in list_built_labs(root):
        try:
            build = build_lab(lab)
        except ValueError as error:  # the other labs are built nevertheless
            print(error, file=sys.stderr)
            status = 2
            continue
        status = max(status, put(root, build, check))
    status = max(status, put(root, build_pages(), check)) if root == repository_root() else status
    for path in orphans(root):
        name = path.relative_to(root).as_posix()
        print(say(en=f"without a source, delete it or restore the source: {name}",
                  es=f"sin fuente, bórralo o recupera la fuente: {name}"))
        status = max(status, 1)
    return status


def main(argv: list[str] | None = None) -> int:
    parser = Parser(prog="python -m minigpt build", description=say(
        en="Make skeletons and notebooks from their sources; print those that changed.",
        es="Genera esqueletos y cuadernos a partir de sus fuentes; muestra los que cambian."))
    parser.add_argument("--check", action="store_true", help=say(
        en="write nothing; list what is out of step, status 1",
        es="no escribe nada; muestra lo que está desactualizado, estado 1"))
    options = parser.parse_args(argv)
    status = build_all(repository_root(), options.check)
    if options.check and status == 1:
        print(say(en="way out: python -m minigpt build", es="solución: python -m minigpt build"))
    return status


if __name__ == "__main__":
    sys.exit(main())
