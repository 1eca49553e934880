"""``python -m tests.tools.outcome_samples``: what a report says for each outcome, into the instructors' pages.

The samples come from real runs of wrong versions of Lab 03, between the markers of labs/INSTRUCTORS.md and its twin.
"""

import os
import sys
import tempfile
from pathlib import Path

from minigpt import paths
from minigpt.notebook.exercises import load_exercises
from tests.grader import grade, outcomes, process_tree, report
from tests.grader.judge import Result
from tests.grader.outcomes import GRADER_ERROR, INCONCLUSIVE, t
from tests.hostile.hostile import Hostile
from tests.mutants.lab03 import MUTANTS

PAGES = {"en": "INSTRUCTORS.md", "es": "INSTRUCTORS.es.md"}
BEGIN, END = "<!-- BEGIN SAMPLES: python -m tests.tools.outcome_samples -->", "<!-- END SAMPLES -->"
LIMITS = "cpu_s=2,wall_s=6,memory_mb=512"
# What is put at the start of which function.
FAULTS = {
    "3.2": "first = in_flight[len(in_flight)]", "3.3": "raise NotImplementedError", "3.5": "while records: pass",
    "3.6": "seen = [0] * 10**12",
}


def faulty() -> str:
    """One file with a mistake of another kind in each function; its first is a mutant's."""
    text = MUTANTS[0].source("03")
    for exercise, line in FAULTS.items():
        mark = f"    # BEGIN SOLUTION {exercise}\n"
        body, rest = text.split(mark)[1].split("    # END SOLUTION\n", 1)
        kept = "" if line.startswith("raise NotImplemented") else body
        text = text.split(mark)[0] + f"    {line}\n{kept}" + rest
    return text


def graded(text: str, only: str = "") -> list[Result]:
    """The results of a text."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "continuous_batching.py"
        file.write_text(text, encoding="utf-8")
        run = grade.run_checks(paths.resolve_lab("03"), file, only=only, scripted=True, limits=grade.parse_limits(LIMITS))
    return list(run.results.values())


def samples() -> dict[str, Result]:
    """One result of each outcome."""
    results = graded(faulty())
    results += graded(Hostile(name="", outcome="", exercise="3.3", within="import os; os._exit(0)").source().decode(), "3.3")
    results += graded(Hostile(name="", outcome="", on_top="if len([) == 0:").source().decode(), "3.1")
    results += graded(paths.solution_file(paths.resolve_lab("03")).read_text(encoding="utf-8"), "3.1")
    found = {}
    for result in results:
        found.setdefault(result.outcome, result)
    info = found[outcomes.PASSED].info
    found[INCONCLUSIVE] = Result(id="", info=info, outcome=INCONCLUSIVE, hint=t(
        "the two halves of each pair differ by more than the effect: close other programs, and measure again",
        "las dos mitades de cada par difieren más que el efecto: cierra otros programas y mide otra vez"))
    found[GRADER_ERROR] = Result(id="", info=info, outcome=GRADER_ERROR, got="KeyError: 'finish_s'")
    return found


def written(found: dict[str, Result], language: str) -> str:
    """The samples as a listing, in the order of the outcomes."""
    os.environ["MINIGPT_LANG"] = language
    heads = {exercise.id: exercise.function or exercise.title for exercise in load_exercises(paths.resolve_lab("03"))}
    lines = []
    for outcome in outcomes.MEANING:
        result = found[outcome]
        lines += ["", f"{result.info.exercise} {heads[result.info.exercise]}", *report.check_lines(result)]
    return "```text\n" + "\n".join(lines[1:]) + "\n```"


def main() -> int:
    process_tree.adopt_orphans()
    found = samples()
    for language, name in PAGES.items():
        page = paths.repository_root() / "labs" / name
        before, rest = page.read_text(encoding="utf-8").split(BEGIN)
        after = rest.split(END)[1]
        page.write_text(f"{before}{BEGIN}\n{written(found, language)}\n{END}{after}", encoding="utf-8")
        print(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
