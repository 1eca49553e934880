"""What a student's function returns reaches the checks as the plain data that it stands for."""

import pytest

from tests.grader.outcomes import CheckFailed, expect_equal, expect_number, expect_value_error, is_same, t
from tests.grader.session import student_of
from tests.lab03.scenes import scene

UNUSUAL = """
import collections, dataclasses, decimal, enum, fractions, statistics, types
import numpy

Pair = collections.namedtuple("Pair", "first second")

@dataclasses.dataclass
class Point:
    x: float
    y: int

class Few(enum.IntEnum):
    three = 3

class Row(collections.UserList):
    pass

VALUES = {
    "named tuple": Pair(1, [2.5]), "dataclass": Point(1.5, numpy.int64(2)),
    "ordered": collections.OrderedDict(a=1), "default": collections.defaultdict(list, a=[1]),
    "counter": collections.Counter("aab"), "proxy": types.MappingProxyType({"a": collections.deque([1])}),
    "deque": collections.deque([1, 2]), "row": Row([1, 2]), "range": range(3),
    "int64": numpy.int64(7), "float32": numpy.float32(0.5), "bool": numpy.bool_(True), "array": numpy.arange(3),
    "fraction": fractions.Fraction(1, 4), "whole": fractions.Fraction(8, 2), "decimal": decimal.Decimal("0.5"),
    "infinite": decimal.Decimal("inf"), "enum": Few.three, "keys": {numpy.int64(1): (1, 2)},
    "set": {1, 2}, "generator": (n for n in range(3)), "text": "abc", "nothing": None,
}

def give(name):
    return VALUES[name]

def finished(server, in_flight, kind):
    return {"set": set, "tuple": tuple, "deque": collections.deque}[kind](reversed(in_flight))

def mean(values):
    return statistics.mean(values)

def own(values):
    class TooFew(ValueError):
        pass
    raise TooFew("no values")

def change(found):
    found["kept"] = collections.deque([1])

class Pool:
    def __init__(self, kind):
        self.free_blocks = kind == "deque" and collections.deque([2, 1]) or {3, 10, 2}
        self.tables = collections.defaultdict(list, {0: (1, 2)})
    def free(self):
        raise UnicodeError("a kind of ValueError")
"""


@pytest.fixture(scope="module")
def student(tmp_path_factory):
    file = tmp_path_factory.mktemp("plain") / "file.py"
    file.write_text(UNUSUAL, encoding="utf-8")
    made = student_of(file)
    yield made
    made.worker.close()


@pytest.mark.parametrize("name, value", [
    ("named tuple", (1, [2.5])), ("dataclass", (1.5, 2)), ("ordered", {"a": 1}), ("default", {"a": [1]}),
    ("counter", {"a": 2, "b": 1}), ("proxy", {"a": [1]}), ("deque", [1, 2]), ("row", [1, 2]), ("range", [0, 1, 2]),
    ("int64", 7), ("float32", 0.5), ("bool", True), ("array", [0, 1, 2]), ("fraction", 0.25), ("whole", 4),
    ("decimal", 0.5), ("infinite", float("inf")), ("enum", 3), ("keys", {1: (1, 2)}), ("text", "abc"),
    ("nothing", None),
])
def test_what_stands_for_plain_data_becomes_it(student, name, value):
    got = student.call("give", name)
    assert got == value and type(got) is type(value)


@pytest.mark.parametrize("name", ["set", "generator"])
def test_what_does_not_is_refused_by_its_type(student, name):
    with pytest.raises(CheckFailed) as caught:
        expect_equal(student.call("give", name), [1, 2], hint=t("", ""))
    assert caught.value.expected == [1, 2] and caught.value.got == f"a value of type {name}"


@pytest.mark.parametrize("kind, ids", [("set", [0, 1, 2]), ("tuple", [2, 1, 0]), ("deque", [2, 1, 0])])
def test_requests_in_a_row_are_a_list_of_requests(student, kind, ids):
    host = student.server(scene((0, 3), (0, 3), (0, 3)))
    got, _ = student.call_on(host, "finished", host.take(3), kind)
    assert type(got) is list and [request.request_id for request in got] == ids


def test_arguments_and_attributes_become_plain_as_well(student):
    assert student.call_with("change", {})[1] == [{"kept": [1]}]
    told = [student.play("Pool", [kind], [("free",)], ("free_blocks", "tables"))[0] for kind in ("deque", "set")]
    assert [each["shown"] for each in told] == [
        {"free_blocks": [2, 1], "tables": {0: [1, 2]}}, {"free_blocks": [2, 3, 10], "tables": {0: [1, 2]}}
    ]
    assert told[0]["raised"] == "ValueError"


def test_a_kind_of_value_error_is_one(student):
    for function in ("mean", "own"):
        expect_value_error(student, function, [], hint=t("", ""))
    with pytest.raises(CheckFailed, match="crashed"):
        expect_value_error(student, "give", "no such name", hint=t("", ""))


def test_a_tuple_is_as_good_as_a_list_and_a_bool_is_no_number(student):
    assert is_same([(1, 2.0), {"a": (3,)}], ([1, 2], {"a": [3.0]}))
    assert not is_same([1], [True]) and not is_same({"a": 1}, {"a": 1, "b": 2}) and not is_same("1", 1)
    expect_number(student.call("give", "fraction"), 0.25, tolerance=0, hint=t("", ""))
