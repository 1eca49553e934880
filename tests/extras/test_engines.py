"""The comparison with real engines: what is compared, what is shown, and what happens when an engine fails."""

import json
import math
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import SimpleNamespace

import psutil
import pytest

from minigpt.cli import engines as command
from minigpt.extras.engines import http_stream, installing, rounds, side_by_side, worker
from minigpt.extras.engines.catalog import ENGINES, OURS, choose
from minigpt.extras.engines.compare import difference, logit_gap
from minigpt.extras.engines.interface import Served
from minigpt.extras.engines.report import as_data, from_data, rows
from minigpt.extras.engines.server_process import free_port, running
from minigpt.extras.engines.table import table
from minigpt.llm.checkpoint_io import CHECKPOINT
from minigpt.llm.tokenizer import encode
from minigpt.llm.tutor import load_tutor
from minigpt.paths import repository_root
from minigpt.simulation.run import replay

NEAR_TIE = 1e-3  # logits: what another order of summation may turn over


def served(request_id, token_ids, finish_s=1.0, **more):
    return Served(request_id=request_id, token_ids=tuple(token_ids), finish_s=finish_s, **more)


def our_answers(workload):
    log = replay("continuous", workload, clock="steps", impl="solution", max_inflight=4)
    return [served(request_id, record.answer) for request_id, record in log.requests.items()]


def test_requests_are_mixed_and_ignore_eos():
    items = side_by_side.mixed_requests(64).items
    lengths = [item.max_tokens for item in items]
    assert min(lengths) >= 8 and max(lengths) <= 128 and len(set(lengths)) > 30
    assert all(item.ignore_eos and item.arrival_ns == 0 for item in items)


# -- answers compared -------------------------------------------------------------------------------------------


def test_the_first_other_token_is_found_with_its_gap():
    model, workload = load_tutor(), side_by_side.mixed_requests(1)
    ours, prompt = our_answers(workload)[0], workload.items[0].prompt_token_ids
    assert difference(model, prompt, ours, ours) is None
    other = [*ours.token_ids[:5], (ours.token_ids[5] + 1) % 256, *ours.token_ids[6:]]
    found = difference(model, prompt, ours, served(0, other))
    assert (found.request_id, found.position) == (0, 5)
    assert found.gap > 0  # ours is the best one
    back = logit_gap(model, [*prompt, *ours.token_ids[:5]], other[5], ours.token_ids[5])
    assert back == pytest.approx(-found.gap)
    cut = difference(model, prompt, ours, served(0, ours.token_ids[:5]))
    assert cut.position == 5 and math.isnan(cut.gap)


@pytest.mark.parametrize("ours, text, position", [
    (encode("niña"), "niña", None),
    (encode("niñ")[:-1], "ni", None),       # half a character at the end has no text
    (encode("niñ")[:-1], "ni\ufffd", None),  # some servers write it as one that cannot be read
    (encode("niña"), "niño", 4),
    ([*encode("ni"), 0xC3, *encode("abc")], "ni\ufffdabc", None),
])
def test_a_text_is_compared_as_a_text(ours, text, position):
    found = difference(load_tutor(), encode("fix: a\n"), served(0, ours), served(0, encode(text), from_text=True))
    assert (found and found.position) == position


# -- rows and table ---------------------------------------------------------------------------------------------


def made_runs(items, name, seconds, answers, reason="", **more):
    engine = next(engine for engine in ENGINES if engine.name == name)
    runs = rounds.Runs(engine=engine, reason=reason, **more)
    for last_s in seconds:
        runs.rounds.append([served(one.request_id, one.token_ids, last_s, first_s=last_s / 2) for one in answers])
        runs.start_up_s.append(1.0)
        runs.cpu_s.append(last_s / 2)
    return runs


@pytest.fixture(scope="module")
def some_rows():
    workload = side_by_side.mixed_requests(3)
    answers = our_answers(workload)
    wrong = [served(0, [(t + 1) % 256 for t in answers[0].token_ids]), *answers[1:]]
    all_runs = [
        made_runs(workload.items, OURS, (1.0, 4.0, 2.0), answers),
        made_runs(workload.items, "hf-generate", (3.0, 4.0, 4.0), wrong),
        made_runs(workload.items, "openvino", (), answers, reason="its process ended with status -8"),
        made_runs(workload.items, "vllm", (), answers, reason="not found", is_absent=True),
    ]
    return workload, rows(load_tutor(), workload.items, all_runs)


