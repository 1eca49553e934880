"""The timelines of Lab 02's checks, drawn by hand in their docstrings, agree with the reference step by step.

What is drawn is read: a row's first column is an arrival, its letters are steps, its end is the answer.
"""

import ast
import re
from pathlib import Path

import pytest

from minigpt.analysis.slots import slot_spans
from minigpt.simulation.run import replay
from tests.lab03.scenes import MS, scene

FOLDER = Path(__file__).parent.parent / "lab02"
ROW = re.compile(r" *([A-Z]) +(\d+) *?( [-.#A-Z]+)(   .*)?")
SETTINGS = {
    "test_the_scene_of_the_lab": dict(max_batch=3),
    "test_full_batch_starts_at_once": dict(max_batch=2),
    "test_wait_over_while_busy": dict(max_batch=4),
    "test_eos_takes_its_step": dict(max_batch=2, ends_with_eos=True),
    "test_a_crowd": dict(max_batch=2),
    "test_alone": dict(max_batch=4),
    "test_hand_worked_timeline": dict(max_batch=3, max_wait_s=0.004),
}


def drawings() -> dict[str, str]:
    """The docstrings with a time axis. A stretch exercise draws another loop. The checks are read, not imported: their mark is the grader's own."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("test_[0-9]*.py"))]
    functions = [node for tree in trees for node in tree.body if isinstance(node, ast.FunctionDef)]
    found = {function.name: ast.get_docstring(function) or "" for function in functions}
    return {name: text for name, text in found.items() if re.search(r"^ms +0 ", text, re.MULTILINE)}


DRAWN = drawings()


def read_drawing(docstring: str) -> list[tuple[int, int, str]]:
    """Each row as arrival (ms), length (tokens) and its signs, one a millisecond."""
    lines = docstring.splitlines()
    ruler = next(line for line in lines if line.lstrip().startswith("ms "))
    rows = [match for line in lines if (match := ROW.fullmatch(line))]
    return [(row.start(3) + 1 - ruler.index("0"), int(row[2]), row[3].strip()) for row in rows]


def draw(log) -> list[str]:
    """Each request of a run as such a row."""
    rows = []
    for span in sorted(slot_spans(log), key=lambda span: span.request_id):
        phases = log.requests[span.request_id]
        marks = (phases.arrival_ns, phases.admitted_ns, span.start_ns, span.useful_until_ns, span.end_ns)
        signs = (".", "-", "ABCDEFGHIJ"[span.request_id], "#")
        rows.append("".join(sign * ((end - start) // MS) for sign, start, end in zip(signs, marks, marks[1:])))
    return rows


@pytest.mark.parametrize("name", DRAWN)
def test_the_drawing_is_what_the_reference_does(name):
    drawn, settings = read_drawing(DRAWN[name]), dict(SETTINGS[name])
    requests = [(arrival, length) for arrival, length, _ in drawn]
    workload = scene(*requests, ends_with_eos=settings.pop("ends_with_eos", False))
    log = replay("static", workload, clock="steps", tokens="scripted", impl="solution", **settings)
    assert draw(log) == [signs for _, _, signs in drawn]


def test_every_row_of_every_drawing_is_read():
    assert {name: len(read_drawing(text)) for name, text in DRAWN.items()} == {
        "test_the_scene_of_the_lab": 5, "test_full_batch_starts_at_once": 4, "test_wait_over_while_busy": 5,
        "test_eos_takes_its_step": 4, "test_a_crowd": 6, "test_alone": 3, "test_hand_worked_timeline": 10,
    }
