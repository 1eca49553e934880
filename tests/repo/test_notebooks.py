"""Every notebook runs from top to bottom: with everything written, and with nothing written yet."""

import os
import shutil
import subprocess
import sys

import pytest

from minigpt.paths import list_labs, skeleton_file, student_file
from tests.tools.ahead import started_ahead
from tests.tools.repo_files import ROOT, notebooks, source_files

# The code of the two languages is the same, so each language takes one half of the four combinations.
WITHOUT_WIDGETS = {("en", "student"), ("es", "solution")}


@pytest.fixture(scope="session")
def copy(tmp_path_factory):
    """A copy of the sources in which nothing is written yet: a student's own work is not looked at."""
    copy = tmp_path_factory.mktemp("copy") / "año uno"
    for path in source_files():
        target = copy / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    for lab in list_labs(copy):
        if skeleton_file(lab).is_file():
            shutil.copy2(skeleton_file(lab), student_file(lab))
    return copy


@pytest.fixture(scope="session")
def without_widgets(tmp_path_factory):
    """A folder that, put before the installed packages, makes ipywidgets as good as not installed."""
    folder = tmp_path_factory.mktemp("hidden")
    (folder / "ipywidgets.py").write_text("raise ImportError('hidden by a test')\n", encoding="utf-8")
    return folder


def run(notebook, copy, settings, first_on_the_path=()):
    """Run a notebook of the copy under nbval and return the finished process."""
    # Before the installed package, which is the original.
    python_path = os.pathsep.join(str(folder) for folder in [*first_on_the_path, copy])
    variables = {name: value for name, value in os.environ.items() if not name.startswith("MINIGPT_")}
    variables |= {"PYTHONPATH": python_path, "PYTHONUTF8": "1",
                  "MINIGPT_ENV": "current", **settings}
    variables.pop("PYTEST_ADDOPTS", None)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:xdist", "--nbval-lax",
               "--nbval-current-env", "--nbval-cell-timeout=120", str(notebook)]
    return subprocess.run(command, cwd=copy, env=variables, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=1800,
                          text=True, encoding="utf-8", errors="replace")


@pytest.fixture(scope="session")
def finished(request, copy, without_widgets):
    """The finished run of a notebook."""

    def run_one(path, implementation):
        language = "es" if path.stem.endswith(".es") else "en"
        settings = {"MINIGPT_LANG": language}
        if implementation == "solution":
            settings["MINIGPT_IMPL"] = "solution"
        hidden = [without_widgets] if (language, implementation) in WITHOUT_WIDGETS else []
        return run(copy / path.relative_to(ROOT), copy, settings, hidden)

    with started_ahead(request.session, ("path", "implementation"), run_one) as finished:
        yield finished


def runs():
    """Every notebook with everything written and with nothing; half of them are slow tests.

    A check proves the code of the two languages equal, so each lab runs once with the reference and once as a beginner
    in the quick tests, the languages divided between them.
    """
    for path in notebooks():
        language = "es" if path.stem.endswith(".es") else "en"
        for implementation in ("student", "solution"):
            is_quick = (language == "en") == (implementation == ("student" if int(path.name[:2]) % 2 else "solution"))
            name = f"lab{path.name[:2]}-{implementation}-{path.name}"
            yield pytest.param(path, implementation, id=name, marks=[] if is_quick else [pytest.mark.slow])


@pytest.mark.parametrize("path, implementation", list(runs()))
def test_a_notebook_runs(path, implementation, finished):
    done = finished(path, implementation)
    assert done.returncode == 0, done.stdout[-6000:]


@pytest.mark.parametrize("code, passed", [
    ("import minigpt, os\nassert os.path.samefile(os.path.dirname(minigpt.__file__), '../../minigpt')", True),
    ("import ipywidgets", False),  # which also shows that a cell that fails is noticed
])
def test_a_run_uses_the_copy_and_notices_a_failed_cell(code, passed, copy, without_widgets):
    import nbformat  # here: a second that other test processes need not wait
    from nbformat.v4 import new_code_cell, new_notebook

    folder = copy / "labs" / "99_trial"
    folder.mkdir(exist_ok=True)
    notebook = folder / "99_trial.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell(code)]), notebook)
    done = run(notebook, copy, {}, [without_widgets])
    assert (done.returncode, "1 passed" in done.stdout) == ((0, True) if passed else (1, False)), done.stdout
    shutil.rmtree(folder)
