"""Tables as text: columns aligned, and the figures of several runs side by side."""

from collections.abc import Sequence
from itertools import chain, repeat

from minigpt.language import say

ROWS = (
    ("e2e_p50_ms", "E2E p50 (ms)"), ("e2e_p95_ms", "E2E p95 (ms)"), ("e2e_p99_ms", "E2E p99 (ms)"),
    ("ttft_p50_ms", "TTFT p50 (ms)"), ("ttft_p95_ms", "TTFT p95 (ms)"), ("ttft_p99_ms", "TTFT p99 (ms)"),
    ("itl_p95_ms", "ITL p95 (ms)"), ("throughput_per_s", "throughput (req/s)"),
    ("goodput_per_s", "goodput (req/s)"), ("tokens_per_s", "tokens/s"), ("slot_use_percent", "slot use (%)"),
    ("num_steps", "steps"), ("num_requests", "requests"), ("num_unfinished", "unfinished requests"),
)
SPANISH = {
    "throughput (req/s)": "throughput (pet./s)", "goodput (req/s)": "goodput (pet./s)", "slot use (%)": "uso de slots (%)",
    "steps": "pasos", "requests": "peticiones", "unfinished requests": "peticiones sin terminar",
}


def aligned(rows: Sequence[Sequence[str]], *, numbers: bool = True, widths: Sequence[int] = ()) -> str:
    """Rows of cells as lines: the first column on the left, the others on the right, or on the left if not `numbers`.

    `widths` are the least widths of the columns; the last one holds for all that follow it.
    """
    least = chain(widths, repeat(widths[-1] if widths else 0))
    columns = [max(smallest, *map(len, column)) for column, smallest in zip(zip(*rows), least)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if numbers and place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, columns))
        ).rstrip()
        for row in rows
    )


def summary_table(summaries: dict, rows=ROWS) -> str:
    """The figures of each run, side by side."""
    lines = [("", *summaries)]
    for field, label in rows:
        figures = [figure(getattr(summary, field)) for summary in summaries.values()]
        lines.append((say(en=label, es=SPANISH.get(label, label)), *figures))
    return aligned(lines, widths=(24, 14))


def figure(value) -> str:
    if value is None:
        return "–"
    return str(value) if isinstance(value, int) else f"{value:,.2f}"
