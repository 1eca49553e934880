"""A function against its definition: what is said of a wrong answer, of what is kept, and of what is changed."""

import math

import pytest

from tests.grader.definition import CHANGED, KEPT, Definition, Slip, expect_defined, near_numbers
from tests.grader.outcomes import CRASHED, CheckFailed, t
from tests.grader.session import student_of

CODE = """
def right(values):
    if not values:
        raise ValueError("none")
    return max(values)

def least(values):
    return min(values)

def first(values):
    return values[0]

def adds_up(values, kept=[]):
    kept.extend(values)
    return max(kept)

def spoils(values):
    values.sort()
    return values[-1]
"""
LEAST, FIRST = t("the least", "el menor"), t("the first", "el primero")
CASES = [([2.0, 2.0],), ([3.0, 1.0, 2.0],), ([1.0, 3.0],), ([5.0],)]


@pytest.fixture
def student(tmp_path):
    file = tmp_path / "file.py"
    file.write_text(CODE, encoding="utf-8")
    made = student_of(file)
    yield made
    made.worker.close()


def largest(function: str) -> Definition:
    def truth(values):
        if not values:
            raise ValueError
        return max(values)

    slips = (Slip(answer=lambda values: values[0], hint=FIRST), Slip(answer=min, hint=LEAST))
    return Definition(function=function, arguments=("values",), truth=truth, near=near_numbers(1e-9), slips=slips)


def failure(student, function: str, cases=CASES) -> CheckFailed:
    with pytest.raises(CheckFailed) as caught:
        expect_defined(student, largest(function), cases, hint=lambda values: t(f"of {values}", f"de {values}"))
    return caught.value


def test_a_right_answer_passes_and_so_does_the_due_error(student):
    expect_defined(student, largest("right"), [*CASES, ([],)], hint=FIRST)


def test_the_slip_that_explains_all_answers_is_named(student):
    assert failure(student, "first").hint == FIRST
    # The least of 1 and 3 is the first of them as well: one answer does not tell the two slips apart.
    assert failure(student, "least", [([1.0, 3.0],), ([3.0, 1.0],)]).hint == LEAST


def test_two_slips_that_explain_all_answers_are_both_named(student):
    assert failure(student, "first", [([3.0, 1.0],), ([1.0, 3.0],)]).hint == FIRST
    hint = failure(student, "least", [([1.0, 3.0],)]).hint
    assert FIRST.en in hint.en and LEAST.en in hint.en and FIRST.es in hint.es and LEAST.es in hint.es


def test_a_crash_gets_the_hint_of_its_case(student):
    crash = failure(student, "first", [([7.0],), ([],)])
    assert (crash.outcome, crash.hint.en, str(crash.expected)) == (CRASHED, "of []", "ValueError")


def test_what_is_kept_from_call_to_call_is_named(student):
    assert failure(student, "adds_up", [([4.0],), ([1.0],)]).hint == KEPT


def test_a_changed_argument_is_named(student):
    assert failure(student, "spoils", [([2.0, 1.0],)]).hint == CHANGED.format(name="values")


def test_infinity_is_near_itself_only():
    near = near_numbers(0.5)
    assert near(math.inf, math.inf) and near([1.2, 3], (1.0, 3.0))
    assert not near(1e300, math.inf) and not near(math.nan, 1.0) and not near([1.0], (1.0, 1.0)) and not near(True, 1)
