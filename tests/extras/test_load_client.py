"""The load client against a server whose times and errors are known: schedule, latencies, counts, failures."""

import asyncio
import json
import math
import time

import pytest

from minigpt.analysis import metrics
from minigpt.cli import load as command
from minigpt.extras.load import client, report
from minigpt.extras.load.completion_stream import BrokenStream, Reply, events, read_completion
from minigpt.runtime.clock import NS
from minigpt.workloads.files import write_workload
from tests.extras import fake_server
from tests.extras.fake_server import HEAD, piece, serving, streaming, usage
from tests.unit.small import item, work

MS = 1_000_000
# What a busy machine may add to a time of the script; nothing may be taken from it.
SLACK_S = 0.25


def spread(num: int, gap_ms: int, num_tokens: int = 3, **settings):
    """A workload of `num` requests, one every `gap_ms`."""
    return work(*(item(i, arrival_ns=i * gap_ms * MS, max_tokens=num_tokens, **settings) for i in range(num)))


def sent(server, workload, **settings):
    """Send a workload; its log and replies."""
    _, replies, end_ns = asyncio.run(client.load(workload, server.url, **settings))
    return report.run_log(workload, replies, end_ns), replies


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")


# -- the open loop ---------------------------------------------------------------------------------


def test_a_slow_server_does_not_slow_the_schedule():
    busy = asyncio.Lock()

    async def one_at_a_time(body, writer):
        async with busy:
            await streaming(ttft_s=0.1)(body, writer)

    workload = spread(15, gap_ms=20)
    with serving(one_at_a_time) as server:
        log, replies = sent(server, workload)
    # The last request leaves at 0.28 s, long before the second answer is there, and waits for 14 others.
    assert server.times_s[-1] - server.times_s[0] < 0.28 + SLACK_S
    assert all(reply.sent_ns >= each.arrival_ns for each, reply in zip(workload.items, replies, strict=True))
    late = report.lateness(workload, replies, None)
    assert 0 <= late.p95_ms / 1e3 < SLACK_S
    assert metrics.e2e_s(log)[-1] == pytest.approx(15 * 0.1 - 0.28, abs=SLACK_S)
    assert metrics.e2e_s(log)[-1] > 15 * 0.1 - 0.28


def test_every_request_has_a_connection_of_its_own():
    open_now, most = [0], [0]

    async def count(body, writer):
        open_now[0] += 1
        most[0] = max(most[0], open_now[0])
        await streaming(ttft_s=0.6)(body, writer)
        open_now[0] -= 1

    with serving(count) as server:
        sent(server, spread(120, gap_ms=0, num_tokens=1))
    assert most[0] == 120  # a pool of 100, a usual default, would have held 20 back


def test_a_client_that_falls_behind_says_so():
    workload = spread(20, gap_ms=1)
    behind = [Reply(sent_ns=each.arrival_ns + 30 * MS, finish_ns=100 * MS) for each in workload.items]
    late = report.lateness(workload, behind, ttft_p95_ms=80.0)
    assert (late.p95_ms, late.max_ms, late.kept) == (30.0, 30.0, False)
    assert "could not keep its schedule" in " ".join(report.notes(behind, late))
    # Compared with a first token that takes seconds, 30 ms are nothing.
    assert report.lateness(workload, behind, ttft_p95_ms=2_000.0).kept
    # An infinite one says that requests failed, and excuses nothing.
    assert not report.lateness(workload, behind, ttft_p95_ms=math.inf).kept
    on_time = [Reply(sent_ns=each.arrival_ns + 2 * MS) for each in workload.items]
    assert report.lateness(workload, on_time, ttft_p95_ms=10.0).kept


def test_a_blocked_event_loop_shows_as_lateness(monkeypatch):
    real = client.read_completion

    async def block(*arguments):
        time.sleep(0.05)
        await real(*arguments)

    monkeypatch.setattr(client, "read_completion", block)
    workload = spread(10, gap_ms=10)
    with serving(streaming()) as server:
        _, replies = sent(server, workload)
    late = report.lateness(workload, replies, ttft_p95_ms=10.0)
    assert late.p95_ms > 50 and not late.kept


# -- latencies and percentiles ---------------------------------------------------------------------


