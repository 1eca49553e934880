"""OpenAI's own client, unmodified, in front of the server."""

import threading

import pytest

from minigpt.corpus.prompts import tutor_prompts
from tests.extras import loops
from tests.extras.http_clients import http_server
from tests.extras.loops import is_empty, wait_until

EXPLAIN, FIX = tutor_prompts()["explain"][3], tutor_prompts()["fix"][3]


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


def client_of(port):
    import openai  # takes a second: only in the process that runs these tests

    return openai.OpenAI(base_url=f"http://127.0.0.1:{port}/v1", api_key="none", max_retries=0)


def error_of(name):
    import openai

    return getattr(openai, name)


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
    assert chunks[-1].choices[0].finish_reason == "stop" and len(chunks) > 1  # tokens that a busy machine has piled up leave together
    assert last.choices == [] and last.usage.completion_tokens == len(EXPLAIN.answer_ids)
    assert {chunk.id for chunk in chunks} == {last.id} and all(chunk.usage is None for chunk in chunks)


def test_openais_client_sees_the_models(port):
    models = client_of(port).models.list().data
    assert [(model.id, model.object) for model in models] == [("mini-gpt", "model")]


def test_openais_client_understands_the_errors(port):
    client = client_of(port)
    with pytest.raises(error_of("NotFoundError"), match="no model 'gpt-9'"):
        client.completions.create(model="gpt-9", prompt="fix: x")
    with pytest.raises(error_of("BadRequestError"), match="context holds 1024") as caught:
        client.completions.create(model="mini-gpt", prompt=[1] * 1_000, max_tokens=100)
    assert caught.value.code == "context_length_exceeded" and caught.value.type == "invalid_request_error"


CHAT = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": EXPLAIN.prompt}]


def test_openais_client_chats(port):
    done = client_of(port).chat.completions.create(model="mini-gpt", messages=CHAT, temperature=0)
    assert (done.choices[0].message.content, done.choices[0].message.role) == (EXPLAIN.answer, "assistant")
    assert (done.object, done.choices[0].finish_reason) == ("chat.completion", "stop")
    assert done.usage.completion_tokens == len(EXPLAIN.answer_ids) and done.id.startswith("chatcmpl-")


def test_openais_client_streams_a_chat(port):
    with client_of(port).chat.completions.create(
        model="mini-gpt", messages=CHAT, stream=True, stream_options={"include_usage": True}
    ) as stream:
        *chunks, last = list(stream)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == EXPLAIN.answer
    assert [chunk.choices[0].delta.role for chunk in chunks] == ["assistant", *[None] * (len(chunks) - 1)]
    assert chunks[-1].choices[0].finish_reason == "stop" and len(chunks) > 1
    assert {chunk.object for chunk in chunks} == {"chat.completion.chunk"}
    assert last.choices == [] and last.usage.completion_tokens == len(EXPLAIN.answer_ids)


def test_openais_client_retrieves_the_model(port):
    client = client_of(port)
    assert client.models.retrieve("mini-gpt").id == "mini-gpt"
    with pytest.raises(error_of("NotFoundError"), match="no model 'gpt/9'"):
        client.models.retrieve("gpt/9")


def test_openais_client_asks_for_several_prompts(port):
    prompts = [EXPLAIN, FIX, EXPLAIN]
    client, texts = client_of(port), [prompt.prompt for prompt in prompts]
    done = client.completions.create(model="mini-gpt", prompt=texts)
    assert [(choice.index, choice.text) for choice in done.choices] == [(i, p.answer) for i, p in enumerate(prompts)]
    assert done.usage.prompt_tokens == sum(len(prompt.token_ids) for prompt in prompts)
    parts = [""] * 3
    for chunk in client.completions.create(model="mini-gpt", prompt=texts, stream=True):
        parts[chunk.choices[0].index] += chunk.choices[0].text
    assert parts == [prompt.answer for prompt in prompts]


def test_openais_client_hears_of_an_error_in_a_stream():
    heard = threading.Event()
    with http_server(loops.raising_when(heard)) as (engine, port):
        stream = client_of(port).completions.create(model="mini-gpt", prompt=FIX.prompt, stream=True)
        assert next(stream).choices[0].text == FIX.answer[0]
        heard.set()
        with pytest.raises(error_of("APIError"), match="the student's mistake"):
            list(stream)
