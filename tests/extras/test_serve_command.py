"""`python -m minigpt serve` as its user meets it: one line when it is ready, a clean end, clear words for mistakes."""

import asyncio
import os
import re
import signal
import sys
import threading

import pytest

from minigpt.cli import serve
from minigpt.extras.server.live_engine import LiveEngine
from minigpt.llm.tutor import load_tutor
from minigpt.paths import repository_root
from minigpt.schedulers import registry
from tests.extras.http_clients import get, request_bytes, send
from tests.extras.serving_process import start

REQUIREMENTS = repository_root() / serve.REQUIREMENTS


async def stop_within_an_answer(process, port, number, body):
    """Ask for a long answer, send the signal when it is being computed, and read it to its end."""
    asking = asyncio.ensure_future(send(port, request_bytes(body)))
    while (await send(port, request_bytes(b"", path="/health", method="GET"))).json["num_inflight"] == 0:
        await asyncio.sleep(0.01)
    process.send_signal(number)
    return await asking


@pytest.mark.skipif(sys.platform == "win32", reason="signals to a child mean something else there")
@pytest.mark.parametrize("number, policy", [(signal.SIGINT, "continuous"), (signal.SIGTERM, "static")])
def test_a_signal_lets_what_is_in_flight_finish(number, policy):
    process, port = start("--impl", "solution", "--policy", policy, "--model-name", "tutor")
    body = {"prompt": "fix: she go to school", "max_tokens": 900, "ignore_eos": True, "model": "tutor", "stream": True}
    try:
        assert get(port, "/health").json["policy"] == policy
        reply = asyncio.run(stop_within_an_answer(process, port, number, body))
        assert reply.text.startswith("goes") and b'"finish_reason":"length"' in reply.body
        assert process.wait(30) == 0
        with pytest.raises(OSError):
            get(port, "/health")
    finally:
        process.kill()
        process.wait()


async def many_answers(process, port, stop, num=24):
    """Ask for many long answers, stop the server while some are in flight and others wait, and read all of them."""
    body = {"prompt": "fix: she go to school", "max_tokens": 200, "ignore_eos": True}
    asking = [asyncio.ensure_future(send(port, request_bytes(body))) for _ in range(num)]
    inside = 0
    while inside < num:
        health = (await send(port, request_bytes(b"", path="/health", method="GET"))).json
        inside = health["num_inflight"] + health["num_waiting"]
        await asyncio.sleep(0.01)
    stop()
    return await asyncio.gather(*asking, return_exceptions=True)


@pytest.mark.skipif(sys.platform == "win32", reason="signals to a group mean something else there")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_the_whole_group_cuts_nobody(number):
    """systemd, `timeout`, containers and terminals: 20 of 24 were cut; some send it twice."""
    process, port = start("--impl", "solution", start_new_session=True)

    def stop():
        os.killpg(process.pid, number)
        os.killpg(process.pid, number)

    try:
        replies = asyncio.run(many_answers(process, port, stop))
        assert [reply.status for reply in replies] == [200] * 24
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()


@pytest.mark.skipif(sys.platform == "win32", reason="signals to a child mean something else there")
def test_a_second_ctrl_c_cuts_off_in_two_lines():
    process, port = start("--impl", "solution", reads=False)

    def stop():
        process.send_signal(signal.SIGINT)
        threading.Timer(0.8, process.send_signal, [signal.SIGINT]).start()

    body = {"prompt": "fix: she go to school", "max_tokens": 1_000, "ignore_eos": True, "stream": True}
    try:
        asyncio.run(endless_answers(port, body, stop))
        assert process.wait(30) == 130
        lines = process.stdout.read().splitlines()
        assert len(lines) == 2 and lines[0].startswith("Finishing") and "cut off" in lines[1]
    finally:
        process.kill()
        process.wait()


async def endless_answers(port, body, stop):
    """Keep many streams open until the server is gone."""
    asking = [asyncio.ensure_future(send(port, request_bytes(body))) for _ in range(60)]
    while (await send(port, request_bytes(b"", path="/health", method="GET"))).json["num_waiting"] < 40:
        await asyncio.sleep(0.01)
    stop()
    await asyncio.gather(*asking, return_exceptions=True)


