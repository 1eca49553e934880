"""The server in front of real clients: OpenAI's own, sockets by hand, five hundred at random, and loops that fail."""

import asyncio
import json
import re
import threading

import openai
import pytest

from minigpt.corpus.prompts import tutor_prompts
from minigpt.extras.server.answer_text import AnswerText
from minigpt.extras.server.app import ServerSettings
from minigpt.extras.server.completions import read_request
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


def client_of(port):
    return openai.OpenAI(base_url=f"http://127.0.0.1:{port}/v1", api_key="none", max_retries=0)


# -- OpenAI's client --------------------------------------------------------------------------------------------------


def test_openais_client_gets_the_tutors_answer(port):
    done = client_of(port).completions.create(model="mini-gpt", prompt=EXPLAIN.prompt, max_tokens=128, temperature=0)
    assert (done.choices[0].text, done.choices[0].finish_reason) == (EXPLAIN.answer, "stop")
    num_prompt, num_answer = len(EXPLAIN.token_ids), len(EXPLAIN.answer_ids)
    assert (done.usage.prompt_tokens, done.usage.completion_tokens) == (num_prompt, num_answer)
    assert done.usage.total_tokens == num_prompt + num_answer
    assert done.object == "text_completion" and done.id.startswith("cmpl-")


def test_openais_client_streams(port):
    with client_of(port).completions.create(
        model="mini-gpt", prompt=list(EXPLAIN.token_ids), stream=True, stream_options={"include_usage": True}
    ) as stream:
        *chunks, last = list(stream)
    assert "".join(chunk.choices[0].text for chunk in chunks) == EXPLAIN.answer
    assert [chunk.choices[0].finish_reason for chunk in chunks[:-1]] == [None] * (len(chunks) - 1)
    assert chunks[-1].choices[0].finish_reason == "stop" and len(chunks) > 20
    assert last.choices == [] and last.usage.completion_tokens == len(EXPLAIN.answer_ids)
    assert {chunk.id for chunk in chunks} == {last.id} and all(chunk.usage is None for chunk in chunks)


def test_openais_client_sees_the_models(port):
    models = client_of(port).models.list().data
    assert [(model.id, model.object) for model in models] == [("mini-gpt", "model")]


def test_openais_client_understands_the_errors(port):
    client = client_of(port)
    with pytest.raises(openai.NotFoundError, match="no model 'gpt-9'"):
        client.completions.create(model="gpt-9", prompt="fix: x")
    with pytest.raises(openai.BadRequestError, match="context holds 1024") as caught:
        client.completions.create(model="mini-gpt", prompt=[1] * 1_000, max_tokens=100)
    assert caught.value.code == "context_length_exceeded" and caught.value.type == "invalid_request_error"


# -- the API ----------------------------------------------------------------------------------------------------------


def test_text_and_token_ids_are_the_same_prompt(port):
    bodies = [{"prompt": prompt} for prompt in (
        FIX.prompt, [FIX.prompt], encode_prompt(FIX.prompt), [encode_prompt(FIX.prompt)],
    )]  # fmt: skip
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
    ):  # fmt: skip
        reply = ask(port, body)
        error = reply.json["error"]
        assert reply.status == status and set(error) == {"message", "type", "param", "code"}
        assert error["param"] == param and error["type"] == "invalid_request_error"
    assert (get(port, "/nowhere").status, get(port, "/v1/completions").status) == (404, 405)


def test_a_static_server_sends_all_tokens_at_once():
    with http_server("static") as (engine, port):
        reply = ask(port, {"prompt": EXPLAIN.prompt, "stream": True})
        assert reply.text == EXPLAIN.answer and len(reply.events) == 2
        assert ask(port, {"prompt": FIX.prompt}).text == FIX.answer
        assert is_empty(engine.load)


def test_metrics_count_what_happened(port):
    names = ("time_to_first_token_seconds_count", "inter_token_latency_seconds_count",
             "e2e_request_latency_seconds_count", "generation_tokens_total", 'requests_total{end="stop"}',
             'requests_total{end="refused"}')  # fmt: skip
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
])  # fmt: skip
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


def test_openais_client_hears_of_an_error_in_a_stream():
    heard = threading.Event()
    with http_server(loops.raising_when(heard)) as (engine, port):
        stream = client_of(port).completions.create(model="mini-gpt", prompt=FIX.prompt, stream=True)
        assert next(stream).choices[0].text == FIX.answer[0]
        heard.set()
        with pytest.raises(openai.APIError, match="the student's mistake"):
            list(stream)


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
