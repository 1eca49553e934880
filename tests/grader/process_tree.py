"""Ending a worker with everything that it started."""

import ctypes
import os
import signal
import subprocess
import sys
import time

import psutil

from tests.grader import leftovers

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
PATIENCE_S = 10.0
_adopts = False


def adopt_orphans() -> bool:
    """Make this process the parent of its descendants' orphans (Linux); only for one whose children are workers."""
    global _adopts
    if sys.platform == "linux":
        _adopts = ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    return _adopts


def interrupt_on_sigterm() -> None:
    """Have SIGTERM end this process like Ctrl-C: after its worker has been ended and its folder removed."""
    signal.signal(signal.SIGTERM, _interrupt_once)


def _interrupt_once(number, frame) -> None:
    signal.signal(number, signal.SIG_IGN)  # another signal must not interrupt the cleaning up
    raise KeyboardInterrupt


def end_with_parent() -> None:
    """Have the system end this process when the one that started it has been killed (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def end_tree(process, worker: int | None = None, user: int | None = None) -> bool:
    """End a worker and all its descendants, and wait for them; whether all are gone.

    `process` is the guardian (tests/grader/sandbox.py), `worker` the process id of the worker proper, `user` the
    user id that is the worker's alone, if it has one.
    """
    deadline_s = time.monotonic() + PATIENCE_S
    if worker not in (None, process.pid) and process.poll() is None:
        _let_the_guardian_do_it(process, worker)
    while family := _family(process, user):
        for member in family:
            try:
                member.kill()
            except psutil.Error:
                pass
        psutil.wait_procs(family, timeout=0.5)
        if time.monotonic() > deadline_s:
            return False
    process.wait()
    return True


def _let_the_guardian_do_it(process, worker: int) -> None:
    try:
        if psutil.Process(worker).ppid() == process.pid:  # and not another process with the same number
            psutil.Process(worker).kill()
            process.wait(timeout=PATIENCE_S / 2)
    except (psutil.Error, subprocess.TimeoutExpired):
        pass


def _family(process, user: int | None) -> list[psutil.Process]:
    """What is left of a worker: descendants, members of its session, those of its user, and orphans."""
    parents, everybody = {}, list(psutil.process_iter())
    for one in everybody:
        try:
            parents[one.pid] = one.ppid()
        except psutil.Error:
            pass
    return [one for one in everybody if one.pid != os.getpid() and _belongs(one, process, user, parents)]


def _belongs(one: psutil.Process, process, user: int | None, parents: dict[int, int]) -> bool:
    try:
        if one.pid == process.pid:
            return process.poll() is None
        if one.status() == psutil.STATUS_ZOMBIE and parents.get(one.pid) != os.getpid():
            return False  # left to its parent
        if user is not None and one.uids().real == user:
            return True
        if hasattr(os, "getsid") and os.getsid(one.pid) == process.pid:
            return True
    except (psutil.Error, OSError):
        return False
    line, place = [], one.pid
    while place in parents and place not in line:
        line.append(place)
        place = parents[place]
    return process.pid in line or (_adopts and os.getpid() in map(parents.get, line))


def sweep(user: int | None) -> list[str]:
    """Remove what a worker's own user left on the machine; return what could not be removed."""
    return [] if user is None else [*leftovers.remove_files_of(user), *leftovers.remove_shared_memory_of(user)]
