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

from minigpt.language import language
from minigpt.schedulers import lab_file
from tests.grader import channel, containment, given_code, process_tree
from tests.grader.fleet_host import FleetHost
from tests.grader.leftovers import remove_tree
from tests.grader.line import Line, sender_of
from tests.grader.outcomes import (
    CRASHED,
    GRADER_ERROR,
    IMPORT_ERROR,
    NOT_IMPLEMENTED,
    OUT_OF_MEMORY,
    PROCESS_ENDED,
    TIMED_OUT,
    CheckFailed,
    Text,
    t,
)
from tests.grader.remote_arguments import ModelSpec, ScriptedClock, ScriptedTimes, TutorSpec
from tests.grader.resource_watchdog import POLL_S, Limits, Output, TookTooLong, Watch, WroteTooMuch, num_oom_kills
from tests.grader.server_host import ServerHost

CAN_SAY_WHERE = hasattr(signal, "SIGUSR1")  # on this signal a worker writes which line it is at


class Worker:
    """One student file in one worker process, which is restarted when it was lost or its state was changed.

    `root` is the folder that holds the package `minigpt`; the worker gets a copy of what it needs of that package, and
    of the modules `given`. `hidden` are further folders that it must not see: whether that holds is measured (`held`).
    """

    def __init__(
        self, file: Path, root: Path, *, given: tuple[str, ...] = (), needs_torch: bool = False,
        limits: Limits = Limits(), hidden: tuple = (),
    ):
        self.file, self.root, self.needs_torch, self.limits = file, root, needs_torch, limits
        self.given = given
        self._modules = given_code.modules_for(root, given, needs_torch=needs_torch)
        self.hidden = hidden
        self.text = _text_of(file)  # read once: a file that changes itself changes nothing here
        self.memory_is_limited, self.all_ended = False, True
        self.sandbox: dict = {}  # the containment that the worker reports before it loads the file
        self.held: dict[str, bool] = {}  # what its probes found (`containment.ROWS`)
        self.left_behind: set[str] = set()  # what could not be removed
        self.num_starts = 0
        self.has_answered = False  # a call has returned since this was last set back
        self.output = Output()
        self._process = self._connection = self._place = self._pid = self._where = None
        self._num_orders, self._is_spoiled, self._spent_s = 0, False, 0.0
        self._lost: dict[str, CheckFailed] = {}  # functions that hung or took the worker down

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

    def _load(self) -> None:
        path = str(self._home / self.file.name)
        reply = self._order({"do": "load", "path": path, "text": self.text}, "import", host=None)
        if "failed" in reply:
            raise _as_failure(reply["failed"], default=IMPORT_ERROR)

    def call(self, function: str, args: list, host: ServerHost | None = None, *, again: bool = False):
        """Call a function of the student's file: its result, and its arguments as they are afterwards.

        `host` is the server behind the argument `SERVER`. `again` leaves the file loaded as the last call left it.
        Raises CheckFailed if the call does not return.
        """
        if function in self._lost:
            raise self._lost[function]
        if not again or self._process is None:
            self.fresh()
        order = {
            "do": "call", "function": function, "args": [_packed(arg) for arg in args],
            "server": host.facts() if host else None,
        }
        reply = self._order(order, function, host or FleetHost())
        if "failed" in reply:
            raise _as_failure(reply["failed"], default=CRASHED)
        make_request = host.request_with if host else None
        try:
            done = reply["done"]
            return channel.unpack(done["result"], make_request), [
                channel.unpack(arg, make_request) for arg in done["args"]
            ]
        except (channel.ChannelError, KeyError, TypeError) as error:
            raise CheckFailed(CRASHED, got=f"the worker sent no result ({error})") from None

    def play(self, class_name: str, args: list, calls: list, shown: tuple = (), *, again: bool = False) -> list[dict]:
        """Make an object of a class of the student's file and call its methods in turn, `calls` being (method, *args).

        For each call: its `result`, or the name of what it `raised` and what was `said` with it, and the attributes `shown` as they are then.
        """
        if class_name in self._lost:
            raise self._lost[class_name]
        if not again:
            self.fresh()
        order = {
            "do": "play", "class": class_name, "args": [channel.pack(arg) for arg in args], "shown": list(shown),
            "calls": [[method, *(channel.pack(arg) for arg in given)] for method, *given in calls],
        }
        reply = self._order(order, class_name, host=None)
        if "failed" in reply:
            raise _as_failure(reply["failed"], default=CRASHED)
        try:
            return [
                {"result": channel.unpack(told.get("result")), "raised": told.get("raised"),
                 "said": str(told.get("said"))[:300],
                 "shown": dict(zip(shown, map(channel.unpack, told["shown"]), strict=True))}
                for told in reply["done"]
            ]
        except (channel.ChannelError, AttributeError, KeyError, TypeError, ValueError) as error:
            raise CheckFailed(CRASHED, got=f"the worker sent no result ({error})") from None

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
    def _home(self) -> Path:
        return self._place / "home"

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
                raise TookTooLong(t(f"{self._spent_s:.0f} s in all", f"{self._spent_s:.0f} s en total"))
            channel.send(self._connection, {**order, "order": self._num_orders}, watch)
            while True:
                message = channel.receive(self._connection, watch)
                if not isinstance(message, dict):
                    raise channel.ChannelError("a message was not an order's report")
                watch.message_came()
                if "ask" not in message:
                    if message.get("order") != self._num_orders:
                        raise channel.ChannelError("a report came that nobody asked for")
                    self._is_spoiled |= message.get("spoiled") is not False
                    self._spent_s += watch.spent_s()
                    self.has_answered |= order["do"] in ("call", "play") and "done" in message
                    return message
                reply = host.answer(message["ask"], message.get("args")) if host else {"error": ["ServingError", ""]}
                watch.wait_again()
                channel.send(self._connection, reply, watch)
        except TookTooLong as error:
            failure = WorkerLost(TIMED_OUT, got=self._with_line(error.told), hint=t(
                "`{name}` did not return: does its loop ever end?", "`{name}` no volvió: ¿termina su bucle?",
            ).format(name=what))
        except WroteTooMuch:
            failure = WorkerLost(PROCESS_ENDED, got=t("it wrote more than it may", "escribió más de lo permitido"))
        except (channel.ChannelError, OSError) as error:
            failure = self._why_ended(what, str(error), ooms_before)
        self._spent_s += watch.spent_s()
        self.close()
        if what == "import" and failure.outcome != OUT_OF_MEMORY:
            failure.outcome, failure.hint = IMPORT_ERROR, t(
                "loading the file did not finish: keep code that runs inside functions",
                "la carga del archivo no llegó a su fin: deja en funciones lo que se ejecuta",
            )
        self._lost[what] = failure
        raise failure

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
        return WorkerLost(PROCESS_ENDED, got=t(f"exit status {status}", f"estado de salida {status}"), hint=t(
            "`{name}` ended the whole process: return instead of exiting",
            "`{name}` terminó todo el proceso: devuelve un valor en vez de salir",
        ).format(name=what))


