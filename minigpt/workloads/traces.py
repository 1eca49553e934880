"""Workloads from a production trace: a CSV with TIMESTAMP, ContextTokens and GeneratedTokens.

This is the form of the public Azure LLM inference traces of 2023 (Patel et al., Splitwise, ISCA 2024) and of 2024
(Stojkovic et al., DynamoLLM, HPCA 2025). Production prompts are longer than the Mini-GPT's context, so lengths are
scaled by one stated factor, and time by another.
"""

import csv
import random
from datetime import datetime
from pathlib import Path

from minigpt.workloads.workload import CONTEXT, Workload, arriving, requests_of_lengths

COLUMNS = ("TIMESTAMP", "ContextTokens", "GeneratedTokens")
REPORTED_ROWS = 5  # bad rows named one by one; more are only counted


def read_rows(path: Path) -> tuple[list[tuple[float, int, int]], list[str]]:
    """The good rows as (seconds since the first, prompt tokens, output tokens), and a line on each bad one.

    Raises ValueError if the file or a column is missing, or no row is good.
    """
    if not Path(path).is_file():
        raise ValueError(f"trace={str(path)!r}: there is no such file")
    rows, faults = [], []
    with open(path, encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        missing = [column for column in COLUMNS if column not in (reader.fieldnames or [])]
        if missing:
            raise ValueError(f"trace={str(path)!r} has no column {', '.join(missing)}: it needs {', '.join(COLUMNS)}")
        for row in reader:
            try:
                rows.append(_parsed(row))
            except (TypeError, ValueError) as error:
                faults.append(f"line {reader.line_num}: {error}")
    if not rows:
        raise ValueError(f"trace={str(path)!r} has no good row ({'; '.join(faults[:REPORTED_ROWS])})")
    rows.sort()
    return [((time - rows[0][0]).total_seconds(), prompt, output) for time, prompt, output in rows], faults


def _parsed(row: dict) -> tuple[datetime, int, int]:
    stamp, prompt, output = (row[column] for column in COLUMNS)
    if None in (stamp, prompt, output):
        raise ValueError("the row is too short")
    # Some releases write seven digits of a second's fraction; Python reads six.
    # All times of a trace are in one zone, which only some rows write.
    time = datetime.fromisoformat(stamp.strip()[:26].rstrip("Z")).replace(tzinfo=None)
    prompt, output = int(prompt), int(output)
    if prompt < 1 or output < 1:
        raise ValueError(f"ContextTokens={prompt}, GeneratedTokens={output}: both must be at least 1")
    return time, prompt, output


def trace_workload(
    path: Path, *, length_factor: float | None = None, rate_per_s: float | None = None,
    num_requests: int | None = None, seed: int = 0,
) -> Workload:  # fmt: skip
    """A workload with the trace's arrivals and lengths, scaled to the Mini-GPT; `notes` says what was done.

    `length_factor` multiplies every length (default: the largest factor at which the longest request fits the
    context, at most 1); `rate_per_s` squeezes or stretches time to that mean rate (default: the trace's own).
    """
    for name, value in (("rate_per_s", rate_per_s), ("num_requests", num_requests)):
        if value is not None and not value > 0:
            raise ValueError(f"{name}={value}: it must be positive")
    rows, faults = read_rows(path)
    rows = rows[:num_requests]
    longest = max(prompt + output for _, prompt, output in rows)
    if length_factor is None:
        length_factor = min(1.0, (CONTEXT - 2) / longest)  # rounding up to one token each may add two
    if length_factor <= 0:
        raise ValueError(f"length_factor={length_factor}: it must be positive")
    time_factor = 1.0
    if rate_per_s is not None:
        time_factor = (len(rows) - 1) / rows[-1][0] / rate_per_s if rows[-1][0] > 0 else 1.0
    prompts = [max(1, int(prompt * length_factor)) for _, prompt, _ in rows]
    outputs = [max(1, int(output * length_factor)) for _, _, output in rows]
    items = requests_of_lengths(outputs, random.Random(seed), prompts)
    notes = [f"{len(rows)} requests; lengths × {length_factor:.4g} (the longest had {longest} tokens), "
             f"time × {time_factor:.4g}"]  # fmt: skip
    if faults:
        more = f"; and {len(faults) - REPORTED_ROWS} more" if len(faults) > REPORTED_ROWS else ""
        notes.append(f"{len(faults)} bad rows left out: {'; '.join(faults[:REPORTED_ROWS])}{more}")
    times = [time * time_factor for time, _, _ in rows]
    return arriving(items, times, Path(path).name, notes=tuple(notes))
