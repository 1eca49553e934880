"""Servers that take turns on one processor, one step at a time.

A processor's speed drifts from one second to the next by more than two schedulers differ. Servers that take turns at
every step run at the same speed.
"""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from minigpt.runtime.clock import CpuClock, StepShape


class Stopped(BaseException):
    """Raised in the threads of runs whose caller was interrupted; not an Exception, so that no loop swallows it."""


class Turns:
    """Whose turn it is: each holder's in order, until it leaves."""

    def __init__(self, holders: list[int]):
        self._order = list(holders)
        self._is_stopped = False
        self._changed = threading.Condition()

    @contextmanager
    def of(self, holder: int):
        """Wait for the holder's turn, and pass it on afterwards."""
        with self._changed:
            self._changed.wait_for(lambda: self._order[0] == holder or self._is_stopped)
            if self._is_stopped:
                raise Stopped
        try:
            yield
        finally:
            with self._changed:
                self._order.append(self._order.pop(0))
                self._changed.notify_all()

    def stop(self) -> None:
        """Give no more turns: threads that wait for one, or ask for one, get `Stopped`."""
        with self._changed:
            self._is_stopped = True
            self._changed.notify_all()

    def leave(self, holder: int) -> None:
        """Leave: the others go on without this one."""
        with self._changed:
            self._order.remove(holder)
            self._changed.notify_all()


class TurnClock(CpuClock):
    """The CPU clock of a server that takes turns."""

    def __init__(self, turns: Turns, holder: int):
        super().__init__()
        self._turns, self._holder = turns, holder

    def step(self, shape: StepShape, compute: Callable):
        with self._turns.of(self._holder):
            return super().step(shape, compute)


def in_turns(*runs: Callable[[CpuClock], object]) -> list:
    """Call each `run(clock)` with its own CPU clock, their steps in turn; return what they return.

    The last one runs in the caller's thread, the others each in one of their own.
    """
    turns = Turns(list(range(len(runs))))

    def whole(holder: int):
        try:
            return runs[holder](TurnClock(turns, holder))
        finally:
            turns.leave(holder)

    *others, last = range(len(runs))
    with ThreadPoolExecutor(max(len(others), 1)) as pool:
        started = [pool.submit(whole, holder) for holder in others]
        try:
            result = whole(last)
            return [*(run.result() for run in started), result]
        except KeyboardInterrupt:
            turns.stop()  # otherwise the pool would wait until the others have served all their requests
            raise
