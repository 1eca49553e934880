"""The notebook helper: language, the student's code as it was last saved, checks, hints, guesses and the magic."""

import os
import re
import sys
import types
from contextlib import nullcontext
from dataclasses import replace
from unittest import mock

import pytest
from IPython.core.interactiveshell import InteractiveShell

from minigpt import lab as lab_module
from minigpt import paths
from minigpt.lab import Lab, reveal
from minigpt.llm import threads
from minigpt.notebook import checked, frontend, live_code, needs_magic
from minigpt.notebook.exercises import Bilingual, Exercise
from minigpt.schedulers import lab_file

STUB = "def first():\n    raise NotImplementedError\n"


@pytest.fixture(autouse=True)
def no_notebook(monkeypatch):
    """Each test says itself which notebook it is in; what Lab sets is undone."""
    for name in ("JPY_SESSION_NAME", "MINIGPT_IMPL"):
        monkeypatch.delenv(name, raising=False)
    for name in ("MINIGPT_LANG", *threads.VARIABLES):
        monkeypatch.setenv(name, "en" if name == "MINIGPT_LANG" else "1")
    monkeypatch.setattr(frontend, "ipython_shell", lambda: None)
    monkeypatch.setattr(lab_module, "ipython_shell", lambda: None)


@pytest.fixture
def house(tmp_path, monkeypatch):
    """A repository with one lab of two exercises; its student's file."""
    folder = tmp_path / "labs" / "03_continuous_batching"
    folder.mkdir(parents=True)
    (folder / "continuous_batching.py").write_text(STUB, encoding="utf-8")
    monkeypatch.setattr(paths, "repository_root", lambda: tmp_path)
    texts = [Bilingual(en="title", es="título"), Bilingual(en=("look", "think"), es=("mira", "piensa"))]
    exercises = tuple(
        Exercise(id=f"3.{i}", function=function, minutes=5, needs=(), titles=texts[0], all_hints=texts[1])
        for i, function in enumerate(("first", "second"), 1)
    )
    monkeypatch.setattr(needs_magic, "exercises_of", lambda lab: exercises)
    return folder / "continuous_batching.py"


@pytest.fixture
def shell(monkeypatch):
    """An IPython in this process, known to Lab as the running one."""
    shell = InteractiveShell()
    shell.colors = "nocolor"
    monkeypatch.setattr(frontend, "ipython_shell", lambda: shell)
    monkeypatch.setattr(lab_module, "ipython_shell", lambda: shell)
    return shell


# -- language ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name, expected", [
    ("/a b/labs/03_x/03_x.es.ipynb", "es"), ("03_x.ipynb", "en"), ("03_x.es-Copy1.ipynb", "es"),
    ("lab03.es.ipynb", "es"), ("/labs/03_x/lab03.ipynb", "en"),
    ("notes.ipynb", "en"), ("examples.ipynb", "en"), (r"C:\labs\03_x.es.ipynb", "es"),
])
def test_the_notebook_decides_the_language(monkeypatch, name, expected):
    monkeypatch.setenv("JPY_SESSION_NAME", name)
    monkeypatch.setenv("MINIGPT_LANG", "en" if expected == "es" else "es")
    assert frontend.notebook_language() == expected


def test_without_a_notebook_the_readers_language_holds(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "es")
    assert frontend.notebook_language() == "es"
    monkeypatch.setenv("JPY_SESSION_NAME", "a console")
    assert frontend.notebook_language() == "es"


def test_vs_code_tells_the_notebook_by_a_global(shell):
    shell.user_ns["__vsc_ipynb_file__"] = "/labs/03_x.es.ipynb"
    assert frontend.notebook_language() == "es"


def test_lab_says_where_it_is_and_sets_the_language_for_its_children(house, monkeypatch, capsys):
    monkeypatch.setenv("JPY_SESSION_NAME", "03_x.es.ipynb")
    Lab("03")
    line = capsys.readouterr().out
    assert os.environ["MINIGPT_LANG"] == "es"
    assert line.startswith("Laboratorio 03 · español · tu código: labs/03_continuous_batching/continuous_batching.py")
    assert "un hilo" in line and f"torch {lab_module.version_of('torch')}" in line and line.count("\n") == 2


