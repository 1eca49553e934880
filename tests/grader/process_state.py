"""Whether a call changed the state of the worker. If it did, the next check gets a new one.

This keeps one exercise's mistakes out of another's result. It guards against accidents: code that deceives this
comparison deceives only the checks of its own author.
"""

import builtins
import os
import signal
import sys
import threading
from pathlib import Path

WATCHED = (
    "builtins", "sys", "time", "random", "math", "os", "queue", "json", "socket", "threading", "signal", "warnings",
    "statistics", "collections", "itertools", "functools", "torch", "torch.nn.functional",
)
OURS = (
    "minigpt", "channel", "import_guard", "line", "namespaces", "orders", "plain_data", "probes", "process_state",
    "remote_arguments", "sandbox", "__main__",
)
PASSING = {"_", "last_exc", "last_type", "last_value", "last_traceback", "__warningregistry__", "onceregistry"}


class Snapshot:
    """The visible state of the process: the object behind each name of the given code and of Python."""

    def __init__(self):
        self._names = {}
        for name, module in list(sys.modules.items()):
            if name in WATCHED or name.split(".")[0] in OURS:
                names = dict(getattr(module, "__dict__", {}))  # a student may have replaced it by anything
                self._take(name, names)
                for cls in [value for value in names.values() if type(value) is type]:
                    if str(cls.__module__).split(".")[0] in (*OURS, "queue", "random"):
                        self._take((name, cls.__qualname__), vars(cls))
        tensor = getattr(sys.modules.get("torch"), "Tensor", None)
        self._take("Tensor", getattr(tensor, "__dict__", {}))
        self._settings = _settings()

    def _take(self, place, names) -> None:
        self._names[place] = {
            key: repr(value) if type(value) in (int, float, str) else id(value)
            for key, value in list(names.items()) if key not in PASSING
        }

    def _given_code(self) -> set:
        return {place for place in self._names if isinstance(place, str) and place.startswith("minigpt")}

    def holds(self) -> bool:
        """Whether all of it is unchanged, and nothing keeps running by itself."""
        now = Snapshot()
        return now._settings == self._settings and (now._names == self._names or self._is_within(now)) and is_alone()

    def _is_within(self, now: "Snapshot") -> bool:
        """Whether all of this is there unchanged, among new names elsewhere than in Python's own and the given code."""
        same = all(
            now._names.get(place, {}).get(key) == value
            for place, names in self._names.items() for key, value in names.items()
        )
        grown = any(now._names[place].keys() != self._names[place].keys() for place in ("builtins", "sys"))
        # A module loaded meanwhile may also have been changed; the worker loads what calls need beforehand.
        return same and not grown and now._given_code() == self._given_code()


def is_alone() -> bool:
    """Whether this process has no other thread, no child and no alarm."""
    try:
        children = Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="utf-8")
    except OSError:
        children = ""
    alarm = hasattr(signal, "getitimer") and signal.getitimer(signal.ITIMER_REAL)[0] > 0
    return threading.active_count() == 1 and len(sys._current_frames()) == 1 and not children and not alarm


def _settings() -> list:
    handlers = [signal.getsignal(number) for number in signal.valid_signals()]
    return [
        os.getcwd(), dict(os.environ), list(sys.path), [id(finder) for finder in sys.meta_path], sys.getrecursionlimit(),
        sys.gettrace(), sys.getprofile(), handlers, id(builtins.__import__), id(sys.stdout), id(sys.stderr),
    ]
