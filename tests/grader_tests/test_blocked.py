"""What waits for an earlier exercise says so, also where that shows only when it runs; what does not is graded."""

import pytest

from minigpt import paths
from minigpt.notebook.exercises import load_exercises
from minigpt.notebook.written import reached_from
from tests.grader_tests.test_reference_and_skeleton import graded
from tests.tools.lazy import reference_with

PAIRS = [
    pytest.param(lab, exercise, need, id=f"{exercise.id} without {need.id}")
    for lab in paths.list_labs()
    for exercises in [load_exercises(lab)]
    for exercise in exercises if exercise.function
    for need in exercises if need.id in exercise.needs
]

LAB_03 = paths.resolve_lab("03")
OWN_RANK = '''
def reduction_interval(static_records, continuous_records, num_resamples, seed):
    def p95_s(records):
        late = sorted(math.inf if r["finish_s"] is None else r["finish_s"] - r["arrival_s"] for r in records)
        return late[math.ceil(len(late) * 95 / 100) - 1]
    rng = random.Random(seed)
    continuous = {record["request_id"]: record for record in continuous_records}
    pairs = [(record, continuous[record["request_id"]]) for record in static_records]
    reductions = []
    for _ in range(num_resamples):
        before, after = zip(*rng.choices(pairs, k=len(pairs)))
        reductions.append(100 * (1 - p95_s(after) / p95_s(before)))
    reductions.sort()
    return tuple(reductions[math.ceil(num_resamples * share) - 1] for share in (0.025, 0.975))
'''
HALF_WRITTEN = '''
def {name}({args}):
    planned = "look up the rank first"
    raise NotImplementedError(planned)
'''


def outcomes(tmp_path, lab, text, exercise):
    file = tmp_path / "file.py"
    file.write_text(text, encoding="utf-8")
    report = graded(lab, file, tmp_path, "--only", exercise, "--scripted")
    return {check["outcome"] for check in report["checks"]}, {check["hint"] for check in report["checks"]}


@pytest.mark.parametrize("lab, exercise, need", PAIRS)
def test_an_exercise_whose_need_is_a_stub_is_blocked(lab, exercise, need, tmp_path):
    found, hints = outcomes(tmp_path, lab, reference_with(lab, **{need.function: ""}), exercise.id)
    assert found == {"blocked"} and hints == {f"write {need.id} (`{need.function}`) first"}


@pytest.mark.parametrize("exercise, name, args, need", [
    ("3.4", "admit", "server, in_flight", "3.1"), ("3.6", "p95_s", "records", "3.5"),
])
def test_what_shows_only_when_it_runs_is_blocked_too(exercise, name, args, need, tmp_path):
    text = reference_with(LAB_03, **{name: HALF_WRITTEN.format(name=name, args=args)})
    assert outcomes(tmp_path, LAB_03, text, exercise) == ({"blocked"}, {f"write {need} (`{name}`) first"})
    assert outcomes(tmp_path, LAB_03, text, need)[0] == {"not_implemented"}


def test_a_body_that_does_without_the_earlier_function_is_graded(tmp_path):
    text = reference_with(LAB_03, p95_s="", reduction_interval=OWN_RANK)
    assert outcomes(tmp_path, LAB_03, text, "3.6")[0] == {"passed"}


def test_what_a_function_uses_is_read_from_its_scopes():
    source = """
import math
def rank(values): return math.ceil(values)
def p95(values): return rank(values)
def own(p95): return [p95 for p95 in p95]
def through(values): return [p95(each) for each in values]
class Pool:
    def free(self): return through(self)
def again(n): return again(n - 1)
again_too = lambda: p95(1)
"""
    assert reached_from(source, "p95") == {"rank"} and reached_from(source, "own") == set()
    assert reached_from(source, "Pool.free") == {"through", "p95", "rank"}
    assert reached_from(source, "again") == reached_from(source, "nowhere") == set()