def test_latencies_are_those_of_the_script():
    with serving(streaming(ttft_s=0.15, itl_s=0.04)) as server:
        log, _ = sent(server, spread(6, gap_ms=50, num_tokens=5))
    for times, least in ((metrics.ttft_s(log), 0.15), (metrics.e2e_s(log), 0.15 + 4 * 0.04)):
        assert len(times) == 6
        assert all(least <= value < least + SLACK_S for value in times)
    assert len(metrics.itl_s(log)) == 6 * 4
    assert sum(metrics.itl_s(log)) / 24 == pytest.approx(0.04, abs=0.02)
    assert log.end_ns >= 0.25 * NS + 0.31 * NS


def test_figures_are_the_replays_own():
    workload = spread(40, gap_ms=10)
    replies = [
        Reply(sent_ns=each.arrival_ns, piece_times_ns=[each.arrival_ns + (i + 1) * MS] * 3, num_tokens=3,
              finish_ns=each.arrival_ns + 10 * (i + 1) * MS)
        for i, each in enumerate(workload.items)
    ]
    log = report.run_log(workload, replies, 1 * NS)
    summary = report.summarize(log, replies, 0.2)
    # Nearest rank: the 38th of 40, the 20th, the 40th.
    assert (summary.e2e_p95_ms, summary.e2e_p50_ms, summary.e2e_p99_ms) == (380.0, 200.0, 400.0)
    assert (summary.ttft_p95_ms, summary.itl_p95_ms) == (38.0, 0.0)
    assert summary.e2e_p95_ms == metrics.percentile([10.0 * (i + 1) for i in range(40)], 95)
    # Requests come for 0.39 s; within these, 20 are answered, each within its 200 ms.
    assert (summary.tokens_per_s, summary.goodput_per_s) == (pytest.approx(60 / 0.39), pytest.approx(20 / 0.39))
    assert summary.num_unfinished == 0
    assert summary.throughput_per_s == metrics.throughput_per_s(log)


# -- tokens ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("tokens_per_piece", [1, 4])
def test_tokens_are_counted_by_usage_and_not_by_pieces(tokens_per_piece):
    with serving(streaming(tokens_per_piece=tokens_per_piece)) as server:
        log, replies = sent(server, spread(3, gap_ms=5, num_tokens=10))
    assert [reply.num_tokens for reply in replies] == [10] * 3
    assert [len(reply.piece_times_ns) for reply in replies] == [math.ceil(10 / tokens_per_piece)] * 3
    assert [len(record.token_ids) for record in log.finished] == [10] * 3
    assert report.num_in_pieces(replies) == (0 if tokens_per_piece == 1 else 3)


def test_without_usage_the_tokens_are_not_guessed():
    with serving(streaming(with_usage=False)) as server:
        log, replies = sent(server, spread(2, gap_ms=0))
    assert report.summarize(log, replies, math.inf).tokens_per_s is None
    assert log.num_unfinished == 0
    words = " ".join(report.notes(replies, report.lateness(log.workload, replies, None)))
    assert "2 answers came without usage" in words


def test_an_empty_answer_has_no_ttft():
    async def empty(_, writer):
        writer.write(HEAD.format(200, "text/event-stream").encode() + piece("", "stop") + usage(0))

    with serving(empty) as server:
        log, replies = sent(server, spread(2, gap_ms=0))
    assert metrics.ttft_s(log) == [] and log.num_unfinished == 0 and replies[0].num_tokens == 0


# -- what is sent ----------------------------------------------------------------------------------


def test_a_request_asks_for_what_its_line_says():
    workload = work(item(0, prompt_token_ids=(104, 105), max_tokens=4), item(1, 300 * MS, ignore_eos=True, priority=2))
    with serving(streaming()) as server:
        sent(server, workload)
        sent(server, workload, prompts="text", model="other")
    plain, special, text = server.bodies[:3]
    assert plain == {"model": "fake", "prompt": [104, 105], "max_tokens": 4, "temperature": 0, "stream": True,
                     "stream_options": {"include_usage": True}}
    assert (special["ignore_eos"], special["priority"]) == (True, 2)
    assert (text["model"], text["prompt"]) == ("other", "hi")