@pytest.mark.parametrize("text, words", [
    ("    while True:\n        pass\n", "did not answer its first requests|hangs"),
    ("    while not server.queue.closed:\n        request = server.queue.get()\n"
     "        request.append(server.model.forward_one_step([request])[0])\n        server.respond(request)\n",
     "before it had ended.*fix it"),
    ("    raise ZeroDivisionError('mine')\n", "ZeroDivisionError: mine.*fix it"),
])
def test_a_loop_that_serves_nobody_refuses_to_start(student_file, text, words, monkeypatch, capsys):
    monkeypatch.setattr(serve, "WARM_UP_S", 4.0)
    student_file.write_text(f"def continuous_batch_loop(server):\n{text}", encoding="utf-8")
    with pytest.raises(ValueError, match=words):
        serve.main(["--port", "0", "--impl", "student"])
    captured = capsys.readouterr()
    assert "Serving" not in captured.out
    assert ("has not answered yet" in captured.err) == ("while True" in text)


@pytest.fixture
def student_file(tmp_path, monkeypatch):
    """Another file in the student's place."""
    file = tmp_path / "continuous_batching.py"
    monkeypatch.setenv("MINIGPT_LANG", "en")
    for module in (registry, serve):
        monkeypatch.setattr(module, "code_file", lambda lab, impl: file)
    # In this process, where the other file is in place.
    monkeypatch.setattr(serve, "EngineClient", lambda make_loop, **settings: LiveEngine(
        make_loop(), load_tutor(), **settings))
    return file


def test_a_loop_that_is_not_written_is_said_in_one_line(student_file):
    """Also where the loop itself is there, and its helper is not."""
    student_file.write_text("def continuous_batch_loop(server):\n    server.queue.get()\n"
                            "    raise NotImplementedError('exercise 3.1: admit')\n", encoding="utf-8")
    with pytest.raises(ValueError, match="exercise 3.1: admit .*write it first; --impl solution") as caught:
        serve.main(["--port", "0", "--impl", "student"])
    assert "\n" not in str(caught.value)


def test_a_file_that_does_not_load_is_named(student_file):
    student_file.write_text("def continuous_batch_loop(server:\n", encoding="utf-8")
    with pytest.raises(ValueError, match="continuous_batching.py: SyntaxError"):
        serve.main(["--port", "0", "--impl", "student"])


@pytest.mark.parametrize("options, words", [
    (["--max-queue", "0"], "--max-queue: 0: it must be positive"),
    (["--hang-s", "nan"], "--hang-s: nan: it must be positive"),
    (["--max-wait-ms", "-1"], "--max-wait-ms: -1"),
    (["--port", "99999"], "--port: 99999"),
])
def test_a_wrong_number_is_named(options, words, monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    with pytest.raises(ValueError, match=re.escape(words)):
        serve.main(["--impl", "solution", *options])


def test_a_taken_port_is_named(monkeypatch):
    from minigpt.extras.server.listening import open_socket

    monkeypatch.setenv("MINIGPT_LANG", "en")
    with open_socket("127.0.0.1", 0) as taken:
        number = taken.getsockname()[1]
        with pytest.raises(ValueError, match=f"port={number}.*--port"):
            serve.main(["--impl", "solution", "--port", str(number)])


def test_a_missing_package_is_said_with_the_command(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    monkeypatch.delitem(sys.modules, "minigpt.extras.server.listening", raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)  # importing it raises ModuleNotFoundError
    with pytest.raises(ValueError, match=r"'uvicorn'.*pip install -r minigpt/extras/requirements-serve\.txt") as caught:
        serve.main([])
    assert "\n" not in str(caught.value)


def test_the_tests_install_what_the_server_needs():
    def packages(path):
        return [line for line in path.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]

    assert set(packages(REQUIREMENTS)) <= set(packages(repository_root() / "requirements-test.txt"))
