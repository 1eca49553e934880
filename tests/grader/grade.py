"""Grading one file against the checks of one lab: `python -m tests.grader.grade 03`."""

import argparse
import contextlib
import importlib
import io
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from minigpt import paths
from minigpt.__main__ import leave_quietly
from minigpt.cli.arguments import Parser, new_file, positive, whole
from minigpt.environment.process import INTERRUPTED
from minigpt.language import say
from minigpt.notebook.exercises import load_exercises, load_given
from minigpt.schedulers.registry import IMPLEMENTATIONS, code_file
from minigpt.simulation import garbage
from tests.grader import junit, notes, process_tree, report
from tests.grader.outcomes import IMPORT_ERROR, PASSED, CheckFailed
from tests.grader.plugin import GradePlugin
from tests.grader.session import Limits, student_of

ROOT = paths.repository_root()


def run_checks(
    lab: Path, file: Path, *, only: str = "", scripted: bool = False, seed: int = 0, limits: Limits = Limits(),
    hidden: tuple[Path, ...] = (), refused: str = "",
) -> GradePlugin:
    """Run the checks of a lab against a file; the plugin holds the results.

    `hidden` are further folders that the code under test must not read. `refused` says why a submission is not
    examined: every check is then an import_error.
    """
    exercises = load_exercises(lab)
    if only and only not in {exercise.id for exercise in exercises}:
        names = ", ".join(exercise.id for exercise in exercises)
        raise ValueError(say(en=f"no exercise {only!r} in lab {lab.name[:2]}; its exercises are: {names}",
                             es=f"no hay ejercicio {only!r} en el laboratorio {lab.name[:2]}; son: {names}"))
    student = student_of(file, given=load_given(lab), scripted=scripted, seed=seed,
                         needs_torch=needs_torch(lab), limits=limits, hidden=hidden)
    plugin = GradePlugin(student=student, exercises=exercises, only=only)
    if refused:
        plugin.source = CheckFailed(IMPORT_ERROR, got=refused)
    try:
        run_pytest(plugin, lab)
    finally:
        student.worker.close()
    return plugin


def run_pytest(plugin: GradePlugin, lab: Path, *options: str) -> None:
    """Run the checks of a lab in this process; the plugin gets the results."""
    folder = ROOT / "tests" / f"lab{lab.name[:2]}"
    # No configuration from the folder, and none of pytest's extras: they would cost seconds per grade.
    options += ("-q", "-c", os.devnull, "--rootdir", str(ROOT), "--noconftest", "--assert=plain")
    options += ("-p", "no:cacheprovider", "-p", "no:unraisableexception", "-p", "no:threadexception")
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        status = pytest.main([*options, str(folder)], plugins=[plugin])
    if plugin.was_interrupted:  # pytest makes an exit status of it
        raise KeyboardInterrupt
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) or not plugin.results:
        raise ValueError(say(en=f"the checks in {folder} could not be run:", es=f"no se pudo ejecutar {folder}:")
                         + "\n" + printed.getvalue()[-2000:])


def needs_torch(lab: Path) -> bool:
    return getattr(_lab_module(lab, "settings"), "NEEDS_TORCH", False)


def _lab_module(lab: Path, name: str):
    """A module next to a lab's checks, or None."""
    if not (ROOT / "tests" / f"lab{lab.name[:2]}" / f"{name}.py").is_file():
        return None
    return importlib.import_module(f"tests.lab{lab.name[:2]}.{name}")


def measure(lab: Path, plugin: GradePlugin) -> None:
    """Add what is measured on this machine in addition to the graded figures, if the code under test is complete."""
    measuring = _lab_module(lab, "measured")
    if measuring and all(result.outcome == PASSED for result in plugin.results.values()):
        plugin.student.measurements.update(measuring.measure(plugin.student))
        plugin.student.worker.close()


def from_the_caller(text: str) -> Path:
    """A path as the caller's shell means it: the command may be given anywhere, and this process runs in the repository."""
    return Path(os.environ.get("MINIGPT_CALLED_FROM", ""), text)


