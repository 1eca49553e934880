"""Workloads from a production trace, scaled to the Mini-GPT.

Production prompts are longer than the Mini-GPT's context, so lengths are scaled by one stated factor, and time by
another. Alternatively the trace is only a pool of lengths, from which requests are drawn for any arrivals.
"""

import random
from pathlib import Path

from minigpt.language import say
from minigpt.workloads.trace_files import COLUMNS, NS, Rows, read_trace
from minigpt.workloads.workload import CONTEXT, Workload, arriving, requests_of_lengths, schedule

__all__ = ["COLUMNS", "TOO_LONG", "read_rows", "trace_workload"]
REPORTED_ROWS = 5  # bad rows named one by one; more are only counted
SCALE, CAP, DROP = "scale", "cap", "drop"
TOO_LONG = (SCALE, CAP, DROP)  # what to do with the longest requests
FITTING_PERCENT = 99  # of the requests, if the others are cut or dropped
POOL_ROWS = 100_000  # read of a trace that is a pool: more do not change how its lengths are spread


def read_rows(path: Path, most: int | None = None) -> tuple[list[tuple[float, int, int]], list[str]]:
    """The good rows as (seconds since the first, prompt tokens, output tokens), and a line on each bad one.

    Raises ValueError if the file or a column is missing, or no row is good.
    """
    found = read_trace(path, most)
    rows = sorted(_timed(found))
    return [((time_ns - rows[0][0]) / NS, prompt, output) for time_ns, prompt, output in rows], found.bad_rows


def _timed(found: Rows) -> list[tuple[int, int, int]]:
    """Times in one zone. A row without one is in the zone that the others name, as in the trace of 2024."""
    usual = next((row.offset_ns for row in found.good if row.offset_ns is not None), 0)
    return [
        (row.time_ns - (usual if row.offset_ns is None else row.offset_ns), row.num_prompt_tokens, row.num_output_tokens)
        for row in found.good
    ]


def trace_workload(
    path: Path, *, length_factor: float | None = None, rate_per_s: float | None = None,
    num_requests: int | None = None, seed: int = 0, too_long: str = SCALE, arrivals: str | None = None,
    load: float | None = None, max_batch: int = 8,
) -> Workload:
    """A workload with the trace's arrivals and lengths, scaled to the Mini-GPT; `notes` says what was done.

    `length_factor` multiplies every length (default: the largest factor at which the longest request fits the
    context, at most 1); `rate_per_s` squeezes or stretches time to that mean rate (default: the trace's own).
    `too_long` says what to do with outliers: `scale` shrinks all requests with the longest, `cap` shortens and
    `drop` leaves out those that do not fit once 99 of 100 do. With `arrivals` (those of `workload`) the trace is a pool:
    lengths are drawn from it, and its times do not matter.
    """
    for name, value in (("rate_per_s", rate_per_s), ("num_requests", num_requests), ("length_factor", length_factor)):
        if value is not None and not value > 0:
            raise ValueError(f"{name}={value}: it must be positive")
    if too_long not in TOO_LONG:
        raise ValueError(f"too_long={too_long!r}: choose {', '.join(TOO_LONG)}")
    rows, bad_rows = read_rows(path, num_requests if arrivals is None else POOL_ROWS)
    rng = random.Random(seed)
    if arrivals is not None:
        rows = rng.choices(rows, k=num_requests or len(rows))
    rows, note = _scaled(rows, length_factor, too_long)
    items = requests_of_lengths([output for _, _, output in rows], rng, [prompt for _, prompt, _ in rows])
    name = Path(path).name
    if arrivals is not None:
        notes = (f"{note}, {say(en='arrivals', es='llegadas')} {arrivals}", *_bad_row_notes(bad_rows))
        return schedule(items, name, rng, load=load, rate_per_s=rate_per_s, arrivals=arrivals, max_batch=max_batch,
                        notes=notes)
    times, factor = _squeezed([time for time, _, _ in rows], rate_per_s)
    notes = (f"{note}, {say(en='time', es='tiempo')} × {factor:.4g}", *_bad_row_notes(bad_rows))
    return arriving(items, times, name, notes=notes)


def _squeezed(times_s: list[float], rate_per_s: float | None) -> tuple[list[float], float]:
    """Times at a mean rate, and the factor that was applied."""
    times_s = [time - times_s[0] for time in times_s]
    if rate_per_s is None:
        return times_s, 1.0
    if times_s[-1] == 0 and len(times_s) > 1:
        raise ValueError(say(
            en=f"all {len(times_s)} requests of the trace come at the same moment: no factor gives them a rate. Leave "
            "the rate out, or draw arrivals (--arrivals poisson)",
            es=f"las {len(times_s)} peticiones de la traza llegan en el mismo instante: ningún factor les da una tasa. "
            "Quita la tasa, o sortea las llegadas (--arrivals poisson)",
        ))
    factor = (len(times_s) - 1) / times_s[-1] / rate_per_s if len(times_s) > 1 else 1.0
    return [time * factor for time in times_s], factor


def _scaled(rows: list[tuple], factor: float | None, too_long: str) -> tuple[list[tuple], str]:
    """Rows whose lengths fit the context, and a note on how that was done."""
    totals = [prompt + output for _, prompt, output in rows]
    longest = max(totals)
    if factor is None:
        fitting = longest if too_long == SCALE else sorted(totals)[-(-FITTING_PERCENT * len(totals) // 100) - 1]
        factor = min(1.0, (CONTEXT - 2) / fitting)  # rounding up to one token each may add two
    scaled, num_outliers = [], 0
    for time, prompt, output in rows:
        lengths = _times(prompt, output, factor)
        if sum(lengths) > CONTEXT and too_long != SCALE:
            num_outliers += 1
            if too_long == DROP:
                continue
            lengths = _times(prompt, output, (CONTEXT - 2) / (prompt + output))
        scaled.append((time, *lengths))
    if not scaled:
        raise ValueError(f"length_factor={factor:g}: " + say(en="no request fits the context", es="ninguna petición cabe"))
    note = say(en=f"{len(scaled)} requests; lengths × {factor:.4g} (the longest had {longest} tokens)",
               es=f"{len(scaled)} peticiones; longitudes × {factor:.4g} (la mayor tenía {longest} tokens)")
    if num_outliers:
        english = {CAP: "were shortened to fit", DROP: "were left out"}[too_long]
        spanish = {CAP: "se acortaron para que quepan", DROP: "se dejaron fuera"}[too_long]
        note += say(en=f"; {num_outliers} {english}", es=f"; {num_outliers} {spanish}")
    return scaled, note


def _times(prompt: int, output: int, factor: float) -> tuple[int, int]:
    return max(1, int(prompt * factor)), max(1, int(output * factor))


def _bad_row_notes(bad_rows: list[str]) -> tuple[str, ...]:
    if not bad_rows:
        return ()
    num, first = len(bad_rows), "; ".join(bad_rows[:REPORTED_ROWS])
    left = num - REPORTED_ROWS
    more = say(en=f"; and {left} more", es=f"; y {left} más") if left > 0 else ""
    return (say(en=f"{num} bad rows left out: {first}{more}", es=f"{num} filas malas, dejadas fuera: {first}{more}"),)
