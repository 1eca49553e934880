"""Each mutant against its whole lab, in a process that stays warm; and which check rejects which."""

from functools import cache

import pytest

from minigpt import paths
from minigpt.notebook.exercises import load_exercises
from tests.mutants.mutant import Mutant
from tests.mutants.test_mutants import LABS, case, mutants_of, with_the_labs_others
from tests.tools.mutation import warm

CASES = [case(lab, mutant) for lab in LABS for mutant in mutants_of(lab)]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="session")
def outcomes(warm_process):
    """`outcomes(lab, mutant)`: outcome and hint of every check of the lab; a mutant is graded once a session."""

    @cache
    def outcomes_of(lab: str, mutant: Mutant) -> dict[str, tuple[str, str]]:
        asked = mutant.check.split("/")[0]
        exercise = asked if asked in stretch_of(lab) else ""
        return warm_process.submit(warm.outcomes, lab, exercise, mutant.source(lab)).result()

    return outcomes_of


def stretch_of(lab: str) -> set[str]:
    """The exercises that are not part of a grade, and are checked when asked for."""
    return {exercise.id for exercise in load_exercises(paths.resolve_lab(lab)) if exercise.is_stretch}


@pytest.mark.parametrize("lab, mutant", CASES)
def test_rejected_whatever_else_is_checked(lab, mutant, outcomes):
    found = outcomes(lab, mutant)
    outcome, hint = found[mutant.check]
    assert outcome == mutant.outcome
    assert mutant.hint in hint
    assert "grader_error" not in {outcome for outcome, _ in found.values()}


@pytest.mark.parametrize("lab", [pytest.param(lab, marks=with_the_labs_others(lab)) for lab in LABS])
def test_every_check_rejects_a_mutant(lab, outcomes):
    found = {mutant: outcomes(lab, mutant) for mutant in mutants_of(lab)}
    stretch = stretch_of(lab)
    graded = {mutant.name: checks for mutant, checks in found.items() if mutant.check.split("/")[0] not in stretch}
    print(f"\n{matrix(graded)}")
    checks = list(dict.fromkeys(check for one in found.values() for check in one))
    rejected_by = {mutant.check for mutant in mutants_of(lab)}
    assert sorted(set(checks) - rejected_by) == [], "these checks have no mutant of their own"
    exercises = {exercise.id for exercise in load_exercises(paths.resolve_lab(lab))}
    assert {check.split("/")[0] for check in checks} == exercises, "an exercise without a check"


def matrix(graded: dict[str, dict[str, tuple[str, str]]]) -> str:
    """Checks in rows, mutants in columns: × where the check rejects, · where it passes, - where it could not run."""
    names = list(graded)
    lines = [f"{i + 1:3} {name}" for i, name in enumerate(names)]
    signs = {"passed": "·", "blocked": "-", "not_implemented": "-"}
    lines.append(f"{'':42}" + "".join(f"{i + 1:3}" for i in range(len(names))))
    for check in graded[names[0]]:
        outcomes = [graded[name][check][0] for name in names]
        lines.append(f"{check:42}" + "".join(f"{signs.get(outcome, '×'):>3}" for outcome in outcomes))
    return "\n".join(lines)
