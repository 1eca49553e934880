"""Grading one file against the checks of one lab: `python -m tests.grader.grade 03`."""

import argparse
import contextlib
import importlib
import io
import os
import sys
from pathlib import Path

import pytest

from minigpt import paths
from minigpt.exercises import load_exercises
from minigpt.language import say
from minigpt.policies import IMPLEMENTATIONS, code_file
from tests.grader import report
from tests.grader.outcomes import PASSED
from tests.grader.plugin import GradePlugin
from tests.grader.student import Student

ROOT = paths.repository_root()


def run_checks(lab: Path, file: Path, *, only: str = "", scripted: bool = False, seed: int = 0) -> GradePlugin:
    """Run the checks of a lab against a file; the plugin holds the results."""
    exercises = load_exercises(lab)
    if only and only not in {exercise.id for exercise in exercises}:
        names = ", ".join(exercise.id for exercise in exercises)
        raise ValueError(say(en=f"no exercise {only!r} in lab {lab.name[:2]}; its exercises are: {names}",
                             es=f"no hay ejercicio {only!r} en el laboratorio {lab.name[:2]}; son: {names}"))  # fmt: skip
    student = Student(file, ROOT, scripted=scripted, seed=seed, needs_torch=_needs_torch(lab))
    plugin = GradePlugin(student=student, exercises=exercises, only=only)
    folder = ROOT / "tests" / f"lab{lab.name[:2]}"
    # Nothing that lies about in the folder, and none of pytest's extras: they would cost seconds a grade.
    options = ["-q", "-c", os.devnull, "--rootdir", str(ROOT), "--noconftest", "--assert=plain"]
    options += ["-p", "no:cacheprovider", "-p", "no:unraisableexception", "-p", "no:threadexception"]
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            status = pytest.main([*options, str(folder)], plugins=[plugin])
    finally:
        student.worker.close()
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) or not plugin.results:
        raise ValueError(say(en=f"the checks in {folder} could not be run:", es=f"no se pudo ejecutar {folder}:")
                         + "\n" + printed.getvalue()[-2000:])  # fmt: skip
    return plugin


def _needs_torch(lab: Path) -> bool:
    return getattr(_lab_module(lab, "settings"), "NEEDS_TORCH", False)


def _lab_module(lab: Path, name: str):
    """A module beside a lab's checks, or None."""
    if not (ROOT / "tests" / f"lab{lab.name[:2]}" / f"{name}.py").is_file():
        return None
    return importlib.import_module(f"tests.lab{lab.name[:2]}.{name}")


def measure(lab: Path, plugin: GradePlugin) -> None:
    """Add what is measured on this machine beside the graded figures, if the code under test is whole."""
    measuring = _lab_module(lab, "measured")
    if measuring and all(result.outcome == PASSED for result in plugin.results.values()):
        plugin.student.measurements.update(measuring.measure(plugin.student))
        plugin.student.worker.close()


def parse(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m minigpt grade", description=say(
        en="Grade a lab.", es="Califica un laboratorio."))  # fmt: skip
    parser.add_argument("lab", help=say(en="its number: 03", es="su número: 03"))
    parser.add_argument("--impl", default="student", choices=IMPLEMENTATIONS)
    parser.add_argument("--file", type=Path, help=say(en="grade this file instead", es="califica este archivo"))
    parser.add_argument("--only", default="", metavar="3.1", help=say(en="one exercise", es="un ejercicio"))
    parser.add_argument("--json", type=Path, metavar="PATH")
    parser.add_argument("--gradescope", type=Path, metavar="PATH")
    parser.add_argument("--seed", type=int, default=0, help=say(en="of the graded workloads", es="de las cargas"))
    parser.add_argument("--scripted", action="store_true", help=say(
        en="without the model: quicker, for trying out", es="sin el modelo: más rápido, para probar"))  # fmt: skip
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    """Grade, print and write the report; 0 only if every check passed."""
    args = parse(sys.argv[1:] if argv is None else argv)
    try:
        lab = paths.resolve_lab(args.lab)
        file = args.file or code_file(args.lab, args.impl)
        plugin = run_checks(lab, file.absolute(), only=args.only, scripted=args.scripted, seed=args.seed)
    except ValueError as fault:
        print(f"minigpt: {fault}", file=sys.stderr)
        return 2
    if not args.only and not args.scripted:
        measure(lab, plugin)
    results, student = list(plugin.results.values()), plugin.student
    print(report.table(results, plugin.exercises), "", sep="\n")
    print(report.headline(results, student.measurements))
    notes = {"file": file.name, "memory_is_limited": student.worker.memory_is_limited}
    data = report.as_json(lab.name[:2], args.impl, results, student.measurements, notes)
    if args.json:
        report.write_json(args.json, data)
    if args.gradescope:
        report.write_json(args.gradescope, report.as_gradescope(data))
    return 0 if all(result.outcome == PASSED for result in results) else 1


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")
    sys.exit(main())
