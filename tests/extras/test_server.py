"""The server in front of clients: sockets by hand, five hundred at random, and loops that fail."""

import asyncio
import json
import re
import threading

import pytest

from minigpt.corpus.prompts import tutor_prompts
from minigpt.extras.server.answer_text import AnswerText
from minigpt.extras.server.api_error import REFUSALS
from minigpt.extras.server.app import ServerSettings
from minigpt.extras.server.completions import read_request
from minigpt.extras.server.metrics import ENDS
from minigpt.llm.tokenizer import encode_prompt
from tests.extras import loops
from tests.extras.http_clients import ask, get, http_server, many, parse_reply, polite, request_bytes, send
from tests.extras.loops import is_empty, slow, wait_until
from tests.unit.small import reference

EXPLAIN, FIX = tutor_prompts()["explain"][3], tutor_prompts()["fix"][3]
POLICIES = ("static", "continuous")
LONG = {"prompt": EXPLAIN.prompt, "max_tokens": 900, "ignore_eos": True}


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")


@pytest.fixture(scope="module")
def server():
    """One continuous server for all tests that leave it as it was."""
    with http_server() as (engine, port):
        yield engine, port


@pytest.fixture
def port(server):
    engine, port = server
    yield port
    wait_until(lambda: is_empty(engine.load))
    assert engine.state.is_healthy


def metric(port, name):
    """The value of a metric; 0 if nothing was counted yet."""
    text = get(port, "/metrics").body.decode()
    found = re.search(rf"^minigpt_{re.escape(name)} (\S+)$", text, re.MULTILINE)
    return float(found[1]) if found else 0.0


# -- the API ----------------------------------------------------------------------------------------------------------


def test_text_and_token_ids_are_the_same_prompt(port):
    bodies = [{"prompt": prompt} for prompt in (
        FIX.prompt, [FIX.prompt], encode_prompt(FIX.prompt), [encode_prompt(FIX.prompt)],
    )]
    assert [ask(port, body).text for body in bodies] == [FIX.answer] * 4


@pytest.mark.parametrize("is_stream", [False, True])
def test_stop_ends_the_text(port, is_stream):
    stop = EXPLAIN.answer[10:14]
    reply = ask(port, {"prompt": EXPLAIN.prompt, "stop": ["~~", stop], "stream": is_stream})
    assert reply.text == EXPLAIN.answer[: EXPLAIN.answer.index(stop)]


def test_max_tokens_and_ignoring_eos(port):
    reply = ask(port, {"prompt": FIX.prompt, "max_tokens": 40, "ignore_eos": True, "return_token_ids": True}).json
    assert reply["choices"][0]["finish_reason"] == "length" and reply["usage"]["completion_tokens"] == 40
    ids = reply["choices"][0]["token_ids"]
    assert len(ids) == 40 and tuple(ids[: len(FIX.answer_ids)]) == FIX.answer_ids


def test_no_character_is_cut_in_two(port):
    accented = next(prompt for prompt in tutor_prompts()["explain"] if len(prompt.answer) < len(prompt.answer_ids))
    reply = ask(port, {"prompt": accented.prompt, "stream": True, "return_token_ids": True})
    choices = [json.loads(event)["choices"][0] for event in reply.events[:-1]]
    assert reply.text == accented.answer and "�" not in "".join(choice["text"] for choice in choices)
    assert [token for choice in choices for token in choice["token_ids"]] == list(accented.answer_ids)
    wanted = read_request(json.dumps({"prompt": "fix: x", "stream": True}).encode(), "m", 1024)
    text, character = AnswerText(wanted, "m"), "ñ".encode()
    assert text.chunk(0, character[:1], None) == b""  # the first byte of two waits
    assert b'"text":"\\u00f1"' in text.chunk(0, character[1:], None)
    # An answer that ends within a character ends with one mark.
    cut = next(i for i, byte in enumerate(accented.answer_ids) if byte >= 0xC0) + 1
    for is_stream in (False, True):
        text = ask(port, {"prompt": accented.prompt, "max_tokens": cut, "stream": is_stream}).text
        assert text == bytes(accented.answer_ids[:cut]).decode(errors="replace") and text.endswith("�")


