"""The pytest plugin with which the checks of a lab are found and run; what becomes of them is the judge's business."""

from dataclasses import dataclass

import pytest

from tests.grader.check import info_of
from tests.grader.judge import Judge, Result, check_id
from tests.grader.outcomes import PASSED

RESULT = pytest.StashKey[Result]()


@dataclass(slots=True, kw_only=True)
class GradePlugin(Judge):
    """Collects the checks of one lab and runs them under the judge."""

    only_check: str = ""  # its id, or all of them
    was_interrupted: bool = False  # by Ctrl-C or SIGTERM

    def pytest_keyboard_interrupt(self, excinfo):
        self.was_interrupted = excinfo.type is KeyboardInterrupt  # pytest's own ends come here, too

    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if (info := info_of(item.function)) and self.is_wanted(info)
                    and self.only_check in ("", check_id(item.name, info))]
        for item in items:
            item.stash[RESULT] = self.add(item.name, info_of(item.function))

    def pytest_sessionfinish(self):
        self.settle()

    @pytest.fixture(name="student")
    def student_fixture(self):
        return self.student

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem):
        result = pyfuncitem.stash[RESULT]
        self.run(result, pyfuncitem.obj)
        if result.outcome != PASSED:
            pytest.fail(f"{result.outcome}: expected {result.expected!r}, got {result.got!r}. {result.hint}", pytrace=False)
        return True
