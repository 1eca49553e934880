"""What every command refuses before it computes: numbers, options without effect, files that cannot be written."""

import importlib
import os
import re
import signal
import subprocess
import sys
import time
import types

import pytest

from minigpt.__main__ import COMMANDS
from minigpt.paths import repository_root

NUMBERS = {
    "replay": ["--rate", "--load", "--length-factor", "--num", "--max-batch", "--max-inflight", "--max-wait-ms",
               "--target-ms", "--pairs"],
    "workload": ["--rate", "--load", "--length-factor", "--num", "--max-batch"],
    "plan": ["--rate", "--p95-ms", "--max-cap", "--length-factor"], "load": ["--timeout-s", "--target-ms"],
    "serve": ["--max-batch", "--max-inflight", "--max-wait-ms", "--max-queue", "--max-body-bytes", "--time-limit-s",
              "--hang-s"],
    "ray": ["--replicas", "--max-inflight", "--rate", "--p95-ms", "--quiet-rate", "--nodes", "--max-queue"],
    "bench": ["--repeats"], "eval": ["--num"], "ask": ["--max-tokens"], "train": ["--steps", "--processes"],
    "engines": ["--requests", "--inflight", "--repeats"],
}
WRITERS = {"replay": "--json", "workload": "--out", "plan": "--json", "load": "--json", "arena": "--json", "eval": "--json",
           "engines": "--json"}


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")


def main(command, *arguments):
    return importlib.import_module(f"minigpt.cli.{command}").main(list(arguments))


@pytest.mark.parametrize("command, option", [(name, option) for name, options in NUMBERS.items() for option in options])
@pytest.mark.parametrize("value", ["-1", "0", "inf", "nan", "x"])
def test_a_number_that_means_nothing_is_named(command, option, value):
    if option == "--max-wait-ms" and value == "0":
        return  # no wait at all is a policy
    with pytest.raises(ValueError, match=f"{option}: {value}: "):
        main(command, f"{option}={value}")


PASSED_ON = {"check", "test", "test-all", "ray-test", "browser", "grade", "grade-all", "clean", "figures", "lab"}


@pytest.mark.parametrize("command", [each for each in COMMANDS if each.name not in PASSED_ON], ids=lambda each: each.name)
def test_a_misspelt_option_is_one_line_in_every_command(command):
    """Not the usage on six lines in some of them; those left out hand their words on to another program."""
    with pytest.raises(ValueError, match="--no-such-option|required") as caught:
        importlib.import_module(command.module).main(["--no-such-option"])
    assert "\n" not in str(caught.value) and "--help)" in str(caught.value)


@pytest.mark.parametrize("command, option, value", [
    ("plan", "--rate", "1e300"), ("plan", "--rate", "1e-300"), ("plan", "--max-cap", "1000000"), ("replay", "--rate", "1e-300"),
    ("replay", "--max-wait-ms", "1e300"), ("replay", "--max-batch", "1000000000"), ("replay", "--max-inflight", "100000000"),
    ("serve", "--max-inflight", "100000000"), ("ray", "--max-inflight", "5000"), ("engines", "--inflight", "5000"),
])
def test_a_number_beyond_all_bounds_is_named_before_sums_or_memory_overflow(command, option, value):
    with pytest.raises(ValueError, match=f"{option}: {re.escape(value)}: "):
        main(command, f"{option}={value}")


@pytest.mark.parametrize("command", WRITERS)
def test_a_file_that_cannot_be_written_is_named_at_once(command, tmp_path):
    (tmp_path / "a file").write_text("", encoding="utf-8")
    for path, words in ((tmp_path, "that is a folder"), (tmp_path / "a file" / "x.jsonl", "nothing can be written in")):
        with pytest.raises(ValueError, match=words):
            main(command, WRITERS[command], str(path))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a file"]


@pytest.mark.parametrize("command, option", [("claims", "--folder"), ("train", "--out"), ("export", "--endless")])
def test_a_folder_that_cannot_be_made_is_named_at_once(command, option, tmp_path):
    """Minutes of measuring, or hours of training, ended in a traceback."""
    (tmp_path / "a file").write_text("", encoding="utf-8")
    for path in (tmp_path / "a file", tmp_path / "a file" / "x"):
        with pytest.raises(ValueError, match="nothing can be written in"):
            main(command, option, str(path))


