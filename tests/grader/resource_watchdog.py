"""What a worker uses, watched from the checking side: time, memory, output."""

import re
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.grader import channel
from tests.grader.outcomes import Text, t

POLL_S = 0.1
SLEEP_S = 0.5  # a worker that keeps this side waiting so long for one message was not merely waiting for its processor
KEPT_OUTPUT_BYTES = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one call into the student's code may use. Generous: they catch hangs, they never measure."""

    cpu_s: float = 15.0  # processor time of the worker
    wall_s: float = 60.0  # for code that sleeps; far above cpu_s, since the machine may be busy
    start_s: float = 120.0  # wall, to start the worker and load what it needs
    memory_bytes: int = 2**30  # above what it holds after its imports
    total_s: float = 900.0  # wall, spent waiting for the student's code in all


class Output:
    """What a worker prints: drained all the time, kept only up to a bound."""

    def __init__(self):
        self.kept, self.num_bytes = b"", 0
        self._draining = None

    def follow(self, stream) -> None:
        """Drain a stream until it ends."""
        self._draining = threading.Thread(target=self._drain, args=(stream,), daemon=True)
        self._draining.start()

    def settle(self) -> None:
        """Wait for what an ended worker left in its stream; not for long: a process that escaped may hold it open."""
        if self._draining is not None:
            self._draining.join(timeout=1)

    def _drain(self, stream) -> None:
        while part := stream.read1(65_536):
            self.kept += part[: max(0, KEPT_OUTPUT_BYTES - len(self.kept))]
            self.num_bytes += len(part)
        stream.close()


class TookTooLong(Exception):
    """A worker that used up its time; says which."""

    def __init__(self, told: Text):
        super().__init__(told.en)
        self.told = told


class Watch:
    """Watches what a worker uses: its processor time, and the wall time that it keeps this side waiting."""

    def __init__(self, process, pid: int | None, cpu_s: float, wall_s: float):
        self._process, self._cpu_s, self._wall_s = process, cpu_s, wall_s
        self._pid = process.pid if pid is None else pid
        self._start_cpu_s = _cpu_time_s(self._pid)
        self.waited_s, self._slept_s = 0.0, 0.0
        self._since_s, self._looked_s = time.monotonic(), 0.0

    def __call__(self) -> None:
        """Called again and again while nothing comes."""
        if self._process.poll() is not None:
            raise channel.ChannelError("the worker has ended")
        self._look(time.monotonic())

    def message_came(self) -> None:
        """From here on it is this side that works."""
        now_s = time.monotonic()
        self.waited_s += now_s - self._since_s
        self._slept_s += _if_long(now_s - self._since_s)
        if now_s - self._looked_s > POLL_S:  # looking costs as much as a message does
            self._since_s = now_s
            self._look(now_s)

    def wait_again(self) -> None:
        """This side has answered and waits again."""
        self._since_s = time.monotonic()

    def _look(self, now_s: float) -> None:
        self._looked_s = now_s
        cpu_s = _cpu_time_s(self._pid) - self._start_cpu_s
        if cpu_s > self._cpu_s:
            raise TookTooLong(t(f"{cpu_s:.0f} s of processor time", f"{cpu_s:.0f} s de procesador"))
        waited_s = self.waited_s + now_s - self._since_s
        slept_s = self._slept_s + _if_long(now_s - self._since_s)
        # A busy machine may keep a working process from its processor, a little at each of many messages; a sleeping
        # one uses none, and is long silent.
        is_asleep = cpu_s < self._wall_s / 100 and slept_s > self._wall_s
        if is_asleep or waited_s > 10 * self._wall_s:
            raise TookTooLong(t(f"{waited_s:.0f} s, {cpu_s:.0f} s of it at work",
                                f"{waited_s:.0f} s, de ellos {cpu_s:.0f} s trabajando"))  # fmt: skip


def _if_long(waited_s: float) -> float:
    return waited_s if waited_s > SLEEP_S else 0.0


def num_oom_kills() -> int:
    """How often the system has ended a process for want of memory since it started (Linux)."""
    try:
        return int(re.search(r"^oom_kill (\d+)", Path("/proc/vmstat").read_text(), re.MULTILINE)[1])
    except (OSError, TypeError):
        return 0


def _cpu_time_s(pid: int) -> float:
    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.Error:
        return 0.0
    return times.user + times.system
