"""`make lab`: which page it opens, what it makes first, and how JupyterLab is started."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from minigpt.cli import lab
from minigpt.environment import layout
from minigpt.notebook import start_page
from minigpt.paths import notebook_file, skeleton_file
from tests.tools.repo_files import ROOT

LAB = "03_continuous_batching"
EXERCISES = """title.en = "Title"
title.es = "Título"

[[exercise]]
id = "3.1"
function = "first"
minutes = 5
needs = []
title.en = "one"
title.es = "uno"
hints.en = ["look"]
hints.es = ["mira"]
"""


@pytest.fixture
def house(tmp_path, monkeypatch, child_commands):
    """A repository with one lab, and JupyterLab that is only recorded."""
    root = tmp_path / "mi año"
    folder = root / "labs" / LAB
    folder.mkdir(parents=True)
    for language in ("en", "es"):
        notebook_file(folder, language).write_text('{"cells": [], "metadata": {}}', encoding="utf-8")
        skeleton_file(folder, language).write_text("x = 1\n", encoding="utf-8")
    (folder / "exercises.toml").write_text(EXERCISES, encoding="utf-8")
    for module in (lab, start_page, layout):
        monkeypatch.setattr(module, "repository_root", lambda: root)
    monkeypatch.setattr("minigpt.paths.repository_root", lambda: root)
    monkeypatch.setenv("MINIGPT_LANG", "es")
    for name in ("MINIGPT_ENV", "JUPYTER_CONFIG_PATH"):
        monkeypatch.delenv(name, raising=False)
    return root


@pytest.mark.parametrize("language, name", [("en", "lab03.ipynb"), ("es", "lab03.es.ipynb")])
def test_the_students_own_notebook_opens_in_the_language(house, child_commands, monkeypatch, language, name):
    monkeypatch.setenv("MINIGPT_LANG", language)
    child_commands.status = 3
    assert lab.main(["", "--", "--no-browser"]) == 3  # make passes an empty LAB on
    [(command, extra)] = child_commands
    assert command[-3:] == [f"--ServerApp.root_dir={house / 'labs'}",
                            f"--LabApp.default_url=/lab/tree/{LAB}/{name}", "--no-browser"]
    assert extra["JUPYTER_PREFER_ENV_PATH"] == "1" and "PYTHONPATH" not in extra


def test_files_are_made_named_once_and_then_left_alone(house, child_commands, capsys):
    lab.main(["03"])
    said = capsys.readouterr().out
    assert f"labs/{LAB}/ continuous_batching.py, lab03.ipynb, lab03.es.ipynb" in said
    lab.main(["03"])
    assert "Tuyos" not in capsys.readouterr().out


def test_a_kept_notebook_is_said_in_one_line_with_the_way_out(house, child_commands, capsys):
    lab.main([])
    copy = house / "labs" / LAB / "lab03.ipynb"
    copy.write_text("mine", encoding="utf-8")
    capsys.readouterr()
    lab.main([])
    [line] = [line for line in capsys.readouterr().out.splitlines() if copy.name in line]
    assert "se conserva" in line and "cambia el nombre" in line
    assert copy.read_text(encoding="utf-8") == "mine"


def test_the_start_page_links_every_lab_in_both_languages(house, child_commands):
    lab.main([])
    page = (house / "labs" / "start.md").read_text(encoding="utf-8")
    assert page.startswith("# Los laboratorios")
    for name in ("lab03.ipynb", "lab03.es.ipynb", "continuous_batching.py"):
        assert f"]({LAB}/{name})" in page
    assert "[Title]" in page and "[Título]" in page and "1 · 5 min" in page


def test_a_faulty_exercise_file_keeps_nobody_from_working(house, child_commands):
    (house / "labs" / LAB / "exercises.toml").write_text("x", encoding="utf-8")
    assert lab.main([]) == 0 and len(child_commands) == 1


def test_jupyterlabs_defaults_come_first_and_the_users_paths_stay(house, child_commands, monkeypatch):
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "/mine")
    lab.main([])
    ours = house / "minigpt" / "jupyter"
    assert child_commands[0][1]["JUPYTER_CONFIG_PATH"].split(os.pathsep) == [str(ours / "spanish"), str(ours), "/mine"]
    monkeypatch.setenv("MINIGPT_LANG", "en")
    lab.main([])
    assert child_commands[1][1]["JUPYTER_CONFIG_PATH"].split(os.pathsep) == [str(ours), "/mine"]


@pytest.mark.parametrize("language, locale", [("en", None), ("es", "es_ES")])
def test_jupyterlab_is_in_the_notebooks_language(monkeypatch, tmp_path, language, locale):
    monkeypatch.setenv("MINIGPT_LANG", language)
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path))  # not the settings of the user who runs the tests
    monkeypatch.delenv("MINIGPT_ENV", raising=False)
    code = ("import json; from jupyterlab_server.settings_utils import _get_overrides as o; "
            "from jupyterlab_server.translation_utils import get_language_packs as p; "
            "print(json.dumps([o('.')[0], p()[0]]))")
    variables = {**os.environ, **lab.jupyter_environment()}
    done = subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=True)
    overrides, packs = json.loads(done.stdout.splitlines()[-1])
    chosen = overrides.get("@jupyterlab/translation-extension:plugin", {}).get("locale")
    assert chosen == locale and (chosen is None or chosen in packs)
    assert "@jupyterlab/apputils-extension:notification" in overrides, "the settings for both languages are lost"


def test_a_python_of_ones_own_finds_this_clones_package(house, child_commands, monkeypatch):
    monkeypatch.setenv("MINIGPT_ENV", "current")
    lab.main([])
    assert child_commands[0][1]["PYTHONPATH"] == str(house)


def test_one_lab_at_a_time(house, child_commands):
    with pytest.raises(ValueError, match="no '03 04'"):
        lab.main(["03", "04"])
    with pytest.raises(ValueError, match=LAB):
        lab.main(["07"])
    assert child_commands == []


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_git_ignores_what_is_the_students_and_nothing_of_ours():
    mine = [f"labs/{LAB}/{name}" for name in (
        "lab03.ipynb", "lab03.es.ipynb", "continuous_batching.py", "Untitled.ipynb",
        "lab03-Copy1.ipynb", f"{LAB}-Copy1.ipynb", "lab03.ipynb.new")]
    mine += ["labs/start.md", "labs/Untitled.ipynb"]
    ours = [f"labs/{LAB}/{name}" for name in (f"{LAB}.ipynb", f"{LAB}.es.ipynb", "skeleton.py", "skeleton.es.py",
                                            "exercises.toml")]
    done = subprocess.run(["git", "check-ignore", "--no-index", *mine, *ours], cwd=ROOT, stdout=subprocess.PIPE)
    if done.returncode == 128:
        pytest.skip("no clone")
    assert done.stdout.decode().splitlines() == mine
