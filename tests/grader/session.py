"""The checking side of a worker: starts it, calls the student's functions in it, and ends it with all it started."""

import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.grader import channel
from tests.grader.outcomes import (
    CRASHED,
    GRADER_ERROR,
    IMPORT_ERROR,
    NOT_IMPLEMENTED,
    OUT_OF_MEMORY,
    PROCESS_ENDED,
    TIMED_OUT,
    CheckFailed,
    t,
)
from tests.grader.server_desk import ServerDesk

POLL_S = 0.1
KEPT_OUTPUT_BYTES = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one call into the student's code may use. Generous: they catch hangs, they never measure."""

    cpu_s: float = 15.0  # processor time of the worker
    wall_s: float = 60.0  # for code that sleeps; far above cpu_s, since the machine may be busy
    start_s: float = 120.0  # wall, to start the worker and load what it needs
    memory_bytes: int = 2**30  # above what it holds after its imports


class Output:
    """What a worker prints: drained all the time, kept only up to a bound."""

    def __init__(self, stream):
        self.kept, self.num_bytes = b"", 0
        self._thread = threading.Thread(target=self._drain, args=(stream,), daemon=True)
        self._thread.start()

    def _drain(self, stream) -> None:
        while part := stream.read1(65_536):
            self.kept += part[: max(0, KEPT_OUTPUT_BYTES - len(self.kept))]
            self.num_bytes += len(part)
        stream.close()


class Worker:
    """One student file in one worker process, restarted when it was lost.

    `given_code` is the folder that holds the package `minigpt`.
    """

    def __init__(self, file: Path, given_code: Path, *, needs_torch: bool = False, limits: Limits = Limits()):
        self.file, self.given_code, self.needs_torch, self.limits = file, given_code, needs_torch, limits
        self.memory_is_limited = False
        self.output: Output | None = None
        self._process = self._connection = self._home = None
        self._lost: dict[str, CheckFailed] = {}  # functions that hung or took the worker down

    def fresh(self) -> None:
        """Load the student's file anew, so that no check sees what an earlier one left behind."""
        if self._process is None:
            self._start()
        reply = self._order({"do": "load", "path": str(self.file)}, "import", desk=None)
        if "failed" in reply:
            raise _as_failure(reply["failed"], default=IMPORT_ERROR)

    def call(self, function: str, args: list, desk: ServerDesk | None = None):
        """Call a function of the student's file: its result, and its arguments as they are afterwards.

        `desk` is the server behind the argument `SERVER`. Raises CheckFailed if the call does not return.
        """
        if function in self._lost:
            raise self._lost[function]
        self.fresh()
        order = {
            "do": "call", "function": function, "args": [_packed(arg) for arg in args],
            "server": desk.facts() if desk else None,
        }  # fmt: skip
        reply = self._order(order, function, desk)
        if "failed" in reply:
            raise _as_failure(reply["failed"], default=CRASHED)
        make_request = desk.request_with if desk else None
        try:
            done = reply["done"]
            return channel.unpack(done["result"], make_request), [
                channel.unpack(arg, make_request) for arg in done["args"]
            ]
        except (channel.ChannelError, KeyError, TypeError) as fault:
            raise CheckFailed(CRASHED, got=f"the worker sent no result ({fault})") from None

    def close(self) -> None:
        """End the worker and every process that it started."""
        if self._process is None:
            return
        end_tree(self._process)
        self._connection.close()
        shutil.rmtree(self._home, ignore_errors=True)
        self._process = None

    # -- the process ------------------------------------------------------------------------------------------

    def _start(self) -> None:
        self._home = tempfile.mkdtemp(prefix="minigpt-worker-")
        secret = secrets.token_hex(16)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-B", "-X", "utf8", str(Path(__file__).with_name("worker.py")),
                 str(listener.getsockname()[1]), str(self.given_code)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                cwd=self._home, env=_environment(self._home), start_new_session=True,
            )  # fmt: skip
            self._process.stdin.write(secret.encode() + b"\n")
            self._process.stdin.close()
            self.output = Output(self._process.stdout)
            self._connection = self._accept(listener, secret)
        order = {"do": "prepare", "torch": self.needs_torch, "memory_bytes": self.limits.memory_bytes}
        reply = self._order(order, "prepare", desk=None, cpu_s=self.limits.start_s, wall_s=self.limits.start_s)
        if "failed" in reply:
            raise CheckFailed(GRADER_ERROR, got=reply["failed"]["message"])
        self.memory_is_limited = reply["done"] is True

    def _accept(self, listener, secret: str):
        listener.settimeout(POLL_S)
        deadline = time.monotonic() + self.limits.start_s
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                connection, _ = listener.accept()
            except TimeoutError:
                continue
            connection.settimeout(POLL_S)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if channel.receive(connection, Watch(self._process, 10, 10)) == {"hello": secret}:
                return connection
            connection.close()  # a stranger on this machine
        raise CheckFailed(GRADER_ERROR, got=f"the worker did not start: {self.output.kept.decode(errors='replace')}")

    def _order(self, order: dict, what: str, desk, cpu_s: float | None = None, wall_s: float | None = None) -> dict:
        """Give an order and answer the worker's questions until it reports."""
        watch = Watch(self._process, cpu_s or self.limits.cpu_s, wall_s or self.limits.wall_s)
        try:
            channel.send(self._connection, order)
            while True:
                message = channel.receive(self._connection, watch)
                if not isinstance(message, dict):
                    raise channel.ChannelError("a message was not an order's report")
                watch.message_came()
                if "ask" not in message:
                    return message
                reply = desk.answer(message["ask"], message.get("args")) if desk else {"error": ["ServingError", ""]}
                channel.send(self._connection, reply)
                watch.wait_again()
        except TookTooLong as fault:
            failure = CheckFailed(TIMED_OUT, got=str(fault), hint=t(
                "`{name}` did not return: does its loop ever end?", "`{name}` no volvió: ¿termina su bucle?",
            ).format(name=what))  # fmt: skip
        except (channel.ChannelError, OSError):
            failure = self._why_ended(what)
        self.close()
        self._lost[what] = failure
        raise failure

    def _why_ended(self, what: str) -> CheckFailed:
        try:
            status = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            status = None
        if status == -9:  # ended from outside; where memory is limited this is the system's own killer
            return CheckFailed(OUT_OF_MEMORY, got="the process was killed")
        return CheckFailed(PROCESS_ENDED, got=f"exit status {status}", hint=t(
            "`{name}` ended the whole process: return instead of exiting",
            "`{name}` terminó todo el proceso: devuelve un valor en vez de salir",
        ).format(name=what))  # fmt: skip