def test_a_prompt_without_a_text_is_not_sent_as_one():
    with serving(streaming()) as server, pytest.raises(ValueError, match="request 0.*--prompts ids"):
        sent(server, work(item(0, prompt_token_ids=(0xC3,))), prompts="text")


@pytest.mark.parametrize(("finish", "failures"), [("length", {}), (None, {"broken stream": 2})])
def test_an_answer_may_be_asked_for_whole(finish, failures):
    whole = {"choices": [{"text": "abc", "finish_reason": finish}], "usage": {"completion_tokens": 3}}

    async def answer(body, writer):
        assert body["stream"] is False and "stream_options" not in body
        writer.write((HEAD.format(200, "application/json") + json.dumps(whole)).encode())

    with serving(answer) as server:
        log, replies = sent(server, spread(2, gap_ms=0), streams=False)
    assert report.failures(replies) == failures
    assert [reply.num_tokens for reply in replies] == [3, 3] and metrics.itl_s(log) == []
    if not failures:
        assert metrics.ttft_s(log) == metrics.e2e_s(log)


# -- failures --------------------------------------------------------------------------------------


async def hang(_, writer):
    writer.write(HEAD.format(200, "text/event-stream").encode() + piece("a"))
    await writer.drain()
    await asyncio.sleep(30)


async def hang_up(_, writer):
    writer.close()


async def error_inside(_, writer):
    told = fake_server.event(error={"message": "out of memory"})
    writer.write(HEAD.format(200, "text/event-stream").encode() + piece("a") + told)


async def nonsense(_, writer):
    writer.write(HEAD.format(200, "text/event-stream").encode() + b"data: {oops\n\n")


async def cut(_, writer):
    writer.write(HEAD.format(200, "text/event-stream").encode() + piece("a") + piece("b"))


@pytest.mark.parametrize(
    ("answer", "failure", "words"),
    [
        (fake_server.error(429, "queue full"), "HTTP 429", "queue full"),
        (fake_server.error(500, "loop raised"), "HTTP 500", "loop raised"),
        (hang, "time-out", "0.3 s"),
        (hang_up, "connection", "Error"),
        (error_inside, "broken stream", "out of memory"),
        (nonsense, "broken stream", "oops"),
        (cut, "broken stream", "ended before the answer"),
    ],
    ids=["429", "500", "hang", "hang up", "error inside", "nonsense", "cut"],
)
def test_what_is_not_answered_is_counted_and_infinitely_late(answer, failure, words):
    good = streaming()

    async def every_other(body, writer):
        await (answer if len(server.bodies) % 2 else good)(body, writer)

    workload = spread(4, gap_ms=60)
    with serving(every_other) as server:
        log, replies = sent(server, workload, timeout_s=0.3 if failure == "time-out" else 20)
    assert report.failures(replies) == {failure: 2}
    assert words in next(reply.detail for reply in replies if reply.failure)
    assert sorted(map(math.isinf, metrics.e2e_s(log))) == [False, False, True, True]
    summary = report.summarize(log, replies, math.inf)
    assert (summary.num_unfinished, summary.e2e_p95_ms) == (2, math.inf)
    assert math.isfinite(summary.e2e_p50_ms)


def test_a_server_that_goes_away_is_counted_too():
    with serving(streaming()) as server:
        url = server.url

    async def go():
        async with client.make_client(url) as connection:
            return await client.send_all(spread(2, gap_ms=0), connection, client.Target(url=url, model="m"))

    replies, _ = asyncio.run(go())
    assert [reply.failure for reply in replies] == ["connection"] * 2
    assert report.lateness(spread(2, gap_ms=0), replies, None).p95_ms is None


# -- the stream ------------------------------------------------------------------------------------


def read(*chunks: bytes) -> Reply:
    async def network():
        for chunk in chunks:
            yield chunk

    reply = Reply()
    asyncio.run(read_completion(network(), reply, lambda: 7))
    return reply


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_the_network_may_cut_anywhere(size):
    text = piece("año\u2028") + b": a comment\r\n\r\n" + piece("x", "stop").replace(b"\n", b"\r\n") + usage(2)
    text += b"data: [DONE]\n\n"
    reply = read(*(text[at : at + size] for at in range(0, len(text), size)))
    assert (len(reply.piece_times_ns), reply.num_tokens, reply.finish_ns) == (2, 2, 7)


