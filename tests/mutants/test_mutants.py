"""Every mutant is rejected by the check that should notice it, with its hint, and every check rejects a mutant.

A mutant is graded on its own exercise only, in a process that stays warm; test_whole_labs.py grades whole labs.
"""

import importlib
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from minigpt import paths
from minigpt.notebook.exercises import load_exercises
from tests.mutants.mutant import Mutant
from tests.tools.mutation import warm

LABS = sorted(path.stem.removeprefix("lab") for path in Path(__file__).parent.glob("lab[0-9][0-9].py"))


def mutants_of(lab: str) -> tuple[Mutant, ...]:
    return importlib.import_module(f"tests.mutants.lab{lab}").MUTANTS


def case(lab: str, mutant: Mutant):
    """A parameter whose test shares a process with the others of its lab: they share a warm grader."""
    return pytest.param(lab, mutant, id=f"lab{lab}-{mutant.name}", marks=pytest.mark.xdist_group(f"mutants-{lab}"))


@pytest.fixture(scope="session")
def outcomes():
    """`outcomes(lab, mutant)`: outcome and hint of each check of the mutant's exercise."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context, initializer=warm.prepare_process) as pool:

        def graded(lab: str, mutant: Mutant) -> dict[str, tuple[str, str]]:
            return pool.submit(warm.outcomes, lab, mutant.check.split("/")[0], mutant.source(lab)).result()

        yield graded


@pytest.mark.parametrize("lab, mutant", [case(lab, mutant) for lab in LABS for mutant in mutants_of(lab)])
def test_rejected_with_its_hint(lab, mutant, outcomes):
    found = outcomes(lab, mutant)
    outcome, hint = found[mutant.check]
    assert outcome == mutant.outcome
    assert mutant.hint in hint
    assert "grader_error" not in {each for each, _ in found.values()}


@pytest.mark.parametrize("lab", [pytest.param(lab, marks=pytest.mark.xdist_group(f"mutants-{lab}")) for lab in LABS])
def test_every_check_has_a_mutant_of_its_own(lab, outcomes):
    by_exercise = {mutant.check.split("/")[0]: mutant for mutant in mutants_of(lab)}
    exercises = {exercise.id for exercise in load_exercises(paths.resolve_lab(lab))}
    assert set(by_exercise) == exercises, "an exercise without a mutant"
    checks = {check for mutant in by_exercise.values() for check in outcomes(lab, mutant)}
    assert sorted(checks - {mutant.check for mutant in mutants_of(lab)}) == [], "these checks have no mutant of their own"
