"""What every command refuses before it computes: numbers, options without effect, files that cannot be written."""

import importlib
import os
import signal
import subprocess
import sys
import time

import pytest

from minigpt.paths import repository_root

NUMBERS = {
    "replay": ["--rate", "--load", "--length-factor", "--num", "--max-batch", "--max-inflight", "--max-wait-ms",
               "--target-ms", "--pairs"],
    "workload": ["--rate", "--load", "--length-factor", "--num", "--max-batch"],
    "plan": ["--rate", "--p95-ms", "--max-cap", "--length-factor"], "load": ["--timeout-s", "--target-ms"],
    "serve": ["--max-batch", "--max-inflight", "--max-wait-ms", "--max-queue", "--max-body-bytes", "--time-limit-s",
              "--hang-s"],
    "ray": ["--replicas", "--max-inflight", "--rate", "--p95-ms", "--quiet-rate", "--nodes", "--max-queue"],
    "bench": ["--repeats"], "eval": ["--num"], "ask": ["--max-tokens"], "train": ["--steps", "--threads"],
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


@pytest.mark.parametrize("command", WRITERS)
def test_a_file_that_cannot_be_written_is_named_at_once(command, tmp_path):
    (tmp_path / "a file").write_text("", encoding="utf-8")
    for path, words in ((tmp_path, "that is a folder"), (tmp_path / "a file" / "x.jsonl", "nothing can be written in")):
        with pytest.raises(ValueError, match=words):
            main(command, WRITERS[command], str(path))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a file"]


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
import pathlib, sys
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
        assert process.wait(20) == 130
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
