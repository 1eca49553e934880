"""Every lab, graded as a student would: the reference passes every check, and a fresh skeleton not one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from minigpt import paths
from minigpt.exercises import load_exercises

ROOT = paths.repository_root()
LABS = [lab.name for lab in paths.list_labs() if paths.skeleton_file(lab).exists()]


def grade(lab: str, file: Path, report: Path, *options: str) -> tuple[dict, int]:
    """The report on a file, and the exit status."""
    command = [sys.executable, "-m", "tests.grader.grade", lab, "--file", str(file), "--json", str(report), *options]
    run = subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONUTF8": "1"}, capture_output=True, text=True)
    assert report.is_file(), run.stdout + run.stderr
    return json.loads(report.read_text(encoding="utf-8")), run.returncode


@pytest.mark.parametrize("lab", LABS)
def test_the_reference_passes_every_check(lab, tmp_path):
    report, status = grade(lab, paths.solution_file(ROOT / "labs" / lab), tmp_path / "report.json")
    failed = [(check["id"], check["outcome"], check["got"]) for check in report["checks"] if check["outcome"] != "passed"]
    assert failed == []
    assert status == 0
    assert report["score"] == report["max_score"] > 0
    assert {check["exercise"] for check in report["checks"]} == {e.id for e in load_exercises(ROOT / "labs" / lab)}


@pytest.mark.parametrize("lab", LABS)
def test_a_fresh_skeleton_passes_none(lab, tmp_path):
    report, status = grade(lab, paths.skeleton_file(ROOT / "labs" / lab), tmp_path / "report.json", "--scripted")
    assert {check["outcome"] for check in report["checks"]} == {"not_implemented"}
    assert (report["score"], status) == (0, 1)


@pytest.mark.parametrize("threads, hash_seed", [("1", "0"), ("64", "12345")])
def test_the_same_figures_everywhere(threads, hash_seed, tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", threads)
    monkeypatch.setenv("PYTHONHASHSEED", hash_seed)
    report, _ = grade("03", paths.solution_file(ROOT / "labs" / "03_continuous_batching"), tmp_path / "r.json", "--only", "3.7")
    figures = {name: report["measurements"][name] for name in ("p95_static_ms", "p95_continuous_ms", "throughput_ratio")}
    assert figures == reference_figures()
    assert 30 <= report["measurements"]["p95_reduction_percent"] <= 70


def reference_figures() -> dict[str, float]:
    """The same in this process, with the workload's known answers in the model's place."""
    from minigpt import metrics, studies
    from minigpt.policies import find_policy, load_loop
    from minigpt.workload import workload
    from tests.grader.seeds import graded_seed

    requests = workload("mixed", load=0.7, num_requests=1_000, seed=graded_seed(0))
    runs = studies.compare(requests, load_loop(find_policy("continuous"), "solution"))
    before, after = (metrics.percentile(metrics.e2e_s(log), 95) for log in (runs.static, runs.continuous))
    return {"p95_static_ms": 1e3 * before, "p95_continuous_ms": 1e3 * after, "throughput_ratio": runs.throughput_ratio}