def test_a_skeleton_in_the_other_language_is_noticed_while_nothing_is_written(house, capsys):
    (house.parent / "skeleton.py").write_text(STUB, encoding="utf-8")
    said = {}
    for language in ("en", "es"):
        os.environ["MINIGPT_LANG"] = language
        Lab("03")
        said[language] = capsys.readouterr().out
    assert "MINIGPT_LANG=es make reset LAB=03" in said["es"] and "reset" not in said["en"]
    house.write_text(STUB + "\nx = 1\n", encoding="utf-8")
    Lab("03")
    assert "reset" not in capsys.readouterr().out


# -- the student's code -----------------------------------------------------------------------------------------


def test_code_is_what_was_saved_last(house, capsys):
    lab = Lab("03")
    house.write_text("def first():\n    return 1\n", encoding="utf-8")
    assert lab.code.first() == 1
    house.write_text("def first():\n    return 2\n", encoding="utf-8")
    assert lab.code.first() == 2
    assert "first" in dir(lab.code)
    with pytest.raises(AttributeError, match="defines no 'third'"):
        lab.code.third  # noqa: B018


def test_a_syntax_error_is_shown_in_two_lines(house):
    lab = Lab("03")
    house.write_text("x = 1\ndef first()\n    return 1\n", encoding="utf-8")
    with pytest.raises(live_code.CodeError) as caught:
        lab.code.first  # noqa: B018
    where, line = caught.value._render_traceback_()
    assert where.startswith("labs/03_continuous_batching/continuous_batching.py:2: ")
    assert line == "    def first()"
    house.write_text("def first():\n    return 1\n", encoding="utf-8")
    assert lab.code.first() == 1


def test_ipython_shows_the_two_lines_whoever_loads_the_file(house, shell, capsys):
    Lab("03")
    house.write_text("def first()\n", encoding="utf-8")
    shell.user_ns["load"] = lambda: lab_file.load(house)
    capsys.readouterr()
    assert not shell.run_cell("load()").success
    assert capsys.readouterr().out.splitlines() == [
        "labs/03_continuous_batching/continuous_batching.py:1: expected ':'", "    def first()",
    ]
    shell.run_cell("compile('1 +', 'elsewhere', 'exec')")  # not ours: as IPython does it
    assert "elsewhere" in capsys.readouterr().out


# -- checks and hints -------------------------------------------------------------------------------------------


def test_check_prints_what_the_grader_says_and_raises_nothing(house, monkeypatch, capsys):
    program = (
        "import os, sys; print('wrong é', sys.argv[1:], os.environ['MINIGPT_ENV']); "
        "print('bad', file=sys.stderr); sys.exit(1)"
    )
    real = lab_module.grade_command
    monkeypatch.setattr(lab_module, "grade_command",
                        lambda *args: [sys.executable, "-c", program, *real(*args)[3:]])
    lab = Lab("03")
    capsys.readouterr()
    lab.check("3.2")
    lab.check()
    lines = capsys.readouterr().out.splitlines()
    found = [re.sub(r", '--json', '[^']*'", "", line) for line in lines]
    assert "wrong é ['grade', '03', '--only', '3.2', '--impl', 'student'] current" in found
    assert "wrong é ['grade', '03', '--impl', 'student'] current" in found and "bad" in lines


@pytest.mark.parametrize("outcomes, said", [
    (["passed", "inconclusive"], None), (["passed", "wrong"], "3.2 wrong"), ([], "no report"), (None, "no report"),
])
def test_a_reference_that_misses_a_check_stops_the_notebook(outcomes, said, house, monkeypatch):
    program = ("import json, sys; "
               f"json.dump({{'checks': [{{'exercise': '3.2', 'outcome': each}} for each in {outcomes}]}}, open(sys.argv[-1], 'w'))")
    monkeypatch.setattr(lab_module, "grade_command", lambda *args: [sys.executable, "-c", program if outcomes is not None else ""])
    monkeypatch.setenv("MINIGPT_IMPL", "solution")
    with nullcontext() if said is None else pytest.raises(AssertionError, match=said):
        Lab("03").check("3.2")


