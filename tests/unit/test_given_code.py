"""What a submission can import of the given code, lab by lab: what the exercises may use, and no answer."""

import pytest

from minigpt import paths
from minigpt.notebook.exercises import load_exercises, load_given
from tests.grader import given_code, session
from tests.grader.fleet_host import MOST_WORK, FleetHost
from tests.grader.grade import needs_torch
from tests.grader.outcomes import CheckFailed
from tests.tools.repo_files import python_files

ROOT = paths.repository_root()
LABS = paths.list_labs()
ALWAYS = {"language", "runtime.errors", "runtime.known_names", "runtime.request", "schedulers.lab_file"}
SERVER = {"llm.kv_cache", "llm.tokenizer", *(f"runtime.{name}" for name in (
    "arrivals", "clock", "executor", "model_runner", "request_queue", "run_log", "server", "time_keeper"))}
TENSORS = {"cached_pass", "checkpoint_io", "kv_cache", "model", "products", "threads", "tokenizer", "tutor"}
# Before adding a module here, check that it does not answer an exercise of the lab.
WHOLE_COPY = {
    "01": ALWAYS | {f"llm.{name}" for name in TENSORS},
    "02": ALWAYS | SERVER,
    "03": ALWAYS | SERVER,
    "04": ALWAYS | {"analysis.littles_law", "runtime.clock", "simulation.fleet"},
    "05": ALWAYS | SERVER | {"analysis.tables", "studies.engine_survey"},
    "06": ALWAYS | {"schedulers.in_line"},
}

IMPORTS = """
import importlib

def tried(names):
    said = {}
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError as error:
            said[name] = str(error)
    return said

def found(name):
    package, _, module = name.rpartition(".")
    exec(f"from {package} import {module}")
"""


def modules_of(lab) -> list[str]:
    return given_code.modules_for(ROOT, load_given(lab), needs_torch=needs_torch(lab))


@pytest.fixture
def student_of(tmp_path, monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    made = []

    def make(text, lab):
        file = tmp_path / "file.py"
        file.write_text(text, encoding="utf-8")
        made.append(session.student_of(file, given=load_given(lab), needs_torch=needs_torch(lab)))
        return made[-1]

    yield make
    for each in made:
        each.worker.close()


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name[:2])
def test_the_copy_holds_these_modules_and_no_others(lab):
    is_package = {name for name in modules_of(lab) if given_code.file_of(ROOT, name).name == "__init__.py"}
    assert {name.removeprefix("minigpt.") for name in set(modules_of(lab)) - is_package} == WHOLE_COPY[lab.name[:2]]
    assert set(load_given(lab)) <= set(modules_of(lab)) - is_package


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name[:2])
def test_everything_else_is_an_import_error_that_says_so(lab, student_of):
    every = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in python_files("minigpt")]
    others = sorted({name.removesuffix(".__init__") for name in every} - set(modules_of(lab)))
    said = student_of(IMPORTS, lab).call("tried", [*others, *load_given(lab)])
    assert set(said) == set(others) and len(others) > 60
    given = ", ".join(load_given(lab))
    for name, text in said.items():
        first, _, rest = text.partition(" ")
        assert f"{name}.".startswith(f"{first}."), "the module, or the package that it is in"
        assert rest == f"is part of the given code that a submission may not use. From minigpt, this lab's exercises may use: {given}"


@pytest.mark.parametrize("name", ["minigpt.analysis", "minigpt.analysis.metrics", "minigpt.schedulers.continuous"])
def test_from_imports_say_it_too(name, student_of):
    with pytest.raises(CheckFailed, match="crashed") as caught:
        student_of(IMPORTS, paths.resolve_lab("03")).call("found", name)
    assert "is part of the given code that a submission may not use" in str(caught.value.got)


def test_the_text_of_a_submission_that_imports_an_answer_is_an_import_error(student_of):
    student = student_of("from minigpt.analysis.metrics import percentile\n", paths.resolve_lab("03"))
    with pytest.raises(CheckFailed, match="import_error") as caught:
        student.call("p95_s", [])
    assert "(line 1)" in str(caught.value.got)


FLEET = """
from minigpt.simulation import fleet
from minigpt.simulation.fleet import p95_s

def ask(*args):
    return fleet.p95_s(*args), p95_s(*args, num_requests=2_000, seed=3)

def look(name):
    return getattr(fleet, name)

def for_ever(*args):
    while True:
        try:
            fleet.p95_s(*args)
        except ValueError:
            pass
"""


def test_a_fleet_is_simulated_on_the_checking_side(student_of):
    from minigpt.simulation import fleet

    student, lengths = student_of(FLEET, paths.resolve_lab("04")), fleet.request_lengths("mixed", 300, seed=2)
    here = fleet.p95_s(lengths, 250.0, 3, 8), fleet.p95_s(lengths, 250.0, 3, 8, num_requests=2_000, seed=3)
    assert student.call("ask", lengths, 250.0, 3, 8) == here
    for name in ("simulate", "draw_calls", "percentile"):
        with pytest.raises(CheckFailed) as caught:
            student.call("look", name)
        assert "a submission may use only fleet.p95_s" in str(caught.value.got)


def test_a_fleet_that_cannot_be_simulated_is_a_value_error_and_a_search_without_end_is_not(student_of):
    student = student_of(FLEET, paths.resolve_lab("04"))
    pair, half = [(3, 2)], [(3, 0.5)]
    for args in ((pair, 250.0, 0, 8), ([], 250.0, 1, 8), (pair, -1.0, 1, 8), (half, 1.0, 1, 8), (None, 1, 1, 1)):
        with pytest.raises(CheckFailed) as caught:
            student.call("ask", *args)
        assert {"ValueError", "TypeError"} & set(caught.value.raised)
    host = FleetHost()
    host._work = MOST_WORK
    assert host.answer("fleet.p95_s", [{"$": "list", "v": []}, 1.0, 1, 1, 1, 0])["error"][0] == "TimeoutError"
    assert host.answer("queue.get", [])["error"] == ["ValueError", "queue.get: this call was given no server"]


def test_each_lab_says_what_may_be_used():
    assert all(load_given(lab) and load_exercises(lab) for lab in LABS)
