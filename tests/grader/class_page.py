"""One page of a class: who is stuck where, which checks fail most, what the p95 reductions are. Plain HTML, no scripts."""

import os
from collections import Counter
from html import escape
from pathlib import Path
from urllib.parse import quote

from minigpt import paths
from minigpt.language import language, say
from minigpt.notebook.exercises import load_exercises
from tests.grader import class_similarity
from tests.grader.outcomes import MEANING, NOT_IMPLEMENTED, PASSED
from tests.grader.report import shown
from tests.grader.similarity import Pair

BIN_PERCENT = 5
MOST_CHECKS = 15  # in the table of those that fail most
STYLE = """
body { font: 16px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #222 }
table { border-collapse: collapse; margin: 1rem 0 } th, td { border: 1px solid #ccc; padding: .2rem .6rem; text-align: left }
td.n { text-align: right; font-variant-numeric: tabular-nums } .all { background: #d7e8f5 } .none { background: #f6dfc9 }
.bar { background: #2a78b5; display: inline-block; height: .8rem } summary { cursor: pointer }
"""


def write_page(path: Path, reports: list[dict], pairs: dict[str, list[Pair]] | None = None) -> None:
    """Write the class's page, in the reader's language; `pairs`: of each lab, which submissions resemble each other."""
    labs = sorted({report["lab"] for report in reports})
    title = say(en="The class at a glance", es="La clase de un vistazo")
    parts = [_section(lab, [one for one in reports if one["lab"] == lab], (pairs or {}).get(lab, [])) for lab in labs]
    text = (f'<!DOCTYPE html>\n<html lang="{language()}"><head><meta charset="utf-8"><title>{title}</title>'
            '<meta name="viewport" content="width=device-width">'
            f"<style>{STYLE}</style></head>\n<body><main><h1>{title}</h1>\n" + "\n".join(parts) + "\n</main></body></html>\n")
    draft = path.with_name(path.name + ".new")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)


def _section(lab: str, reports: list[dict], pairs: list[Pair]) -> str:
    ids = [exercise.id for exercise in load_exercises(paths.resolve_lab(lab))]
    heads = {
        "stuck": say(en="Who is stuck where", es="Quién se ha atascado y dónde"),
        "checks": say(en="The checks that fail most", es="Las comprobaciones que más fallan"),
        "p95": say(en="p95 reduction", es="Reducción del p95"),
        "each": say(en="Each submission", es="Cada entrega"),
        "alike": say(en="Submissions that resemble each other", es="Entregas que se parecen"),
    }
    parts = [f"<h2>{say(en='Lab', es='Laboratorio')} {escape(lab)}</h2>", _summary(reports), f"<h3>{heads['stuck']}</h3>",
             _stuck(ids, reports), _exercises(ids, reports), f"<h3>{heads['checks']}</h3>", _failing(reports)]
    if any(one["measurements"].get("p95_reduction_percent") is not None for one in reports):
        parts += [f"<h3>{heads['p95']}</h3>", _distribution(reports)]
    if pairs:
        links = {one["folder"]: _link(one) for one in reports}
        parts += [f"<h3>{heads['alike']}</h3>", f"<p>{class_similarity.note()}</p>",
                  _table(class_similarity.heads(), class_similarity.rows(pairs, links.__getitem__))]
    return "\n".join([*parts, f"<h3>{heads['each']}</h3>", *map(_details, reports)])


def _summary(reports: list[dict]) -> str:
    whole = sum(one["max_score"] > 0 and one["score"] == one["max_score"] for one in reports)
    untouched = sum(bool(one["checks"]) and all(c["outcome"] == NOT_IMPLEMENTED for c in one["checks"]) for one in reports)
    most = max((one["max_score"] for one in reports), default=0)
    mean = sum(one["score"] for one in reports) / len(reports)
    return "<p>" + say(
        en=f"{len(reports)} submissions; {whole} with every point; {untouched} not started; mean score {mean:.1f} of {most}.",
        es=f"{len(reports)} entregas; {whole} con todos los puntos; {untouched} sin empezar; media {mean:.1f} de {most}.",
    ) + "</p>"


def stuck_at(ids: list[str], report: dict) -> str:
    """The first exercise without full points, since later ones build on it. Empty if there is none."""
    points = {exercise["id"]: exercise for exercise in report["exercises"]}
    return next((one for one in ids if one in points and points[one]["points"] < points[one]["max_points"]), "")


