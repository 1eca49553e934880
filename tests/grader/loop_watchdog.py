"""Ends a loop without end from inside, where nothing outside can: at the next jump or call of the student's own code.

Python's monitoring (3.12 and later) calls back at every jump; in all other code it is switched off at the first one. What
spins in C without coming back to Python has to be ended by the page that holds the interpreter.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

CAN_WATCH = hasattr(sys, "monitoring")
NAME = "minigpt"


class TookTooLong(BaseException):
    """Raised in the student's code; no Exception, so that `except Exception` does not go on."""


class Deadline:
    """When the time is over; what is not the student's code's own work can be taken off, in part."""

    def __init__(self, limit_s: float):
        self.time_s = time.monotonic() + limit_s

    def is_over(self) -> bool:
        return time.monotonic() > self.time_s


@contextmanager
def ending_loops(path: str, limit_s: float) -> Iterator[Deadline]:
    """Within this, code of the file `path` is interrupted once `limit_s` seconds are over, and again at each jump."""
    deadline = Deadline(limit_s)
    if not CAN_WATCH:
        yield deadline
        return
    monitoring = sys.monitoring
    tool, events = monitoring.DEBUGGER_ID, (monitoring.events.JUMP, monitoring.events.PY_START)

    def look(code, *_):
        if code.co_filename != path:
            return monitoring.DISABLE
        if deadline.is_over():
            raise TookTooLong
        return None

    monitoring.use_tool_id(tool, NAME)
    try:
        for event in events:
            monitoring.register_callback(tool, event, look)
        monitoring.set_events(tool, events[0] | events[1])
        yield deadline
    finally:
        monitoring.free_tool_id(tool)
