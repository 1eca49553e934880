"""Results as people and programs read them: a table, JSON, Gradescope's results.json."""

import json
import math
from collections import Counter
from pathlib import Path

from minigpt.language import language, say
from tests.grader.judge import Result
from tests.grader.outcomes import BLOCKED, MEANING, NOT_IMPLEMENTED, PASSED, WORD, WRONG, t

MAX_SHOWN = 300  # characters of an expected or got value
MAX_REPEATED = 60  # of one that was shown before
WIDTH = 78
NOT_ANSWERED = t("requests without an answer "
                 "have infinite latency", "las peticiones sin respuesta tienen latencia infinita")


def shown(value) -> str:
    """A value as a report shows it: bounded, on one line, with terminal control characters escaped."""
    text = value if isinstance(value, str) else str(value)
    if isinstance(value, float):
        text = f"{value:.6g}"
    if len(text) <= MAX_SHOWN:
        return escaped(text)
    length = say(en=f"{len(text):,} characters", es=f"{len(text)} caracteres")
    return f"{escaped(text[:MAX_SHOWN])}… ({length})"


def escaped(text: str, keep: str = "") -> str:
    """A text with escapes for control characters, for those that change its direction, and for unassigned ones."""
    return "".join(
        each if each.isprintable() or each in keep else each.encode("unicode_escape").decode() for each in text
    )


def table(results: list[Result], exercises) -> str:
    """Every check under its exercise, with points, and what a failure says; the same failure is shown once."""
    lines, seen = [], set()
    for exercise in exercises:
        own = [result for result in results if result.info.exercise == exercise.id]
        if not own:
            continue
        got, most = sum(r.points for r in own), sum(r.info.points for r in own)
        head = f"{exercise.id} {exercise.function or exercise.title}"
        points = say(en=f"{got} of {most} points", es=f"{got} de {most} puntos")
        if exercise.is_stretch:
            points = say(en="stretch, no points", es="ampliación, sin puntos")
        lines += ["", head + points.rjust(max(WIDTH - len(head), len(points) + 2))]
        lines += exercise_lines(own, seen)
    return "\n".join(lines[1:])


def exercise_lines(own: list[Result], seen: set) -> list[str]:
    """The checks of one exercise; failures in `seen` are only counted, others are added to it, as are hints."""
    lines, again = [], Counter()
    for result in own:
        failure = failure_of(result)
        if failure in seen:
            again[failure] += 1
            continue
        lines += check_lines(result, hint_is_seen=str(result.hint) in seen)
        seen |= {failure, str(result.hint)} if failure else set()
    return lines + [counted_line(failure, count) for failure, count in again.items()]


def failure_of(result: Result) -> tuple | None:
    """What a failed check would show; None for one that shows nothing."""
    if result.outcome in (PASSED, NOT_IMPLEMENTED):
        return None
    return result.outcome, shown(result.expected), shown(result.got), str(result.hint)


def counted_line(failure: tuple, count: int) -> str:
    """One line for all further checks with a failure that was shown above."""
    outcome, _, got, hint = failure
    what = hint if got == "None" else got
    what = what if len(what) <= MAX_REPEATED else f"{what[:MAX_REPEATED]}…"
    more = say(en=f"the same for {count} more check{'s' if count > 1 else ''}",
               es=f"lo mismo en {count} {'comprobaciones' if count > 1 else 'comprobación'} más")
    return f"  {WORD[outcome]!s:16} {more}: {what}"


def check_lines(result: Result, *, hint_is_seen: bool = False) -> list[str]:
    """One check's lines in the table."""
    later = f" ({result.hint})" if result.outcome == PASSED and str(result.hint) else ""
    lines = [f"  {WORD[result.outcome]!s:16} {result.info.title}{later}{_english_word(result.outcome)}"]
    indent = " " * 19
    if result.outcome in (PASSED, NOT_IMPLEMENTED):
        return lines
    if result.outcome == WRONG:
        expected, got = shown(result.expected), shown(result.got)
        label = say(en="expected {}", es="se esperaba {}"), say(en="got {}", es="se obtuvo {}")
        both = [label[0].format(expected), label[1].format(got)]
        joined = "   ".join(both)
        lines += [indent + joined] if len(joined) < 90 else [indent + line for line in both]
    else:
        detail = f": {shown(result.got)}" if result.got is not None else ""
        lines.append(f"{indent}{MEANING[result.outcome]}{detail}")
    if str(result.hint):
        label = say(en="hint: ", es="pista: ") if result.outcome != BLOCKED else ""
        hint = say(en="as above", es="la misma de arriba") if hint_is_seen else result.hint
        lines.append(f"{indent}{label}{hint}".replace("\n", f"\n{indent}"))
    return lines