def test_rows_hold_medians_and_ratios_within_a_round(some_rows):
    workload, (ours, generate, openvino, vllm) = some_rows
    tokens = sum(item.max_tokens for item in workload.items)
    assert ours.tokens_per_s == pytest.approx(tokens / 2) and ours.times_ours == 1
    assert generate.tokens_per_s == pytest.approx(tokens / 4) and generate.tokens_per_cpu_s == pytest.approx(tokens / 2)
    assert generate.times_ours == pytest.approx(2)  # of 3, 1 and 2
    assert (generate.e2e_p50_ms, generate.ttft_p95_ms) == (4000, 2000)
    assert (ours.num_same, generate.num_same, generate.num_answers) == (3, 2, 3)
    assert [one.position for one in generate.differences] == [0] and generate.differences[0].gap > 0
    assert openvino.tokens_per_s is None and vllm.is_absent


@pytest.mark.parametrize("language, same", [("en", "2 of 3"), ("es", "2 de 3")])
def test_the_table_says_what_ran_and_what_did_not(some_rows, monkeypatch, language, same):
    monkeypatch.setenv("MINIGPT_LANG", language)
    lines = table(some_rows[1]).splitlines()
    assert len(lines) == 7 and all(line.count("|") == 9 for line in lines[:4])
    assert same in lines[3] and "2.00 ×" in lines[3]
    assert lines[5:] == ["- OpenVINO GenAI: its process ended with status -8", "- vLLM (HTTP): not found"]


def test_rows_survive_json_and_are_shown_again(some_rows, tmp_path, capsys):
    data = [as_data(row) for row in some_rows[1]]
    path = tmp_path / "rows.json"
    path.write_text(json.dumps({"rows": data}), encoding="utf-8")
    assert [from_data(one) for one in json.loads(path.read_text(encoding="utf-8"))["rows"]] == some_rows[1]
    assert command.main(["--show", str(path)]) == 0
    assert capsys.readouterr().out.strip() == table(some_rows[1])
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(ValueError, match="show="):
        command.main(["--show", str(path)])


# -- engines in their own processes -----------------------------------------------------------------------------


@pytest.mark.slow  # it loads transformers twice
def test_hugging_face_gives_our_answers_and_what_is_missing_is_a_line(monkeypatch):
    workload = side_by_side.mixed_requests(6)
    found = side_by_side.measure(
        workload, sys.executable, names=["hf-generate", "hf-continuous", "openvino"], repeats=1, inflight=3
    )
    ours, generate, continuous, openvino = found
    for row in (ours, generate, continuous):
        assert row.tokens_per_s > 0 and row.reason == "", row.reason
        assert all(abs(one.gap) < NEAR_TIE for one in row.differences)
    assert generate.ttft_p50_ms is None and 0 < continuous.ttft_p50_ms < continuous.e2e_p50_ms
    assert openvino.tokens_per_s or openvino.is_absent


def turn(name, scratch, interpreter=sys.executable, **more):
    options = {"--folder": scratch / "nothing", "--workload": scratch / "requests.jsonl", **more}
    rounds.write_workload(side_by_side.mixed_requests(2), scratch / "requests.jsonl")
    return rounds.take_turn(interpreter, name, [part for pair in options.items() for part in pair], scratch)


