"""`%%needs 3.1 3.4`: a cell that waits, without an error, until these exercises are written and have passed their checks.

Nothing is checked here: what counts is the last `lab.check` of the code as it is (`notebook/checked.py`). A cell that
only draws the student's own run, so that a mistake can be seen in it, says `%%needs written 3.1 3.4`.
"""

import ast
import contextlib
import json
import traceback
from pathlib import Path

from minigpt import paths
from minigpt.language import say
from minigpt.notebook import checked
from minigpt.notebook.live_code import CodeError, code_error
from minigpt.schedulers import lab_file, registry

WRITTEN = "written"


def exercises_of(lab: str) -> list:
    """The exercises of a lab."""
    from minigpt.notebook.exercises import load_exercises

    return load_exercises(paths.resolve_lab(lab))


def find_exercise(exercise_id: str, lab: str | None = None):
    """The exercise "3.2" of its own lab, or of the one named. Raises ValueError listing the known ones."""
    exercises = exercises_of(lab or exercise_id.split(".")[0])
    for exercise in exercises:
        if exercise.id == exercise_id:
            return exercise
    ids = ", ".join(exercise.id for exercise in exercises)
    raise ValueError(say(en=f"no exercise {exercise_id!r}; this lab has {ids}",
                         es=f"no hay ejercicio {exercise_id!r}; este laboratorio tiene {ids}"))


def missing_exercises(ids: list[str]) -> list:
    """Those of the named exercises that are not written yet, in the code that is in use."""
    return [exercise for exercise in map(find_exercise, ids) if not _is_written(exercise)]


def _is_written(exercise) -> bool:
    from minigpt.notebook.exercises import state_of

    if not exercise.function:  # nothing new has to be written for it
        return True
    path = registry.code_file(exercise.id.split(".")[0], registry.implementation())
    try:
        return state_of(lab_file.read(path), exercise.function) == WRITTEN
    except SyntaxError as error:
        error.filename = str(path)
        raise code_error(error) from None
    except lab_file.LabFileError as error:
        raise CodeError(str(error)) from None


def unpassed_exercises(ids: list[str]) -> list[tuple]:
    """Those of the named exercises whose code has not passed its checks, each with the verdict of the last one."""
    if registry.implementation() == "solution":  # the reference passes; that is tested
        return []
    found = [(exercise, _verdict(exercise)) for exercise in map(find_exercise, ids) if exercise.function]
    return [(exercise, verdict) for exercise, verdict in found if verdict != checked.PASSED]


def _verdict(exercise) -> str:
    lab = paths.resolve_lab(exercise.id.split(".")[0])
    source = lab_file.read(registry.code_file(lab.name[:2], registry.implementation()))
    return checked.verdict(lab, source, exercise)


def remember_checks(lab: Path, data: bytes, report: Path) -> None:
    """Record what a check found; code that cannot be read, or a folder that cannot be written to, is ignored."""
    with contextlib.suppress(OSError, SyntaxError, ValueError):
        source = lab_file.decode(data, lab.name)
        checked.remember(lab, source, json.loads(report.read_text(encoding="utf-8")), exercises_of(lab.name))


def waits_for_check(exercise, verdict: str) -> str:
    """The line shown instead of a cell's output while a check has not passed."""
    name, call = f"{exercise.id} (`{exercise.function}`)", f'lab.check("{exercise.id}")'
    if verdict == checked.FAILED:
        return say(en=f"This cell waits for exercise {name}: its last check did not pass, so a figure made with it would "
                      "mislead.",
                   es=f"Esta celda espera al ejercicio {name}: su última comprobación no se superó, y una figura hecha con él "
                      "engañaría.")
    return say(en=f"This cell waits for exercise {name}: its current version has not been checked. Run {call}.",
               es=f"Esta celda espera al ejercicio {name}: su versión actual no se ha comprobado. Ejecuta {call}.")


def waits_for(exercises: list) -> str:
    """The line shown instead of a cell's output."""
    names = [f"{exercise.id} (`{exercise.function}`)" for exercise in exercises]
    if len(names) == 1:
        return say(en=f"This cell waits for exercise {names[0]}, which is not written yet.",
                   es=f"Esta celda espera al ejercicio {names[0]}, que aún no está escrito.")
    first, last = ", ".join(names[:-1]), names[-1]
    return say(en=f"This cell waits for exercises {first} and {last}, which are not written yet.",
               es=f"Esta celda espera a los ejercicios {first} y {last}, que aún no están escritos.")


def unwritten_in(error: NotImplementedError) -> list:
    """The exercise whose stub raised the error; empty if no stub did."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    path = Path(frame.filename)
    for lab in paths.list_labs():
        if path in (paths.student_file(lab), paths.solution_file(lab), paths.skeleton_file(lab)):
            return [found for found in exercises_of(lab.name) if found.function.split(".")[-1] == frame.name]
    return []


def run_cell_body(shell, line: str, body: str):
    """Run a cell's body in the notebook's own names; its last expression is the result, as without the magic."""
    # The first line keeps the magic's place: a traceback's line numbers are those of the cell.
    source = f"# %%needs {line}\n{shell.transform_cell(body)}"
    name = shell.compile.cache(source, shell.execution_count, raw_code=source)
    tree = shell.transform_ast(shell.compile.ast_parse(source, filename=name))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(shell.compile(tree, name, "exec"), shell.user_ns)
    if last is not None:
        return eval(shell.compile(ast.Expression(last.value), name, "eval"), shell.user_ns)


def register(shell) -> None:
    """Teach an IPython shell the magic."""
    from IPython.core.magic import output_can_be_silenced

    @output_can_be_silenced
    def needs(line: str, cell: str):
        """Run the cell if the named exercises have passed: %%needs 3.1 3.4"""
        ids = line.split()
        only_written = ids[:1] == [WRITTEN]
        ids = ids[only_written:]
        missing = missing_exercises(ids)
        if missing:
            print(waits_for(missing))
            return None
        unpassed = [] if only_written else unpassed_exercises(ids)
        for each in unpassed:
            print(waits_for_check(*each))
        if unpassed:
            return None
        try:
            return run_cell_body(shell, line, cell)
        except NotImplementedError as error:
            exercises = unwritten_in(error)
            if not exercises:
                raise
            print(waits_for(exercises))
            return None

    shell.register_magic_function(needs, "cell", "needs")
