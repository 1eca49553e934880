"""Ends a loop without end from inside, where nothing outside can: at the next jump or call of the student's own code.

Python's monitoring (3.12 and later) calls back at every jump; in all other code it is switched off at the first one. What
spins in C without coming back to Python is for whoever holds the interpreter to end.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

CAN_WATCH = hasattr(sys, "monitoring")
NAME = "minigpt"


class TookTooLong(BaseException):
    """Raised in the student's code; no Exception, so that `except Exception` does not go on."""


@contextmanager
def ending_loops(path: str, limit_s: float) -> Iterator[None]:
    """Within this, code of the file `path` is interrupted once `limit_s` seconds are over, and again at each jump."""
    if not CAN_WATCH:
        yield
        return
    monitoring, deadline_s = sys.monitoring, time.monotonic() + limit_s
    tool, events = monitoring.DEBUGGER_ID, (monitoring.events.JUMP, monitoring.events.PY_START)

    def look(code, *_):
        if code.co_filename != path:
            return monitoring.DISABLE
        if time.monotonic() > deadline_s:
            raise TookTooLong
        return None

    monitoring.use_tool_id(tool, NAME)
    try:
        for event in events:
            monitoring.register_callback(tool, event, look)
        monitoring.set_events(tool, events[0] | events[1])
        yield
    finally:
        monitoring.free_tool_id(tool)
