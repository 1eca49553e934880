"""Every field of a request, declared once: what it must be, where it belongs, and what the server does with it.

Names are those of OpenAI's completions and chat completions (https://platform.openai.com/docs/api-reference) and of
vLLM's extensions. A field is *used*; or *ignored*, since it has no effect on a greedy answer; or it would change the
answer and is not supported: then only values without effect are accepted. Everything else, above all a misspelt name,
is refused: a client that asked for something must not believe that it got it.

`check_fields` reads this declaration, and so does the table in the README (`field_table.py`).
"""

import difflib
import json
import math
from dataclasses import dataclass

from minigpt.extras.server.api_error import wrong
from minigpt.language import say

COMPLETIONS, CHAT = "completions", "chat"
BOTH = (COMPLETIONS, CHAT)
USED, IGNORED, NEUTRAL = "used", "ignored", "neutral"

TEXT, WHOLE, NUMBER, FLAG, LIST, OBJECT = "text", "whole", "number", "flag", "list", "object"
KINDS = {
    TEXT: (str,), WHOLE: (int,), NUMBER: (int, float), FLAG: (bool,), LIST: (list,), OBJECT: (dict,),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of a request's JSON."""

    name: str
    kinds: tuple[str, ...]
    use: str
    where: tuple[str, ...] = BOTH
    least: float = -math.inf
    most: float = math.inf
    neutral: tuple = ()  # besides null: with these it has no effect
    en: str = ""  # what it does
    es: str = ""


def used(name: str, *kinds: str, en: str, es: str, **more) -> Field:
    return Field(name=name, kinds=kinds, use=USED, en=en, es=es, **more)


def ignored(name: str, *kinds: str, **more) -> Field:
    return Field(name=name, kinds=kinds, use=IGNORED, **more)


def neutral(name: str, *values, **more) -> Field:
    return Field(name=name, kinds=(), use=NEUTRAL, neutral=values, **more)


FIELDS = (
    used("model", TEXT, en="the server's own model, or left out", es="el modelo del servidor, o nada"),
    used("prompt", TEXT, LIST, where=(COMPLETIONS,), en="a string, token ids, or a list of either",
         es="un texto, ids de token, o una lista de unos u otros"),
    used("messages", LIST, where=(CHAT,), en="the last user message is the prompt",
         es="el último mensaje del usuario es el prompt"),
    used("max_tokens", WHOLE, least=1, en="most output tokens; 128 if left out, or what the context has room for",
         es="máximo de tokens de salida; sin él, 128 o lo que quepa en el contexto"),
    used("max_completion_tokens", WHOLE, least=1, en="the same under its newer name",
         es="lo mismo con su nombre nuevo"),
    used("min_tokens", WHOLE, least=0, en="neither EOS nor a stop ends the answer before this many tokens",
         es="con menos tokens no la terminan ni EOS ni `stop`"),
    used("stop", TEXT, LIST, en="up to 4 strings that end the answer and are not in it",
         es="hasta 4 textos que terminan la respuesta y no aparecen en ella"),
    used("stop_token_ids", LIST, en="token ids that do the same", es="ids de token que hacen lo mismo"),
    used("ignore_eos", FLAG, en="continue to `max_tokens`", es="sigue hasta `max_tokens`"),
    used("stream", FLAG, en="send tokens as they come", es="envía los tokens según salen"),
    used("stream_options", OBJECT, en="`include_usage` at the end; `continuous_usage_stats` in each chunk",
         es="`include_usage` al final; `continuous_usage_stats` en cada trozo"),
    used("return_token_ids", FLAG, en="token ids in addition to the text", es="ids de token junto al texto"),
    used("priority", WHOLE, en="`request.priority` of your loop: lower is more urgent",
         es="`request.priority` de tu bucle: menor es más urgente"),
    # The answer is greedy: the most likely token, whatever these say.
    ignored("temperature", NUMBER, least=0), ignored("top_p", NUMBER, least=0, most=1),
    ignored("top_k", WHOLE, least=-1), ignored("min_p", NUMBER, least=0, most=1), ignored("seed", WHOLE),
    # Bookkeeping.
    ignored("user", TEXT), ignored("metadata", OBJECT), ignored("store", FLAG), ignored("service_tier", TEXT),
    ignored("safety_identifier", TEXT), ignored("prompt_cache_key", TEXT), ignored("request_id", TEXT),
    ignored("add_special_tokens", FLAG), ignored("skip_special_tokens", FLAG),
    ignored("spaces_between_special_tokens", FLAG), ignored("parallel_tool_calls", FLAG, where=(CHAT,)),
    # What would change the answer, or its form.
    neutral("n", 1), neutral("best_of", 1, where=(COMPLETIONS,)), neutral("echo", False), neutral("logprobs", False),
    neutral("top_logprobs", 0, where=(CHAT,)), neutral("prompt_logprobs", False),
    neutral("suffix", "", where=(COMPLETIONS,)),
    neutral("presence_penalty", 0, 0.0), neutral("frequency_penalty", 0, 0.0), neutral("repetition_penalty", 1, 1.0),
    neutral("length_penalty", 1, 1.0), neutral("use_beam_search", False), neutral("logit_bias", {}),
    neutral("bad_words", []), neutral("allowed_token_ids"), neutral("include_stop_str_in_output", False),
    neutral("truncate_prompt_tokens"), neutral("response_format", {"type": "text"}), neutral("guided_json"),
    neutral("guided_regex"), neutral("guided_choice"), neutral("guided_grammar"), neutral("structured_outputs"),
    neutral("tools", [], where=(CHAT,)), neutral("tool_choice", "none", "auto", where=(CHAT,)),
    neutral("functions", [], where=(CHAT,)), neutral("function_call", "none", "auto", where=(CHAT,)),
    neutral("modalities", ["text"], where=(CHAT,)), neutral("audio", where=(CHAT,)),
    neutral("prediction", where=(CHAT,)), neutral("reasoning_effort", where=(CHAT,)),
    neutral("web_search_options", where=(CHAT,)), neutral("verbosity", where=(CHAT,)),
)
STREAM_OPTIONS = ("include_usage", "continuous_usage_stats", "include_obfuscation")


def fields_of(endpoint: str) -> dict[str, Field]:
    """The declared fields of /v1/completions or /v1/chat/completions."""
    return {field.name: field for field in FIELDS if endpoint in field.where}


def check_fields(sent: dict, endpoint: str) -> dict:
    """The used fields of a request, those that are null left out; ApiError names the first that is wrong."""
    known = fields_of(endpoint)
    for name, value in sent.items():
        if name not in known:
            raise unknown(name, list(known))
        if value is not None:
            check_value(known[name], value)
    for name, value in (sent.get("stream_options") or {}).items():
        if name not in STREAM_OPTIONS:
            raise unknown(f"stream_options.{name}", [f"stream_options.{each}" for each in STREAM_OPTIONS])
        if type(value) is not bool and value is not None:
            raise wrong(f"stream_options.{name}", must_be(FLAG, value))
    return {name: value for name, value in sent.items() if value is not None and known[name].use == USED}


def check_value(field: Field, value) -> None:
    """ApiError if a field has a value of the wrong type, out of bounds, or one that asks for what is not supported."""
    if field.use == NEUTRAL:
        # True is 1 to Python, but not a count to a client.
        if not any(value == each and type(value) is type(each) for each in field.neutral):
            only = ", ".join(shown(each) for each in ("null", *map(in_json, field.neutral)))
            raise wrong(field.name, say(en=f"is not supported here: leave it out (or {only})",
                                        es=f"no se admite aquí: quítalo (o {only})"), "not_supported")
        return
    kinds = [kind for each in field.kinds for kind in KINDS[each]]
    if type(value) not in kinds:
        raise wrong(field.name, must_be(" / ".join(field.kinds), value))
    if type(value) in (int, float) and not field.least <= value <= field.most:
        bounds = f"≥ {field.least:g}" if field.most == math.inf else f"{field.least:g} … {field.most:g}"
        raise wrong(field.name, say(en=f"is {shown(value)}: it must be {bounds}",
                                    es=f"es {shown(value)}: debe ser {bounds}"))


def unknown(name: str, known: list[str]):
    """The refusal of a field that is not declared, with the one that it resembles."""
    near = difflib.get_close_matches(name, known, 1)
    hint = say(en=f"; did you mean {near[0]}?", es=f"; ¿querías decir {near[0]}?") if near else ""
    return wrong(shown(name), say(en="there is no such field", es="no existe ese campo") + hint, "unknown_field")


def must_be(kinds: str, value) -> str:
    """"must be number, not 'hot'"."""
    english = {TEXT: "a string", WHOLE: "a whole number", NUMBER: "a number", FLAG: "true or false", LIST: "a list",
               OBJECT: "an object"}
    spanish = {TEXT: "un texto", WHOLE: "un entero", NUMBER: "un número", FLAG: "true o false", LIST: "una lista",
               OBJECT: "un objeto"}
    parts = kinds.split(" / ")
    en, es = " or ".join(english[part] for part in parts), " o ".join(spanish[part] for part in parts)
    return say(en=f"must be {en}, not {in_json(value)}", es=f"debe ser {es}, no {in_json(value)}")


def in_json(value) -> str:
    return shown(json.dumps(value, ensure_ascii=True))


def shown(value) -> str:
    text = str(value).encode("ascii", "backslashreplace").decode()
    return text if len(text) <= 60 else text[:60] + "…"
