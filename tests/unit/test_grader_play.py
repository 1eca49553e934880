"""Playing the methods of a student's class, and Lab 05's server, through the channel."""

import pytest

from minigpt.runtime.clock import VirtualClock
from minigpt.schedulers.registry import code_file
from minigpt.simulation.paged_run import serve
from minigpt.workloads.workload import workload
from tests.grader.outcomes import CheckFailed
from tests.grader.session import student_of

CLASS = """
class Counter:
    def __init__(self, start):
        self.value = start
    def add(self, number):
        self.value += number
        return self.value
    def fail(self):
        raise KeyError("no")
    def todo(self):
        raise NotImplementedError
"""


@pytest.fixture
def student(tmp_path):
    made = []

    def make(text):
        file = tmp_path / "file.py"
        file.write_text(text, encoding="utf-8")
        made.append(student_of(file))
        return made[-1]

    yield make
    for each in made:
        each.worker.close()


def test_each_call_tells_its_result_or_what_it_raised_and_the_state(student):
    told = student(CLASS).play("Counter", [5], [("add", 2), ("fail",), ("add", 1), ("missing",)], ("value",))
    assert [(each["result"], each["raised"], each["shown"]["value"]) for each in told] == [
        (7, None, 7), (None, "KeyError", 7), (8, None, 8), (None, "AttributeError", 8)
    ]
    said = told[1]["said"]
    assert said.en.startswith("KeyError") and "(line " in said.en and said.es == said.en.replace("(line", "(línea")


def test_a_stub_is_not_implemented(student):
    with pytest.raises(CheckFailed, match="not_implemented"):
        student(CLASS).play("Counter", [5], [("todo",)])


def test_a_class_that_is_not_there_is_a_crash(student):
    with pytest.raises(CheckFailed, match="crashed"):
        student(CLASS).play("Nobody", [], [])


def test_a_run_through_the_channel_is_the_run_in_this_process(student):
    requests = workload("mixed", load=1.3, num_requests=60, seed=7)
    settings = {"num_blocks": 24, "token_budget": 32, "aging_s": 0.1}
    there = student(code_file("05", "solution").read_text(encoding="utf-8"))
    log = there.run_production(requests, clock=VirtualClock(), **settings)
    here = serve(requests, impl="solution", **settings)
    assert log.preemptions and (log.steps, log.block_events) == (here.steps, here.block_events)
