"""Workload files: one request per line (JSON), read by the in-process replay and by the load client alike.

    {"request_id": 0, "prompt": "fix: she go\\n", "prompt_token_ids": [102, …], "max_tokens": 128, "arrival_s": 0.25}

Files that `--format` wrote for other tools are read, too, if they hold text. A line needs `max_tokens`, `arrival_s` and
one of `prompt` and `prompt_token_ids`. It may say `request_id` (else it is the line's place), `answer_token_ids` (known
beforehand, for runs without the model), `ignore_eos`, `priority`, `kind`.
"""

import json
import math
from pathlib import Path

from minigpt.language import say
from minigpt.llm.tokenizer import END_OF_PROMPT, EOS_TOKEN_ID, decode, encode
from minigpt.runtime.clock import NS, to_ns
from minigpt.workloads.workload import WorkItem, Workload

SUFFIX = ".jsonl"
OPTIONAL = ("request_id", "prompt", "prompt_token_ids", "answer_token_ids", "ignore_eos", "priority", "kind")
FIELDS = ("max_tokens", "arrival_s", *OPTIONAL)
# What `--format` writes for other tools: names of text, token limit and arrival, and the arrival's unit in a second.
EXPORTS = (
    ("text_input", "output_length", "timestamp", 1000), ("prompt", "output_tokens_count", "relative_timestamp", 1),
    ("prompt", "output_tokens", None, 1),
)
LATEST_S = 1e9  # an arrival after thirty years means that the unit is wrong
SHOWN_CHARACTERS = 60  # of a wrong value


def is_workload_file(name: str) -> bool:
    """Whether a workload's name means a file."""
    return str(name).lower().endswith(SUFFIX)


# -- writing ----------------------------------------------------------------------------------------------------


def write_workload(workload: Workload, path: Path) -> None:
    """Write a workload with scheduled arrivals; reading it again gives the same requests."""
    lines = [json.dumps(_row(item), ensure_ascii=False) for item in workload.items]
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def text_of(token_ids) -> str | None:
    """The text that encodes to exactly these tokens; None if a cut character leaves none."""
    text = decode(list(token_ids))
    return text if encode(text) == list(token_ids) else None


def _row(item: WorkItem) -> dict:
    if item.arrival_ns is None:
        raise ValueError(say(
            en=f"request {item.request_id} has no arrival: in a closed loop it depends on the answers. "
            "A workload file needs scheduled arrivals: poisson, burst, gamma or a trace",
            es=f"la petición {item.request_id} no tiene llegada: en un bucle cerrado depende de las respuestas. "
            "Un archivo de carga necesita llegadas programadas: poisson, burst, gamma o una traza",
        ))
    row = {"request_id": item.request_id, "prompt": text_of(item.prompt_token_ids)}
    row |= {"prompt_token_ids": item.prompt_token_ids, "max_tokens": item.max_tokens, "arrival_s": item.arrival_ns / NS,
            "answer_token_ids": item.answer}
    said = {name: value for name, value in row.items() if value is not None}
    # Defaults are left out: people read these files too.
    usual = {"ignore_eos": False, "priority": 0, "kind": ""}
    return said | {name: getattr(item, name) for name, value in usual.items() if getattr(item, name) != value}


# -- reading ----------------------------------------------------------------------------------------------------


def read_workload(path: Path) -> Workload:
    """The requests of a file, in order of arrival.

    Raises ValueError naming file, line, field, value and way out at the first line that cannot be served.
    """
    path = Path(path)
    if not path.is_file():
        raise ValueError(say(
            en=f"workload={str(path)!r}: there is no such file. Write one: "
            f"python -m minigpt workload --workload mixed --rate 12 --out {path.name}",
            es=f"workload={str(path)!r}: no existe ese archivo. Escribe uno: "
            f"python -m minigpt workload --workload mixed --rate 12 --out {path.name}",
        ))
    items, taken = [], {}
    for number, line in enumerate(_lines(path), 1):
        if line.strip():
            try:
                items.append(_item(line, len(items)))
                _check_new(items[-1].request_id, taken)
            except ValueError as error:
                line_name = say(en="line", es="línea")
                raise ValueError(f"{path}, {line_name} {number}: {error}") from None
            taken[items[-1].request_id] = number
    items.sort(key=lambda item: (item.arrival_ns, item.request_id))
    return Workload(name=path.name, items=tuple(items))


def _lines(path: Path) -> list[str]:
    try:
        # Not splitlines(): a prompt may hold a character that counts as a line's end to it (U+2028), and not to JSON.
        return path.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise ValueError(say(
            en=f"{path} is not UTF-8 (byte {error.start}): save it as UTF-8",
            es=f"{path} no está en UTF-8 (byte {error.start}): guárdalo como UTF-8",
        )) from None


