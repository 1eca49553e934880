"""The reference passes every check; a fresh skeleton passes none; neither depends on the machine's mood."""

import json
import os
import subprocess
import sys

import pytest

from minigpt import paths
from tests.grader.report import measurement_names
from tests.tools.ahead import started_ahead

ROOT = paths.repository_root()
LABS = [lab for lab in paths.list_labs() if (ROOT / "tests" / f"lab{lab.name[:2]}").is_dir()]
FIXED = ("p95_static_ms", "p95_continuous_ms", "p95_reduction_percent", "throughput_ratio")


def graded(lab, file, folder, *options, **variables) -> dict:
    target = folder / "report.json"
    command = [sys.executable, "-m", "tests.grader.grade", lab.name[:2], "--file", str(file), "--json", str(target),
               "--no-measure", *options]
    environment = {**os.environ, "MINIGPT_LANG": "en", "PYTHONUTF8": "1", **variables}
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert target.is_file(), run.stdout + run.stderr
    return {**json.loads(target.read_text(encoding="utf-8")), "status": run.returncode}


@pytest.fixture(scope="session")
def report_of(request, tmp_path_factory):
    """The report of a lab's reference, or of its fresh skeleton in a language."""

    def grade(lab, whose):
        if whose == "solution":
            return graded(lab, paths.solution_file(lab), tmp_path_factory.mktemp("reference"))
        return graded(lab, paths.skeleton_file(lab, whose), tmp_path_factory.mktemp("skeleton"), MINIGPT_LANG=whose)

    with started_ahead(request.session, ("lab", "whose"), grade) as report_of:
        yield report_of


# Quick in the lab with the quickest: every reference's checks also run in its notebook, exercise by exercise
# (tests/repo/test_notebooks.py), and a whole reference as a student's file (tests/repo/test_student_edition.py).
@pytest.mark.parametrize("whose", ["solution"])
@pytest.mark.parametrize("lab", [pytest.param(lab, id=lab.name[:2], marks=[] if lab.name.startswith("06") else [pytest.mark.slow])
                                 for lab in LABS])
def test_the_reference_passes_every_check(lab, whose, report_of):
    report = report_of(lab, whose)
    assert [check for check in report["checks"] if check["outcome"] != "passed"] == []
    assert report["status"] == 0 and report["score"] == report["max_score"] > 0
    assert set(report["measurements"]) <= set(measurement_names()), "a figure without a name for its reader"
    assert report["worker"]["starts"] <= 3, "a worker that is started anew for no reason makes grading slow"


def skeletons():
    """Each lab's in both languages; one of them is quick, in turn."""
    for lab in LABS:
        for whose in ("en", "es"):
            is_quick = (whose == "en") == (int(lab.name[:2]) % 2 == 0)
            yield pytest.param(lab, whose, id=f"{lab.name[:2]}-{whose}", marks=[] if is_quick else [pytest.mark.slow])


@pytest.mark.parametrize("lab, whose", list(skeletons()))
def test_a_fresh_skeleton_is_not_implemented(lab, whose, report_of):
    report = report_of(lab, whose)
    assert {check["outcome"] for check in report["checks"]} == {"not_implemented"}
    assert report["status"] == 1 and report["score"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("hash_seed, threads", [("random", "64"), ("0", "1"), ("4294967295", "2")])
def test_nothing_depends_on_hash_seeds_and_threads(hash_seed, threads, tmp_path):
    lab = paths.resolve_lab("03")
    report = graded(lab, paths.solution_file(lab), tmp_path, PYTHONHASHSEED=hash_seed, OMP_NUM_THREADS=threads,
                    MKL_NUM_THREADS=threads)
    assert report["status"] == 0
    found = {name: round(report["measurements"][name], 9) for name in FIXED}
    again = FOUND.setdefault("first", found)
    assert found == again


FOUND: dict[str, dict] = {}  # figures of the first of these runs
