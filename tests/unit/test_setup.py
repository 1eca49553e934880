"""The steps of the set-up, and what one that fails leaves behind."""

import importlib.util
import sys

import pytest

from minigpt.cli import setup
from minigpt.environment import install, layout


def test_set_up_steps_come_in_order_and_the_stamps_last(repository, child_commands, monkeypatch):
    monkeypatch.setattr(install, "make_environment", lambda: layout.environment_folder().mkdir() or 0)
    assert install.install("tests", "https://example.org/cpu") == 0
    installs = [command[command.index("--progress-bar") + 2:] for command, _ in child_commands]
    assert installs == [
        ["--index-url", "https://example.org/cpu", "torch==1.2.3"],
        ["-r", str(repository / "requirements.txt")],
        ["--no-deps", "--no-build-isolation", "-e", str(repository)],
        ["-r", str(repository / "requirements-test.txt"), "-c", str(repository / "requirements.txt")],
    ]
    assert layout.stamp_file("labs").exists() and layout.stamp_file("tests").exists()


def test_the_index_may_come_from_the_variable_that_make_sets(ready_repository, child_commands, monkeypatch):
    monkeypatch.setattr(install, "make_environment", lambda: 0)
    monkeypatch.setenv("TORCH_INDEX", "https://example.org/cpu")
    assert install.install("labs", again=True) == 0
    assert child_commands[0][0][-3:] == ["--index-url", "https://example.org/cpu", "torch==1.2.3"]


def test_a_failure_leaves_no_stamp_and_is_named(ready_repository, child_commands, monkeypatch, capsys):
    monkeypatch.setattr(install, "make_environment", lambda: 0)
    monkeypatch.setattr(install, "has_torch", lambda: True)
    child_commands.status = 4
    assert setup.main([]) == 4
    assert len(child_commands) == 1, "nothing is installed after a failure"
    assert not layout.is_current("labs")
    captured = capsys.readouterr()
    assert "pip install -r" in captured.err and "status 4" in captured.err and "continues" in captured.err
    assert "Ready" not in captured.out


def test_what_is_current_is_not_installed_again(ready_repository, child_commands):
    assert install.install("labs") == 0
    assert child_commands == []


def test_a_python_without_venv_names_the_package(repository, child_commands, monkeypatch, capsys):
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "ensurepip" else real(name))
    assert install.install("labs") == 1
    assert f"apt install python3.{sys.version_info[1]}-venv" in capsys.readouterr().err
    assert child_commands == [] and not layout.stamp_file("labs").exists()


@pytest.mark.parametrize("is_environment, expected", [(True, ["--clear"]), (False, [])])
def test_only_a_broken_environment_is_emptied(repository, child_commands, is_environment, expected):
    folder = layout.environment_folder()
    folder.mkdir()
    if is_environment:
        (folder / "pyvenv.cfg").write_text("home = /gone\n", encoding="utf-8")
    child_commands.status = 1  # stop after the first step
    assert install.make_environment() == 1
    assert child_commands[0][0] == [sys.executable, "-m", "venv", *expected, str(folder)]


def test_the_test_requirements_leave_torch_alone():
    here = layout.repository_root()
    pinned = [line for line in (here / "requirements.txt").read_text(encoding="utf-8").splitlines()
              if line.startswith("torch")]
    assert pinned == ["torch==2.13.0"] == [install.torch_requirement()]
    assert "\ntorch" not in (here / "requirements-test.txt").read_text(encoding="utf-8")
