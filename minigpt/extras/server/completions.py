"""Reading a request for a completion or a chat completion, as far as a greedy byte-level model can serve it."""

import json
from dataclasses import dataclass

from minigpt.extras.server.api_error import ApiError, wrong
from minigpt.extras.server.fields import CHAT, COMPLETIONS, check_fields
from minigpt.extras.server.request_handle import AnswerOptions
from minigpt.language import say
from minigpt.llm.tokenizer import END_OF_PROMPT, EOS_TOKEN_ID, VOCAB_SIZE, encode
from minigpt.workloads.workload import MAX_ANSWER_TOKENS

MAX_STOPS = 4  # OpenAI's own limit
MAX_STOP_CHARACTERS = 256
MAX_PROMPTS = 128  # of one request
ROLES = ("system", "developer", "user", "assistant", "tool", "function")


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionRequest:
    """What a client asks for, checked."""

    prompts: tuple[tuple[int, ...], ...]  # token ids; one answer for each
    max_tokens: tuple[int, ...]  # of each
    options: AnswerOptions
    is_chat: bool
    is_stream: bool
    has_usage: bool  # usage in a stream, too
    has_running_usage: bool  # in each of its chunks
    has_token_ids: bool

    @property
    def num_prompt_tokens(self) -> int:
        return sum(map(len, self.prompts))


def read_request(body: bytes, model: str, context: int, endpoint: str = COMPLETIONS) -> CompletionRequest:
    """The request in a body; ApiError says what is wrong with it."""
    fields = check_fields(read_json(body), endpoint)
    asked = fields.get("model", model)
    if asked != model:
        raise no_such_model(asked, model)
    is_chat = endpoint == CHAT
    prompts = (read_messages(fields.get("messages")),) if is_chat else read_prompts(fields.get("prompt"))
    options = fields.get("stream_options", {})
    limits = tuple(read_max_tokens(fields, len(prompt), context) for prompt in prompts)
    return CompletionRequest(
        prompts=prompts, max_tokens=limits, options=read_options(fields, limits), is_chat=is_chat,
        is_stream=fields.get("stream", False), has_usage=bool(options.get("include_usage")),
        has_running_usage=bool(options.get("continuous_usage_stats")),
        has_token_ids=fields.get("return_token_ids", False),
    )


def read_json(body: bytes) -> dict:
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError):  # not UTF-8, not JSON, a number of 5,000 digits, 10,000 brackets
        fields = None
    if not isinstance(fields, dict):
        message = say(en="the body is not a JSON object", es="el cuerpo no es un objeto JSON")
        raise ApiError(400, message, code="invalid_json")
    return fields


def no_such_model(asked: str, model: str) -> ApiError:
    message = say(en=f"there is no model {ascii(asked[:100])}: ask for {model!r}",
                  es=f"no hay ningún modelo {ascii(asked[:100])}: pide {model!r}")
    return ApiError(404, message, code="model_not_found", param="model")


# -- prompts ------------------------------------------------------------------------------------------------------


def read_prompts(prompt) -> tuple[tuple[int, ...], ...]:
    """Token ids of each prompt: one text, one list of ids, or a list of texts or of lists."""
    is_many = isinstance(prompt, list) and bool(prompt) and all(isinstance(part, (str, list)) for part in prompt)
    prompts = prompt if is_many else [prompt]
    if len(prompts) > MAX_PROMPTS:
        raise wrong("prompt", say(en=f"has {len(prompts)} prompts: send at most {MAX_PROMPTS} in one request",
                                  es=f"tiene {len(prompts)} prompts: envía como mucho {MAX_PROMPTS} en una petición"))
    return tuple(read_prompt(each) for each in prompts)


def read_prompt(prompt) -> tuple[int, ...]:
    """Token ids of one prompt: of a text in the form that the tutor was trained on, or ids as they are."""
    if isinstance(prompt, str):
        return encode_text(prompt, "prompt")
    if not isinstance(prompt, list) or not prompt or not all(is_token(part) for part in prompt):
        raise wrong("prompt", say(
            en=f"must be a string, a list of token ids from 0 to {VOCAB_SIZE - 1}, or a list of either",
            es=f"debe ser un texto, una lista de ids de token de 0 a {VOCAB_SIZE - 1}, o una lista de unos u otros",
        ))
    return tuple(prompt)


def encode_text(text: str, param: str) -> tuple[int, ...]:
    """A text's bytes, with its last line ended: the tutor's answer begins there. Several lines are one prompt."""
    stripped = text.strip()
    if not stripped:
        raise wrong(param, say(en="is empty: give a line such as 'fix: she go to school'",
                               es="está vacío: escribe una línea como 'corrige: ella van a casa'"))
    try:
        return tuple(encode(stripped + END_OF_PROMPT))
    except UnicodeEncodeError:
        raise wrong(param, say(en="holds half of a surrogate pair, which is not text",
                               es="contiene medio par sustituto, que no es texto")) from None