def test_a_raw_line_separator_in_a_text_ends_no_event():
    raw = 'data: {"choices": [{"text": "a\u2028b", "finish_reason": "stop"}]}\n\n'.encode()
    assert len(read(raw).piece_times_ns) == 1


def test_the_answer_may_end_without_a_blank_line_or_without_done():
    assert read(piece("a", "stop").rstrip()).finish_ns == 7
    assert read(piece("a"), b"data: [DONE]").finish_ns == 7


def test_token_ids_without_text_are_a_piece():
    half = fake_server.event(choices=[{"text": "", "token_ids": [195], "finish_reason": None}])
    assert len(read(half, piece("", "length")).piece_times_ns) == 1


def test_an_event_may_have_several_lines():
    async def network():
        yield b"data: a\ndata: b\n\nevent: x\n\n"

    async def gather():
        return [data async for data in events(network())]

    assert asyncio.run(gather()) == ["a\nb"]
    with pytest.raises(BrokenStream, match="not a JSON object"):
        read(b"data: 3\n\n")


# -- where to --------------------------------------------------------------------------------------


@pytest.mark.parametrize("url", ["", "localhost:8000", "ftp://x", "http://", "http://[::1"])
def test_what_is_no_address_is_refused(url):
    with pytest.raises(ValueError, match="url=.*http://127.0.0.1:8000"):
        client.server_url(url)


@pytest.mark.parametrize("url", ["http://a:1", "http://a:1/", "http://a:1/v1", "http://a:1/v1/"])
def test_an_address_may_name_the_api(url):
    assert client.server_url(url) == "http://a:1"


def test_nobody_there_is_said_before_anything_is_sent():
    with serving(streaming()) as server:
        url = server.url
    with pytest.raises(ValueError, match="no server answers there .*python -m minigpt serve"):
        asyncio.run(client.load(spread(1, 0), url))


def test_a_server_without_models_needs_a_name():
    with serving(streaming(), models=()) as server:
        with pytest.raises(ValueError, match="lists no model .*--model"):
            sent(server, spread(1, 0))
        assert sent(server, spread(1, 0), model="m")[1][0].num_tokens == 3


@pytest.mark.parametrize("settings", [{"prompts": "bytes"}, {"timeout_s": 0}], ids=str)
def test_a_wrong_setting_is_named(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        asyncio.run(client.load(spread(1, 0), "http://127.0.0.1:1", **settings))


# -- the command -----------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_command_prints_the_replays_figures(tmp_path, capsys, monkeypatch, language):
    monkeypatch.setenv("MINIGPT_LANG", language)
    write_workload(spread(5, gap_ms=10), tmp_path / "w.jsonl")
    with serving(streaming(itl_s=0.005)) as server:
        arguments = ["--url", server.url, "--workload", str(tmp_path / "w.jsonl"), "--json", str(tmp_path / "r.json")]
        assert command.main(arguments) == 0
    printed = capsys.readouterr().out
    for words in ("E2E p95 (ms)", "TTFT p95 (ms)", "ITL p95 (ms)"):
        assert words in printed
    for english, spanish in (("requests left", "programado"), ("unfinished requests", "peticiones sin terminar")):
        assert (spanish if language == "es" else english) in printed
    assert "slot use" not in printed and "uso de slots" not in printed
    data = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert (data["num_requests"], data["num_unfinished"], data["failures"], data["model"]) == (5, 0, {}, "fake")
    e2e_ms = [(each["finish_s"] - each["arrival_s"]) * 1e3 for each in data["requests"]]
    assert data["e2e_p95_ms"] == pytest.approx(metrics.percentile(e2e_ms, 95))
    assert [each["num_output_tokens"] for each in data["requests"]] == [3] * 5


def test_the_command_fails_when_nothing_was_answered(tmp_path, capsys):
    write_workload(spread(2, gap_ms=0), tmp_path / "w.jsonl")
    with serving(fake_server.error(503, "closing")) as server:
        assert command.main(["--url", server.url, "--workload", str(tmp_path / "w.jsonl")]) == 1
    assert "2 failed: HTTP 503" in capsys.readouterr().out
