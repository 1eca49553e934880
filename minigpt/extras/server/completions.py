"""OpenAI's completions API, as far as a greedy byte-level model can serve it: reading requests, writing answers.

Field names and forms are those of https://platform.openai.com/docs/api-reference/completions; `ignore_eos` and
`return_token_ids` are vLLM's. Sampling fields (temperature, top_p, seed, …) are accepted and have no effect: answers
are greedy. What would change the form of an answer and is not there (n > 1, logprobs, echo, …) is refused.
"""

import codecs
import json
import time
import uuid
from dataclasses import dataclass

from minigpt.language import say
from minigpt.llm.tokenizer import VOCAB_SIZE, encode, encode_prompt
from minigpt.workloads.workload import MAX_ANSWER_TOKENS

RETRY_AFTER_S = 1
MAX_STOPS = 4  # OpenAI's own limit
MAX_STOP_CHARACTERS = 256
# Fields that must have a value with which they do nothing.
NEUTRAL = {
    "n": (1,), "best_of": (1,), "echo": (False,), "logprobs": (False,), "suffix": ("",), "prompt_logprobs": (False,),
}  # fmt: skip


class ApiError(Exception):
    """An error in OpenAI's form."""

    def __init__(self, status: int, message: str, *, code: str, param: str | None = None, headers: dict | None = None):
        super().__init__(message)
        self.status, self.code, self.param, self.headers = status, code, param, headers

    @property
    def body(self) -> dict:
        kind = "invalid_request_error" if self.status < 500 and self.status != 429 else "server_error"
        return {"error": {"message": str(self), "type": kind, "param": self.param, "code": self.code}}


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionRequest:
    """What a client asks for, checked."""

    prompt_token_ids: tuple[int, ...]
    max_tokens: int
    stop: tuple[tuple[int, ...], ...]
    is_stream: bool
    has_usage: bool  # usage in a stream, too
    ignore_eos: bool
    has_token_ids: bool


def read_request(body: bytes, model: str, context: int) -> CompletionRequest:
    """The request in a body; ApiError says what is wrong with it."""
    fields = read_json(body)
    for name, allowed in NEUTRAL.items():
        value = fields.get(name)
        if not (value is None or any(value is each or value == each and type(value) is type(each) for each in allowed)):
            raise wrong(name, say(en="is not supported here: leave it out", es="no se admite aquí: quítalo"))
    asked = typed(fields, "model", str, model)
    if asked != model:
        message = say(en=f"there is no model {asked[:100]!r}: ask for {model!r}",
                      es=f"no hay ningún modelo {asked[:100]!r}: pide {model!r}")  # fmt: skip
        raise ApiError(404, message, code="model_not_found", param="model")
    prompt = read_prompt(fields.get("prompt"))
    options = typed(fields, "stream_options", dict, {})
    return CompletionRequest(
        prompt_token_ids=prompt, max_tokens=read_max_tokens(fields, len(prompt), context),
        stop=read_stop(fields.get("stop")), is_stream=typed(fields, "stream", bool, False),
        has_usage=typed(options, "include_usage", bool, False), ignore_eos=typed(fields, "ignore_eos", bool, False),
        has_token_ids=typed(fields, "return_token_ids", bool, False),
    )  # fmt: skip


def read_json(body: bytes) -> dict:
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError):  # not UTF-8, not JSON, a number of 5,000 digits, 10,000 brackets
        fields = None
    if not isinstance(fields, dict):
        message = say(en="the body is not a JSON object", es="el cuerpo no es un objeto JSON")
        raise ApiError(400, message, code="invalid_json")
    return fields


def read_prompt(prompt) -> tuple[int, ...]:
    """Token ids of a prompt: text, encoded as the tutor was trained to see it, or ids as they are."""
    if isinstance(prompt, list) and len(prompt) == 1 and isinstance(prompt[0], (str, list)):
        prompt = prompt[0]  # a list of one prompt
    if isinstance(prompt, str):
        try:
            return tuple(encode_prompt(prompt))
        except ValueError as error:  # empty, several lines, half a surrogate pair
            raise wrong("prompt", str(error)[:200]) from None
    if isinstance(prompt, list) and any(isinstance(part, (str, list)) for part in prompt):
        raise wrong("prompt", say(en="is a list of prompts: send one request for each",
                                  es="es una lista de prompts: envía una petición por cada uno"))  # fmt: skip
    if not isinstance(prompt, list) or not prompt or not all(is_token(part) for part in prompt):
        raise wrong("prompt", say(
            en=f"must be a text, or a list of token ids from 0 to {VOCAB_SIZE - 1}",
            es=f"debe ser un texto o una lista de ids de token de 0 a {VOCAB_SIZE - 1}",
        ))  # fmt: skip
    return tuple(prompt)


def is_token(value) -> bool:
    return type(value) is int and 0 <= value < VOCAB_SIZE


