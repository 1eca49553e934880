"""No exercise is answered by a name of the given code, and none by a body that does nothing.

What is not in a lab's copy of the package cannot be imported at all (tests/unit/test_given_code.py); what is there is
tried here, every function and class that takes as many arguments as the exercise's own.
"""

import importlib
import inspect

import pytest

from minigpt import paths
from minigpt.notebook.exercises import load_given
from tests.grader import given_code, remote_fleet
from tests.grader.grade import needs_torch
from tests.grader_tests.test_reference_and_skeleton import graded
from tests.tools.ahead import started_ahead
from tests.tools.lazy import BODIES, with_bodies, with_names

pytestmark = pytest.mark.slow
ROOT = paths.repository_root()
LABS = paths.list_labs()
LIMITS = "--limits=cpu_s=5,wall_s=60"  # for bodies with which a loop never ends


def takes(candidate, num_args: int) -> bool:
    """Whether it can be called with that number of values."""
    try:
        inspect.signature(candidate).bind(*[None] * num_args)
    except (TypeError, ValueError):
        return False
    return True


def names_in_the_copy(lab) -> list[tuple[str, object]]:
    """What a submission can import from the worker's copy and call: each as an expression, and the thing itself."""
    found = []
    for name in given_code.modules_for(ROOT, load_given(lab), needs_torch=needs_torch(lab)):
        module = remote_fleet if name in given_code.REMOTE else importlib.import_module(name)
        for key, value in vars(module).items():
            if callable(value) and getattr(value, "__module__", "") == module.__name__:
                found.append((f"__import__('{name}', fromlist=['']).{key}", value))
    return found


def files_of(lab) -> list[str]:
    names = names_in_the_copy(lab)
    return with_names(lab, lambda function, num_args: [text for text, value in names if takes(value, num_args)])


NAMES = "names of the given code"
CASES = [(lab, what) for lab in LABS for what in (NAMES, *BODIES)]


@pytest.fixture(scope="session")
def reports_of(request, tmp_path_factory):
    def grade(case):
        lab, what = case
        made = []
        for text in files_of(lab) if what == NAMES else [with_bodies(lab, what)]:
            file = tmp_path_factory.mktemp("given") / "file.py"
            file.write_text(text, encoding="utf-8")
            made.append(graded(lab, file, file.parent, "--scripted", LIMITS))
        return made

    with started_ahead(request.session, ("case",), grade) as reports_of:
        yield reports_of


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0].name[:2]} {case[1]}")
def test_without_work_there_are_no_points(case, reports_of):
    for report in reports_of(case):
        assert report["score"] == 0, [check["id"] for check in report["checks"] if check["points"]]
        assert "grader_error" not in {check["outcome"] for check in report["checks"]}


def test_the_names_are_many_and_an_answer_would_be_seen():
    assert all(len(files_of(lab)) >= 5 for lab in LABS)
    assert takes(pow, 2) and not takes(len, 2)
