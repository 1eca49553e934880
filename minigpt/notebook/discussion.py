"""After an exercise has passed: the reference, where this edition has it, and what else would have been right."""

import ast
from pathlib import Path

from minigpt import paths
from minigpt.language import say
from minigpt.notebook.exercises import Exercise
from minigpt.notebook.written import last_binding


def text(lab: Path, impl: str, exercise: Exercise, unpassed: list) -> str:
    """What `lab.discuss` prints; `unpassed` is the exercise itself while it has not passed."""
    if unpassed:
        return say(en=f'{exercise.id}: first pass it, with lab.check("{exercise.id}"); then this shows other ways.',
                   es=f'{exercise.id}: supéralo antes, con lab.check("{exercise.id}"); después aquí verás otras maneras.')
    parts = [reference(lab, exercise.function) if impl == "student" else "", words(exercise)]
    return "\n\n".join(filter(None, parts))


def reference(lab: Path, function: str) -> str:
    """The reference's code of a function; empty in an edition without references."""
    file = paths.solution_file(lab)
    if not function or not file.is_file():
        return ""
    source = file.read_text(encoding="utf-8")
    body, node = ast.parse(source).body, None
    for name in function.split("."):
        node = last_binding(body, name)
        body = getattr(node, "body", [])
    code = ast.get_source_segment(source, node) if node else ""
    lines = [line for line in (code or "").split("\n") if "# BEGIN SOLUTION" not in line and "# END SOLUTION" not in line]
    return "\n".join(lines)


def words(exercise: Exercise) -> str:
    """What else would have been right."""
    if exercise.discussion is None:
        return say(en="Nothing is written about this one.", es="Sobre este no hay nada escrito.")
    return exercise.discussion.chosen
