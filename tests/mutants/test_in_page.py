"""Every wrong solution gets the same report from the browser page's checks as from the grader's own process."""

import pytest

from minigpt import paths
from tests.grader import in_page, report
from tests.grader.loop_watchdog import CAN_WATCH
from tests.mutants.mutant import Mutant
from tests.mutants.test_mutants import case, mutants_of
from tests.tools.mutation import warm
from tests.tools.web_texts import LABS

NOT_IN_PAGE = ("5.1/place",)  # needs torch
VALUES = ("expected", "got")
# Draws without a seed: what it returns differs from call to call.
NEVER_THE_SAME = {"the seed is not used"}

pytestmark = pytest.mark.slow
CASES = [case(lab, mutant) for lab in LABS for mutant in mutants_of(lab)
         if mutant.check not in NOT_IN_PAGE and (mutant.outcome != "timed_out" or CAN_WATCH)]


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")


@pytest.fixture(scope="module", autouse=True)
def warm_graders():
    yield
    warm.close_all()


def in_the_process(lab: str, mutant: Mutant) -> list[dict]:
    """What the grader says of a mutant's exercise."""
    exercise = mutant.check.split("/")[0]
    results = warm.grader_of(lab).results(mutant.source(lab), exercise)
    return [report._check_json(result) for result in results if result.id not in NOT_IN_PAGE]


def comparable(checks: list[dict], mutant: Mutant) -> list[dict]:
    """Without what differs from run to run: random values, and how long a loop was let run."""
    left_out = VALUES if mutant.name in NEVER_THE_SAME or mutant.outcome == "timed_out" else ()
    return [{name: value for name, value in check.items() if name not in left_out} for check in checks]


@pytest.mark.parametrize("lab, mutant", CASES)
def test_the_page_says_what_the_grader_says(lab, mutant, tmp_path):
    file = tmp_path / f"{paths.lab_module(paths.resolve_lab(lab))}.py"
    file.write_text(mutant.source(lab), encoding="utf-8")
    judge = in_page.run_checks(in_page.student_of(file, lab, {}, lambda _: None), lab, mutant.check.split("/")[0])
    found = in_page.report_of(judge, lab)["checks"]
    assert comparable(found, mutant) == comparable(in_the_process(lab, mutant), mutant)
