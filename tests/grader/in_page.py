"""Checks in one interpreter with the student's code: for a browser's page, where there is no other process.

The checks, their hints and the judge are the grader's own; only the worker is another one. What holds a worker in is
missing here: the code shares the interpreter with the checks. So this is for checking oneself, never for grading.
"""

import builtins
import importlib
import io
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

from minigpt import paths
from minigpt.notebook.exercises import load_exercises, load_given
from tests.grader import channel, given_code, report
from tests.grader.calls import Calls, did_not_return, ended_the_process
from tests.grader.check import info_of
from tests.grader.import_guard import ImportGuard
from tests.grader.judge import Judge, Result
from tests.grader.loop_watchdog import ending_loops
from tests.grader.outcomes import PROCESS_ENDED, t
from tests.grader.student import Student

LIMIT_S = 8.0  # of one call
HOST_SHARE = 0.1  # of the checking side's work for it: what a phone simulates slowly should not count against the student
KEPT_OUTPUT = 4_000  # characters
TELL_S = 0.3
NOT_IN_THE_PAGE = ("numpy", "torch")
ABSENT = t(
    "{name} is not in this page, which has only Python's own modules; no exercise here needs it",
    "{name} no está en esta página, que solo tiene los módulos del propio Python; ningún ejercicio de aquí lo necesita",
)


def _orders():
    """The worker's part, found by its siblings as in a worker's own process."""
    folder = str(Path(__file__).resolve().parent)
    sys.path.insert(0, folder)
    try:
        return importlib.import_module("orders")
    finally:
        sys.path.remove(folder)


class Unchanged:
    """In the place of a look at the process: here it is shared, and no other one is started for the next check."""

    def holds(self) -> bool:
        return True


class PageWorker(Calls):
    """Carries out orders in this interpreter; what crosses is plain data all the same.

    `tell(function)` is called now and then, so that the page, which watches from outside, knows what is running.
    """

    def __init__(self, file: Path, given: tuple[str, ...] = (), tell: Callable[[str], None] = lambda _: None):
        super().__init__(file)
        self.given, self.printed = given, Printed()
        self.is_ready, self._host, self._deadline = False, None, None
        self._tell, self._told, self._told_s = tell, "", 0.0
        self._handler = _orders().OrderHandler(self._exchange, lambda _: False, look=Unchanged)

    def lost(self, function: str, outcome: str, seconds: float) -> None:
        """Note that an earlier interpreter has been lost with a call of this function."""
        if outcome == PROCESS_ENDED:
            failure = ended_the_process(function, t("Python ended", "Python terminó"))
        else:
            failure = did_not_return(function, t(
                f"{seconds:.0f} s passed without reaching another line of your file",
                f"pasaron {seconds:.0f} s sin que se alcanzara otra línea de tu archivo"))
        self._noted_as_lost(function, failure)

    def fresh(self) -> None:
        """Load the student's file again."""
        if "import" in self._lost:
            raise self._lost["import"]
        self.is_ready = True
        self._load()

    @property
    def _path(self) -> str:
        return str(self.file)

    def _order(self, order: dict, what: str, host) -> dict:
        self._tell_now_and_then(what)
        self._host = host
        with redirect_stdout(self.printed), redirect_stderr(self.printed), self._guarded_imports():
            with ending_loops(self._path, LIMIT_S) as self._deadline:
                message = self._handler.carry_out(as_sent(order))
        failed = message.get("failed", {})
        if failed.get("type") == "TookTooLong":
            line = failed.get("line")
            raise self._noted_as_lost(what, did_not_return(what, t(
                f"{LIMIT_S:.0f} s (line {line})", f"{LIMIT_S:.0f} s (línea {line})")))
        self.has_answered |= order["do"] in ("call", "play") and "done" in message
        return as_sent(message)

    def _exchange(self, message: dict) -> dict:
        started_s = time.monotonic()
        self._tell_now_and_then(self._told)
        message = as_sent(message)
        answer = self._host.answer(message["ask"], message["args"]) if self._host else {"error": ["ServingError", ""]}
        answer = as_sent(answer)
        self._deadline.time_s += (1 - HOST_SHARE) * (time.monotonic() - started_s)
        return answer

    def _tell_now_and_then(self, what: str) -> None:
        now_s = time.monotonic()
        if what != self._told or now_s - self._told_s > TELL_S:
            self._told, self._told_s = what, now_s
            self._tell(what)

    @contextmanager
    def _guarded_imports(self) -> Iterator[None]:
        """Within this, the student's file finds of the given code what a worker would find."""
        plain, guard = builtins.__import__, None

        def guarded(name, globals=None, locals=None, fromlist=(), level=0):
            nonlocal guard
            if name.split(".")[0] == given_code.PACKAGE and (globals or {}).get("__file__") == self._path:
                guard = guard or ImportGuard(given_code.modules_for(paths.repository_root(), self.given), list(self.given))
                for each in (name, *(f"{name}.{part}" for part in fromlist or ())):
                    if given_code.file_of(paths.repository_root(), each).is_file():
                        guard.find_spec(each)
            try:
                return plain(name, globals, locals, fromlist, level)
            except ModuleNotFoundError as error:
                if error.name in NOT_IN_THE_PAGE and (globals or {}).get("__file__") == self._path:
                    raise ModuleNotFoundError(str(ABSENT.format(name=error.name)), name=error.name) from None
                raise

        builtins.__import__ = guarded
        try:
            yield
        finally:
            builtins.__import__ = plain


