"""The environment's state, and how commands get into it."""

import os
import subprocess
import sys

import pytest

from minigpt.environment import install, layout, process, rerun


def test_without_an_environment_nothing_is_current(repository):
    assert not layout.is_current("labs") and not layout.is_current("tests")


def test_changed_requirements_make_the_environment_outdated(ready_repository):
    assert layout.is_current("labs") and layout.is_current("tests")
    (ready_repository / "requirements-test.txt").write_text("hypothesis>=7\n", encoding="utf-8")
    assert layout.is_current("labs") and not layout.is_current("tests")
    (ready_repository / "requirements.txt").write_text("numpy>=9\n", encoding="utf-8")
    assert not layout.is_current("labs")


def test_a_lost_interpreter_or_stamp_is_outdated(ready_repository):
    layout.stamp_file("tests").unlink()
    assert layout.is_current("labs") and not layout.is_current("tests")
    layout.environment_python().unlink()
    assert not layout.is_current("labs")


def test_a_moved_repository_is_outdated_since_installed_in_place(ready_repository, monkeypatch):
    moved = ready_repository.rename(ready_repository.with_name("moved"))
    monkeypatch.setattr(layout, "repository_root", lambda: moved)
    assert not layout.is_current("labs")


def test_without_requirements_the_message_asks_for_a_clone(repository):
    (repository / "requirements.txt").unlink()
    with pytest.raises(ValueError, match="requirements.txt is not in .*run this in a clone"):
        layout.fingerprint("labs")


def test_a_command_runs_again_in_the_environment_and_gives_its_status(ready_repository, child_commands):
    child_commands.status = 5
    assert rerun.enter("labs", ["lab", "02"]) == 5
    python = str(layout.environment_python())
    assert child_commands == [([python, "-m", "minigpt", "lab", "02"], {rerun.RERUN_MARK: "1"})]


def test_what_was_run_again_goes_on_and_drops_the_mark(ready_repository, child_commands, monkeypatch):
    monkeypatch.setenv(rerun.RERUN_MARK, "1")
    assert rerun.enter("labs", ["lab"]) is None
    assert child_commands == [] and rerun.RERUN_MARK not in os.environ


def test_inside_the_environment_a_command_goes_on(ready_repository, child_commands, monkeypatch):
    monkeypatch.setattr(sys, "prefix", str(layout.environment_folder()))
    monkeypatch.setattr(sys, "getfilesystemencoding", lambda: "utf-8")
    assert rerun.enter("labs", ["lab"]) is None
    assert child_commands == []


def test_in_a_c_locale_even_the_right_interpreter_runs_again(ready_repository, child_commands, monkeypatch):
    monkeypatch.setattr(sys, "prefix", str(layout.environment_folder()))
    monkeypatch.setattr(sys, "getfilesystemencoding", lambda: "ascii")
    assert rerun.enter("labs", ["lab"]) == 0
    assert len(child_commands) == 1


def test_a_missing_environment_is_set_up_first_and_may_fail(repository, child_commands, monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(install, "install", lambda needs: asked.append(needs) or 3)
    assert rerun.enter("tests", ["test"]) == 3
    assert asked == ["tests"] and child_commands == []
    assert "setting it up first" in capsys.readouterr().out


def test_the_python_at_hand_is_used_as_it_is_when_asked_for(repository, child_commands, monkeypatch):
    monkeypatch.setenv("MINIGPT_ENV", "current")
    assert rerun.enter("tests", ["test"]) is None
    assert child_commands == []
    monkeypatch.setenv("MINIGPT_ENV", "conda")
    with pytest.raises(ValueError, match="MINIGPT_ENV='conda'.*set it to current"):
        rerun.enter("tests", ["test"])


def test_children_do_not_see_another_pythons_packages(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "/opt/other")
    monkeypatch.setenv("PYTHONUTF8", "0")
    variables = process.child_environment({"EXTRA": "x"})
    assert "PYTHONPATH" not in variables
    assert (variables["PYTHONUTF8"], variables["EXTRA"]) == ("1", "x")


def test_a_childs_status_arguments_and_folder_come_through(repository):
    probe = ("import os, sys; "
             f"seen = (sys.argv[1], os.path.basename(os.getcwd())); "
             f"sys.exit(7 if seen == ('a b;$x', {repository.name!r}) else 1)")
    assert process.run_child([sys.executable, "-c", probe, "a b;$x"], cwd=repository) == 7


if sys.platform != "win32":
    def test_ending_the_command_ends_its_child():
        sleeper = "print(1, flush=True); import time; time.sleep(60)"
        code = ("import sys; from minigpt.environment import process as e; "
                f"sys.exit(e.run_child([sys.executable, '-c', {sleeper!r}]))")
        process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE,
                                   cwd=layout.repository_root())
        process.stdout.readline()  # the child runs
        process.terminate()
        rest = process.stdout.read()  # ends only when no process holds the pipe any more
        assert (rest, process.wait()) == (b"", 143)