def _stuck(ids: list[str], reports: list[dict]) -> str:
    groups = {one: [report for report in reports if stuck_at(ids, report) == one] for one in ids}
    rows = [
        f'<tr><td>{escape(one)}</td><td class="n">{len(group)}</td><td>{", ".join(map(_link, group))}</td></tr>'
        for one, group in groups.items() if group
    ]
    heads = (say(en="first exercise without full points", es="primer ejercicio incompleto"), say(en="how many", es="cuántas"),
             say(en="who", es="quiénes"))
    return _table(heads, rows)


def _exercises(ids: list[str], reports: list[dict]) -> str:
    """Points of each exercise: one row per submission."""
    rows = []
    for report in reports:
        points = {exercise["id"]: exercise for exercise in report["exercises"]}
        cells = "".join(_points(points.get(one)) for one in ids)
        note = escape(shown(report.get("note", "")))
        rows.append(f'<tr><td>{_link(report)}</td><td class="n">{report["score"]}</td>{cells}<td>{note}</td></tr>')
    heads = (say(en="submission", es="entrega"), say(en="score", es="puntos"), *ids, say(en="note", es="nota"))
    return _table(heads, rows)


def _points(exercise: dict | None) -> str:
    if exercise is None:
        return "<td></td>"
    mark = "all" if exercise["points"] == exercise["max_points"] else "" if exercise["points"] else "none"
    return f'<td class="n {mark}">{exercise["points"]}/{exercise["max_points"]}</td>'


def _failing(reports: list[dict]) -> str:
    """Among those who have written the exercise: of the others nothing is known yet."""
    tried, failed, titles = Counter(), Counter(), {}
    for check in (check for report in reports for check in report["checks"]):
        titles[check["id"]] = f"{check['exercise']} {check['title']}"
        tried[check["id"]] += check["outcome"] != NOT_IMPLEMENTED
        failed[check["id"]] += check["outcome"] not in (PASSED, NOT_IMPLEMENTED)
    rows = [
        f'<tr><td>{escape(titles[one])}</td><td class="n">{count} / {tried[one]}</td><td>{_bar(count, len(reports))}</td></tr>'
        for one, count in failed.most_common(MOST_CHECKS) if count
    ]
    return _table((say(en="check", es="comprobación"), say(en="failed / tried", es="fallan / intentan"), ""), rows)


def bins(values: list[float]) -> dict[int, int]:
    """How many values lie in each bin, by its lower end; empty bins between them too."""
    places = Counter(int(value // BIN_PERCENT) * BIN_PERCENT for value in values)
    return {low: places[low] for low in range(min(places), max(places) + 1, BIN_PERCENT)} if places else {}


def _distribution(reports: list[dict]) -> str:
    values = [one["measurements"].get("p95_reduction_percent") for one in reports]
    counts = bins([max(-100.0, value) for value in values if value is not None])
    rows = [
        f'<tr><td class="n">{low} … {low + BIN_PERCENT} %</td><td class="n">{count}</td>'
        f"<td>{_bar(count, max(counts.values()))}</td></tr>" for low, count in counts.items()
    ]
    return _table((say(en="reduction", es="reducción"), say(en="submissions", es="entregas"), ""), rows)


def _details(report: dict) -> str:
    """What failed, to be unfolded; the whole report is a click away."""
    failed = [check for check in report["checks"] if check["outcome"] not in (PASSED, NOT_IMPLEMENTED)]
    rows = [
        "<tr>" + "".join(f"<td>{escape(str(part))}</td>" for part in (
            f"{check['exercise']} {check['title']}", f"{check['outcome']}: {MEANING[check['outcome']]}",
            check["got"] or "", check["hint"])) + "</tr>"
        for check in failed
    ]
    heads = (say(en="check", es="comprobación"), say(en="outcome", es="resultado"), say(en="got", es="se obtuvo"),
             say(en="hint", es="pista"))
    table = _table(heads, rows) if rows else ""
    place = quote(os.fsencode(f"{report['folder']}/report.json"))
    return (f'<details id="{_anchor(report)}"><summary>{escape(report["submission"])}: {report["score"]} / '
            f'{report["max_score"]}</summary><p><a href="{place}">report.json</a></p>{table}</details>')


def _link(report: dict) -> str:
    return f'<a href="#{_anchor(report)}">{escape(report["submission"])}</a>'


def _anchor(report: dict) -> str:
    return quote(os.fsencode(report["folder"])).replace("%", "_")


def _bar(count: int, most: int) -> str:
    return f'<span class="bar" aria-hidden="true" style="width: {20 * count / max(1, most):.1f}rem"></span>'


def _table(heads: tuple, rows: list[str]) -> str:
    head = "".join(f'<th scope="col">{escape(one)}</th>' if one else "<td></td>" for one in heads)
    return f"<table><tr>{head}</tr>\n" + "\n".join(rows) + "</table>"
