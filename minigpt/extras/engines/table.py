"""The rows as one Markdown table, in the reader's language."""

import math

from minigpt.extras.engines.report import Row
from minigpt.language import say


def table(rows: list[Row]) -> str:
    """The engines that ran as a table; below it, one line for each that did not."""
    heads = [
        say(en="engine", es="motor"), "tokens/s", say(en="Mini-GPT is", es="Mini-GPT es"),
        say(en="tokens per CPU second", es="tokens por segundo de CPU"),
        say(en="E2E p50 / p95 (ms)", es="E2E p50 / p95 (ms)"), say(en="TTFT p50 / p95 (ms)", es="TTFT p50 / p95 (ms)"),
        say(en="same answers", es="respuestas iguales"), say(en="largest gap (logits)", es="mayor brecha (logits)"),
    ]
    lines = [f"| {' | '.join(heads)} |", "|---|" + "---:|" * (len(heads) - 1)]
    ran = [f"| {' | '.join(cells(row))} |" for row in rows if row.tokens_per_s is not None]
    out = [f"- {row.label}: {row.reason}" for row in rows if row.tokens_per_s is None]
    return "\n\n".join("\n".join(part) for part in (ran and [*lines, *ran], out) if part)


def cells(row: Row) -> list[str]:
    """One row's cells."""
    is_ours = row.times_ours is None or row.name == "mini-gpt"
    return [
        row.label, f"{row.tokens_per_s:.0f}", "" if is_ours else f"{row.times_ours:.2f} ×",
        "–" if row.tokens_per_cpu_s is None else f"{row.tokens_per_cpu_s:.0f}",
        pair(row.e2e_p50_ms, row.e2e_p95_ms), pair(row.ttft_p50_ms, row.ttft_p95_ms),
        "" if is_ours else say(en=f"{row.num_same} of {row.num_answers}", es=f"{row.num_same} de {row.num_answers}"),
        "" if is_ours or not row.differences else gap(row),
    ]


def pair(first: float | None, second: float | None) -> str:
    return "–" if first is None else f"{first:.0f} / {second:.0f}"


def gap(row: Row) -> str:
    """The largest difference of logits where an answer departed from ours."""
    known = [abs(one.gap) for one in row.differences if not math.isnan(one.gap)]
    return f"{max(known):.2g}" if known else "?"
