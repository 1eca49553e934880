"""What a figure shows, in a sentence for readers who cannot see it: with its values, not only its names."""

import math
from collections.abc import Mapping, Sequence

from minigpt.analysis.several_runs import middle_and_range, runs_of
from minigpt.analysis.slots import num_slots, slot_spans, waiting_over_time
from minigpt.language import say
from minigpt.plots.colours import concept_name
from minigpt.runtime.run_log import RunLog

MOST_ONE_BY_ONE = 8  # requests or parts of bars that are listed one by one
NO_DIGITS_FROM = 1_000


def number(value: float) -> str:
    """Three significant digits, without an exponent; the sign is a minus, not a hyphen."""
    if math.isinf(value):
        return "∞"
    text = f"{value:.0f}" if abs(value) >= NO_DIGITS_FROM else f"{value:.3g}"
    return text.replace("-", "−")


def value(measured) -> str:
    """A value, or the median of several runs with their range."""
    middle, low, high = middle_and_range(measured)
    if len(runs_of(measured)) == 1:
        return number(middle)
    return say(en=f"{number(middle)} (from {number(low)} to {number(high)})",
               es=f"{number(middle)} (de {number(low)} a {number(high)})")


def of_lines(xlabel: str, ylabel: str, x: Sequence[float], columns: Mapping[str, Sequence[float]]) -> str:
    """Where each line begins and ends, and how high it comes between."""
    parts = []
    for label, values in columns.items():
        known = [(at, height) for at, height in zip(x, values) if not math.isnan(height)]
        if known:
            parts.append(f"{concept_name(label)} {_way(known)}")
    return say(en=f"Lines of {ylabel} over {xlabel}: ", es=f"Líneas de {ylabel} según {xlabel}: ") + "; ".join(parts) + "."


def _way(points: list[tuple[float, float]]) -> str:
    (first, start), (last, end) = points[0], points[-1]
    if len(points) == 1:
        return say(en=f"{number(start)} at {number(first)}", es=f"{number(start)} en {number(first)}")
    way = say(en=f"from {number(start)} at {number(first)} to {number(end)} at {number(last)}",
              es=f"de {number(start)} en {number(first)} a {number(end)} en {number(last)}")
    at, most = max(points, key=lambda point: point[1])
    if most > max(start, end):
        way += say(en=f", at most {number(most)} at {number(at)}", es=f", con un máximo de {number(most)} en {number(at)}")
    return way


def of_bars(what: str, labels: Sequence[str], values: Sequence) -> str:
    """Every bar with its value."""
    return f"{_bars(what)}: " + "; ".join(f"{concept_name(label)} {value(each)}" for label, each in zip(labels, values)) + "."


def of_groups(what: str, labels: Sequence[str], columns: Mapping[str, Sequence]) -> str:
    """Every bar of every group, or every part of every stacked bar, with its value."""
    groups = [
        f"{concept_name(label)}: " + ", ".join(f"{concept_name(name)} {value(of[row])}" for name, of in columns.items())
        for row, label in enumerate(labels)
    ]
    return f"{_bars(what)}. {'; '.join(groups)}."


def _bars(what: str) -> str:
    return say(en=f"Bars of {what}", es=f"Barras de {what}")


def of_map(what: str, rows: Sequence[str], columns: Sequence[str], grid) -> str:
    """The map row by row, from the top."""
    lines = [
        f"{row}: " + ", ".join("–" if cell is None else number(round(middle_and_range(cell)[0])) for cell in cells)
        for row, cells in reversed(list(zip(rows, grid)))
    ]
    loads = ", ".join(columns)
    return say(en=f"Map of {what} at load {loads}. ", es=f"Mapa de {what} con carga {loads}. ") + "; ".join(lines) + "."


def of_intervals(what: str, target: float, held: Mapping[str, tuple[int, int]]) -> str:
    """How many of each group's intervals contain the value."""
    parts = "; ".join(say(en=f"{name}, {count} of {total}", es=f"{name}, {count} de {total}")
                      for name, (count, total) in held.items())
    return say(en=f"Intervals of {what}, and how many contain {number(target)}: {parts}.",
               es=f"Intervalos de {what}, y cuántos contienen {number(target)}: {parts}.")


