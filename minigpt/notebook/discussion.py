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
        return say(en=f'{exercise.id}: first pass the exercise, with lab.check("{exercise.id}"); then this shows other '
                      'solutions.',
                   es=f'{exercise.id}: supera antes el ejercicio, con lab.check("{exercise.id}"); después aquí verás otras '
                      'soluciones.')
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
        return say(en="There is no discussion of this exercise.", es="Este ejercicio no tiene comentario.")
    return exercise.discussion.chosen
