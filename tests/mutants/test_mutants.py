"""Every mutant is rejected by the check that should notice it, with its hint, and every check rejects a mutant.

A mutant meets that one check, in a process that stays warm; test_whole_labs.py (slow) grades whole labs.
"""

import importlib
import re
from pathlib import Path

import pytest

from minigpt import paths
from minigpt.notebook.exercises import load_exercises
from tests.grader.check import info_of
from tests.grader.in_page import checks_of
from tests.grader.judge import check_id
from tests.lab03.oracle import REMEMBERS
from tests.mutants.mutant import Mutant
from tests.tools.mutation import warm

LABS = sorted(path.stem.removeprefix("lab") for path in Path(__file__).parent.glob("lab[0-9][0-9].py"))


def mutants_of(lab: str) -> tuple[Mutant, ...]:
    return importlib.import_module(f"tests.mutants.lab{lab}").MUTANTS


def with_the_labs_others(lab: str):
    """The mark of tests that share a process with the others of their lab: they share a warm grader."""
    return pytest.mark.xdist_group(f"mutants-{lab}")


def case(lab: str, mutant: Mutant):
    return pytest.param(lab, mutant, id=f"lab{lab}-{mutant.name}", marks=with_the_labs_others(lab))


@pytest.fixture(scope="session")
def outcome(warm_process):
    """`outcome(lab, mutant)`: outcome and hint of the check that should notice the mutant."""
    return lambda lab, mutant: warm_process.submit(warm.outcome, lab, mutant.check, mutant.source(lab)).result()


@pytest.mark.parametrize("lab, mutant", [case(lab, mutant) for lab in LABS for mutant in mutants_of(lab)])
def test_rejected_with_its_hint(lab, mutant, outcome):
    found, hint = outcome(lab, mutant)
    assert found == mutant.outcome
    assert mutant.hint in hint
    remembers = re.search("remember|globals|__dict__", f"{mutant.name} {mutant.new} {mutant.hint}")
    assert remembers or REMEMBERS.en not in hint, "a mistake that every call makes is no memory"


@pytest.mark.parametrize("lab", LABS)
def test_every_check_has_a_mutant_of_its_own(lab):
    folder = paths.resolve_lab(lab)
    checks = {check_id(name, info_of(check)) for name, check in checks_of(folder)}
    rejected_by = {mutant.check for mutant in mutants_of(lab)}
    assert sorted(checks - rejected_by) == [], "these checks have no mutant of their own"
    assert {check.split("/")[0] for check in rejected_by} == {exercise.id for exercise in load_exercises(folder)}