def read_max_tokens(fields: dict, num_prompt_tokens: int, context: int) -> int:
    """The token limit; without one, the tutor's longest answer, or what the context leaves room for."""
    name = "max_tokens" if fields.get("max_tokens") is not None else "max_completion_tokens"
    room = context - num_prompt_tokens
    limit = typed(fields, name, int, max(1, min(MAX_ANSWER_TOKENS, room)))
    if limit < 1:
        raise wrong(name, say(en=f"is {limit}: ask for at least one token", es=f"es {limit}: pide al menos un token"))
    if limit > room:
        message = say(
            en=f"the prompt has {num_prompt_tokens} tokens and {name} is {limit}: the context holds {context} in all",
            es=f"el prompt tiene {num_prompt_tokens} tokens y {name} es {limit}: el contexto es de {context} en total",
        )
        raise ApiError(400, message, code="context_length_exceeded", param=name)
    return limit


def read_stop(stop) -> tuple[tuple[int, ...], ...]:
    """Stop sequences as token ids. Tokens are bytes, so that a text is found wherever it stands."""
    stops = [] if stop is None else [stop] if isinstance(stop, str) else stop
    if not isinstance(stops, list) or len(stops) > MAX_STOPS or not all(is_stop(text) for text in stops):
        raise wrong("stop", say(
            en=f"must be a text, or a list of up to {MAX_STOPS}, each of 1 to {MAX_STOP_CHARACTERS} characters",
            es=f"debe ser un texto, o una lista de hasta {MAX_STOPS}, cada uno de 1 a {MAX_STOP_CHARACTERS} caracteres",
        ))  # fmt: skip
    return tuple(tuple(encode(text)) for text in stops)


def is_stop(text) -> bool:
    is_text = isinstance(text, str) and 1 <= len(text) <= MAX_STOP_CHARACTERS
    return is_text and not any("\ud800" <= character <= "\udfff" for character in text)  # half a surrogate pair


def typed(fields: dict, name: str, kind: type, default):
    """A field of the right type (True is no int here); the default if it is missing or null."""
    value = fields.get(name)
    if value is None:
        return default
    if type(value) is not kind:
        raise wrong(name, say(en=f"must be of type {kind.__name__}", es=f"debe ser de tipo {kind.__name__}"))
    return value


def queue_full(message: str) -> ApiError:
    return ApiError(429, message, code="queue_full", headers={"Retry-After": str(RETRY_AFTER_S)})


def engine_down(message: str) -> ApiError:
    return ApiError(503, message, code="engine_down")


def wrong(param: str, what: str) -> ApiError:
    return ApiError(400, f"{param}: {what}", code="invalid_value", param=param)


class CompletionText:
    """The forms of one answer: a whole body, or the chunks of a stream."""

    def __init__(self, wanted: CompletionRequest, model: str):
        self._wanted = wanted
        self._frame = {
            "id": f"cmpl-{uuid.uuid4().hex}", "object": "text_completion", "created": int(time.time()), "model": model,
        }  # fmt: skip
        # A character of several bytes leaves when its last byte has come.
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._token_ids: list[int] = []

    @property
    def num_tokens(self) -> int:
        return len(self._token_ids)

    def feed(self, token_ids, is_last: bool = False) -> str:
        """The text that may leave after these tokens."""
        self._token_ids += token_ids
        return self._decoder.decode(bytes(token_ids), final=is_last)

    def chunk(self, token_ids, reason: str | None) -> bytes:
        """One event of a stream, empty if there is nothing to say yet."""
        text = self.feed(token_ids, is_last=reason is not None)
        if not text and reason is None and not self._wanted.has_token_ids:
            return b""
        usage = {"usage": None} if self._wanted.has_usage else {}
        return server_sent({**self._frame, "choices": [self._choice(text, token_ids, reason)], **usage})

    def ending(self) -> bytes:
        """The last events of a stream."""
        usage = server_sent({**self._frame, "choices": [], "usage": self._usage()}) if self._wanted.has_usage else b""
        return usage + b"data: [DONE]\n\n"

    def whole(self, text: str, reason: str) -> dict:
        """The body of an answer that is not streamed."""
        return {**self._frame, "choices": [self._choice(text, self._token_ids, reason)], "usage": self._usage()}

    def _choice(self, text: str, token_ids, reason: str | None) -> dict:
        choice = {"index": 0, "text": text, "logprobs": None, "finish_reason": reason}
        if self._wanted.has_token_ids:
            choice["token_ids"] = list(token_ids)
        return choice

    def _usage(self) -> dict:
        num_prompt = len(self._wanted.prompt_token_ids)
        return {"prompt_tokens": num_prompt, "completion_tokens": self.num_tokens,
                "total_tokens": num_prompt + self.num_tokens}  # fmt: skip


def server_sent(data: dict) -> bytes:
    """A server-sent event (https://html.spec.whatwg.org/multipage/server-sent-events.html)."""
    return b"data: " + json.dumps(data, separators=(",", ":")).encode() + b"\n\n"
