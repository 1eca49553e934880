"""What contains a worker: a guardian process around it, a view of its own where the kernel allows it, limits, another user.

Runs in the worker's process before any student code is loaded. The worker proper is a child of the guardian, so that
killing its parent does no harm. In a process namespace of its own the kernel ends what the worker leaves behind;
elsewhere on Linux it becomes the guardian's child and ends with it. Means that a system does not offer are left out, and
the probes (tests/grader/probes.py) say so.
"""

import ctypes
import os
import select
import signal
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path

import namespaces

FILE_BYTES = 32 * 2**20  # of one file that a student's code writes
OPEN_FILES = 256  # files in memory (memfd) count in no folder: these two bound what one process can hold in them
PROCESSES = 64  # and threads, besides those that the user already has
WORKER_CPU_S = 1_800  # of one process; only for when the checking side is gone

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_KEEPCAPS, PR_SET_CHILD_SUBREAPER = 1, 4, 8, 36
PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 38, 47
CAP_DAC_READ_SEARCH = 2


@dataclass(slots=True)
class Sandbox:
    """The containment that the worker got."""

    own_user: int | None = None  # id of a user of its own: it can change no one else's files and end no one else's processes
    has_own_view: bool = False  # namespaces of its own
    limits: list[str] = field(default_factory=list)  # what the kernel limits: "fsize", "nproc", …
    orphans_are_found: bool = False

    def plain(self) -> dict:
        return asdict(self)


def enter(home: str, view: dict | None, must_read: list[str], own: tuple[int, ...]) -> Sandbox:
    """Split off the guardian and return in the worker proper, enclosed; the guardian never returns.

    `view` is what the worker is to see of the machine (None: everything), `own` the descriptors that are the worker's
    alone. The guardian also ends everything when its standard input ends: then the checking side is gone.
    """
    sandbox = Sandbox(has_own_view=view is not None)
    if not hasattr(os, "fork"):  # Windows: the checking side ends the process tree, nothing more
        return sandbox
    is_root, number, others = os.geteuid() == 0, os.getpid(), _threads_of(os.geteuid())
    sandbox.orphans_are_found = _prctl(PR_SET_CHILD_SUBREAPER, 1) or view is not None
    if view is None:
        to_guardian = _split_off(_guard, own)
    else:
        namespaces.leave_the_others()
        to_guardian = _split_off(_guard_from_outside, own)
        _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        namespaces.build(view)
        _split_off(lambda worker, _: _guard_as_the_first(worker, to_guardian), own)
    _limit(sandbox)
    if sys.platform == "linux" and is_root:
        sandbox.own_user = _become_nobody_else(number, home, must_read)
    if view is None:
        os.write(to_guardian, str(sandbox.own_user or "").encode())
    os.close(to_guardian)
    _limit_processes(sandbox, others)
    if view is not None:
        _prctl(PR_SET_DUMPABLE, 1)  # else /proc/self is root's after the change of user
        namespaces.no_more_of_them()
        _keep_capability(None)
    _prctl(PR_SET_NO_NEW_PRIVS, 1)
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # last: a change of user resets it
    return sandbox


def _split_off(guard, own: tuple[int, ...]) -> int:
    """Go on in a child; the parent becomes its guardian. Returns the end of a pipe to the guardian."""
    from_child, to_guardian = os.pipe()
    child = os.fork()  # nothing but the standard library is loaded yet, and there are no threads
    if child:
        for number in (to_guardian, *own):
            os.close(number)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2):
            signal.signal(number, signal.SIG_IGN)
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (1, 2):  # the checking side waits for the end of the output
            os.dup2(null, stream)
        guard(child, from_child)
        os._exit(70)
    os.close(from_child)
    return to_guardian


def _guard(worker: int, from_worker: int) -> None:
    """Wait for the worker, end what it left behind, and end in the same way."""
    user = os.read(from_worker, 100)
    status = _reap_until(worker, leash=0)
    if user:
        _end_all_of(int(user))
    _end_leftovers()
    _end_like(status)


def _guard_from_outside(first: int, from_first: int) -> None:
    """As above, outside of the process namespace: the kernel ends all that is in it with its first process."""
    own_status = _reap_until(first, leash=0)
    said = os.read(from_first, 100)
    _end_like(int(said) if said else own_status)


