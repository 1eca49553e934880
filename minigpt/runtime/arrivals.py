"""When requests arrive: at times fixed beforehand (open loop), or when a client has its answer (closed loop)."""

import heapq
from typing import Protocol


class Source(Protocol):
    """Where requests come from."""

    @property
    def next_ns(self) -> int | None:
        """Arrival of the oldest request not taken yet; None if none is known."""

    @property
    def exhausted(self) -> bool:
        """Whether no request is waiting and none will come any more."""

    def take(self) -> tuple:
        """The oldest request not taken yet, as a work item, and its arrival in nanoseconds."""

    def answered(self, now_ns: int) -> None:
        """An answer has left."""


class OpenLoop:
    """Arrivals at the workload's own times, whatever the server does."""

    def __init__(self, items):
        self._items = sorted(items, key=lambda item: (item.arrival_ns, item.request_id))
        self._next = 0

    @property
    def next_ns(self) -> int | None:
        """Arrival of the oldest request not taken yet; None if there is none."""
        return self._items[self._next].arrival_ns if self._next < len(self._items) else None

    @property
    def exhausted(self) -> bool:
        """Whether every request has been taken."""
        return self._next == len(self._items)

    def take(self):
        """The oldest request not taken yet, and its arrival time."""
        item = self._items[self._next]
        self._next += 1
        return item, item.arrival_ns

    def answered(self, now_ns: int) -> None:
        """An answer has left; open-loop clients do not wait for it."""


class ClosedLoop:
    """A number of clients, each of which sends its next request a pause after it got its answer."""

    def __init__(self, items, num_clients: int, think_ns: int):
        self._unsent = list(reversed(items))
        self._think_ns = think_ns
        self._sent: list[tuple[int, int, object]] = []  # a heap of (arrival, request id, item)
        for _ in range(min(num_clients, len(items))):
            self._send(0)

    @property
    def next_ns(self) -> int | None:
        return self._sent[0][0] if self._sent else None

    @property
    def exhausted(self) -> bool:
        return not self._sent and not self._unsent

    def take(self):
        arrival_ns, _, item = heapq.heappop(self._sent)
        return item, arrival_ns

    def answered(self, now_ns: int) -> None:
        if self._unsent:
            self._send(now_ns + self._think_ns)

    def _send(self, arrival_ns: int) -> None:
        item = self._unsent.pop()
        heapq.heappush(self._sent, (arrival_ns, item.request_id, item))


def make_source(workload):
    """The arrival process of a workload."""
    if workload.num_clients is None:
        return OpenLoop(workload.items)
    return ClosedLoop(workload.items, workload.num_clients, workload.think_ns)