def test_check_and_hint_of_an_exercise_that_is_not_there(house, capsys):
    lab = Lab("03")
    capsys.readouterr()
    lab.check("3.9")
    lab.hint(3.9)
    assert capsys.readouterr().out == "no exercise '3.9'; this lab has 3.1, 3.2\n" * 2


def test_hints_come_one_by_one_and_the_last_stays(house, capsys):
    lab = Lab("03")
    capsys.readouterr()
    for _ in range(3):
        lab.hint("3.1")
    lab.hint("3.2")
    assert capsys.readouterr().out.splitlines() == [
        "3.1 title, hint 1 of 2: look", "3.1 title, hint 2 of 2: think", "3.1 title, hint 2 of 2: think",
        "3.2 title, hint 1 of 2: look",
    ]


def test_other_ways_are_shown_after_passing(house, monkeypatch, capsys):
    lab = Lab("03")
    said = Bilingual(en="Another way.", es="Otra manera.")
    exercises = tuple(replace(each, discussion=said) for each in needs_magic.exercises_of("03"))
    monkeypatch.setattr(needs_magic, "exercises_of", lambda lab: exercises)
    house.write_text("def first():\n    return 1\n", encoding="utf-8")
    capsys.readouterr()
    lab.discuss("3.1")
    assert "first pass the exercise" in capsys.readouterr().out
    note(house, first="passed")
    lab.discuss("3.1")
    assert capsys.readouterr().out == "Another way.\n", "an edition without solutions"
    solution = paths.solution_file(house.parent)
    solution.parent.mkdir(parents=True)
    described = '    """Two:\n\n    English words.\n    """\n'
    code = f"X = 0\n\n\ndef first():\n{described}    # BEGIN SOLUTION 3.1\n    return 2\n    # END SOLUTION\n"
    solution.write_text(code, encoding="utf-8")
    lab.discuss("3.1")
    assert capsys.readouterr().out == "def first():\n    return 2\n\nAnother way.\n"
    lab.discuss("3.9")
    assert "no exercise '3.9'" in capsys.readouterr().out


# -- %%needs ----------------------------------------------------------------------------------------------------


@pytest.fixture
def run(house, shell, capsys):
    """Run a cell: its result and what it printed."""
    shell.user_ns["lab"] = Lab("03")
    capsys.readouterr()

    def run_cell(cell):
        result = shell.run_cell(cell)
        return result, capsys.readouterr().out

    return run_cell


def test_a_cell_waits_for_its_exercises(run, house, shell):
    result, printed = run("%%needs 3.1\nx = 1")
    assert result.success and "x" not in shell.user_ns
    assert printed == "This cell waits for exercise 3.1 (`first`), which is not written yet.\n"
    _, printed = run("%%needs 3.1 3.2\nx = 1")  # one is a stub, the other is absent
    assert printed == "This cell waits for exercises 3.1 (`first`) and 3.2 (`second`), which are not written yet.\n"


def note(house, **outcomes):
    """Keep what a check would have found: first="passed"."""
    exercises = needs_magic.exercises_of("03")
    ids = {exercise.function: exercise.id for exercise in exercises}
    checks = [{"exercise": ids[name], "outcome": outcome} for name, outcome in outcomes.items()]
    checked.remember(house.parent, house.read_text(encoding="utf-8"), {"checks": checks}, exercises)


