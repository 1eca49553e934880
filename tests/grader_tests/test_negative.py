"""A check that something does not happen counts only where the other checks of its exercise pass."""

from minigpt import paths
from tests.grader import report as reports
from tests.grader_tests.test_reference_and_skeleton import graded
from tests.tools.lazy import reference_with

LAB = paths.resolve_lab("03")
ONLY_RAISES = "def p95_s(records):\n    raise ValueError('of nothing there is no p95')\n"


def checks_of(tmp_path, **functions) -> dict[str, dict]:
    file = tmp_path / "file.py"
    file.write_text(reference_with(LAB, **functions), encoding="utf-8")
    report = graded(LAB, file, tmp_path, "--only", "3.5", "--scripted")
    assert report["score"] == sum(check["points"] for check in report["checks"])
    return {check["id"]: check for check in report["checks"]}


def test_it_passes_and_gives_no_point_where_the_others_fail(tmp_path):
    checks = checks_of(tmp_path, p95_s=ONLY_RAISES)
    negative = checks["3.5/of_nothing"]
    assert (negative["outcome"], negative["points"], negative["max_points"]) == ("passed", 0, 1)
    assert negative["hint"] == "its points count once the other checks of this exercise pass"
    assert {check["outcome"] for check in checks.values()} == {"passed", "crashed"}
    shown = reports.as_gradescope({"score": 0, "checks": list(checks.values())})["tests"]
    assert {test["status"] for test in shown} == {"failed"}


def test_it_gives_its_point_where_they_pass(tmp_path):
    checks = checks_of(tmp_path)
    assert {(check["outcome"], check["points"] == check["max_points"], check["hint"]) for check in checks.values()} == {
        ("passed", True, "")
    }