def read_messages(messages) -> tuple[int, ...]:
    """The prompt of a chat: its last message of the user. The tutor has no memory of what was said before."""
    if not messages:
        raise wrong("messages", say(en="must be a list with a message of the user",
                                    es="debe ser una lista con un mensaje del usuario"))
    last = None
    for index, message in enumerate(messages):
        name = f"messages[{index}]"
        if not isinstance(message, dict) or message.get("role") not in ROLES:
            raise wrong(name, say(en=f"must be an object whose role is one of {', '.join(ROLES)}",
                                  es=f"debe ser un objeto cuyo role sea uno de {', '.join(ROLES)}"))
        text = read_content(message.get("content"), f"{name}.content")
        last = text if message["role"] == "user" else last
    if last is None:
        raise wrong("messages", say(en="has no message whose role is user", es="no tiene ningún mensaje con role user"))
    return encode_text(last, "messages")


def read_content(content, name: str) -> str:
    """A message's text: a string, or parts of type text."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else [None]
    for part in parts:
        if not isinstance(part, dict) or part.get("type") != "text" or not isinstance(part.get("text"), str):
            raise wrong(name, say(en="must be a string, or parts of type text: this model reads nothing else",
                                  es="debe ser un texto, o partes de tipo text: este modelo no lee otra cosa"))
    return "\n".join(part["text"] for part in parts)


def is_token(value) -> bool:
    return type(value) is int and 0 <= value < VOCAB_SIZE


# -- limits and stops ---------------------------------------------------------------------------------------------


def read_max_tokens(fields: dict, num_prompt_tokens: int, context: int) -> int:
    """The token limit; by default, the tutor's longest answer or what fits in the context."""
    name = "max_tokens" if "max_tokens" in fields else "max_completion_tokens"
    other = fields.get("max_completion_tokens", fields.get(name))
    if other != fields.get(name):
        raise wrong(name, say(en=f"is {fields[name]}, but max_completion_tokens is {other}: they mean the same",
                              es=f"es {fields[name]}, pero max_completion_tokens es {other}: significan lo mismo"))
    room = context - num_prompt_tokens
    limit = fields.get(name, max(1, min(MAX_ANSWER_TOKENS, room)))
    if limit > room:
        message = say(
            en=f"the prompt has {num_prompt_tokens} tokens and {name} is {limit}: the context holds {context} in total",
            es=f"el prompt tiene {num_prompt_tokens} tokens y {name} es {limit}: el contexto es de {context} en total",
        )
        raise ApiError(400, message, code="context_length_exceeded", param=name)
    return limit


def read_options(fields: dict, limits: tuple[int, ...]) -> AnswerOptions:
    min_tokens, ignore_eos = fields.get("min_tokens", 0), fields.get("ignore_eos", False)
    if min_tokens > min(limits):
        raise wrong("min_tokens", say(en=f"is {min_tokens}, but max_tokens is {min(limits)}",
                                      es=f"es {min_tokens}, pero max_tokens es {min(limits)}"))
    stop_ids = fields.get("stop_token_ids", [])
    if not all(is_token(each) for each in stop_ids):
        raise wrong("stop_token_ids", say(en=f"must be token ids from 0 to {VOCAB_SIZE - 1}",
                                          es=f"deben ser ids de token de 0 a {VOCAB_SIZE - 1}"))
    if ignore_eos and EOS_TOKEN_ID in stop_ids:
        raise wrong("stop_token_ids", say(en=f"names EOS ({EOS_TOKEN_ID}), but ignore_eos ignores it",
                                          es=f"contiene EOS ({EOS_TOKEN_ID}), pero ignore_eos lo ignora"))
    return AnswerOptions(
        ignore_eos=ignore_eos, min_tokens=min_tokens, stop=read_stop(fields.get("stop")),
        stop_token_ids=frozenset(stop_ids), priority=fields.get("priority", 0),
    )


def read_stop(stop) -> tuple[tuple[int, ...], ...]:
    """Stop sequences as token ids. Tokens are bytes, so a text is found wherever it occurs."""
    stops = [] if stop is None else [stop] if isinstance(stop, str) else stop
    if not isinstance(stops, list) or len(stops) > MAX_STOPS or not all(is_stop(text) for text in stops):
        raise wrong("stop", say(
            en=f"must be a string, or a list of up to {MAX_STOPS}, each of 1 to {MAX_STOP_CHARACTERS} characters",
            es=f"debe ser un texto, o una lista de hasta {MAX_STOPS}, cada uno de 1 a {MAX_STOP_CHARACTERS} caracteres",
        ))
    return tuple(tuple(encode(text)) for text in stops)


def is_stop(text) -> bool:
    is_text = isinstance(text, str) and 1 <= len(text) <= MAX_STOP_CHARACTERS
    return is_text and not any("\ud800" <= character <= "\udfff" for character in text)  # half a surrogate pair
