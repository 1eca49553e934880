"""`server.queue`: requests that have arrived and were not taken yet."""

import queue
from collections.abc import Callable

from minigpt.language import say
from minigpt.runtime.arrivals import Source
from minigpt.runtime.request import Request
from minigpt.runtime.time_keeper import TimeKeeper


class RequestQueue:
    """Hands requests out, oldest first; `admit(item, arrival_ns)` makes the request of a work item."""

    def __init__(self, source: Source, time_keeper: TimeKeeper, admit: Callable):
        self._source, self._time, self._admit = source, time_keeper, admit

    @property
    def closed(self) -> bool:
        """Whether the queue is empty and no request will arrive any more."""
        self._time.poll()
        return self._source.exhausted

    def empty(self) -> bool:
        """Whether no request is waiting now."""
        self._time.poll()
        return not self._ready()

    def get_nowait(self) -> Request:
        """The oldest waiting request; raises queue.Empty if none is waiting."""
        self._time.poll()
        if not self._ready():
            raise nobody_came()
        return self._take()

    def get(self, timeout_s: float | None = None) -> Request:
        """The oldest waiting request, waiting for one up to `timeout_s` seconds (None: as long as it takes).

        Lets time pass to the earlier of the next arrival and the deadline; an arrival exactly at the deadline
        counts. Raises queue.Empty if none came; at once if the queue is closed or the timeout is not positive.
        """
        self._time.poll()
        if self._ready():
            return self._take()
        if self._source.exhausted or (timeout_s is not None and timeout_s <= 0):
            raise nobody_came()
        self._time.wait_for_arrival(self._source, timeout_s)
        if not self._ready():
            raise nobody_came()
        return self._take()

    def _ready(self) -> bool:
        next_ns = self._source.next_ns
        return next_ns is not None and next_ns <= self._time.now_ns

    def _take(self) -> Request:
        self._time.progress()
        return self._admit(*self._source.take())


def nobody_came() -> queue.Empty:
    """The standard library's exception, with a message: uncaught, it would show as an empty line."""
    return queue.Empty(say(
        en="no request was waiting (or the queue is closed, or the time ran out)",
        es="no esperaba ninguna petición (o la cola está cerrada, o venció el plazo)",
    ))
