"""What each exercise shows: labs/RUBRIC.md and .es.md, from the titles and points of the graded checks."""

import ast
from pathlib import Path

from minigpt.notebook.exercises import Exercise, load_exercises, load_title
from minigpt.paths import list_labs, repository_root

FOLDER = repository_root() / "labs"
HEADS = {
    "en": ("# Rubric\n\nWhat a student who passes an exercise has shown: the checks of each exercise, with their points. Made from `tests/labNN` by "
           "`make build`. ([español](RUBRIC.es.md))", "| exercise | points | passing shows that the code … |"),
    "es": ("# Rúbrica\n\nQué ha demostrado quien supera un ejercicio: las comprobaciones de cada uno, con sus puntos. Se genera a partir de "
           "`tests/labNN` con `make build`. ([English](RUBRIC.md))", "| ejercicio | puntos | superarlo demuestra que el código … |"),
}


def checks_of(lab: Path) -> list[dict]:
    """Return each check of a lab as written in `@check("3.1", points=2, en=…, es=…)`."""
    found = []
    for path in sorted((repository_root() / "tests" / f"lab{lab.name[:2]}").glob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "check":
                known = {keyword.arg: keyword.value.value for keyword in node.keywords if isinstance(keyword.value, ast.Constant)}
                found.append({"exercise": node.args[0].value, **known})
    return found


def build_pages() -> dict[Path, str]:
    """Return both pages and their texts."""
    return {FOLDER / "RUBRIC.md": _page("en"), FOLDER / "RUBRIC.es.md": _page("es")}


def _page(language: str) -> str:
    intro, head = HEADS[language]
    parts = [intro]
    for lab in list_labs():
        checks = checks_of(lab)
        rows = [_row(exercise, [one for one in checks if one["exercise"] == exercise.id], language) for exercise in load_exercises(lab)]
        title = f"## {lab.name[:2]} · {getattr(load_title(lab), language)}"
        parts.append("\n".join([title, "", head, "|---|---|---|", *rows]))
    return "\n\n".join(parts) + "\n"


def _row(exercise: Exercise, checks: list[dict], language: str) -> str:
    points = sum(check["points"] for check in checks)
    shown = "; ".join(dict.fromkeys(check[language] for check in checks))
    return f"| {exercise.id} {getattr(exercise.titles, language)} | {points or '–'} | {shown} |"