class TookTooLong(Exception):
    """A worker that used up its time."""


class Watch:
    """Watches what a worker uses: its processor time, and the wall time that it keeps this side waiting."""

    def __init__(self, process, cpu_s: float, wall_s: float):
        self._process, self._cpu_s, self._wall_s = process, cpu_s, wall_s
        self._start_cpu_s = _cpu_time_s(process)
        self._waited_s, self._since_s, self._looked_s = 0.0, time.monotonic(), 0.0

    def __call__(self) -> None:
        """Called again and again while nothing comes."""
        if self._process.poll() is not None:
            raise channel.ChannelError("the worker has ended")
        self._look(time.monotonic())

    def message_came(self) -> None:
        """From here on it is this side that works."""
        now_s = time.monotonic()
        self._waited_s += now_s - self._since_s
        if now_s - self._looked_s > POLL_S:  # looking costs as much as a message does
            self._since_s = now_s
            self._look(now_s)

    def wait_again(self) -> None:
        """This side has answered and waits again."""
        self._since_s = time.monotonic()

    def _look(self, now_s: float) -> None:
        self._looked_s = now_s
        cpu_s = _cpu_time_s(self._process) - self._start_cpu_s
        if cpu_s > self._cpu_s:
            raise TookTooLong(f"{cpu_s:.0f} s of processor time")
        waited_s = self._waited_s + now_s - self._since_s
        # A busy machine may keep a working process from its processor; a sleeping one uses none.
        if waited_s > self._wall_s * (1 if cpu_s < self._wall_s / 100 else 10):
            raise TookTooLong(f"{waited_s:.0f} s, {cpu_s:.0f} s of it at work")


def _cpu_time_s(process) -> float:
    try:
        times = psutil.Process(process.pid).cpu_times()
    except psutil.Error:
        return 0.0
    return times.user + times.system


def _packed(arg):
    return {"$": "server", "v": None} if arg is SERVER else channel.pack(arg)


SERVER = object()  # stands for the server among a call's arguments


def _as_failure(failed: dict, default: str) -> CheckFailed:
    """The outcome that a report of an exception means."""
    bases, line = failed.get("bases", []), failed.get("line")
    where = t(f" (line {line})", f" (línea {line})") if line else t("", "")
    got = t(*(f"{failed.get('type')}: {failed.get('message')}{place}" for place in (where.en, where.es)))
    if "NotImplementedError" in bases and default == CRASHED:
        return CheckFailed(NOT_IMPLEMENTED)
    if "MemoryError" in bases:
        return CheckFailed(OUT_OF_MEMORY, got=got)
    if default == CRASHED and ("SystemExit" in bases or "KeyboardInterrupt" in bases):
        return CheckFailed(PROCESS_ENDED, got=got)
    return CheckFailed(default, got=got)


def _environment(home: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "LANG", "LC_ALL") if name in os.environ}
    threads = {name: "1" for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    return {**kept, **threads, "HOME": home, "TMPDIR": home, "TEMP": home, "TMP": home}


def end_tree(process) -> None:
    """End a process and all its descendants, and wait for them."""
    try:
        family = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
    except psutil.Error:
        family = []
    for member in family:
        try:
            member.kill()
        except psutil.Error:
            pass
    psutil.wait_procs(family, timeout=5)
    process.wait()