def parse(argv: list[str]) -> argparse.Namespace:
    parser = Parser(prog="python -m minigpt grade", description=say(
        en="Grade a lab.", es="Califica un laboratorio."))
    parser.add_argument("lab", help=say(en="its number: 03", es="su número: 03"))
    parser.add_argument("--impl", default="student", choices=IMPLEMENTATIONS)
    parser.add_argument("--file", type=from_the_caller, help=say(en="grade this file instead", es="califica este archivo"))
    parser.add_argument("--only", default="", metavar="3.1", help=say(en="one exercise", es="un ejercicio"))
    for name in ("--json", "--gradescope", "--junit"):
        parser.add_argument(name, type=lambda text: new_file(str(from_the_caller(text))), metavar="PATH")
    # Of class runs (grade_all.py):
    parser.add_argument("--no-measure", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--hide", type=Path, action="append", default=[], help=argparse.SUPPRESS)
    parser.add_argument("--with-parent", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--refused", default="", help=argparse.SUPPRESS)
    parser.add_argument("--seed", type=whole(), default=0, help=say(en="of the graded workloads", es="de las cargas"))
    parser.add_argument("--scripted", action="store_true", help=say(
        en="without the model: faster, for trying things out", es="sin el modelo: más rápido, para probar"))
    parser.add_argument("--limits", type=parse_limits, default=Limits(), metavar="cpu_s=10,wall_s=12,memory_mb=1024", help=say(
        en="what one call into the code under test may use", es="lo que puede usar cada llamada al código"))
    return parser.parse_args(argv)


def parse_limits(text: str) -> Limits:
    """Limits from "cpu_s=3,wall_s=8,memory_mb=512,total_s=120"; the others keep their defaults."""
    values = {}
    for part in filter(None, text.split(",")):
        name, _, number = part.partition("=")
        if name not in ("cpu_s", "wall_s", "total_s", "memory_mb"):
            raise argparse.ArgumentTypeError(part)
        values["memory_bytes" if name == "memory_mb" else name] = positive(number)
    if "memory_bytes" in values:
        values["memory_bytes"] = int(values["memory_bytes"] * 2**20)
    return replace(Limits(), **values)


def main(argv: list[str] | None = None) -> int:
    """Grade, print and write the report; 0 only if every check passed."""
    garbage.look_rarely()
    process_tree.adopt_orphans()
    process_tree.interrupt_on_sigterm()  # so that the worker is ended before this process is
    try:
        args = parse(sys.argv[1:] if argv is None else argv)
        if args.with_parent:
            process_tree.end_with_parent()
        status = grade(args)
        sys.stdout.flush()
        return status
    except ValueError as error:
        print(f"minigpt: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        return leave_quietly()
    except KeyboardInterrupt:
        return INTERRUPTED


def grade(args: argparse.Namespace) -> int:
    lab = paths.resolve_lab(args.lab)
    file = args.file or code_file(args.lab, args.impl)
    plugin = run_checks(lab, file.absolute(), only=args.only, scripted=args.scripted, seed=args.seed,
                        limits=args.limits, hidden=tuple(args.hide), refused=args.refused)
    if not (args.only or args.scripted or args.no_measure):
        measure(lab, plugin)
    results, student = list(plugin.results.values()), plugin.student
    about = {"file": file.name, **notes.notes_of(student.worker)}
    # Before anything is printed: its reader may have seen enough (`| head`), and the files are wanted all the same.
    write_reports(args, report.as_json(lab.name[:2], args.impl, results, student.measurements, about))
    print(report.table(results, plugin.exercises), "", sep="\n")
    print(report.headline(results, student.measurements))
    for line in notes.printed_lines(student.worker):
        print(line)
    return 0 if all(result.outcome == PASSED for result in results) else 1


def write_reports(args: argparse.Namespace, data: dict) -> None:
    """The files that were asked for."""
    if args.json:
        report.write_json(args.json, data)
    if args.gradescope:
        report.write_json(args.gradescope, report.as_gradescope(data))
    if args.junit:
        junit.write(args.junit, data)


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")
    sys.exit(main())
