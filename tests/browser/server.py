"""`python -m minigpt lab` in a copy of the repository, with settings of its own."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.tools.repo_files import ROOT, source_files

TOKEN = "browser-test"
START_LIMIT_S = 120
# Every cell is in the page, not only those in view, and nothing below the last one.
NOTEBOOKS = {"windowingMode": "none", "scrollPastEnd": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A JupyterLab that answers."""

    address: str     # http://127.0.0.1:port
    folder: Path     # the copy of the repository

    def url(self, path: str = "") -> str:
        """The address of a page: "" for the one that `make lab` opens, else a path below labs/."""
        # reset: without the tabs that the last page left open.
        return f"{self.address}/lab/tree/{path}?reset&token={TOKEN}" if path else f"{self.address}/?token={TOKEN}"


def copy_sources(target: Path) -> None:
    """Make a clone of what git has or would take: no student's work, no environment."""
    for path in source_files():
        copy = target / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, copy)
    git(target, "init", "-q")
    git(target, "add", ".")
    git(target, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "copy")


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder, whatever the user's own settings are, and return what it prints."""
    settings = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    settings |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(["git", *arguments], cwd=folder, env=settings, stdout=subprocess.PIPE, check=True)
    return done.stdout.decode("utf-8")


@contextmanager
def jupyterlab(copy: Path, settings: Path):
    """Start JupyterLab as a student does, with the reference in the place of the student's code; end it afterwards."""
    tracker = settings / "lab" / "@jupyterlab" / "notebook-extension" / "tracker.jupyterlab-settings"
    tracker.parent.mkdir(parents=True)
    tracker.write_text(json.dumps(NOTEBOOKS), encoding="utf-8")
    port = free_port()
    command = [sys.executable, "-m", "minigpt", "lab", "--", "--no-browser", "--allow-root",
               f"--ServerApp.port={port}", "--ServerApp.port_retries=0", f"--IdentityProvider.token={TOKEN}",
               "--LabApp.expose_app_in_browser=True"]
    log = settings / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=copy, env=variables(settings), stdin=subprocess.DEVNULL,
                                   stdout=output, stderr=subprocess.STDOUT)
        try:
            address = f"http://127.0.0.1:{port}"
            wait_until_it_answers(process, f"{address}/api/status?token={TOKEN}", log)
            yield Running(address=address, folder=copy)
        finally:
            process.terminate()  # handed on to JupyterLab, which ends its kernels
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()


def variables(settings: Path) -> dict[str, str]:
    """The environment of a student who has never started Jupyter, in which the labs are solved."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("MINIGPT_", "JUPYTER", "IPYTHON", "PYTEST_")) and name != "PYTHONPATH"}
    return kept | {
        "MINIGPT_ENV": "current", "MINIGPT_IMPL": "solution", "MINIGPT_LANG": "en",
        "JUPYTER_CONFIG_DIR": str(settings / "config"), "JUPYTER_DATA_DIR": str(settings / "data"),
        "JUPYTER_RUNTIME_DIR": str(settings / "runtime"), "IPYTHONDIR": str(settings / "ipython"),
        "JUPYTERLAB_SETTINGS_DIR": str(settings / "lab"), "JUPYTERLAB_WORKSPACES_DIR": str(settings / "workspaces"),
    }


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until_it_answers(process, url: str, log: Path) -> None:
    """Return when the server answers; raise with what it said when it ends or takes too long."""
    end = time.monotonic() + START_LIMIT_S
    while process.poll() is None and time.monotonic() < end:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(0.3)
    raise RuntimeError(f"JupyterLab did not start: {log.read_text(encoding='utf-8', errors='replace')[-3000:]}")
