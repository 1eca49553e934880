"""The grader in one interpreter with the student's code: the same reports, and what it does where a process is missing."""

import json
import sys

import pytest

from minigpt.extras.browser import figures_04_05
from minigpt.paths import resolve_lab, skeleton_file, solution_file
from tests.grader import in_page, page_jobs
from tests.grader.loop_watchdog import CAN_WATCH
from tests.mutants.test_mutants import mutants_of

STEP = "for request, token in zip(in_flight, "


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")


def reference(lab: str) -> str:
    return solution_file(resolve_lab(lab)).read_text(encoding="utf-8")


def asked(name: str, text: str, lab: str = "03", told=lambda _: None, **more) -> dict:
    request = {"lab": lab, "language": "en", "text": text, "lost": {}, "own": "", "only": "", **more}
    return json.loads(page_jobs.job(name, json.dumps(request), told))


def outcomes(report: dict) -> set[str]:
    return {check["outcome"] for check in report["checks"]}


def test_the_reference_passes_and_the_skeleton_is_not_written():
    told = []
    assert outcomes(asked("check", reference("03"), only="3.2", told=told.append)) == {"passed"}
    assert {"calls": "decode_one_step"} in map(json.loads, told)
    skeleton = skeleton_file(resolve_lab("03")).read_text(encoding="utf-8")
    assert outcomes(asked("check", skeleton, only="3.2")) == {"not_implemented"}
    assert outcomes(asked("check", "def admit(:", only="3.1")) == {"import_error"}


@pytest.mark.parametrize("name", ["EOS stored", "answers inside the run"])
def test_a_wrong_solution_is_told_its_hint(name):
    mutant = next(each for each in mutants_of("02") if each.name == name)
    report = asked("check", mutant.source("02"), lab="02", only="2.2")
    found = next(check for check in report["checks"] if check["id"] == mutant.check)
    assert found["outcome"] == mutant.outcome and mutant.hint in found["hint"]


def test_a_library_that_no_page_has_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)  # as good as not installed
    text = reference("03").replace("return latencies[", "import numpy\n    return numpy.array(latencies)[")
    report = asked("check", text, only="3.5")
    assert "crashed" in outcomes(report)
    assert "numpy is not in this page" in json.dumps(report)


def test_a_changed_file_is_another_file():
    """Checks keep what they computed by the file's name: a page's file has the same name each time."""
    assert "passed" in outcomes(asked("check", reference("03"), only="3.3"))
    assert outcomes(asked("check", reference("03").replace("server.respond(request)", "pass"), only="3.3")) != {"passed"}


def test_what_is_printed_is_kept_up_to_a_bound():
    report = asked("check", reference("03").replace(STEP, "print('x' * 900)\n    " + STEP), only="3.2")
    assert len(report["printed"]) <= in_page.KEPT_OUTPUT and report["left_out"] > 0
    assert outcomes(report) == {"passed"}


def test_a_file_may_import_what_a_worker_would_let_it():
    report = asked("check", "from minigpt.schedulers import continuous\n" + reference("03"), only="3.1")
    assert outcomes(report) == {"import_error"} and "may not use" in report["checks"][0]["got"]
    assert outcomes(asked("check", "from minigpt.runtime.server import make_server\n" + reference("02"), lab="02", only="2.2")) == {"passed"}


def test_what_took_an_interpreter_down_is_not_called_again():
    lost = {"decode_one_step": ["process_ended", 0.0]}
    assert outcomes(asked("check", reference("03"), only="3.2", lost=lost)) == {"process_ended"}
    assert outcomes(asked("check", reference("03"), only="3.1", lost=lost)) == {"passed"}
    report = asked("check", reference("03"), only="3.1", lost={"import": ["timed_out", 9.0]})
    assert outcomes(report) == {"import_error"} and "9 s" in report["checks"][0]["got"]


@pytest.mark.skipif(not CAN_WATCH, reason="sys.monitoring came with Python 3.12")
def test_a_loop_without_end_is_ended_with_its_line(monkeypatch):
    monkeypatch.setattr(in_page, "LIMIT_S", 0.3)
    text = reference("03").replace(STEP, "while True:\n        try:\n            pass\n        except BaseException:\n            pass\n    " + STEP)
    report = asked("check", text, only="3.2")
    assert outcomes(report) == {"timed_out"}
    line = text[: text.index("while True")].count("\n") + 1
    assert any(f"(line {line + k})" in report["checks"][0]["got"] for k in range(5))
    assert sys.monitoring.get_tool(sys.monitoring.DEBUGGER_ID) is None


def test_the_students_own_run_is_the_given_ones_equal():
    settings = {"load": 0.5, "spread": 2, "cap": 4, "max_wait_ms": 10.0}
    own, given = (asked("compare", reference("03"), own=policy, settings=settings) for policy in ("continuous", ""))
    assert own.pop("own") is True and own.pop("printed") == "" and own.pop("left_out") == 0
    assert own == given
    assert asked("scene", reference("03"), own="continuous")["steps"] == asked("scene", "", own="", policy="continuous")["steps"]
    failed = asked("scene", reference("03").replace("in_flight.append", "in_flight.add"), own="continuous")
    assert failed["own"] is False and "AttributeError" in failed["failed"] and failed["steps"]


def test_labs_04_and_05_have_pictures_of_their_own():
    blocks = asked("blocks", reference("05"), lab="05", own="production", num_blocks=24)
    assert blocks["own"] is True and blocks["num_preemptions"] > 0
    assert asked("blocks", "", lab="05", num_blocks=64)["num_preemptions"] < blocks["num_preemptions"]
    area = figures_04_05.area()
    assert area["mean_inside"] == pytest.approx(area["rate_per_ms"] * area["stay_ms"]) == pytest.approx(20 / 12)
    assert asked("load", "x = 1 / 0", lab="04")["own"] is False and asked("load", reference("04"), lab="04")["own"] is True


def test_a_check_that_needs_torch_is_left_to_the_notebook():
    report = asked("check", reference("05"), lab="05", only="5.1")
    assert report["for_the_notebook"] == 1 and outcomes(report) == {"passed"}