def test_a_cell_waits_until_the_code_as_it_is_has_passed(run, house):
    house.write_text("def first():\n    return 41\n", encoding="utf-8")
    waits = "This cell waits for exercise 3.1 (`first`): "
    unchecked = waits + 'its current version has not been checked. Run lab.check("3.1").\n'
    assert run("%%needs 3.1\n1 / 0") == (mock.ANY, unchecked)
    assert run("%%needs written 3.1\nprint(7)")[1] == "7\n"
    note(house, first="wrong")
    assert run("%%needs 3.1\n1 / 0")[1] == waits + "its last check did not pass, so a figure made with it would mislead.\n"
    note(house, first="passed")
    house.write_text("# a remark\n\n" + house.read_text(encoding="utf-8"), encoding="utf-8")
    assert run("%%needs 3.1\nprint(8)")[1] == "8\n"
    house.write_text("def first():\n    return 42\n", encoding="utf-8")
    assert run("%%needs 3.1\n1 / 0")[1] == unchecked
    (house.parent / checked.FILE_NAME).write_text("{", encoding="utf-8")
    assert run("%%needs 3.1\n1 / 0")[1] == unchecked


def test_the_reference_needs_no_check(run, house, monkeypatch):
    monkeypatch.setenv("MINIGPT_IMPL", "solution")
    assert needs_magic.unpassed_exercises(["3.1", "3.2"]) == []


def test_a_check_is_remembered_and_what_it_builds_on_counts(house, monkeypatch, capsys):
    house.write_text("def first():\n    return 1\n\ndef second():\n    return first()\n", encoding="utf-8")
    program = ("import json, sys; checks = [{'exercise': '3.2', 'outcome': each} for each in ('passed', 'inconclusive')]; "
               "json.dump({'checks': checks}, open(sys.argv[-1], 'w'))")
    monkeypatch.setattr(lab_module, "grade_command", lambda *args: [sys.executable, "-c", program])
    Lab("03").check("3.2")
    assert needs_magic.unpassed_exercises(["3.2"]) == []
    house.write_text(house.read_text(encoding="utf-8").replace("return 1", "return 2"), encoding="utf-8")
    assert needs_magic.unpassed_exercises(["3.2"]) == [(needs_magic.exercises_of("03")[1], "unknown")]


def test_a_cell_runs_as_if_the_magic_were_not_there(run, house, shell):
    house.write_text("def first():\n    return 41\n", encoding="utf-8")
    note(house, first="passed")
    result, printed = run("%%needs 3.1\nx = lab.code.first()\nhere = %pwd\nx + 1")
    assert result.success and result.result == 42 and "42" in printed
    assert shell.user_ns["x"] == 41 and shell.user_ns["here"] == os.getcwd()
    result, printed = run("%%needs 3.1\nx;")
    assert result.success and printed == ""
    assert run("%%needs 3.1\n# nothing")[0].success


def test_a_traceback_points_into_the_cell(run, house):
    house.write_text("def first():\n    return 1\n", encoding="utf-8")
    note(house, first="passed")
    result, printed = run("%%needs 3.1\nx = 1\nx / 0")
    assert isinstance(result.error_in_exec, ZeroDivisionError)
    assert "----> 3 x / 0" in re.sub(r"\x1b\[[0-9;]*m", "", printed)  # IPython 8 colours it all the same


def test_a_stub_that_is_only_called_later_is_named_too(run, house):
    text = "def first():\n    return second()\ndef second():\n    raise NotImplementedError\n"
    house.write_text(text, encoding="utf-8")
    note(house, first="passed")
    result, printed = run("%%needs 3.1\nlab.code.first()")
    assert result.success
    assert printed == "This cell waits for exercise 3.2 (`second`), which is not written yet.\n"
    result, _ = run("%%needs 3.1\nraise NotImplementedError")  # the notebook's own: an error like any other
    assert isinstance(result.error_in_exec, NotImplementedError)


def test_a_file_that_cannot_be_read_stops_the_cell(run, house):
    house.write_text("def first(:\n", encoding="utf-8")
    result, printed = run("%%needs 3.1\n1")
    assert isinstance(result.error_in_exec, live_code.CodeError)
    assert printed.splitlines()[0].startswith("labs/03_continuous_batching/continuous_batching.py:1: ")
    assert len(printed.splitlines()) == 2