def test_an_engine_that_fails_is_a_reason_and_no_crash(tmp_path, monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    assert "Error" in turn("hf-generate", tmp_path)["failure"]  # no model there
    assert "status 2" in turn("no-such-engine", tmp_path)["failure"]  # its process ended
    assert "No such file" in turn(OURS, tmp_path, interpreter=tmp_path / "python")["failure"]
    assert "CheckpointError" in turn(OURS, tmp_path)["failure"]
    assert "served" in turn(OURS, tmp_path, **{"--folder": CHECKPOINT})


def test_an_answer_of_another_length_is_a_failure():
    items = side_by_side.mixed_requests(2).items
    right = [served(item.request_id, [97] * item.max_tokens) for item in items]
    worker.check(right, items)
    for wrong in (right[:1], [right[0], served(1, [97])], [right[0], served(1, right[1].token_ids, num_tokens=1)]):
        with pytest.raises(ValueError, match="request 1: .* tokens instead of"):
            worker.check(wrong, items)


@pytest.mark.parametrize("options, message", [
    (["--engine", "gpt5"], "engine='gpt5': choose among"), (["--requests", "0"], "requests: 0"),
    (["--repeats", "0"], "repeats: 0"), (["--inflight", "0"], "inflight: 0"), (["--python", "/no/python"], "python="),
])
def test_mistakes_are_named(options, message, monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    monkeypatch.setattr(side_by_side, "export_for_engines", lambda python, folder: None)
    with pytest.raises(ValueError, match=message):
        command.main(["--python", sys.executable, *options])


def test_ours_is_always_among_the_engines():
    assert [engine.name for engine in choose(["openvino"])] == [OURS, "openvino"]
    assert choose(None) == list(ENGINES)


def test_without_the_engines_the_notebook_shows_its_own_row_and_what_to_install(monkeypatch):
    monkeypatch.setattr(installing, "is_installed", lambda: False)
    shown = side_by_side.compare_with_mine("solution", num_requests=2)
    assert "Mini-GPT" in shown and shown.endswith(installing.how_to_install()) and "make engines" in shown


def test_the_engines_torch_is_the_labs():
    root = repository_root()
    pinned = [line for line in (root / "requirements.txt").read_text("utf-8").splitlines() if line[:5] == "torch"]
    assert pinned[0] in installing.REQUIREMENTS.read_text("utf-8").splitlines()


# -- servers ----------------------------------------------------------------------------------------------------


class Echo(BaseHTTPRequestHandler):
    """Streams as many tokens as a request asks for; refuses one, and breaks off another."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if body["n"] == 1:
            return self.send_error(422, "unknown field")
        self.send_response(200)
        self.end_headers()
        events = [{"text": "ñ"} for _ in range(body["n"])] + [{"usage": {"completion_tokens": 2 * body["n"]}}]
        if body["n"] == 2:
            events = [{"error": "out of memory"}]
        for event in events:
            self.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")
        self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, *_):
        """Be quiet."""


@pytest.fixture
def echo_port():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


def stream(port, *lengths):
    items = [SimpleNamespace(request_id=i, n=n) for i, n in enumerate(lengths)]
    return http_stream.serve_over_http(
        port, "/", items, 2, lambda item: {"n": item.n}, lambda event: encode(event.get("text", "")), from_text=True
    )


def test_streams_are_read_to_their_end(echo_port):
    answers = stream(echo_port, 3, 5, 4)
    assert [(one.request_id, one.token_ids, one.num_tokens) for one in answers] == [
        (i, tuple(encode("ñ" * n)), 2 * n) for i, n in enumerate((3, 5, 4))
    ]
    assert all(0 < one.first_s <= one.finish_s and one.from_text for one in answers)


@pytest.mark.parametrize("length, message", [(1, "HTTP 422"), (2, "out of memory")])
def test_a_refusal_and_an_error_in_the_stream_are_said(echo_port, length, message):
    with pytest.raises(RuntimeError, match=message):
        stream(echo_port, 3, length)


def test_a_server_is_waited_for_and_ended():
    port = free_port()
    code = (
        "import http.server as h\n"
        "class H(h.BaseHTTPRequestHandler):\n"
        "    def do_GET(self):\n"
        "        self.send_response(200 if self.path == '/health' else 404)\n"
        "        self.end_headers()\n"
        f"h.HTTPServer(('127.0.0.1', {port}), H).serve_forever()\n"
    )
    with running([sys.executable, "-c", code], port):
        pass
    with pytest.raises(RuntimeError, match="ended with status 1: ValueError: no model"):
        with running([sys.executable, "-c", "raise ValueError('no model')"], port):
            pass


if hasattr(os, "killpg"):
    def test_what_a_server_leaves_behind_ends_with_it(tmp_path):
        port, note = free_port(), tmp_path / "pid"
        sleeper = "import time; time.sleep(120)"
        code = (
            "import http.server as h, pathlib, subprocess, sys\n"
            f"left = subprocess.Popen([sys.executable, '-c', {sleeper!r}])\n"
            f"pathlib.Path({str(note)!r}).write_text(str(left.pid))\n"
            "class H(h.BaseHTTPRequestHandler):\n"
            "    def do_GET(self):\n"
            "        self.send_response(200)\n"
            "        self.end_headers()\n"
            f"h.HTTPServer(('127.0.0.1', {port}), H).serve_forever()\n"
        )
        with running([sys.executable, "-c", code], port):
            pid = int(note.read_text())
        deadline_s = time.monotonic() + 10
        while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
            assert time.monotonic() < deadline_s, "it still runs"
            time.sleep(0.05)
