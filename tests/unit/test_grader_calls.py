"""Several calls in one load of a student's file: what it keeps between them, and what becomes of their arguments."""

import math

import pytest

from tests.grader.outcomes import CheckFailed
from tests.grader.session import student_of
from tests.lab03.scenes import scene

KEEPS = """
seen = []

def count(values, kept=[]):
    kept.append(len(values))
    return list(kept)

def spoil(values, other):
    values.sort()
    return other

def admit(server, in_flight):
    seen.append(len(in_flight))
    return list(seen)

def fail():
    raise KeyError("no")

def calls_another():
    return fail()

def calls_itself(depth):
    return 1 / depth if depth == 0 else calls_itself(depth - 1)
"""


@pytest.fixture
def student(tmp_path):
    file = tmp_path / "file.py"
    file.write_text(KEEPS, encoding="utf-8")
    made = student_of(file)
    yield made
    made.worker.close()


def test_state_shows_in_one_load_and_never_in_two(student):
    assert [each.result for each in student.calls("count", [[1]], [[2, 3]], [[]])] == [[1], [1, 2], [1, 2, 0]]
    assert [each.result for each in student.call_twice("count", [5])] == [[1], [1, 1]]
    assert student.call("count", [7, 7]) == [2]
    assert student.call("count", [7], again=True) == [2, 1]


def test_changed_arguments_are_told_by_their_place(student):
    first, second = student.call_twice("spoil", [3, 1, math.nan], {"a": (1, 2)})
    assert first.changed == second.changed == [0]
    assert first.before == second.before, "the second call gets what the first one got"
    assert student.calls("spoil", [[1, 2], 5])[0].changed == []


def test_calls_on_a_server_go_on_as_well(student):
    host = student.server(scene((0, 3), (0, 3)))
    assert student.call_on(host, "admit", host.take(1))[0] == [1]
    assert student.call_on(host, "admit", host.take(1), again=True)[0] == [1, 1]


def test_a_call_that_fails_ends_them(student):
    with pytest.raises(CheckFailed, match="crashed"):
        student.calls("fail", [], [])


@pytest.mark.parametrize("function, args, place", [
    ("fail", [], "(line 17)"), ("calls_another", [], "(line 17, in fail, called in line 20)"),
    ("calls_itself", [3], "(line 23)"),
])
def test_an_exception_in_a_function_that_another_calls_has_both_places(student, function, args, place):
    with pytest.raises(CheckFailed) as caught:
        student.call(function, *args)
    assert caught.value.got.en.endswith(place)
