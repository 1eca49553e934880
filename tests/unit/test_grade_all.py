"""A class is graded whole, whatever is among its submissions, and is not graded twice."""

import csv
import json
import os
import subprocess
import sys

import pytest

from minigpt import paths
from tests.grader import class_table
from tests.grader.grade_all import ClassRun, parse

ROOT = paths.repository_root()
LAB = paths.resolve_lab("03")
OPTIONS = ["--lab", "3", "--scripted", "--limits", "cpu_s=2,wall_s=6,memory_mb=512"]


@pytest.fixture(scope="module")
def class_folder(tmp_path_factory):
    """Four submissions: whole, untouched, hostile, and one that is none."""
    folder = tmp_path_factory.mktemp("class") / "entregas año 1"
    folder.mkdir()
    (folder / "Íñigo Peña.py").write_bytes(paths.solution_file(LAB).read_bytes())
    (folder / "=fresh").mkdir()
    (folder / "=fresh" / "continuous_batching.py").write_bytes(paths.skeleton_file(LAB).read_bytes())
    (folder / "gone.py").write_text("import os\nos._exit(0)\n")
    os.symlink(folder / "Íñigo Peña.py", folder / "neighbour.py")
    return folder


def run(folder, out, *options):
    command = [sys.executable, "-m", "minigpt", "grade-all", str(folder), "--out", str(out), *OPTIONS, *options]
    environment = {**os.environ, "MINIGPT_LANG": "en", "MINIGPT_ENV": "current", "PYTHONUTF8": "1"}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def graded(class_folder):
    out = class_folder.parent / "results"
    done = run(class_folder, out)
    assert done.returncode == 0, done.stdout + done.stderr
    return out


def table(out):
    with (out / "class.csv").open(encoding="utf-8-sig", newline="") as file:
        return {row["submission"]: row for row in csv.DictReader(file)}


def test_the_table_of_the_class(graded):
    rows = table(graded)
    assert list(rows) == ["'=fresh", "gone", "neighbour", "Íñigo Peña"]
    whole = rows["Íñigo Peña"]
    assert whole["score"] == whole["max_score"] and 30 < float(whole["p95_reduction_percent"]) < 70
    assert rows["'=fresh"]["not_implemented"] == whole["passed"] and rows["'=fresh"]["score"] == "0"
    assert rows["gone"]["score"] == "0" == whole["grader_error"]
    assert "symbolic link" in rows["neighbour"]["note"] and rows["neighbour"]["import_error"] == whole["passed"]


def test_each_has_its_reports(graded):
    for folder in graded.glob("*/lab03"):
        report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        gradescope = json.loads((folder / "results.json").read_text(encoding="utf-8"))
        assert gradescope["score"] == report["score"] and len(gradescope["tests"]) == len(report["checks"])
        assert sorted(path.name for path in folder.iterdir()) == ["report.json", "results.json"]


def test_only_what_changed_is_graded_again(graded, class_folder):
    before = {path: path.stat().st_mtime_ns for path in graded.glob("*/lab03/report.json")}
    (class_folder / "gone.py").write_text("def broken(:\n")
    unfinished = graded / "=fresh" / "lab03" / "report.json"
    unfinished.write_text("{")  # as an interruption of another program would leave it
    assert run(class_folder, graded).returncode == 0
    changed = [path.parent.parent.name for path, time in before.items() if path.stat().st_mtime_ns != time]
    assert sorted(changed) == ["=fresh", "gone"]


def test_each_student_has_a_seed_of_their_own(class_folder, tmp_path):
    def seeds(*options):
        run = ClassRun(parse([str(class_folder), "--out", str(tmp_path), "--lab", "03", *options]))
        return [job.options for job in run.jobs()]

    assert len(set(seeds("--class-seed", "autumn"))) == 4
    assert seeds("--class-seed", "autumn") == seeds("--class-seed", "autumn") != seeds("--class-seed", "spring")
    assert set(seeds()) == {()}


@pytest.mark.parametrize("out", ["", "inside"])
def test_results_do_not_lie_among_the_submissions(out, tmp_path):
    done = run(tmp_path, tmp_path / out)
    assert done.returncode == 2 and "another folder" in done.stderr


def test_an_empty_class_is_an_error(tmp_path):
    done = run(tmp_path, tmp_path.parent / "out")
    assert done.returncode == 2 and "no folder, .zip or .py" in done.stderr


def test_names_are_no_formulas():
    assert class_table._harmless("=1+1") == "'=1+1" and class_table._harmless("Ana") == "Ana"
