"""Requests that arrive while the server runs: the one part of the runtime that a replay does not have."""

import threading
from collections import deque


class QueueFull(Exception):
    """The queue is full."""


class LiveSource:
    """Requests that other threads put in, oldest first, stamped with the clock's time.

    The loop's thread looks and takes; any thread may put, withdraw and close.
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

        A request that the loop was shown stays: it cannot vanish between `queue.empty()` and `queue.get_nowait()`.
        """
        with self._changed:
            self._is_promised = bool(self._waiting)
            return self._waiting[0][1] if self._waiting else None

    @property
    def exhausted(self) -> bool:
        """Whether no request is waiting and none will come any more."""
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
        """Sleep until a request is waiting, the source is closed, or the time is up."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_closed, timeout_s)
            self._is_promised = bool(self._waiting)  # the request that woke the loop must not vanish before it looks

    # -- for other threads ----------------------------------------------------------------------------------------

    def put(self, item) -> None:
        """Add a request, arriving now; raises QueueFull."""
        with self._changed:
            if len(self._waiting) >= self.max_queue:
                raise QueueFull(f"{self.max_queue} requests are waiting: try again later")
            self._waiting.append((item, self._clock.now_ns))
            self._changed.notify_all()

    def withdraw(self, request_id: int) -> bool:
        """Withdraw a waiting request; False if the loop has it, or has been shown it."""
        with self._changed:
            first = 1 if self._is_promised else 0
            for index in range(first, len(self._waiting)):
                if self._waiting[index][0].request_id == request_id:
                    del self._waiting[index]
                    return True
            return False

    def close(self) -> None:
        """Accept no more requests; those waiting are still served."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def __len__(self) -> int:
        return len(self._waiting)
