"""``python -m tests.tools.containment_table``: what holds a worker on which system, into the instructors' pages.

Every yes and no is what the probes (tests/grader/probes.py) found. A run measures the columns that its system can show,
and leaves the others as they were last measured.
"""

import json
import os
import subprocess
import sys

from minigpt import paths
from tests.grader import containment
from tests.grader.outcomes import t
from tests.grader.session import student_of

BEGIN, END = "<!-- BEGIN CONTAINMENT: python -m tests.tools.containment_table -->", "<!-- END CONTAINMENT -->"
PAGES = {"en": "INSTRUCTORS.md", "es": "INSTRUCTORS.es.md"}
YES, NO, UNKNOWN = t("yes", "sí"), t("no", "no"), "?"
NOBODY = 64_322
COLUMNS = {
    "namespaces": t("Linux", "Linux"),
    "container": t("the container below", "el contenedor de abajo"),
    "root": t("Linux without namespaces, as root", "Linux sin namespaces, como root"),
    "user": t("Linux without namespaces", "Linux sin namespaces"),
    "darwin": t("macOS", "macOS"),
    "win32": t("Windows", "Windows"),
}


def held_here() -> dict[str, bool]:
    """What holds a worker of this very process."""
    lab = paths.resolve_lab("03")
    worker = student_of(paths.solution_file(lab)).worker
    try:
        worker.fresh()
        return worker.held
    finally:
        worker.close()


def measure() -> dict[str, dict[str, bool]]:
    """Every column that this system can show."""
    if sys.platform != "linux":
        return {sys.platform: held_here()}
    found = {}
    if not containment.trial()["why_not"]:
        found["namespaces"] = _held_elsewhere()
    is_root = os.geteuid() == 0
    inside = "MINIGPT_IN_CONTAINER" in os.environ  # labs/container/Dockerfile
    without = {"MINIGPT_NO_NAMESPACES": "1"}
    found["container" if inside and is_root else "root" if is_root else "user"] = _held_elsewhere(**without)
    if is_root and not inside:
        try:
            found["user"] = _held_elsewhere(user=NOBODY, **without)
        except (OSError, subprocess.SubprocessError):
            pass  # this Python is closed to others
    return found


def _held_elsewhere(user: int | None = None, **environment: str) -> dict[str, bool]:
    who = {} if user is None else {"user": user, "group": user, "extra_groups": []}
    done = subprocess.run(
        [sys.executable, "-m", "tests.tools.containment_table", "--held"], cwd=paths.repository_root(), check=True,
        capture_output=True, env={**os.environ, **environment}, **who,
    )
    return json.loads(done.stdout)


def read(text: str) -> dict[str, dict[str, str]]:
    """The table of a page: for each column the cells by their row."""
    lines = text.split(BEGIN)[1].split(END)[0].strip().splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
    cells = {name: row[1:] for name, row in zip(containment.ROWS, rows)}
    return {column: {row: cells[row][place] for row in cells} for place, column in enumerate(COLUMNS)}


def written(measured: dict, before: dict, language: str) -> str:
    """The table in a language: as measured, and as before where nothing was."""
    os.environ["MINIGPT_LANG"] = language
    lines = [f"| {t('holds', 'se cumple')} | " + " | ".join(map(str, COLUMNS.values())) + " |", "|---|" + "---|" * len(COLUMNS)]
    for name, row in containment.ROWS.items():
        cells = []
        for column in COLUMNS:
            if name in measured.get(column, {}):
                cells.append(str(YES if measured[column][name] else NO))
            else:
                cells.append(before.get(column, {}).get(name, UNKNOWN))
        lines.append(f"| {row.name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> int:
    if "--held" in sys.argv:
        print(json.dumps(held_here()))
        return 0
    measured = measure()
    for language, name in PAGES.items():
        page = paths.repository_root() / "labs" / name
        text = page.read_text(encoding="utf-8")
        table = written(measured, read(text), language)
        page.write_text(f"{text.split(BEGIN)[0]}{BEGIN}\n{table}\n{END}{text.split(END)[1]}", encoding="utf-8")
        print(page, ", ".join(measured))
    return 0


if __name__ == "__main__":
    sys.exit(main())