def _guard_as_the_first(worker: int, to_outside: int) -> None:
    os.write(to_outside, str(_reap_until(worker)).encode())
    os._exit(0)


def _end_like(status: int) -> None:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 1)


def _reap_until(worker: int, leash: int | None = None) -> int:
    """The worker's status, when it has ended. At the end of the stream `leash` it is ended."""
    if leash is None:
        while True:
            ended, status = os.waitpid(-1, 0)
            if ended == worker:
                return status
    woken, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(waker)
    watched = [woken, leash]
    while True:
        ended, status = os.waitpid(-1, os.WNOHANG)
        if ended == worker:
            signal.set_wakeup_fd(-1)
            return status
        if ended:
            continue
        ready = select.select(watched, [], [])[0]
        if woken in ready:
            os.read(woken, 100)
        if leash in ready and not os.read(leash, 100):
            os.kill(worker, signal.SIGKILL)
            watched = [woken]


def _end_all_of(user: int) -> None:
    """All processes of a user at once, so that none can start another meanwhile."""
    child = os.fork()
    if child == 0:
        try:
            os.setresuid(user, user, user)
            os.kill(-1, signal.SIGKILL)  # itself too
        finally:
            os._exit(0)
    _reap_until(child)


def _end_leftovers() -> None:
    for _ in range(1_000):  # a process may start another while it is being ended
        for child in children_of(os.getpid()):
            try:
                os.kill(child, signal.SIGKILL)
            except OSError:
                pass
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def children_of(process: int) -> list[int]:
    """Direct children; an empty list where the system does not say."""
    try:
        return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text(encoding="utf-8").split()]
    except (OSError, ValueError):
        return []


def _libc():
    return ctypes.CDLL(None, use_errno=True)


def _prctl(option: int, *values: int) -> bool:
    if sys.platform != "linux":
        return False
    padded = [ctypes.c_ulong(int(value)) for value in (*values, 0, 0, 0, 0)[:4]]
    return _libc().prctl(option, *padded) == 0


def _limit(sandbox: Sandbox) -> None:
    import resource

    limits = {"RLIMIT_CORE": 0, "RLIMIT_FSIZE": FILE_BYTES, "RLIMIT_NOFILE": OPEN_FILES, "RLIMIT_CPU": WORKER_CPU_S}
    for name, value in limits.items():
        try:
            resource.setrlimit(getattr(resource, name), (value, value))
            sandbox.limits.append(name.removeprefix("RLIMIT_").lower())
        except (AttributeError, OSError, ValueError):
            pass


def _limit_processes(sandbox: Sandbox, others: int) -> None:
    """The kernel counts a user's processes, and does not hold root to it."""
    import resource

    if sys.platform != "linux" or os.geteuid() == 0:
        return
    most = PROCESSES + (0 if sandbox.own_user else others)
    try:
        resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
        sandbox.limits.append("nproc")
    except (OSError, ValueError):
        pass


def _threads_of(user: int) -> int:
    count = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if folder.stat().st_uid == user:
                count += len(os.listdir(folder / "task"))
        except OSError:
            pass  # it has ended
    return count


def _become_nobody_else(number: int, home: str, must_read: list[str]) -> int | None:
    """Root only: go on as an unused user id. Returns it, or None where that is not possible."""
    # In a container without root's rights outside, only small numbers exist.
    for user in (600_000_000 + number, 30_000 + number % 30_000):
        try:
            os.chown(home, user, user)
            os.setgroups([])
            os.setresgid(user, user, user)
            _prctl(PR_SET_KEEPCAPS, 1)
            os.setresuid(user, user, user)
        except OSError:
            continue
        # An interpreter in a folder that others may not read (/root) must still be able to read its own modules. With
        # that right it reads everything else too, which the probes find; with a view of its own it is never needed.
        can_read = all(os.access(path, os.R_OK) for path in must_read)
        _keep_capability(None if can_read else CAP_DAC_READ_SEARCH)
        return user
    return None


def _keep_capability(number: int | None) -> None:
    """Give up all of root's rights, or all but one."""
    mask = 0 if number is None else 1 << number
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    data = (ctypes.c_uint32 * 6)(mask, mask, mask, 0, 0, 0)  # effective, permitted, inheritable
    if _libc().capset(header, data) != 0:
        os._exit(70)  # better no worker than one with root's rights
    if number is not None:
        _prctl(PR_CAP_AMBIENT, 2, number)
