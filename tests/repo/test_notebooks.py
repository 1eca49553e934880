"""Every notebook runs from top to bottom: with everything written, and with nothing written yet."""

import json
import os
import shutil
import subprocess
import sys
from functools import cache

import pytest

from minigpt.paths import list_labs, skeleton_file, student_file
from tests.tools.ahead import started_ahead
from tests.tools.repo_files import ROOT, notebooks, source_files

# The code of the two languages is the same, so each language takes one half of the four combinations.
WITHOUT_WIDGETS = {("en", "student"), ("es", "solution")}
# jsonschema, which reads the notebooks, uses its grammar of addresses only where it is installed; it takes a second to load.
SLOW_TO_LOAD = "rfc3987_syntax"


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
def hide(tmp_path_factory):
    """`hide(package)`: a folder that, put before the installed packages, makes one as good as not installed."""

    def folder_that_hides(package):
        folder = tmp_path_factory.mktemp("hidden")
        (folder / f"{package}.py").write_text("raise ImportError('hidden by a test')\n", encoding="utf-8")
        return folder

    return cache(folder_that_hides)


def run(notebook, copy, settings, hidden):
    """Run a notebook of the copy under nbval, without some packages, and return the finished process."""
    # Before the installed package, which is the original.
    python_path = os.pathsep.join(str(folder) for folder in [*hidden, copy])
    variables = {name: value for name, value in os.environ.items() if not name.startswith("MINIGPT_")}
    # None of pytest's other plugins: they take as long to load as a short notebook to run.
    variables |= {"PYTHONPATH": python_path, "PYTHONUTF8": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                  "MINIGPT_ENV": "current", **settings}
    variables.pop("PYTEST_ADDOPTS", None)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "nbval.plugin", "-p", "no:cacheprovider", "--nbval-lax",
               "--nbval-current-env", "--nbval-cell-timeout=120", str(notebook)]
    return subprocess.run(command, cwd=copy, env=variables, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=1800,
                          text=True, encoding="utf-8", errors="replace")


@pytest.fixture(scope="session")
def finished(request, copy, hide):
    """The finished run of a notebook."""

    def run_one(path, implementation):
        language = "es" if path.stem.endswith(".es") else "en"
        settings = {"MINIGPT_LANG": language}
        if implementation == "solution":
            settings["MINIGPT_IMPL"] = "solution"
        hidden = [hide(SLOW_TO_LOAD)]
        if (language, implementation) in WITHOUT_WIDGETS:
            hidden.append(hide("ipywidgets"))
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


def test_a_run_uses_the_copy_and_notices_failed_cells(copy, hide):
    folder = copy / "labs" / "99_trial"
    folder.mkdir(exist_ok=True)
    notebook = folder / "99_trial.ipynb"
    of_the_copy = "import minigpt, os\nassert os.path.samefile(os.path.dirname(minigpt.__file__), '../../minigpt')"
    cells = [{"cell_type": "code", "execution_count": None, "id": name, "metadata": {}, "outputs": [], "source": code}
             for name, code in (("passes", of_the_copy), ("fails", "import ipywidgets"))]
    notebook.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}), encoding="utf-8")
    done = run(notebook, copy, {}, [hide(SLOW_TO_LOAD), hide("ipywidgets")])
    assert (done.returncode, "1 failed, 1 passed" in done.stdout) == (1, True), done.stdout
    assert "hidden by a test" in done.stdout
    shutil.rmtree(folder)
