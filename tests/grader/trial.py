"""Tried out once, in a process of its own: which way of containing a worker this system offers.

Prints where an interpreter started like a worker has its modules, and whether it can have namespaces of its own.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

HERE = str(Path(__file__).resolve().parent)
sys.path.insert(0, HERE)
import namespaces  # noqa: E402
import view as views  # noqa: E402

sys.path.remove(HERE)


def why_not() -> str:
    """The obstacle to namespaces of its own; empty if there is none."""
    if sys.platform != "linux":
        return sys.platform
    with tempfile.TemporaryDirectory(prefix="minigpt-trial-") as folder:
        places = {name: os.path.join(folder, name) for name in ("home", "given", "built_in")}
        for place in places.values():
            os.mkdir(place)
        view = views.make_view(python=views.python_folders(), project=folder, hidden=[], copied=[], **places).plain()
        from_child, to_parent = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(from_child)
            os.write(to_parent, _in_the_child(view).encode())
            os._exit(0)
        os.close(to_parent)
        os.waitpid(child, 0)
        with open(from_child, "rb") as said:
            return said.read(500).decode("utf-8", "replace").removesuffix("works")


def _in_the_child(view: dict) -> str:
    try:
        namespaces.leave_the_others()
        first = os.fork()
        if first == 0:
            os._exit(_as_the_first(view))
        return {0: "works", 1: "no view of its own", 2: "others may not read this Python's modules"}.get(
            os.waitstatus_to_exitcode(os.waitpid(first, 0)[1]), "it ended"
        )
    except BaseException as error:
        return f"{type(error).__name__}: {error}"[:300]


def _as_the_first(view: dict) -> int:
    try:
        namespaces.build(view)
        if os.geteuid() == 0:  # the worker will run as another user
            os.setgroups([])
            os.setresgid(30_000, 30_000, 30_000)
            os.setresuid(30_000, 30_000, 30_000)
        modules = [os.__file__, *filter(os.path.isdir, sys.path)]
        return 0 if all(os.access(path, os.R_OK) for path in modules) else 2
    except BaseException:
        return 1


if __name__ == "__main__":
    folders = views.python_folders()
    print(json.dumps({"python": folders, "why_not": why_not()}))
