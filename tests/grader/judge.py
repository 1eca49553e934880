"""From checks to results: one record per check, whatever happens in it. Who calls the checks is another matter."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from minigpt.notebook.written import reached_from, state_of
from minigpt.schedulers import lab_file
from tests.grader.check import CheckInfo
from tests.grader.outcomes import (
    BLOCKED,
    GRADER_ERROR,
    IMPORT_ERROR,
    NOT_IMPLEMENTED,
    PASSED,
    WRONG,
    CheckFailed,
    Text,
    t,
)
from tests.grader.student import Student


@dataclass(slots=True, kw_only=True)
class Result:
    """How one check ended."""

    id: str
    info: CheckInfo
    outcome: str = GRADER_ERROR  # until it reports, a check counts as not passed
    expected: object = None
    got: object = None
    hint: Text | str = ""
    counts: bool = True  # False: a negative check of an exercise whose other checks have not all passed

    @property
    def points(self) -> int:
        return self.info.points if self.outcome == PASSED and self.counts else 0


@dataclass(slots=True, kw_only=True)
class Judge:
    """Judges the checks of one lab, or of one exercise, against one file, and keeps the results in order.

    First each check is announced with `add`, then `run`; `settle` comes last.
    """

    student: Student
    exercises: tuple
    only: str = ""  # one exercise, or all
    results: dict[str, Result] = field(default_factory=dict)
    source: str | CheckFailed | None = None  # the student's text, or what is wrong with it

    def is_wanted(self, info: CheckInfo) -> bool:
        """Whether this run has this check: a stretch exercise is checked when it is asked for, and never graded."""
        stretch = {exercise.id for exercise in self.exercises if exercise.is_stretch}
        return info.exercise == self.only or not self.only and info.exercise not in stretch

    def add(self, test_name: str, info: CheckInfo) -> Result:
        """A check that will be run."""
        result = Result(id=check_id(test_name, info), info=info)
        self.results[result.id] = result
        return result

    def run(self, result: Result, check: Callable) -> None:
        """Run a check: however it ends, its result says so, and nothing is raised."""
        self.student.worker.has_answered = False
        try:
            self._look_before(result.info)
            check(self.student)
            result.outcome = PASSED
        except CheckFailed as failure:
            failure = self._blocked_by(failure, result.info) or failure
            result.outcome, result.hint = failure.outcome, failure.hint
            result.expected, result.got = failure.expected, failure.got
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            if not self.student.worker.has_answered:
                result.outcome, result.got = GRADER_ERROR, f"{type(error).__name__}: {error}"
            else:  # the check works on a value of the right kind; it stumbled over something else that came back
                result.outcome, result.got, result.hint = WRONG, f"{type(error).__name__}: {error}", OTHER_KIND
                result.expected = t("what the docstring says", "lo que dice el docstring")
        except Exception as error:  # an error of ours: it must not look like the student's
            result.outcome, result.got = GRADER_ERROR, f"{type(error).__name__}: {error}"

    def settle(self) -> None:
        """After the last check: negative ones count where the others of their exercise have passed."""
        for result in self.results.values():
            others = [each for each in self.results.values()
                      if each.info.exercise == result.info.exercise and not each.info.negative]
            result.counts = not result.info.negative or all(each.outcome == PASSED for each in others)
            if result.outcome == PASSED and not result.counts:
                result.hint = COUNTS_LATER

    def _look_before(self, info: CheckInfo) -> None:
        """The outcome that the text of the student's file already decides, before any of it runs."""
        if self.source is None:  # read once: a file that changes itself changes nothing here
            try:
                self.source = read_source(self.student.file)
            except CheckFailed as failure:
                self.source = failure
        if isinstance(self.source, CheckFailed):
            raise self.source
        own = self._own(info)
        if own.function and self._is_missing(own):
            raise CheckFailed(NOT_IMPLEMENTED)
        missing = [each for each in self._used(own, info) if self._is_missing(each)]
        if missing:
            raise CheckFailed(NOT_IMPLEMENTED) if not own.function else blocked_by(missing)

    def _own(self, info: CheckInfo):
        return next(exercise for exercise in self.exercises if exercise.id == info.exercise)

    def _used(self, own, info: CheckInfo) -> list:
        """The other exercises that a check's code runs: those that the student's function uses, or the check itself.

        Not all that the exercise usually needs: a body that does not use an earlier function is complete.
        """
        reached = reached_from(self.source, own.function) if own.function else set()
        ids = set(info.needs) if own.function else {*own.needs, *info.needs}
        return [each for each in self.exercises if each is not own
                and (each.id in ids or each.function.split(".")[0] in reached)]

    def _is_missing(self, exercise) -> bool:
        return bool(exercise.function) and state_of(self.source, exercise.function) != "written"

    def _blocked_by(self, failure: CheckFailed, info: CheckInfo) -> CheckFailed | None:
        """The outcome of an unwritten part that showed only at run time, if it belongs to another exercise."""
        own = self._own(info)
        others = [each for each in self.exercises
                  if each is not own and failure.where and each.function.split(".")[-1] == failure.where]
        is_unwritten = failure.outcome == NOT_IMPLEMENTED and own.function
        return blocked_by(others) if is_unwritten and others else None


def check_id(test_name: str, info: CheckInfo) -> str:
    """The name of a check in reports: "3.2/appends"."""
    return f"{info.exercise}/{test_name.removeprefix('test_')}"


def blocked_by(exercises: list) -> CheckFailed:
    """The outcome of a check that cannot run before these are written."""
    names = ", ".join(f"{exercise.id} (`{exercise.function}`)" for exercise in exercises)
    return CheckFailed(BLOCKED, hint=t("write {names} first", "escribe antes {names}").format(names=names))


MAX_SOURCE_BYTES = 500_000
COUNTS_LATER = t(
    "its points count once the other checks of this exercise pass",
    "sus puntos cuentan cuando pasen las demás comprobaciones de este ejercicio",
)
OTHER_KIND = t(
    "your function returned, or left behind, something that the check cannot work with (nothing at all, or values of "
    "another type): compare with the docstring",
    "tu función devolvió, o dejó, algo con lo que la comprobación no puede trabajar (nada, o valores de otro tipo): "
    "compara con el docstring",
)


def read_source(file: Path) -> str:
    """The student's text, checked for syntax; a CheckFailed says what is wrong with it, and in which line."""
    if not file.is_file():
        raise CheckFailed(IMPORT_ERROR, got=t(f"{file.name}: no such file", f"{file.name}: no existe ese archivo"))
    if file.stat().st_size > MAX_SOURCE_BYTES:
        raise CheckFailed(IMPORT_ERROR, got=f"{file.name}: {file.stat().st_size:,} bytes > {MAX_SOURCE_BYTES:,}")
    try:
        source = lab_file.read(file)
        compile(source, str(file), "exec", dont_inherit=True)
        state_of(source, "")
        lab_file.refuse_neighbours(source, file)
        return source
    except SyntaxError as error:
        place = ("", "") if error.lineno is None else (f"line {error.lineno}: ", f"línea {error.lineno}: ")
        got = t(*(where + str(error.msg) for where in place))
        raise CheckFailed(IMPORT_ERROR, got=got) from None
    except lab_file.LabFileError as error:
        raise CheckFailed(IMPORT_ERROR, got=str(error)) from None
    except (OSError, ValueError, RecursionError, MemoryError) as error:
        raise CheckFailed(IMPORT_ERROR, got=f"{file.name}: {type(error).__name__}: {error}"[:300]) from None