class Printed(io.TextIOBase):
    """What the student's code printed: its beginning."""

    def __init__(self):
        self.kept, self.num_characters = "", 0

    def write(self, text: str) -> int:
        self.kept += text[: max(0, KEPT_OUTPUT - len(self.kept))]
        self.num_characters += len(text)
        return len(text)


def as_sent(message):
    """A message as it would come out of the channel."""
    data = json.dumps(message, allow_nan=False)
    if len(data) > channel.MAX_MESSAGE_BYTES:
        raise channel.ChannelError(f"a message of {len(data):,} bytes is over the limit of {channel.MAX_MESSAGE_BYTES:,}")
    return json.loads(data)


def checks_of(lab: Path) -> list[tuple[str, Callable]]:
    """The checks of a lab by name, in the order in which pytest finds them."""
    package = f"lab{lab.name[:2]}"
    files = sorted((Path(__file__).resolve().parent.parent / package).glob("test_*.py"))
    modules = [importlib.import_module(f"tests.{package}.{file.stem}") for file in files]
    return [(name, test) for module in modules for name, test in vars(module).items()
            if name.startswith("test_") and info_of(test)]


def student_of(file: Path, number: str, lost: dict[str, tuple[str, float]], tell: Callable[[str], None]) -> Student:
    """A lab's file in the page; `lost` are the functions with which an interpreter went down: outcome and seconds."""
    worker = PageWorker(file, load_given(paths.resolve_lab(number)), tell)
    for function, how in lost.items():
        worker.lost(function, *how)
    return Student(worker, scripted=True)  # there is no model


def run_checks(student: Student, number: str, only: str = "", on_result: Callable[[Result], None] = lambda _: None) -> Judge:
    """Run the checks of a lab, or of one exercise, one after the other; those that need torch are left out."""
    lab = paths.resolve_lab(number)
    judge = Judge(student=student, exercises=load_exercises(lab), only=only)
    wanted = [(name, test) for name, test in checks_of(lab) if judge.is_wanted(info_of(test)) and not info_of(test).needs_torch]
    checks = [(judge.add(name, info_of(test)), test) for name, test in wanted]
    for result, test in checks:
        judge.run(result, test)
        on_result(result)
    judge.settle()
    return judge


def report_of(judge: Judge, number: str) -> dict:
    """The grader's report, of which a page shows what it wants, and what was printed."""
    infos = [info_of(test) for _, test in checks_of(paths.resolve_lab(number))]
    left_out = sum(info.needs_torch and judge.is_wanted(info) for info in infos)
    return report.as_json(number, "student", list(judge.results.values()), judge.student.measurements,
                          {**printed_by(judge.student), "for_the_notebook": left_out})


def printed_by(student: Student) -> dict:
    """What the student's code printed: its beginning, and how many characters were left out."""
    printed = student.worker.printed
    return {"printed": report.escaped(printed.kept, keep="\n"), "left_out": printed.num_characters - len(printed.kept)}