def test_a_page_without_markers_is_named_before_anything_is_measured(tmp_path):
    (tmp_path / "page.md").write_text("no markers", encoding="utf-8")
    with pytest.raises(ValueError, match="page.md has no pair of markers"):
        main("claims", "--folder", str(tmp_path), "--into", str(tmp_path / "page.md"))


@pytest.mark.parametrize("arguments, words", [
    (["--json", "{}"], "--json: .*that is a folder"), (["--junit", "{}"], "--junit: .*that is a folder"),
    (["--seed", "x"], "--seed: x: it must be a whole number"), (["--limits", "cpu_s=inf"], "--limits: inf: it must be"),
    (["--limits", "cpu=3"], "--limits: cpu=3"),
])
def test_grading_reads_its_options_in_the_same_way(arguments, words, tmp_path):
    """A report that could not be written was found out after the grading."""
    from tests.grader.grade import parse

    with pytest.raises(ValueError, match=words):
        parse(["03", *(each.format(tmp_path) for each in arguments)])


@pytest.mark.parametrize("arguments, words", [
    (["--jobs", "0"], "--jobs: 0: it must be positive"), (["--limits", "cpu=3"], "--limits: cpu=3"),
    (["--out", "{}/a file"], "--out: .*nothing can be written"),
])
def test_grading_a_class_does_so_too(arguments, words, tmp_path):
    from tests.grader.grade_all import parse

    (tmp_path / "a file").write_text("", encoding="utf-8")
    (tmp_path / "in").mkdir()
    out = [] if arguments[0] == "--out" else ["--out", str(tmp_path / "out")]
    with pytest.raises(ValueError, match=words):
        parse([str(tmp_path / "in"), *out, *(each.format(tmp_path) for each in arguments)])


@pytest.mark.parametrize("arguments, words", [
    (["replay", "--trace", "t", "--load", "0.5"], "--load 0.5 does not go with --trace"),
    (["replay", "--trace", "t", "--workload", "mixed"], "--workload mixed does not go with --trace"),
    (["plan", "--p95-ms", "80", "--trace", "t", "--workload", "mixed"], "--workload mixed does not go with --trace"),
    (["plan", "--p95-ms", "80", "--length-factor", "1"], "--length-factor 1.0 does not go with a plan without"),
    (["replay", "--length-factor", "0.5"], "--length-factor 0.5 does not go with a workload without --trace"),
    (["replay", "--too-long", "cap"], "--too-long cap does not go with a workload without --trace"),
    (["replay", "--arrivals", "burst", "--rate", "5"], "--rate 5.0 does not go with --arrivals burst"),
    (["replay", "--arrivals", "closed:4", "--load", "0.5"], "--load 0.5 does not go with --arrivals closed:4"),
    (["replay", "--trace", "t", "--arrivals", "burst", "--rate", "5"], "--rate 5.0 does not go with --arrivals burst"),
    (["replay", "--pairs", "3"], "--pairs 3 does not go with --policy both --clock virtual"),
    (["replay", "--policy", "static", "--clock", "cpu", "--pairs", "3"], "--pairs 3 does not go with --policy static"),
    (["replay", "--policy", "static", "--max-inflight", "4"], "--max-inflight 4 does not go with --policy static"),
    (["replay", "--policy", "continuous", "--max-wait-ms", "0"], "--max-wait-ms 0.0 does not go with --policy continuous"),
    (["serve", "--policy", "static", "--max-inflight", "4"], "--max-inflight 4 does not go with --policy static"),
    (["serve", "--max-batch", "4"], "--max-batch 4 does not go with --policy continuous"),
    (["engines", "--show", "x.json", "--repeats", "9"], "--repeats 9 does not go with --show"),
    (["ray", "--workload", "mixed"], "--workload mixed does not go with a fleet without --rate"),
    (["ray", "--json", "x.json"], "--json x.json does not go with serving"),
    (["ray", "--try-out", "--replicas", "3"], "leave --replicas, --nodes and --rate out"),
    (["engines", "--workload", "w.jsonl", "--seed", "3", "--python", sys.executable], "--seed 3 does not go with"),
])
def test_an_option_that_would_do_nothing_is_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        main(*arguments)


