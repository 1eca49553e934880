"""Workload files for third-party load generators: aiperf, guidellm and `vllm bench serve`.

Each takes prompts as text. What a format cannot express is reported in a note.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from minigpt.language import say
from minigpt.llm.tokenizer import decode
from minigpt.runtime.clock import NS
from minigpt.workloads.files import text_of
from minigpt.workloads.workload import WorkItem, Workload

NS_PER_MS = NS // 1000


def mooncake_row(item: WorkItem) -> dict:
    """aiperf's `mooncake_trace`: arrivals in milliseconds, a limit of output tokens."""
    return {
        "timestamp": item.arrival_ns / NS_PER_MS,
        "text_input": decode(item.prompt_token_ids),
        "output_length": item.max_tokens,
    }


def guidellm_row(item: WorkItem) -> dict:
    """guidellm's columns. It asks every server to ignore EOS, so the count is the answer's length where it is known."""
    known = item.answer is not None
    count = max(1, min(len(item.answer), item.max_tokens)) if known else item.max_tokens
    row = {"prompt": decode(item.prompt_token_ids), "output_tokens_count": count}
    return row if item.arrival_ns is None else row | {"relative_timestamp": item.arrival_ns / NS}


def vllm_row(item: WorkItem) -> dict:
    """The `custom` data set of `vllm bench serve`, which draws arrivals itself."""
    return {"prompt": decode(item.prompt_token_ids), "output_tokens": item.max_tokens}


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One tool's file."""

    row: Callable[[WorkItem], dict]
    has_arrivals: bool = True
    needs_arrivals: bool = False


FORMATS = {
    "mooncake_trace": Format(row=mooncake_row, needs_arrivals=True),
    "guidellm": Format(row=guidellm_row),
    "vllm": Format(row=vllm_row, has_arrivals=False),
}


def export_workload(workload: Workload, kind: str, path: Path) -> list[str]:
    """Write a workload in another tool's format; return a note on each thing that the format cannot express."""
    if kind not in FORMATS:
        raise ValueError(f"format={kind!r}: choose {', '.join(FORMATS)}")
    form = FORMATS[kind]
    if form.needs_arrivals and any(item.arrival_ns is None for item in workload.items):
        raise ValueError(say(
            en=f"format={kind}: it needs scheduled arrivals, but a closed loop has none; choose poisson, burst or gamma",
            es=f"format={kind}: necesita llegadas programadas, pero un bucle cerrado no las "
               "tiene; elige poisson, burst o gamma",
        ))
    lines = [json.dumps(form.row(item), ensure_ascii=False) for item in workload.items]
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return _notes(workload, kind, form)


def _notes(workload: Workload, kind: str, form: Format) -> list[str]:
    notes = []
    if not form.has_arrivals:
        notes.append(say(en=f"{kind} draws arrivals itself: those of the workload are not in the file",
                         es=f"{kind} sortea las llegadas: las de la carga no están en el archivo"))
    elif any(item.arrival_ns is None for item in workload.items):
        notes.append(say(en="in a closed loop arrivals depend on the answers: there are none in the file",
                         es="en un bucle cerrado las llegadas dependen de las respuestas: no hay ninguna en el archivo"))
    cut = sum(text_of(item.prompt_token_ids) is None for item in workload.items)
    if cut:
        notes.append(say(
            en=f"{cut} prompts are cut inside a character, which becomes '�' as text",
            es=f"{cut} prompts están cortados dentro de un carácter, que como texto pasa a ser '�'",
        ))
    ignoring = sum(item.ignore_eos for item in workload.items)
    if ignoring and kind != "guidellm":
        option = "--extra-inputs ignore_eos:true" if kind == "mooncake_trace" else "--ignore-eos"
        notes.append(say(
            en=f"{ignoring} requests ignore EOS: pass {option} to the tool, where it applies to all requests",
            es=f"{ignoring} peticiones ignoran EOS: pasa {option} a la herramienta, donde valdrá para todas",
        ))
    return notes
