"""Grading one hostile submission in a process of its own, and what it leaves behind."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import psutil

from tests.hostile.hostile import Hostile
from tests.tools.repo_files import ROOT

LIMITS = "cpu_s=2,wall_s=10,memory_mb=512,total_s=100"  # far below the usual ones: these are meant to be reached
MOST_S = 400  # of one submission on a machine that is busy with others; idle it is a few seconds


def grade(hostile: Hostile, folder: Path, user: int | None = None, only: str = "", **environment: str) -> dict:
    """Grade one submission, or one exercise of it, as another user if asked; the report, with what the run left behind."""
    folder.mkdir()
    file, report, homes = folder / "continuous_batching.py", folder / "report.json", folder / "homes"
    homes.mkdir()
    file.write_bytes(hostile.source())
    for name, text in hostile.beside:
        (folder / name).write_text(text, encoding="utf-8")
    if user is not None:
        for path in (folder, homes, file):
            os.chown(path, user, user)
    command = [sys.executable, "-m", "tests.grader.grade", "03", "--file", str(file), "--scripted", "--limits", LIMITS,
               "--json", str(report), "--gradescope", str(folder / "gs.json"), "--junit", str(folder / "junit.xml")]
    command += ["--only", only] if only else []
    environment = {**os.environ, "MINIGPT_LANG": "en", "PYTHONUTF8": "1", "TMPDIR": str(homes), **environment}
    who = {} if user is None else {"user": user, "group": user, "extra_groups": []}
    start_s = time.monotonic()
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, errors="replace", timeout=MOST_S,
                         **who)
    assert report.is_file(), f"no report (status {run.returncode}):\n{run.stdout[-3000:]}{run.stderr[-3000:]}"
    text = report.read_text(encoding="utf-8")
    return {
        **json.loads(text), "status": run.returncode, "seconds": time.monotonic() - start_s, "size": len(text),
        "said": run.stdout + run.stderr, "left": [*running_below(homes), *homes.iterdir()],
        "files": sorted(path.name for path in folder.iterdir()),
    }


def running_below(homes: Path) -> list[str]:
    """Processes of workers whose working folder was there."""
    found = []
    for process in psutil.process_iter():
        try:
            line = " ".join(process.cmdline())
        except psutil.Error:
            continue
        if str(homes) in line and "tests.grader.grade" not in line:
            found.append(line)
    return found
