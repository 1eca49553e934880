"""The checking side of a worker: starts it, calls the student's functions in it, and ends it with all it started."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from minigpt import paths
from minigpt.language import language
from tests.grader import channel, containment, given_code, process_tree
from tests.grader.calls import Calls, WorkerLost, did_not_return, ended_the_process
from tests.grader.leftovers import remove_tree
from tests.grader.line import Line, sender_of
from tests.grader.outcomes import (
    GRADER_ERROR,
    OUT_OF_MEMORY,
    PROCESS_ENDED,
    CheckFailed,
    Text,
    t,
)
from tests.grader.resource_watchdog import POLL_S, Limits, Output, TookTooLong, Watch, WroteTooMuch, num_oom_kills
from tests.grader.student import Student

HIDDEN = ("minigpt", "solutions", "tests", "labs")
CAN_SAY_WHERE = hasattr(signal, "SIGUSR1")  # on this signal a worker writes which line it is at


class Worker(Calls):
    """One student file in one worker process, which is restarted when it was lost or its state was changed.

    `root` is the folder that holds the package `minigpt`; the worker gets a copy of what it needs of that package, and
    of the modules `given`. `hidden` are further folders that it must not see: whether that holds is measured (`held`).
    """

    def __init__(
        self, file: Path, root: Path, *, given: tuple[str, ...] = (), needs_torch: bool = False,
        limits: Limits = Limits(), hidden: tuple = (),
    ):
        super().__init__(file)
        self.root, self.needs_torch, self.limits = root, needs_torch, limits
        self.given = given
        self._modules = given_code.modules_for(root, given, needs_torch=needs_torch)
        self.hidden = hidden
        self.memory_is_limited, self.all_ended = False, True
        self.sandbox: dict = {}  # the containment that the worker reports before it loads the file
        self.held: dict[str, bool] = {}  # what its probes found (`containment.ROWS`)
        self.left_behind: set[str] = set()  # what could not be removed
        self.num_starts = 0
        self.output = Output()
        self._process = self._connection = self._place = self._pid = self._where = None
        self._num_orders, self._is_spoiled, self._spent_s = 0, False, 0.0

    def take(self, text: str) -> None:
        """Use another text from here on; what the one before it lost or spent is forgotten."""
        self.text, self._lost, self._spent_s = text, {}, 0.0

    def fresh(self) -> None:
        """Reload the student's file, so that no check sees what an earlier one left behind."""
        if "import" in self._lost:
            raise self._lost["import"]
        if self._is_spoiled:
            self.close()
        if self._process is not None:
            try:
                self._load()
            except WorkerLost:  # perhaps through what an earlier call left behind
                self._lost.pop("import")
            else:
                return
        self._start()
        self._load()

    def close(self) -> None:
        """End the worker and every process that it started, and remove what it wrote."""
        if self._place is None:
            return
        user = self.sandbox.get("own_user")
        if self._process is not None:  # else interrupted while it was being started
            self.all_ended &= process_tree.end_tree(self._process, self._pid, user)
            if not self._home.is_dir():  # renamed: with the same user's rights it may go anywhere
                self.left_behind.add(self._home.name)
        for end in (self._connection, self._where, self._process and self._process.stdin):
            if end is not None:
                end.close()
        self.left_behind |= {*remove_tree(self._place), *process_tree.sweep(user)}
        self._process = self._connection = self._place = self._pid = self._where = None
        self._is_spoiled = False

    # -- the process ------------------------------------------------------------------------------------------

    @property
    def is_ready(self) -> bool:
        return self._process is not None

    @property
    def _home(self) -> Path:
        return self._place / "home"

    @property
    def _path(self) -> str:
        return str(self._home / self.file.name)

    def _start(self) -> None:
        self.num_starts += 1
        self._make_place()
        line, root = Line(), os.path.realpath(self.root)
        unseen = [*map(str, self.hidden), *containment.copies_of_the_reference(Path(root))]
        copied = [str(self._home / self.file.name)]
        self._where = tempfile.TemporaryFile() if CAN_SAY_WHERE else None
        start = {
            "secret": line.secret, "root": root, "where": self._where.fileno() if self._where else None,
            "modules": self._modules, "given": list(self.given),
            "view": containment.view_of(self._place, Path(root), unseen, copied),
            "facts": containment.facts(self._place / "canary", unseen),
        }
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-B", "-X", "utf8", str(Path(__file__).with_name("worker.py")), line.address,
             str(self._home / "given")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=self._home,
            env=_environment(self._home), start_new_session=True,
            pass_fds=(*line.handed_down, *([self._where.fileno()] if self._where else [])),
        )
        self._greet(line, start)
        order = {"do": "prepare", "torch": self.needs_torch, "memory_bytes": self.limits.memory_bytes,
                 "fleet": "minigpt.simulation.fleet" in self._modules}
        reply = self._order(order, "prepare", host=None, cpu_s=self.limits.start_s, wall_s=self.limits.start_s)
        if "failed" in reply:
            raise CheckFailed(GRADER_ERROR, got=reply["failed"]["message"])
        self.memory_is_limited = self.held["memory"] = reply["done"] is True
        self.held["memory_in_all"] = containment.memory_in_all_is_limited()

    def _make_place(self) -> None:
        """A folder with what a worker gets; in `home` it may write, where it is allowed to."""
        self._place = Path(tempfile.mkdtemp(prefix="minigpt-worker-"))
        self._home.mkdir()
        (self._place / "built_in").mkdir()
        (self._place / "canary").touch(mode=0o600)
        given_code.copy(self.root, self._home / "given", self._modules, needs_torch=self.needs_torch)
        (self._home / self.file.name).write_text(self.text, encoding="utf-8")
        for path in [self._place, self._home, *self._home.rglob("*")] if os.name == "posix" else ():
            path.chmod(0o755 if path.is_dir() else 0o644)  # under any umask: the worker may be another user

    def _greet(self, line: Line, start: dict) -> None:
        """Send the worker what it needs, and read back how it is contained."""
        watch = Watch(self._process, None, self.limits.start_s, self.limits.start_s)
        try:
            self._process.stdin.write(json.dumps(start).encode() + b"\n")
            self._process.stdin.flush()  # and left open: at its end the guardian ends everything
            self.output.follow(self._process.stdout)
            self._connection = line.connected(watch)
            self._connection.settimeout(POLL_S)
            self._pid = sender_of(self._connection, watch)
            hello = channel.receive(self._connection, watch)
            self._pid = self._pid or hello["pid"]
            self.sandbox, self.held = hello["sandbox"], hello["held"]
        except (channel.ChannelError, TookTooLong, WroteTooMuch, OSError) as error:
            self.output.settle()
            said = self.output.kept.decode(errors="replace")
            self.close()
            raise CheckFailed(GRADER_ERROR, got=f"the worker did not start ({error}): {said}") from None

    def _order(self, order: dict, what: str, host, cpu_s: float | None = None, wall_s: float | None = None) -> dict:
        """Give an order and answer the worker's questions until it reports."""
        left_s = self.limits.total_s - self._spent_s  # one deadline for the whole submission, too
        watch = Watch(self._process, self._pid, cpu_s or self.limits.cpu_s, min(wall_s or self.limits.wall_s, left_s),
                      quota=containment.quota_of(self._home, self.held))
        self._num_orders += 1
        ooms_before = num_oom_kills()
        try:
            if left_s <= 0:
                raise TookTooLong(t(f"{self._spent_s:.0f} s in total", f"{self._spent_s:.0f} s en total"))
            channel.send(self._connection, {**order, "order": self._num_orders}, watch)
            while True:
                message = channel.receive(self._connection, watch)
                if not isinstance(message, dict):
                    raise channel.ChannelError("a message was not an order's report")
                watch.message_came()
                if "ask" not in message:
                    if message.get("order") != self._num_orders:
                        raise channel.ChannelError("a report came that was not asked for")
                    self._is_spoiled |= message.get("spoiled") is not False
                    self._spent_s += watch.spent_s()
                    self.has_answered |= order["do"] in ("call", "play") and "done" in message
                    return message
                reply = host.answer(message["ask"], message.get("args")) if host else {"error": ["ServingError", ""]}
                watch.wait_again()
                channel.send(self._connection, reply, watch)
        except TookTooLong as error:
            failure = did_not_return(what, self._with_line(error.told))
        except WroteTooMuch:
            failure = WorkerLost(PROCESS_ENDED, got=t("it wrote more than allowed", "escribió más de lo permitido"))
        except (channel.ChannelError, OSError) as error:
            failure = self._why_ended(what, str(error), ooms_before)
        self._spent_s += watch.spent_s()
        self.close()
        raise self._noted_as_lost(what, failure)

    def _with_line(self, text: Text) -> Text:
        """Add the line of the student's file that the worker is at, if it can still report it."""
        if self._where is None or self._pid is None:
            return text
        try:
            os.kill(self._pid, signal.SIGUSR1)
            time.sleep(2 * POLL_S)
            told = os.pread(self._where.fileno(), 20_000, 0).decode("utf-8", "replace")
        except OSError:
            return text
        name = self.file.name.encode("ascii", "backslashreplace").decode()  # as it is written there
        found = re.search(rf'File "[^"]*/{re.escape(name)}", line (\d{{1,6}})', told)
        return t(f"{text.en} (line {found[1]})", f"{text.es} (línea {found[1]})") if found else text

    def _why_ended(self, what: str, error: str, ooms_before: int) -> CheckFailed:
        try:
            status = self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            return WorkerLost(PROCESS_ENDED, got=t(f"the connection to the checks broke: {error}",
                                                   f"se cortó la línea con las comprobaciones: {error}"))
        if status == -9 and num_oom_kills() > ooms_before:
            return WorkerLost(OUT_OF_MEMORY, got=t("the system ended it because memory ran out",
                                                   "el sistema lo terminó por falta de memoria"))
        return ended_the_process(what, t(f"exit status {status}", f"estado de salida {status}"))


def student_of(file: Path, *, scripted: bool = False, seed: int = 0, hidden: tuple[Path, ...] = (), **settings) -> Student:
    """A file's student in a process of its own; where the system allows it, its code finds neither reference nor checks."""
    root = paths.repository_root()
    worker = Worker(file, root, hidden=(*hidden, *(root / name for name in HIDDEN)), **settings)
    return Student(worker, scripted=scripted, seed=seed)


def _environment(home: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "LANG", "LC_ALL") if name in os.environ}
    threads = {name: "1" for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    threads["MINIGPT_LANG"] = language()  # messages in there reach the same reader
    return {**kept, **threads, **dict.fromkeys(("HOME", "TMPDIR", "TEMP", "TMP"), str(home))}