# -- guesses ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("guess, line", [
    (40, "p95 reduction: your guess 40 %, measured 57.3 %: your guess is 17.3 too low"),
    (1234, "p95 reduction: your guess 1234 %, measured 57.3 %: your guess is 1177 too high"),
    (57.3, "p95 reduction: your guess 57.3 %, measured 57.3 %: you were right"),
    (None, "p95 reduction: measured 57.3 % (you made no guess)"),
    ("40", "p95 reduction: your guess '40' is not a number; write one such as 40, and run the cell again"),
    (True, "p95 reduction: your guess True is not a number; write one such as 40, and run the cell again"),
])
def test_reveal(guess, line, capsys):
    reveal(guess, 57.3, "p95 reduction", "%")
    assert capsys.readouterr().out == line + "\n"


@pytest.mark.parametrize("guess, measured, line", [
    (-10, -20, "your guess −10 %, measured −20 %: your guess is 10 too high"),
    (-30.0, -20, "your guess −30 %, measured −20 %: your guess is 10 too low"),
    (12, -3, "your guess 12 %, measured −3 % (it rises): your guess is 15 too high, with the opposite sign"),
    (None, -0.0001, "measured −0.0001 % (it rises) (you made no guess)"),
    (-0.0, 0.0, "your guess 0 %, measured 0 %: you were right"),
    (1.67, 5 / 3, "your guess 1.67 %, measured 1.67 %: you were right"),
    (1.66, 5 / 3, "your guess 1.66 %, measured 1.67 %: your guess is 0.01 too low"),
])
def test_reveal_below_zero(guess, measured, line, capsys):
    reveal(guess, measured, "p95", "%", negative="it rises" if measured > -10 else "")
    assert capsys.readouterr().out == f"p95: {line}\n"


@pytest.mark.parametrize("guess, gap", [
    (3, "within the spread of the runs"), (2, "you were right"), (5, "your guess is 3 too high"), (None, ""),
])
def test_reveal_of_several_runs(guess, gap, capsys):
    reveal(guess, [2, 4, 1.5], "ratio", "×")
    shown = "measured 2 × (1.5 to 4 in 3 runs)"
    expected = f"your guess {guess} ×, {shown}: {gap}" if guess else f"{shown} (you made no guess)"
    assert capsys.readouterr().out == f"ratio: {expected}\n"


def test_reveal_in_spanish_and_without_a_unit(monkeypatch, capsys):
    monkeypatch.setenv("MINIGPT_LANG", "es")
    reveal(3, 5, "pasos")
    assert capsys.readouterr().out == "pasos: tu predicción, 3; medido, 5: tu predicción queda 2 por debajo\n"
    reveal(3, 3, "KiB", calculated=True)
    assert capsys.readouterr().out == "KiB: tu predicción, 3; calculado, 3: acertaste\n"


def test_a_progress_bar_counts_and_goes_away(capsys):
    from minigpt.notebook.progress import progress

    assert list(progress([1, 2, 3], "loads")) == [1, 2, 3]
    assert capsys.readouterr().out == ""


def test_a_progress_bar_in_a_kernel_without_widgets(monkeypatch, capsys):
    from minigpt.notebook import progress

    monkeypatch.setattr(progress, "in_kernel", lambda: True)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    assert list(progress.progress(iter(range(3)), "loads", total=3)) == [0, 1, 2]
    out, err = capsys.readouterr()
    assert "loads" in out and out.endswith("\r") and err == ""


def test_the_kernel_is_recognized_by_its_shell(monkeypatch):
    assert not frontend.in_kernel()
    monkeypatch.setattr(frontend, "ipython_shell", lambda: types.SimpleNamespace(kernel=1, user_ns={}))
    assert frontend.in_kernel() and not frontend.has_front_end()
    monkeypatch.setenv("JPY_SESSION_NAME", "x.ipynb")
    assert frontend.has_front_end()
