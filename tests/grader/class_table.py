"""The table of a class: one row per submission and lab."""

import csv
import math
from collections import Counter
from pathlib import Path

from tests.grader import outcomes

OUTCOMES = tuple(outcomes.MEANING)


def write_table(path: Path, reports: list[dict]) -> None:
    """Write the class's CSV, in UTF-8 with the byte-order mark that spreadsheets expect."""
    exercises = sorted({exercise["id"] for report in reports for exercise in report["exercises"]}, key=_in_order)
    draft = path.with_name(path.name + ".new")
    with draft.open("w", encoding="utf-8-sig", newline="") as file:
        table = csv.writer(file)
        table.writerow(["submission", "lab", "score", "max_score", *exercises, *OUTCOMES, "p95_reduction_percent", "note"])
        for report in reports:
            points = {exercise["id"]: exercise["points"] for exercise in report["exercises"]}
            counts = Counter(check["outcome"] for check in report["checks"])
            table.writerow([
                _harmless(report["submission"]), report["lab"], report["score"], report["max_score"],
                *(points.get(exercise, "") for exercise in exercises), *(counts[outcome] for outcome in OUTCOMES),
                _number(report["measurements"].get("p95_reduction_percent")), _harmless(report.get("note", "")),
            ])
    draft.replace(path)


def _in_order(exercise: str) -> list[int]:
    return [int(part) for part in exercise.split(".")]


def _number(value) -> str:
    return f"{value:.2f}" if isinstance(value, (int, float)) and math.isfinite(value) else ""


def _harmless(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    return "'" + text if text.lstrip()[:1] in ("=", "+", "-", "@", "\t", "\r") else text