def _english_word(outcome: str) -> str:
    """Of a check that did not pass, the word that data and the pages use, where the report has another."""
    return "" if outcome == PASSED or str(WORD[outcome]) == outcome else f" ({outcome})"


def measurement_names() -> dict[str, str]:
    """What each measured figure is called in a report, in the reader's language."""
    return {
        "p95_static_ms": say(en="p95 static, ms (virtual clock)", es="p95 estático, ms (reloj virtual)"),
        "p95_continuous_ms": say(en="p95 continuous, ms (virtual clock)", es="p95 continuo, ms (reloj virtual)"),
        "p95_reduction_percent": say(en="p95 reduction, %", es="reducción del p95, %"),
        "throughput_ratio": say(en="throughput, continuous / static", es="throughput, continuo / estático"),
        "cpu_p95_reduction_percent": say(
            en="p95 reduction, % (measured on this processor, not graded)",
            es="reducción del p95, % (medida en este procesador, no puntúa)",
        ),
        "cpu_interval_percent": say(en="  its 95 % interval", es="  su intervalo del 95 %"),
        "littles_law_gap_percent": say(en="Little's law: L over λ·W, minus 1, %", es="ley de Little: L entre λ·W, menos 1, %"),
        "throughput_error_percent": say(
            en="predicted throughput: largest error, %", es="throughput predicho: mayor error, %"),
        "time_in_system_error_percent": say(
            en="predicted time in the system: largest error, %", es="tiempo en el sistema predicho: mayor error, %"),
        "cpu_tokens_per_s_b1": say(en="tokens/s alone (measured on this processor, not graded)",
                                   es="tokens/s a solas (medido en este procesador, no puntúa)"),
        "cpu_tokens_per_s_b32": say(en="tokens/s, 32 requests per step", es="tokens/s, 32 peticiones por paso"),
        "gap_p95_ms": say(en="gap between tokens, p95, ms: whole prompts … chunks",
                          es="hueco entre tokens, p95, ms: prompts enteros … trozos"),
        "gap_p99_ms": say(en="  p99", es="  p99"),
        "gap_longest_ms": say(en="  longest", es="  máximo"),
        "interactive_p95_ms": say(en="interactive p95, ms: first come, first served … yours",
                                  es="p95 interactivas, ms: por llegada … tu fila"),
        "cpu_batch_gain": say(en="  the ratio of the two", es="  el cociente de ambos"),
        "prefix_ttft_p95_ms": say(en="time to first token with prefix routing, p95, ms",
                                  es="tiempo al primer token con reparto por prefijo, p95, ms"),
        "least_ttft_p95_ms": say(en="  to the replica with fewest in flight", es="  a la réplica con menos en vuelo"),
        "prefix_hit_percent": say(en="  prompt tokens found, %", es="  tokens de prompt encontrados, %"),
        "quiet_p95_ms": say(en="p95 of a quiet client under a flood, ms", es="p95 de un cliente tranquilo en una avalancha, ms"),
        "flooder_p95_ms": say(en="  of the flooding client", es="  del cliente que la causa"),
        "mean_reduction_percent": say(en="mean latency: reduction, %", es="latencia media: reducción, %"),
        "split_error_percent": say(en="predicted rate of divided machines: largest error, %",
                                   es="tasa predicha de máquinas separadas: mayor error, %"),
    }


def headline(results: list[Result], measurements: dict) -> str:
    """The score, and what was measured."""
    lines = [score_line(results)]
    if not measurements:
        return lines[0]
    names = measurement_names()
    for key, value in measurements.items():
        lines.append(f"  {names.get(key, key):62} {figure(value)}")
    return "\n".join(lines)


