"""Requests that arrive while the server runs: the one part of the runtime that a replay does not have."""

import threading
from collections import deque


class QueueFull(Exception):
    """As many requests are waiting as may wait."""


class LiveSource:
    """Requests that other threads put in, oldest first, stamped with the clock's time.

    The loop's thread asks and takes; any thread may put, withdraw and close.
    """

    def __init__(self, clock, max_queue: int):
        self._clock, self.max_queue = clock, max_queue
        self._waiting: deque[tuple[object, int]] = deque()  # (item, arrival)
        self._changed = threading.Condition()
        self._is_closed = self._is_promised = False

    # -- for the loop's thread ------------------------------------------------------------------------------------

    @property
    def next_ns(self) -> int | None:
        """Arrival of the oldest waiting request; None if there is none.

        Whoever was told of a request will get it: between `queue.empty()` and `queue.get_nowait()` it cannot vanish.
        """
        with self._changed:
            self._is_promised = bool(self._waiting)
            return self._waiting[0][1] if self._waiting else None

    @property
    def exhausted(self) -> bool:
        """Whether nobody is waiting and nobody will come any more."""
        with self._changed:
            return self._is_closed and not self._waiting

    def take(self):
        """The oldest waiting request, and its arrival time."""
        with self._changed:
            self._is_promised = False
            return self._waiting.popleft()

    def answered(self, now_ns: int) -> None:
        """An answer has left; the clients of a live server do not wait for each other."""

    def wait(self, timeout_s: float | None) -> None:
        """Sleep until somebody is waiting, the source is closed, or the time is out."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_closed, timeout_s)
            self._is_promised = bool(self._waiting)  # whoever woke the loop must not vanish before it looks

    # -- for everybody else ---------------------------------------------------------------------------------------

    def put(self, item) -> None:
        """Let a request arrive now; raises QueueFull."""
        with self._changed:
            if len(self._waiting) >= self.max_queue:
                raise QueueFull(f"{self.max_queue} requests are waiting: try again later")
            self._waiting.append((item, self._clock.now_ns))
            self._changed.notify_all()

    def withdraw(self, request_id: int) -> bool:
        """Take a waiting request back; False if the loop has it, or has been told of it."""
        with self._changed:
            first = 1 if self._is_promised else 0
            for index in range(first, len(self._waiting)):
                if self._waiting[index][0].request_id == request_id:
                    del self._waiting[index]
                    return True
            return False

    def close(self) -> None:
        """Nobody will come any more; who is waiting is still served."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def __len__(self) -> int:
        return len(self._waiting)