def test_errors_have_openais_form(port):
    for body, status, param in (
        ({"prompt": ["a", ""]}, 400, "prompt"), ({"prompt": "fix: x", "n": 2}, 400, "n"), (b"{", 400, None),
        ({"prompt": "fix: x", "model": "other"}, 404, "model"), (b"x" * 70_000, 413, None),
    ):
        reply = ask(port, body)
        error = reply.json["error"]
        assert reply.status == status and set(error) == {"message", "type", "param", "code"}
        assert error["param"] == param and error["type"] == "invalid_request_error"
    for reply, status, words in (
        (get(port, "/nowhere"), 404, "GET /nowhere does not exist; there are POST /v1/completions, POST /v1/chat/com"),
        (get(port, "/v1/completions"), 405, "GET /v1/completions does not exist"),
    ):
        assert reply.status == status and words in reply.json["error"]["message"]


def test_min_tokens_hold_the_end_back(port):
    number = len(FIX.answer_ids) + 7
    reply = ask(port, {"prompt": FIX.prompt, "min_tokens": number, "return_token_ids": True}).json
    ids = reply["choices"][0]["token_ids"]
    assert len(ids) >= number and tuple(ids[: len(FIX.answer_ids)]) == FIX.answer_ids
    stop = FIX.answer[2:4]
    early = ask(port, {"prompt": FIX.prompt, "stop": stop}).text
    late = ask(port, {"prompt": FIX.prompt, "stop": stop, "min_tokens": 6}).text
    assert early == FIX.answer[: FIX.answer.index(stop)] and late.startswith(FIX.answer[:6])


def test_stop_token_ids_end_the_text(port):
    token = EXPLAIN.answer_ids[9]
    for is_stream in (False, True):
        reply = ask(port, {"prompt": EXPLAIN.prompt, "stop_token_ids": [token, 256], "stream": is_stream})
        assert reply.text.encode() == bytes(EXPLAIN.answer_ids[: EXPLAIN.answer_ids.index(token)])


def test_a_key_and_a_page_elsewhere(capsys):
    settings = ServerSettings(api_key="ábc", cors_origins=("https://class.example",), has_access_log=True)
    origin = "Origin: https://class.example"
    with http_server(settings=settings) as (engine, port):
        for headers in ([], ["Authorization: Bearer abd"]):
            reply = ask(port, {"prompt": FIX.prompt}, headers=headers)
            assert reply.status == 401 and reply.json["error"]["code"] == "invalid_api_key"
        assert get(port, "/v1/models").status == get(port, "/live").status == 401
        assert get(port, "/health").status == 200
        assert metric(port, 'requests_refused_total{reason="invalid_api_key"}') == 2
        reply = ask(port, {"prompt": FIX.prompt}, headers=["Authorization: Bearer ábc", origin])
        assert reply.text == FIX.answer and reply.headers["access-control-allow-origin"] == "https://class.example"
        asked = ["Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization"]
        reply = ask(port, b"", method="OPTIONS", headers=[origin, *asked])
        assert reply.status == 200 and "POST" in reply.headers["access-control-allow-methods"]
    lines = capsys.readouterr().out.splitlines()
    assert any(re.search(r"127\.0\.0\.1 POST /v1/completions 200 \d+\.\d{3} s$", line) for line in lines)
    assert any(" 401 " in line for line in lines)


def test_without_an_option_no_page_elsewhere_may_call(port, capsys):
    reply = ask(port, {"prompt": FIX.prompt}, headers=["Origin: https://class.example"])
    assert "access-control-allow-origin" not in reply.headers and capsys.readouterr().out == ""


def test_the_page_shows_who_is_in_flight():
    async def watch(port):
        asking = asyncio.ensure_future(send(port, request_bytes({**LONG, "max_tokens": 100, "stream": True})))
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request_bytes(b"", path="/live", method="GET"))
        async for line in reader:
            if line.startswith(b"data: {"):
                frame = json.loads(line[6:])
                if frame["requests"] and frame["requests"][0]["text"]:
                    writer.close()
                    return frame, await asking

    with http_server(slow(reference("continuous"), 0.02), max_inflight=2) as (engine, port):
        page = get(port, "/")
        assert page.status == 200 and "text/html" in page.headers["content-type"]
        frame, reply = asyncio.run(watch(port))
        shown = frame["requests"][0]
        assert (frame["state"], frame["num_slots"], frame["num_inflight"]) == ("healthy", 2, 1)
        assert (shown["slot"], shown["max_tokens"]) == (0, 100) and shown["num_output_tokens"] >= len(shown["text"]) - 1
        assert reply.text.startswith(shown["text"][:20])
        frame = asyncio.run(one_frame(port))
        assert frame["requests"] == [] and frame["num_answers"] == 1 and frame["p95_ms"] > 0