def score_line(results: list[Result]) -> str:
    """The points; of checks without points, those of a stretch exercise, how many passed."""
    points, most = sum(r.points for r in results), sum(r.info.points for r in results)
    if results and not most:
        passed, count = sum(r.outcome == PASSED for r in results), len(results)
        return say(en=f"{passed} of {count} checks passed; a stretch exercise has no points",
                   es=f"comprobaciones superadas: {passed} de {count}; una ampliación no da puntos")
    return say(en=f"score: {points} of {most}", es=f"puntuación: {points} de {most}")


def figure(value) -> str:
    """A measurement with the digits worth reading; the JSON has all of them."""
    if isinstance(value, (list, tuple)):
        return " … ".join(f"{part:.1f}" for part in value)
    if isinstance(value, float) and not math.isfinite(value):
        return say(en=f"{value} ({NOT_ANSWERED.en})", es=f"{value} ({NOT_ANSWERED.es})")
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1_000 else f"{value:.0f}"
    return shown(value)


def as_json(lab: str, impl: str, results: list[Result], measurements: dict, notes: dict) -> dict:
    """The report as plain data; `score` and `points` are points, names ending in `_percent` are percentages."""
    return {
        "lab": lab, "impl": impl, "language": language(),
        "score": sum(r.points for r in results), "max_score": sum(r.info.points for r in results),
        "exercises": _by_exercise(results),
        "checks": [_check_json(result) for result in results],
        "measurements": {name: _finite(value) for name, value in measurements.items()},
        "not_finite": {name: f"{value}: {NOT_ANSWERED}" for name, value in measurements.items()
                       if not _is_finite(value)},
        **notes,
    }


def _is_finite(value) -> bool:
    parts = value if isinstance(value, (list, tuple)) else [value]
    return all(math.isfinite(part) for part in parts if isinstance(part, float))


def _finite(value):
    """A measurement as JSON can hold it: null for what is infinite or not a number."""
    if isinstance(value, (list, tuple)):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _by_exercise(results: list[Result]) -> list[dict]:
    ids = sorted({result.info.exercise for result in results})
    own = {key: [r for r in results if r.info.exercise == key] for key in ids}
    return [
        {"id": key, "points": sum(r.points for r in own[key]), "max_points": sum(r.info.points for r in own[key])}
        for key in ids
    ]


def _check_json(result: Result) -> dict:
    values = {name: None if value is None else shown(value) for name, value in
              (("expected", result.expected), ("got", result.got))}
    if result.outcome == WRONG and result.got is None:
        values["got"] = "None"  # what the function returned; elsewhere null means that there is nothing to report
    return {
        "id": result.id, "exercise": result.info.exercise, "title": str(result.info.title),
        "outcome": result.outcome, "points": result.points, "max_points": result.info.points,
        **values, "hint": escaped(str(result.hint), keep="\n"),
    }


def as_gradescope(report: dict) -> dict:
    """The same results in the form that Gradescope's autograder reads."""
    tests = [
        {
            "name": f"{check['exercise']} {check['title']}", "number": check["exercise"],
            "score": check["points"], "max_score": check["max_points"],
            "status": "passed" if _has_passed(check) else "failed", "output": _gradescope_text(check),
        }
        for check in report["checks"]
    ]
    return {"score": report["score"], "output_format": "text", "tests": tests}


def _has_passed(check: dict) -> bool:
    """Whether a check passed and gave its points, which a negative check keeps back while others fail."""
    return check["outcome"] == PASSED and check["points"] == check["max_points"]


def _gradescope_text(check: dict) -> str:
    outcome = check["outcome"]
    parts = [f"{WORD[outcome]}{_english_word(outcome)}"]
    if check["expected"] is not None:
        parts.append(say(en=f"expected {check['expected']}", es=f"se esperaba {check['expected']}"))
    if check["got"] is not None:
        parts.append(say(en=f"got {check['got']}", es=f"se obtuvo {check['got']}"))
    return "\n".join([*parts, check["hint"]] if check["hint"] else parts)


def write_json(path: Path, data: dict) -> None:
    """Write a results file; its folder is made if needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False) + "\n", encoding="utf-8")