def _check_new(request_id: int, taken: dict[int, int]) -> None:
    if request_id in taken:
        raise _wrong("request_id", request_id, en=f"line {taken[request_id]} has it too; ids must differ",
                     es=f"la línea {taken[request_id]} también lo tiene; deben ser distintos")


def _item(line: str, place: int) -> WorkItem:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        raise _wrong("JSON", line, en="write one JSON object per line", es="escribe un objeto JSON por línea") from None
    if not isinstance(row, dict):
        raise _wrong("JSON", row, en="write one JSON object per line", es="escribe un objeto JSON por línea")
    row = _as_ours({name: value for name, value in row.items() if value is not None})
    for name in row.keys() - set(FIELDS):
        raise _wrong(name, row[name], en=f"there is no such field; these are: {', '.join(FIELDS)}",
                     es=f"no existe ese campo; son: {', '.join(FIELDS)}")
    answer = _token_ids(row, "answer_token_ids")
    return WorkItem(
        request_id=_whole(row, "request_id", place, least=0), prompt_token_ids=_prompt(row),
        max_tokens=_whole(row, "max_tokens"), arrival_ns=to_ns(_arrival_s(row)), answer=answer,
        ignore_eos=_of_type(row, "ignore_eos", bool, False), priority=_whole(row, "priority", 0, least=None),
        kind=_of_type(row, "kind", str, ""),
    )


def _as_ours(row: dict) -> dict:
    """A row of an export for aiperf, guidellm or vLLM, in our own format; any other row as it is."""
    for text, limit, time, unit in EXPORTS:
        if limit in row and text in row and row.keys() <= {text, limit, time}:
            arrival = row.get(time, 0)
            is_number = type(arrival) in (int, float)
            return {"prompt": row[text], "max_tokens": row[limit], "arrival_s": arrival / unit if is_number else arrival}
    return row


def _prompt(row: dict) -> tuple[int, ...]:
    """The prompt's tokens; a text alone gets the end of its line, where the tutor begins to answer."""
    text, token_ids = _of_type(row, "prompt", str, None), _token_ids(row, "prompt_token_ids")
    if text is None and token_ids is None:
        raise _wrong("prompt", None, en="give prompt (text) or prompt_token_ids",
                     es="indica prompt (texto) o prompt_token_ids")
    if text is None:
        return token_ids
    try:
        encoded = tuple(encode(text))
    except UnicodeEncodeError:
        raise _wrong("prompt", text, en="it holds half of a surrogate pair, which is not text; take it out",
                     es="contiene medio par sustituto, que no es texto; quítalo") from None
    line = encoded if text.endswith(END_OF_PROMPT) else (*encoded, *encode(END_OF_PROMPT))
    if token_ids is None:
        return line if text else ()
    if token_ids not in (encoded, line):
        raise _wrong("prompt_token_ids", token_ids, en="they are not the bytes of prompt; leave one of the two out",
                     es="no son los bytes de prompt; quita uno de los dos")
    return token_ids


def _token_ids(row: dict, name: str) -> tuple[int, ...] | None:
    value = _of_type(row, name, list, None)
    if value is None:
        return None
    for token in value:
        if type(token) is not int or not 0 <= token < EOS_TOKEN_ID:
            raise _wrong(name, token, en=f"a token of text is a whole number from 0 to {EOS_TOKEN_ID - 1}",
                         es=f"un token de texto es un entero de 0 a {EOS_TOKEN_ID - 1}")
    return tuple(value)


def _arrival_s(row: dict) -> float:
    value = row.get("arrival_s")
    if type(value) not in (int, float) or not 0 <= value <= LATEST_S or math.isnan(value):
        raise _wrong("arrival_s", value, en="give seconds since the start, from 0 on",
                     es="indica los segundos desde el comienzo, de 0 en adelante")
    return float(value)


def _whole(row: dict, name: str, default: int | None = None, least: int | None = 1) -> int:
    value = row.get(name, default)
    if type(value) is not int or (least is not None and value < least):
        at_least = "" if least is None else f" ≥ {least}"
        raise _wrong(name, value, en=f"give a whole number{at_least}", es=f"escribe un número entero{at_least}")
    return value


def _of_type(row: dict, name: str, kind: type, default):
    value = row.get(name, default)
    if name in row and type(value) is not kind:
        wanted = {bool: "true / false", str: '"…"', list: "[…]"}[kind]
        raise _wrong(name, value, en=f"write it as {wanted}", es=f"escríbelo como {wanted}")
    return value


def _wrong(name: str, value, *, en: str, es: str) -> ValueError:
    shown = repr(value)
    if len(shown) > SHOWN_CHARACTERS:
        shown = shown[:SHOWN_CHARACTERS] + "…"
    return ValueError(f"{name}={shown}: {say(en=en, es=es)}")