async def one_frame(port):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request_bytes(b"", path="/live", method="GET"))
    line = await reader.readuntil(b"data: ") + await reader.readuntil(b"\n\n")
    writer.close()
    return json.loads(line.rpartition(b"data: ")[2])


def test_a_static_server_sends_all_tokens_at_once():
    with http_server("static") as (engine, port):
        reply = ask(port, {"prompt": EXPLAIN.prompt, "stream": True})
        assert reply.text == EXPLAIN.answer and len(reply.events) == 2
        assert ask(port, {"prompt": FIX.prompt}).text == FIX.answer
        assert is_empty(engine.load)


def test_metrics_count_what_happened(port):
    names = ("time_to_first_token_seconds_count", "inter_token_latency_seconds_count",
             "e2e_request_latency_seconds_count", "generation_tokens_total", 'requests_total{end="stop"}',
             'requests_total{end="refused"}')
    before = [metric(port, name) for name in names]
    num_tokens = len(EXPLAIN.answer_ids)
    ask(port, {"prompt": EXPLAIN.prompt, "stream": True})
    ask(port, {"prompt": EXPLAIN.prompt})
    ask(port, b"{")
    after = [metric(port, name) for name in names]
    assert [b - a for a, b in zip(before, after, strict=True)] == [1, num_tokens - 1, 2, 2 * num_tokens, 2, 1]
    assert metric(port, "kv_slots_total") == 8 and metric(port, "kv_slots_used") == 0
    assert metric(port, "num_requests_running") == metric(port, "num_requests_waiting") == 0
    assert metric(port, "engine_healthy") == 1


def test_every_series_is_there_from_the_start_and_refusals_count_by_reason_alone():
    with http_server(slow(reference("continuous")), max_inflight=1, max_queue=1) as (engine, port):
        text = get(port, "/metrics").body.decode()
        for name in ("requests_total", "requests_refused_total"):
            assert text.count(f"minigpt_{name}{{") == len(ENDS if name == "requests_total" else REFUSALS)
        ask(port, {"prompt": FIX.prompt, "model": "other"}), ask(port, {"prompt": FIX.prompt, "max_tokens": 5_000})
        asyncio.run(many_at_once(port, 6))
        refused = metric(port, 'requests_refused_total{reason="queue_full"}')
        assert refused >= 1 and metric(port, 'requests_refused_total{reason="model_not_found"}') == 1
        assert metric(port, 'requests_total{end="refused"}') == refused + 2
        answered = metric(port, 'requests_total{end="stop"}') + metric(port, 'requests_total{end="length"}')
        assert metric(port, "prompt_tokens_total") == answered * len(FIX.token_ids)
        assert metric(port, "kv_slots_total") == 1


async def many_at_once(port, num):
    body = request_bytes({"prompt": FIX.prompt, "max_tokens": 5})
    return await asyncio.gather(*(send(port, body) for _ in range(num)))


# -- limits -----------------------------------------------------------------------------------------------------------


def test_a_full_queue_says_when_to_come_again():
    async def crowd(port):
        return await asyncio.gather(*(send(port, request_bytes({**LONG, "max_tokens": 20})) for _ in range(12)))

    with http_server(slow(reference("continuous")), max_inflight=1, max_queue=2) as (engine, port):
        replies = asyncio.run(crowd(port))
        assert {reply.status for reply in replies} == {200, 429}
        refused = [reply for reply in replies if reply.status == 429]
        assert all(int(reply.headers["retry-after"]) >= 1 for reply in refused)
        assert refused[0].json["error"]["code"] == "queue_full"
        served = [reply.text for reply in replies if reply.status == 200]
        assert len(served) >= 2 and len(set(served)) == 1
        assert is_empty(engine.load)


