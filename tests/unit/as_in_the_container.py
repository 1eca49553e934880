"""A worker under the rights that labs/container gives: root with six capabilities, the labs in a folder of root's own."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from minigpt.paths import repository_root

DROPPED = """
import ctypes, os, sys
KEPT = {0, 1, 3, 5, 6, 7}  # CHOWN, DAC_OVERRIDE, FOWNER, KILL, SETGID, SETUID
libc = ctypes.CDLL(None)
for number in set(range(41)) - KEPT:
    libc.prctl(24, number, 0, 0, 0)  # PR_CAPBSET_DROP
os.execv(sys.executable, [sys.executable, "-m", "tests.tools.containment_table", "--held"])
"""


def held_in_the_container(folder: Path) -> dict[str, bool] | None:
    """What holds there; None where another user cannot read this Python."""
    if not _others_can_run_this_python():
        return None
    labs = folder / "labs"
    labs.mkdir(mode=0o700)
    for name in ("minigpt", "labs", "solutions", "tests", "pyproject.toml"):
        source = repository_root() / name
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(source, labs / name, ignore=ignored) if source.is_dir() else shutil.copy(source, labs / name)
    environment = {**os.environ, "PYTHONPATH": str(labs), "MINIGPT_NO_NAMESPACES": "1"}
    done = subprocess.run([sys.executable, "-c", DROPPED], cwd=labs, env=environment, capture_output=True, check=True)
    return json.loads(done.stdout)


def _others_can_run_this_python() -> bool:
    who = {"user": 64_321, "group": 64_321, "extra_groups": []}
    try:
        return subprocess.run([sys.executable, "-c", "pass"], cwd="/", capture_output=True, check=False, **who).returncode == 0
    except PermissionError:
        return False
