"""The student edition: nothing in it answers an exercise, and every check of every lab runs and can pass there."""

import ast
import json
import os
import subprocess
import sys

import pytest

from minigpt.paths import list_labs, skeleton_file, solution_file
from tests.tools.skeleton import solution_lines
from tests.tools.student_edition import LEFT_OUT, SEALED, exercises_answered, write_edition

LABS = [lab.name for lab in list_labs() if solution_file(lab).is_file()]
each_lab = pytest.mark.parametrize("lab", [
    lab if lab.startswith("02") else pytest.param(lab, marks=pytest.mark.slow) for lab in LABS
])
SAID_ANYWAY = 45  # characters: shorter lines stand in many files, and say nothing

pytestmark = pytest.mark.xdist_group("edition")


@pytest.fixture(scope="session")
def edition(tmp_path_factory):
    """The folder of an edition."""
    folder = tmp_path_factory.mktemp("edition") / "año uno"
    write_edition(folder)
    return folder


def grade(edition, lab: str, file) -> dict:
    """Grade a file in the edition, and read the report."""
    report = edition.parent / f"{lab}-{file.parent.name}.json"
    variables = {**os.environ, "PYTHONPATH": str(edition), "MINIGPT_ENV": "current", "MINIGPT_LANG": "en", "PYTHONUTF8": "1"}
    command = [sys.executable, "-m", "minigpt", "grade", lab[:2], "--file", str(file), "--json", str(report), "--no-measure"]
    done = subprocess.run(command, cwd=edition, env=variables, capture_output=True, text=True, encoding="utf-8")
    assert report.is_file(), done.stdout + done.stderr
    return json.loads(report.read_text(encoding="utf-8"))


def test_what_has_no_place_is_not_there(edition):
    assert [name for name in LEFT_OUT if (edition / name).exists()] == []
    assert [name for name in SEALED if not (edition / name).is_file()] == [], "sealed files that no longer exist"


def test_no_readable_file_holds_a_line_of_an_answer(edition):
    secret = {line for lab in list_labs() for line in solution_lines(solution_file(lab).read_text(encoding="utf-8"))}
    secret = {line.strip() for line in secret if len(line.strip()) >= SAID_ANYWAY}
    assert secret
    found = []
    for path in [*edition.glob("minigpt/**/*.py"), *edition.glob("tests/**/*.py")]:  # a later lab may build on an earlier one
        lines = {line.strip() for line in path.read_text(encoding="utf-8").splitlines()}
        found += [f"{path.relative_to(edition)}: {line}" for line in lines & secret]
    assert found == []


def test_a_sealed_file_cannot_be_read_and_runs(edition):
    sealed = [path for path in edition.rglob("*.py") if exercises_answered(path.relative_to(edition).as_posix())]
    assert len(sealed) > len(SEALED)
    for path in sealed:
        names = [getattr(node, "name", "") for node in ast.parse(path.read_text(encoding="utf-8")).body]
        assert not any(names), f"{path} shows {names}"


def test_a_folder_in_use_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(ValueError, match="not an empty folder|no es una carpeta vacía"):
        write_edition(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


@each_lab
def test_the_reference_handed_in_as_a_students_file_gets_full_points(edition, lab):
    report = grade(edition, lab, solution_file(next(path for path in list_labs() if path.name == lab)))
    assert {check["outcome"] for check in report["checks"]} == {"passed"}
    assert report["score"] == report["max_score"] > 0


@each_lab
def test_a_fresh_skeleton_is_not_implemented(edition, lab):
    report = grade(edition, lab, skeleton_file(next(path for path in list_labs() if path.name == lab)))
    assert {check["outcome"] for check in report["checks"]} == {"not_implemented"}