@pytest.mark.parametrize("is_stream", [False, True])
def test_a_request_has_its_time(is_stream):
    limit = ServerSettings(time_limit_s=0.5)
    with http_server(slow(reference("continuous")), settings=limit) as (engine, port):
        reply = ask(port, {**LONG, "stream": is_stream})
        if is_stream:  # the status had left already
            assert reply.status == 200 and json.loads(reply.events[-1])["error"]["code"] == "timeout"
        else:
            assert reply.status == 504 and reply.json["error"]["code"] == "timeout"
        wait_until(lambda: is_empty(engine.load))
        assert metric(port, 'requests_total{end="timed_out"}') == 1
        assert ask(port, {"prompt": FIX.prompt, "max_tokens": 2}).status == 200


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("is_stream", [False, True])
def test_a_client_that_hangs_up_gives_its_slot_back(policy, is_stream):
    async def hang_up(port, engine):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request_bytes({**LONG, "stream": is_stream}))
        while engine.load.num_kv_slots == 0:
            await asyncio.sleep(0.005)
        writer.close()

    with http_server(slow(reference(policy)), streams=policy == "continuous") as (engine, port):
        asyncio.run(hang_up(port, engine))
        wait_until(lambda: is_empty(engine.load), timeout_s=20)
        assert len(engine._server.log.steps) < 600  # long before its 900 tokens
        wait_until(lambda: metric(port, 'requests_total{end="cancelled"}') == 1)


# -- many -------------------------------------------------------------------------------------------------------------


def test_five_hundred_random_clients(server, port):
    engine, _ = server
    ends = ("stop", "cancelled")
    before = {end: metric(port, f'requests_total{{end="{end}"}}') for end in ends}
    clients = asyncio.run(many(port, range(500)))
    wait_until(lambda: is_empty(engine.load))
    after = {end: metric(port, f'requests_total{{end="{end}"}}') for end in ends}
    # Every polite client checked its answer; each is counted once, and some leavers stayed to the end.
    num_polite, num_leavers = clients.count(polite), sum(client.__name__ == "leaver" for client in clients)
    assert num_polite > 150 and num_leavers > 100
    num_stopped, num_cancelled = (after[end] - before[end] for end in ends)
    assert num_polite <= num_stopped and num_stopped + num_cancelled <= num_polite + num_leavers
    assert num_cancelled > 10
    assert metric(port, 'requests_total{end="failed"}') == 0
    assert engine.state.is_healthy and get(port, "/health").status == 200


# -- loops that fail --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loop, words", [
    (loops.raising_loop, "the student's mistake"), (loops.spinning_loop, "hangs"), (loops.sleeping_loop, "hangs"),
    (loops.returning_loop, "returned"),
])
def test_a_loop_that_fails_leaves_the_health_page(loop, words):
    with http_server(loop, hang_s=0.5 if words == "hangs" else 30.0) as (engine, port):
        assert get(port, "/health").json["status"] == "healthy"
        reply = ask(port, {"prompt": FIX.prompt})
        assert reply.status == 500 and words in reply.json["error"]["message"]
        again = ask(port, {"prompt": FIX.prompt, "stream": True})
        assert again.status == 503 and words in again.json["error"]["message"]
        health = get(port, "/health")
        assert health.status == 503 and health.json["status"] == "failed" and words in health.json["reason"]
        assert metric(port, "engine_healthy") == 0 and metric(port, 'requests_total{end="failed"}') == 1


def test_a_stream_that_has_begun_ends_with_the_error():
    async def hear(port, heard):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request_bytes({"prompt": FIX.prompt, "stream": True}))
        begun = await reader.readuntil(b"data: ")
        heard.set()
        reply = parse_reply(begun + await reader.read())
        writer.close()
        return reply

    heard = threading.Event()
    with http_server(loops.raising_when(heard)) as (engine, port):
        reply = asyncio.run(hear(port, heard))
        assert reply.status == 200 and "[DONE]" not in reply.events
        assert "the student's mistake" in json.loads(reply.events[-1])["error"]["message"]


def test_the_health_page_answers_while_the_loop_hangs():
    async def both(port):
        asking = asyncio.ensure_future(send(port, request_bytes({"prompt": FIX.prompt})))
        while engine.load.num_inflight == 0:
            await asyncio.sleep(0.01)
        health = await send(port, request_bytes(b"", path="/health", method="GET"))
        assert not asking.done()  # not given up yet: the page has answered meanwhile
        return health, await asking

    with http_server(loops.spinning_loop, hang_s=3.0) as (engine, port):
        health, reply = asyncio.run(both(port))
        assert (health.status, health.json["num_inflight"], reply.status) == (200, 1, 500)
