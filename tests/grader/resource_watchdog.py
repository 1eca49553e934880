"""What a worker uses, watched from the checking side: time, memory, output."""

import os
import re
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.grader import channel
from tests.grader.outcomes import Text, t
from tests.grader.view import QUOTA_BYTES

POLL_S = 0.1
COUNT_S = 1.0  # between two looks at what was written
MOST_FACTOR = 10  # a call may take at most this many times its wall time, however busy the machine is
UNKNOWN_FACTOR = 2  # where the system does not report how long a process waited for a processor
HOST_FACTOR = 10  # a call may make this side work for at most this many times its own processor time
MAX_FILES = 20_000
KEPT_OUTPUT_BYTES = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one call into the student's code may use. Generous: they catch hangs, they never measure.

    No call of the references takes more than 0.7 s of a worker's processor time and 2.1 s of this side's.
    """

    cpu_s: float = 10.0  # processor time of the worker
    wall_s: float = 12.0  # for code that sleeps or sends little by little; waiting on a busy machine does not count
    start_s: float = 120.0  # wall, to start the worker and load what it needs
    memory_bytes: int = 2**30  # above what it holds after its imports
    total_s: float = 900.0  # wall, spent waiting for the student's code in all


class Output:
    """What a worker prints: drained continuously, kept only up to a bound."""

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
    """Watches what one call uses: processor time, the wall time that it keeps this side waiting, and what it writes.

    Its deadline is held here: `wall_s` of waiting, however the waiting is made up, less the time for which either side
    waited for a processor (Linux reports how long), so that a busy machine costs no one a point.
    """

    def __init__(self, process, pid: int | None, cpu_s: float, wall_s: float, quota: Path | None = None):
        self._process, self._cpu_s, self._wall_s, self._quota = process, cpu_s, wall_s, quota
        self._pid = process.pid if pid is None else pid
        self._start_cpu_s, self._start_queued_s = _cpu_time_s(self._pid), _queued_s(self._pid)
        self._start_host_s = time.thread_time()
        self._since_s, self._looked_s, self._counted_s = time.monotonic(), 0.0, 0.0
        self.waited_s = 0.0

    def __call__(self) -> None:
        """Called repeatedly while nothing, or only a part, has arrived."""
        if self._process.poll() is not None:
            raise channel.ChannelError("the worker has ended")
        self._look_now_and_then()

    def message_came(self) -> None:
        """From here on this side works."""
        now_s = time.monotonic()
        self.waited_s += now_s - self._since_s
        self._since_s = now_s
        self._look_now_and_then()

    def wait_again(self) -> None:
        """This side has answered and waits again."""
        self._since_s = time.monotonic()

    def _look_now_and_then(self) -> None:
        now_s = time.monotonic()
        if now_s - self._looked_s >= POLL_S:  # looking costs as much as a message
            self._looked_s = now_s
            self._look(self.waited_s + now_s - self._since_s)

    def _look(self, waited_s: float) -> None:
        cpu_s = _cpu_time_s(self._pid) - self._start_cpu_s
        if cpu_s > self._cpu_s:
            raise TookTooLong(t(f"{cpu_s:.0f} s of processor time", f"{cpu_s:.0f} s de procesador"))
        host_s = time.thread_time() - self._start_host_s
        if host_s > HOST_FACTOR * self._cpu_s:
            raise TookTooLong(t(f"the server worked {host_s:.0f} s for it", f"el servidor trabajó {host_s:.0f} s para ella"))
        if waited_s > min(self._patience_s(), MOST_FACTOR * self._wall_s):
            raise TookTooLong(t(f"{waited_s:.0f} s, of which {cpu_s:.0f} s at work",
                                f"{waited_s:.0f} s, de ellos {cpu_s:.0f} s trabajando"))
        if self._quota and waited_s - self._counted_s > COUNT_S:
            self._counted_s = waited_s
            if wrote_too_much(self._quota):
                raise WroteTooMuch

    def _patience_s(self) -> float:
        queued_s = self._queued_meanwhile_s()
        return UNKNOWN_FACTOR * self._wall_s if queued_s is None else self._wall_s + queued_s

    def _queued_meanwhile_s(self) -> float | None:
        queued_s = _queued_s(self._pid)
        return None if queued_s is None or self._start_queued_s is None else queued_s - self._start_queued_s

    def spent_s(self) -> float:
        """The time that the call has used of what all calls together have."""
        return max(0.0, self.waited_s - (self._queued_meanwhile_s() or 0.0))


class WroteTooMuch(Exception):
    """A worker that fills the disk."""


def wrote_too_much(folder: Path) -> bool:
    """Whether a folder holds more than a worker may write; stops looking as soon as that is certain."""
    size, count, waiting = 0, 0, [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    count += 1
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        size += entry.stat(follow_symlinks=False).st_size
                    if size > QUOTA_BYTES or count > MAX_FILES:
                        return True
        except OSError:
            pass  # closed, gone, or too deep for a path: the rest is counted
    return False


def num_oom_kills() -> int:
    """How often the system has killed a process for lack of memory since it started (Linux)."""
    try:
        return int(re.search(r"^oom_kill (\d+)", Path("/proc/vmstat").read_text(encoding="utf-8"), re.MULTILINE)[1])
    except (OSError, TypeError):
        return 0


def _cpu_time_s(pid: int) -> float:
    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.Error:
        return 0.0
    return times.user + times.system


def _queued_s(pid: int) -> float | None:
    """For how long a process and this one were ready and had no processor (Linux); None where this is not reported."""
    try:
        texts = [Path(f"/proc/{process}/schedstat").read_text(encoding="utf-8") for process in (pid, "thread-self")]
        return sum(int(text.split()[1]) for text in texts) / 1e9
    except (OSError, IndexError, ValueError):
        return None
