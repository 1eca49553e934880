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
    """The reference's code of a function; empty in an edition without references.

    Without its docstring, which is English: the reader's own file has it, in the reader's language.
    """
    file = paths.solution_file(lab)
    if not function or not file.is_file():
        return ""
    source = file.read_text(encoding="utf-8")
    body, node = ast.parse(source).body, None
    for name in function.split("."):
        node = last_binding(body, name)
        body = getattr(node, "body", [])
    code = ast.get_source_segment(source, node) if node else ""
    described = docstring_lines(node) if node else set()
    return "\n".join(line for number, line in enumerate((code or "").split("\n"), node.lineno if node else 0)
                     if number not in described and "# BEGIN SOLUTION" not in line and "# END SOLUTION" not in line)


def docstring_lines(node: ast.AST) -> set[int]:
    """The numbers of the lines that hold docstrings, of a definition and of those within it."""
    definitions = [each for each in ast.walk(node) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]
    texts = [each.body[0] for each in definitions if ast.get_docstring(each) is not None]
    return {number for text in texts for number in range(text.lineno, text.end_lineno + 1)}


def words(exercise: Exercise) -> str:
    """What else would have been right."""
    if exercise.discussion is None:
        return say(en="There is no discussion of this exercise.", es="Este ejercicio no tiene comentario.")
    return exercise.discussion.chosen
