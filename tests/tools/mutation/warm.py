"""Grading many sources one after the other in one process: pytest, the checks and the student's worker stay loaded.

Each source gets a file reloaded by the worker, as always, and a plugin and a `Student` of its own; a worker that a
source has lost or changed is started again.
"""

import multiprocessing.util
from pathlib import Path

from minigpt import paths
from minigpt.notebook.exercises import load_exercises, load_given
from tests.grader import process_tree
from tests.grader.grade import needs_torch, run_pytest
from tests.grader.judge import Result
from tests.grader.outcomes import PASSED
from tests.grader.plugin import GradePlugin
from tests.grader.session import Limits, student_of
from tests.grader.student import Student

# Processor time of one call, far above the reference's: a loop without end costs no more than this.
CPU_S = {"4.8": 10.0}
MOST_CPU_S = 3.0


class WarmGrader:
    """Grades sources of one lab, each against one exercise, without the model in long runs."""

    def __init__(self, lab: Path):
        self.lab, self.exercises, self.given = lab, load_exercises(lab), load_given(lab)
        self.num_graded = 0
        self.worker = self._student().worker

    def _student(self) -> Student:
        # A name of its own for each source: checks may keep what they computed by the name of the file.
        file = paths.solution_file(self.lab).with_name(f"mutant_{self.num_graded}.py")
        return student_of(file, given=self.given, scripted=True, needs_torch=needs_torch(self.lab))

    def first_failure(self, source: str, exercise: str) -> str | None:
        """What the first check that did not pass says: "3.2/appends: wrong"; None if all passed."""
        results = self.results(source, exercise, "-x")
        failed = [result for result in results if result.outcome != PASSED]
        # With -x the checks after the first failure have not run; without a failure all have.
        return next((f"{result.id}: {result.outcome}" for result in failed), None)

    def results(self, source: str, exercise: str, *options: str, only_check: str = "") -> list[Result]:
        """The checks of one exercise, or of the whole lab (""), run against a source; options are pytest's."""
        self.num_graded += 1
        student = self._student()
        student.worker = self.worker
        self.worker.take(source)
        self.worker.limits = Limits(cpu_s=CPU_S.get(exercise, MOST_CPU_S))
        plugin = GradePlugin(student=student, exercises=self.exercises, only=exercise, only_check=only_check, source=source)
        run_pytest(plugin, self.lab, *options)
        return list(plugin.results.values())

    def close(self) -> None:
        self.worker.close()


_graders: dict[str, WarmGrader] = {}  # of this process: one, of the lab that it is at


def first_failure(lab: str, exercise: str, source: str) -> str | None:
    """Grade in this process's warm grader."""
    return grader_of(lab).first_failure(source, exercise)


def outcome(lab: str, check: str, source: str) -> tuple[str, str]:
    """Outcome and English hint of one check, "3.2/appends", graded in this process's warm grader."""
    return _plain(grader_of(lab).results(source, check.split("/")[0], only_check=check))[check]


def outcomes(lab: str, exercise: str, source: str) -> dict[str, tuple[str, str]]:
    """The same of every check of an exercise, or of the whole lab ("")."""
    return _plain(grader_of(lab).results(source, exercise))


def _plain(results: list[Result]) -> dict[str, tuple[str, str]]:
    return {result.id: (result.outcome, str(getattr(result.hint, "en", result.hint))) for result in results}


def grader_of(lab: str) -> WarmGrader:
    """The warm grader of a lab, made at its first source."""
    if lab not in _graders:
        close_all()
        _graders[lab] = WarmGrader(paths.resolve_lab(lab))
    return _graders[lab]


def reference_failure(lab: str, exercise: str) -> str | None:
    """The same for the reference: checks that reject it would seem to reject every mutant."""
    return first_failure(lab, exercise, paths.solution_file(paths.resolve_lab(lab)).read_text(encoding="utf-8"))


def close_all() -> None:
    while _graders:
        _graders.popitem()[1].close()


def prepare_process() -> None:
    """For a pool's processes: end the worker with the process."""
    process_tree.adopt_orphans()
    multiprocessing.util.Finalize(None, close_all, exitpriority=1)
