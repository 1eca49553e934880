"""The pytest plugin that turns checks into results: one record a check, whatever happens in it."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from minigpt.notebook.exercises import state_of
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

    @property
    def points(self) -> int:
        return self.info.points if self.outcome == PASSED else 0


@dataclass(slots=True, kw_only=True)
class GradePlugin:
    """Collects the checks of one lab, runs them against one file, and keeps the results in order."""

    student: Student
    exercises: tuple
    only: str = ""  # one exercise, or all
    results: dict[str, Result] = field(default_factory=dict)
    source: str | CheckFailed | None = None  # the student's text, or what is wrong with it

    def pytest_configure(self, config):
        config.addinivalue_line("markers", "check(info): a graded check")

    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if self._info(item) and self.only in ("", self._info(item).exercise)]
        for item in items:
            info = self._info(item)
            check_id = f"{info.exercise}/{item.name.removeprefix('test_')}"
            self.results[check_id] = Result(id=check_id, info=info)
            item.stash[RESULT] = self.results[check_id]

    @pytest.fixture(name="student")
    def student_fixture(self):
        return self.student

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem):
        result = pyfuncitem.stash[RESULT]
        self.student.worker.has_answered = False
        try:
            self._look_before(result.info)
            yield_result = yield
            result.outcome = PASSED
            return yield_result
        except CheckFailed as failure:
            result.outcome, result.hint = failure.outcome, failure.hint
            result.expected, result.got = failure.expected, failure.got
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            if not self.student.worker.has_answered:
                result.outcome, result.got = GRADER_ERROR, f"{type(error).__name__}: {error}"
            else:  # the check works on what it is due; it stumbled over something else that came back
                result.outcome, result.got, result.hint = WRONG, f"{type(error).__name__}: {error}", OTHER_KIND
                result.expected = t("what the docstring says", "lo que dice el docstring")
        except Exception as error:  # a fault of ours: it must not look like the student's
            result.outcome, result.got = GRADER_ERROR, f"{type(error).__name__}: {error}"
        pytest.fail(f"{result.outcome}: expected {result.expected!r}, got {result.got!r}. {result.hint}", pytrace=False)

    @staticmethod
    def _info(item) -> CheckInfo | None:
        mark = item.get_closest_marker("check")
        return mark.args[0] if mark else None

    def _look_before(self, info: CheckInfo) -> None:
        """What the text of the student's file already decides, before any of it runs."""
        if self.source is None:  # read once: a file that changes itself changes nothing here
            try:
                self.source = read_source(self.student.file)
            except CheckFailed as failure:
                self.source = failure
        if isinstance(self.source, CheckFailed):
            raise self.source
        source = self.source
        own = next(exercise for exercise in self.exercises if exercise.id == info.exercise)
        if own.function and self._is_missing(source, own):
            raise CheckFailed(NOT_IMPLEMENTED)
        missing = [e for e in self.exercises if e.id in {*own.needs, *info.needs} and self._is_missing(source, e)]
        if missing and not own.function:
            raise CheckFailed(NOT_IMPLEMENTED)
        if missing:
            names = ", ".join(f"{exercise.id} (`{exercise.function}`)" for exercise in missing)
            raise CheckFailed(BLOCKED, hint=t("write {names} first", "escribe antes {names}").format(names=names))

    @staticmethod
    def _is_missing(source: str, exercise) -> bool:
        return bool(exercise.function) and state_of(source, exercise.function) != "written"


RESULT = pytest.StashKey[Result]()
MAX_SOURCE_BYTES = 500_000
OTHER_KIND = t(
    "your function returned, or left behind, something that the check cannot work with (nothing at all, or values of "
    "another type): compare with the docstring",
    "tu función devolvió, o dejó, algo con lo que la comprobación no puede trabajar (nada, o valores de otro tipo): "
    "compara con el docstring",
)


def read_source(file: Path) -> str:
    """The student's text, checked for syntax; a CheckFailed says what is wrong with it, with the line."""
    if not file.is_file():
        raise CheckFailed(IMPORT_ERROR, got=f"{file.name}: no such file")
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