def start(*arguments, **settings):
    variables = {**os.environ, "MINIGPT_ENV": "current", "MINIGPT_LANG": "en", "OMP_NUM_THREADS": "1"}
    return subprocess.Popen([sys.executable, "-m", "minigpt", *arguments], cwd=repository_root(), env=variables,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", **settings)


@pytest.mark.skipif(sys.platform == "win32", reason="pipes close otherwise there")
def test_a_closed_pipe_is_left_quietly():
    process = start("help")
    process.stdout.close()
    assert (process.wait(60), process.stderr.read()) == (141, "")


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent otherwise there")
def test_ctrl_c_ends_a_measured_replay_at_once(tmp_path):
    """The other server's thread used to serve all of its requests first: 145 s."""
    ready = tmp_path / "ready"
    code = f"""
import pathlib, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it, and so do their children
from minigpt.runtime import interleave
class Clock(interleave.TurnClock):
    def step(self, shape, compute):
        pathlib.Path({str(ready)!r}).touch()
        return super().step(shape, compute)
interleave.TurnClock = Clock
from minigpt.__main__ import main
sys.exit(main(["replay", "--impl", "solution", "--clock", "cpu", "--num", "20000"]))
"""
    variables = {**os.environ, "MINIGPT_ENV": "current", "MINIGPT_LANG": "en"}
    process = subprocess.Popen([sys.executable, "-c", code], cwd=repository_root(), env=variables,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        deadline = time.monotonic() + 120
        while not ready.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.wait(90) == 130  # idle it is one; what it would serve takes minutes
        assert b"Traceback" not in process.stderr.read()
    finally:
        process.kill()
        process.wait()


def test_help_installs_nothing(monkeypatch, capsys):
    from minigpt import __main__ as command_line
    from minigpt.environment import layout, rerun

    def no(*_):
        raise AssertionError("nothing may be installed for --help")

    monkeypatch.delenv("MINIGPT_ENV", raising=False)
    monkeypatch.setattr(layout, "is_current", lambda needs: False)
    monkeypatch.setattr(rerun, "enter", no)
    with pytest.raises(SystemExit) as caught:
        command_line.run(["serve", "--help"])
    assert caught.value.code == 0 and "--hang-s" in capsys.readouterr().out


def test_an_interrupted_grade_says_so(monkeypatch, capsys):
    from minigpt.cli import grade

    monkeypatch.setattr(grade, "run_child", lambda *_, **__: 130)
    assert grade.main(["03"]) == 130 and "Interrupted: this is not a grade" in capsys.readouterr().err


def interrupted(*_):
    raise KeyboardInterrupt


def hung_up(*_):
    raise BrokenPipeError


@pytest.mark.parametrize("happens, status", [(interrupted, 130), (hung_up, 141)])
def test_a_grade_that_is_cut_off_shows_no_traceback(happens, status, monkeypatch):
    from tests.grader import grade

    monkeypatch.setattr(grade, "grade", happens)
    monkeypatch.setattr(grade, "leave_quietly", lambda: 141)
    monkeypatch.setattr(grade, "process_tree", types.SimpleNamespace(adopt_orphans=int, interrupt_on_sigterm=int))
    assert grade.main(["03"]) == status


def test_an_interrupted_check_is_an_interrupted_grade(monkeypatch, tmp_path):
    """It used to be "the checks could not be run", with pytest's own words."""
    from tests.grader import grade
    from tests.grader.plugin import GradePlugin

    monkeypatch.setattr(grade, "ROOT", tmp_path)
    (tmp_path / "tests" / "lab03").mkdir(parents=True)
    (tmp_path / "tests" / "lab03" / "test_ctrl_c.py").write_text("raise KeyboardInterrupt\n", encoding="utf-8")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # which run_pytest sets, and which ends with this test
    student = types.SimpleNamespace(file=tmp_path / "x.py")
    with pytest.raises(KeyboardInterrupt):
        grade.run_pytest(GradePlugin(student=student, exercises=()), tmp_path / "03_x")