def of_spread(what: str, values: Sequence[float], marks: Mapping[str, float]) -> str:
    """The range of a histogram's values, and its marks."""
    known = [each for each in values if math.isfinite(each)]
    lines = ", ".join(f"{label} {number(at)}" for label, at in marks.items())
    text = say(en=f"Histogram of {len(values)} values, {what}, from {number(min(known))} to {number(max(known))}",
               es=f"Histograma de {len(values)} valores, {what}, de {number(min(known))} a {number(max(known))}")
    return text + (f"; {lines}." if lines else ".")


def of_percentiles(what: str, found: Mapping[str, Mapping[int, float]]) -> str:
    """The percentiles that are marked on each curve."""
    parts = [f"{concept_name(label)} " + ", ".join(f"p{percent} {number(at)}" for percent, at in of.items())
             for label, of in found.items()]
    return say(en=f"Curves of {what}: ", es=f"Curvas de {what}: ") + "; ".join(parts) + "."


def of_run(log: RunLog, names: Mapping[int, str] | None = None, label: str = "") -> str:
    """Which request holds which slot from when to when; of a long run, how many, how long and how crowded."""
    spans, names = slot_spans(log), names or {}
    most = max((waiting.in_queue + waiting.forming for waiting in waiting_over_time(log)), default=0)
    head = f"{label}: " if label else ""
    if len(spans) > MOST_ONE_BY_ONE:
        held = sum(span.end_ns - span.useful_until_ns for span in spans) / max(1, sum(s.end_ns - s.start_ns for s in spans))
        return head + say(
            en=f"{len(spans)} requests in {num_slots(log)} slots within {_ms(log.end_ns)} ms; {100 * held:.0f} % of "
               f"the slot time is held by finished requests; at most {most} wait.",
            es=f"{len(spans)} peticiones en {num_slots(log)} slots durante {_ms(log.end_ns)} ms; las terminadas retienen su "
               f"slot el {100 * held:.0f} % del tiempo que lo ocupan; llegan a esperar {most}.",
        )
    return head + "; ".join(_stay(span, names.get(span.request_id, str(span.request_id))) for span in spans) + "."


def _stay(span, name: str) -> str:
    start, ready, end = (_ms(time) for time in (span.start_ns, span.useful_until_ns, span.end_ns))
    held = say(en=f", finished at {ready} ms", es=f", terminada a los {ready} ms") if span.useful_until_ns < span.end_ns else ""
    return say(en=f"{name} in slot {span.slot + 1} from {start} to {end} ms{held}",
               es=f"{name} en el slot {span.slot + 1} de {start} a {end} ms{held}")


def of_step(log: RunLog, number: int, names: Mapping[int, str] | None = None) -> str:
    """What step `number` (from 1) did, in one line."""
    step = log.steps[number - 1]
    before = {request_id for earlier in log.steps[: number - 1] for request_id in earlier.request_ids}
    new = [request_id for request_id in step.request_ids if request_id not in before]
    running = [request_id for request_id in step.useful_ids if request_id in before]
    held = [request_id for request_id in step.request_ids if request_id not in step.useful_ids]
    left = [request_id for request_id, record in log.requests.items() if record.finish_ns == step.end_ns]
    parts = [
        (say(en="prefills", es="prellena"), new),
        (say(en="decodes", es="decodifica"), running),
        (say(en="computes for nothing", es="calcula en balde"), held),
        (say(en="answers", es="responde"), left),
    ]
    return " · ".join(f"{words} {_some(ids, names or {})}" for words, ids in parts if ids)


def _some(ids: list[int], names: Mapping[int, str], most: int = 8) -> str:
    shown = ", ".join(str(names.get(request_id, request_id)) for request_id in ids[:most])
    return shown + (" …" if len(ids) > most else "")


def of_clients(rows: Sequence, names: Mapping[int, str] | None = None) -> str:
    """Where each client's time went; of many, what the parts are on average."""
    names = names or {}
    if len(rows) > MOST_ONE_BY_ONE:
        mean = {part: sum(each.parts_ms[part] for each in rows) / len(rows) for part in rows[0].parts_ms}
        return say(en=f"{len(rows)} requests, on average {_parts(mean)}.", es=f"{len(rows)} peticiones, en promedio {_parts(mean)}.")
    return "; ".join(f"{names.get(each.request_id, each.request_id)}: {_parts(each.parts_ms)}" for each in rows) + "."


def _parts(parts_ms: Mapping[str, float]) -> str:
    return ", ".join(f"{concept_name(part)} {number(ms)} ms" for part, ms in parts_ms.items() if ms)


def _ms(time_ns: int) -> str:
    return number(time_ns / 1e6)
