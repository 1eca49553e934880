"""Each mutant against its whole lab, in a process of its own as `make grade` does it; and which check rejects which."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from minigpt import paths
from minigpt.notebook.exercises import load_exercises
from tests.mutants.mutant import Mutant
from tests.mutants.test_mutants import LABS, case, mutants_of
from tests.tools.ahead import started_ahead

ROOT = paths.repository_root()
CASES = [case(lab, mutant) for lab in LABS for mutant in mutants_of(lab)]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="session")
def graded(request, tmp_path_factory):
    """The report of a mutant, graded once a session."""
    folder = tmp_path_factory.mktemp("mutants")

    def grade(lab: str, mutant: Mutant) -> dict:
        file = folder / f"lab{lab}_{mutants_of(lab).index(mutant)}.py"
        file.write_text(mutant.source(lab), encoding="utf-8")
        asked = mutant.check.split("/")[0]
        return run_grader(lab, file, asked if asked in stretch_of(lab) else "")

    with started_ahead(request.session, ("lab", "mutant"), grade) as graded:
        yield graded


def stretch_of(lab: str) -> set[str]:
    """The exercises that are not part of a grade, and are checked when asked for."""
    return {exercise.id for exercise in load_exercises(paths.resolve_lab(lab)) if exercise.is_stretch}


def run_grader(lab: str, file: Path, only: str = "") -> dict:
    """Grade a file, or one exercise of it, in English and without the model, and read the report."""
    report = file.with_suffix(".json")
    command = [sys.executable, "-m", "tests.grader.grade", lab, "--file", str(file), "--scripted", "--json", str(report)]
    command += ["--only", only] if only else []
    run = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "MINIGPT_LANG": "en", "PYTHONUTF8": "1"}, capture_output=True, text=True
    )
    assert report.is_file(), f"the grader wrote no report:\n{run.stdout}{run.stderr}"
    return {**json.loads(report.read_text(encoding="utf-8")), "status": run.returncode}


@pytest.mark.parametrize("lab, mutant", CASES)
def test_rejected_whatever_else_is_checked(lab, mutant, graded):
    report = graded(lab, mutant)
    check = next(check for check in report["checks"] if check["id"] == mutant.check)
    assert check["outcome"] == mutant.outcome
    assert mutant.hint in check["hint"]
    assert report["status"] == 1
    assert "grader_error" not in {check["outcome"] for check in report["checks"]}


@pytest.mark.parametrize("lab", LABS)
def test_every_check_rejects_a_mutant(lab, graded):
    stretch = stretch_of(lab)
    found = {mutant.name: graded(lab, mutant) for mutant in mutants_of(lab)}
    reports = {mutant.name: found[mutant.name] for mutant in mutants_of(lab) if mutant.check.split("/")[0] not in stretch}
    print(f"\n{matrix(reports)}")
    checks = list(dict.fromkeys(check["id"] for report in found.values() for check in report["checks"]))
    rejected_by = {mutant.check for mutant in mutants_of(lab)}
    assert sorted(set(checks) - rejected_by) == [], "these checks have no mutant of their own"
    exercises = {exercise.id for exercise in load_exercises(paths.resolve_lab(lab))}
    assert {check.split("/")[0] for check in checks} == exercises, "an exercise without a check"


def matrix(reports: dict[str, dict]) -> str:
    """Checks in rows, mutants in columns: × where the check rejects, · where it passes, - where it could not run."""
    names = list(reports)
    lines = [f"{i + 1:3} {name}" for i, name in enumerate(names)]
    checks = [check["id"] for check in reports[names[0]]["checks"]]
    signs = {"passed": "·", "blocked": "-", "not_implemented": "-"}
    lines.append(f"{'':42}" + "".join(f"{i + 1:3}" for i in range(len(names))))
    for row, check in enumerate(checks):
        outcomes = [reports[name]["checks"][row]["outcome"] for name in names]
        lines.append(f"{check:42}" + "".join(f"{signs.get(outcome, '×'):>3}" for outcome in outcomes))
    return "\n".join(lines)
