"""What a request may hold: declared once, checked by that declaration, and printed in the READMEs from it."""

import json

import pytest

from minigpt.extras.server import field_table
from minigpt.extras.server.api_error import REFUSALS, ApiError
from minigpt.extras.server.completions import read_request
from minigpt.extras.server.fields import CHAT, COMPLETIONS, FIELDS, IGNORED, KINDS, NEUTRAL, USED
from minigpt.llm.tokenizer import encode
from minigpt.paths import repository_root

PROMPT = {COMPLETIONS: {"prompt": "fix: x"}, CHAT: {"messages": [{"role": "user", "content": "fix: x"}]}}
GOOD = {"text": "x", "whole": 1, "number": 0.5, "flag": True, "list": [], "object": {}}
WRONG = {"text": 5, "whole": 1.5, "number": "hot", "flag": 1, "list": "x", "object": []}


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")


def read(endpoint=COMPLETIONS, **fields):
    return read_request(json.dumps({**PROMPT[endpoint], **fields}).encode(), "m", 1_024, endpoint)


def refusal(endpoint=COMPLETIONS, **fields):
    with pytest.raises(ApiError) as caught:
        read(endpoint, **fields)
    assert caught.value.status == 400 and caught.value.code in REFUSALS
    return caught.value


@pytest.mark.parametrize("language", field_table.PAGES)
def test_the_readmes_hold_the_table(language):
    text = (repository_root() / "minigpt/extras" / field_table.PAGES[language]).read_text(encoding="utf-8")
    assert field_table.table(language) in text, "run: python -m minigpt.extras.server.field_table"


def test_the_declaration_is_whole():
    names = [field.name for field in FIELDS]
    assert len(set(names)) == len(names)
    assert all(field.en and field.es and field.en != field.es for field in FIELDS if field.use == USED)
    assert all(kind in KINDS for field in FIELDS for kind in field.kinds)


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_each_field_is_read_as_declared(field):
    endpoint = field.where[0]
    read(endpoint, **{field.name: None} if field.name not in PROMPT[endpoint] else {})
    if field.use == IGNORED:
        assert read(endpoint, **{field.name: GOOD[field.kinds[0]]}) == read(endpoint)
    if field.use == NEUTRAL:
        assert all(read(endpoint, **{field.name: value}) == read(endpoint) for value in field.neutral)
        assert refusal(endpoint, **{field.name: {"other": 1}}).code == "not_supported"
    elif set(field.kinds) != {"text", "list"}:
        error = refusal(endpoint, **{field.name: WRONG[field.kinds[0]]})
        assert error.param == field.name and "must be" in str(error)
    for other in {COMPLETIONS, CHAT} - set(field.where):
        assert refusal(other, **{field.name: GOOD["text"]}).code == "unknown_field"


@pytest.mark.parametrize("fields, words", [
    ({"temprature": 1}, "temprature: there is no such field; did you mean temperature?"),
    ({"max_token": 5}, "did you mean max_tokens?"), ({"qqq": 1}, "qqq: there is no such field"),
    ({"temperature": "hot"}, 'temperature: must be a number, not "hot"'),
    ({"temperature": -1}, "temperature: is -1: it must be ≥ 0"), ({"top_p": 2}, "top_p: is 2: it must be 0 … 1"),
    ({"temperature": float("nan")}, "temperature: is nan"), ({"logprobs": 5}, "logprobs: is not supported here"),
    ({"n": True}, "n: is not supported"), ({"presence_penalty": 0.5}, "presence_penalty: is not supported"),
    ({"max_tokens": 9, "max_completion_tokens": 5}, "max_tokens: is 9, but max_completion_tokens is 5"),
    ({"min_tokens": 9, "max_tokens": 5}, "min_tokens: is 9, but max_tokens is 5"),
    ({"stop_token_ids": [300]}, "stop_token_ids: must be token ids"),
    ({"stop_token_ids": [256], "ignore_eos": True}, "names EOS"),
    ({"stream_options": {"include_usge": True}}, "did you mean stream_options.include_usage?"),
    ({"stream_options": {"include_usage": 1}}, "must be true or false, not 1"),
    ({"prompt": ["a"] * 129}, "send at most 128"), ({"prompt": [["a"]]}, "must be a string, a list of token ids"),
])
def test_what_is_wrong_is_named(fields, words):
    assert words in str(refusal(**fields))


@pytest.mark.parametrize("messages, words", [
    ([], "with a message of the user"), (None, "with a message of the user"), ("fix: x", "must be a list"),
    ([{"role": "system", "content": "x"}], "no message whose role is user"), ([5], "messages[0]"),
    ([{"role": "user", "content": [{"type": "image_url"}]}], "this model reads nothing else"),
    ([{"role": "user", "content": ""}], "is empty"), ([{"role": "king", "content": "x"}], "messages[0]"),
])
def test_what_is_wrong_in_a_chat_is_named(messages, words):
    assert words in str(refusal(CHAT, messages=messages))


def test_the_last_message_of_the_user_is_the_prompt():
    messages = [
        {"role": "system", "content": "Be brief."}, {"role": "user", "content": "first"},
        {"role": "assistant", "content": None},
        {"role": "user", "content": [{"type": "text", "text": "fix: she"}, {"type": "text", "text": "go home"}]},
        {"role": "assistant", "content": "later"},
    ]
    assert read(CHAT, messages=messages).prompts == (tuple(encode("fix: she\ngo home\n")),)


def test_prompts_of_several_lines_and_lists_of_prompts():
    assert read(prompt="fix: a\nfix: b").prompts == (tuple(encode("fix: a\nfix: b\n")),)
    both = read(prompt=["fix: a", "explain: b"])
    assert both.prompts == (tuple(encode("fix: a\n")), tuple(encode("explain: b\n"))) and both.max_tokens == (128, 128)
    assert read(prompt=[[1], [2, 3]]).prompts == ((1,), (2, 3))
    assert read(prompt=[[1] * 1_000, [2]]).max_tokens == (24, 128)  # what each leaves room for