class WorkerLost(CheckFailed):
    """A failure that ended the worker."""


def _text_of(file: Path) -> str:
    """A file's text; if it is not valid, the plugin reports that before anything is run."""
    try:
        return lab_file.read(file)
    except (OSError, ValueError):
        return ""


def _packed(arg):
    if arg is SERVER:
        return {"$": "server", "v": None}
    return arg.plain() if isinstance(arg, DESCRIBED) else channel.pack(arg)


SERVER = object()  # stands for the server among a call's arguments
DESCRIBED = (ModelSpec, TutorSpec, ScriptedClock, ScriptedTimes)


def _as_failure(failed: dict, default: str) -> CheckFailed:
    """The outcome that a report of an exception means."""
    if not isinstance(failed, dict) or not isinstance(failed.get("bases"), list):
        return CheckFailed(CRASHED, got="the worker sent no report")
    bases, line = failed["bases"], failed.get("line")
    line = line if type(line) is int else None
    where = t(f" (line {line})", f" (línea {line})") if line else t("", "")
    said = f"{failed.get('type')}: {failed.get('message')}".removesuffix(": ")
    got = t(*(said + place for place in (where.en, where.es)))
    if "NotImplementedError" in bases and default == CRASHED:
        return CheckFailed(NOT_IMPLEMENTED, where=_innermost(failed))
    if "MemoryError" in bases:
        return CheckFailed(OUT_OF_MEMORY, got=got)
    if default == CRASHED and ("SystemExit" in bases or "KeyboardInterrupt" in bases):
        return CheckFailed(PROCESS_ENDED, got=got)
    return CheckFailed(default, got=got, raised=tuple(map(str, bases)))


def _innermost(failed: dict) -> str:
    """The function of the student's file that was running when an exception came."""
    try:
        return str(failed["frames"][-1][1])
    except (KeyError, IndexError, TypeError):
        return ""


def _environment(home: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "LANG", "LC_ALL") if name in os.environ}
    threads = {name: "1" for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    threads["MINIGPT_LANG"] = language()  # messages in there reach the same reader
    return {**kept, **threads, **dict.fromkeys(("HOME", "TMPDIR", "TEMP", "TMP"), str(home))}
