"""What the last check said of each exercise, and whether it still speaks of the code as it is now.

A cell that draws a figure from a student's function should not draw it from a wrong one. Running the checks before each
such cell would take seconds by surprise, so nothing is run: `lab.check` writes down what it found, next to the student's
file, together with a digest of the function it checked and of those that this one uses. A change to any of them makes the
note void; changes to comments, blank lines and other functions do not.
"""

import ast
import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path

from minigpt.language import say
from minigpt.notebook.exercises import Exercise
from minigpt.notebook.written import last_binding, reached_from

FILE_NAME = ".checked.json"
PASSED, FAILED, UNKNOWN = "passed", "failed", "unknown"
NO_VERDICT = {"grader_error", "inconclusive"}  # an error of the grader blocks no cell


def version_of(source: str, function: str) -> str:
    """A digest of a function and of what else in its file it uses."""
    names = sorted({function.split(".")[0], *reached_from(source, function)})
    body = ast.parse(source).body
    # A dump has no line numbers, blank lines or comments.
    found = {name: node and ast.dump(node) for name in names for node in [last_binding(body, name)]}
    return hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()[:16]


def verdict(lab: Path, source: str, exercise: Exercise) -> str:
    """PASSED or FAILED if the last check was of exactly this code, else UNKNOWN."""
    note = _read(lab).get(exercise.id, {})
    is_of_this = note.get("version") == version_of(source, exercise.function)
    return (PASSED if note.get("passed") else FAILED) if is_of_this else UNKNOWN


def remember(lab: Path, source: str, report: dict, exercises: Sequence[Exercise]) -> None:
    """Write down what a grader's report says of the code that it graded."""
    notes = _read(lab)
    for exercise in exercises:
        outcomes = [check["outcome"] for check in report["checks"] if check["exercise"] == exercise.id]
        if outcomes:
            passed = all(outcome == PASSED or outcome in NO_VERDICT for outcome in outcomes)
            notes[exercise.id] = {"version": version_of(source, exercise.function), "passed": passed}
    draft = lab / (FILE_NAME + ".new")
    draft.write_text(json.dumps(notes, indent=1) + "\n", encoding="utf-8")
    os.replace(draft, lab / FILE_NAME)


def insist(report: Path) -> None:
    """Raise AssertionError unless the report at this path is there and all that it lists has passed."""
    found = json.loads(report.read_text(encoding="utf-8"))["checks"] if report.is_file() else []
    missed = [f"{check['exercise']} {check['outcome']}" for check in found if check["outcome"] not in {PASSED, *NO_VERDICT}]
    if missed or not found:
        raise AssertionError(say(en=f"the reference does not pass its own checks: {', '.join(missed) or 'no report'}",
                                 es=f"la referencia no supera sus propias pruebas: {', '.join(missed) or 'sin informe'}"))


def _read(lab: Path) -> dict:
    try:
        notes = json.loads((lab / FILE_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):  # none yet, or damaged: nothing is known
        return {}
    return notes if isinstance(notes, dict) else {}
