"""Child processes: started with the environment's variables, and always waited for."""

import os
import signal
import subprocess
import sys

INTERRUPTED = 130  # 128 + SIGINT, as a shell says it


def child_environment(extra=None):
    """Return the variables for a child process in the environment."""
    variables = dict(os.environ)
    # These point at another Python's packages, which would hide those of the environment.
    for name in ("PYTHONHOME", "PYTHONPATH", "__PYVENV_LAUNCHER__"):
        variables.pop(name, None)
    # Without it, modules in a path with an accent cannot be imported under LC_ALL=C.
    variables["PYTHONUTF8"] = "1"
    variables.update(extra or {})
    return variables


def run_child(command, cwd=None, extra=None):
    """Run a command, always wait for it, and return its exit status."""
    sys.stdout.flush()
    # A child and not os.execv: on Windows that returns to the prompt at once and loses the status.
    parts = [str(part) for part in command]
    process = subprocess.Popen(parts, cwd=cwd and str(cwd), env=child_environment(extra))
    previous = signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    try:
        status = wait(process)
    finally:
        signal.signal(signal.SIGTERM, previous)
    return status if status >= 0 else 128 - status  # ended by signal n: 128 + n, as a shell says it


def wait(process):
    """Wait for a child; Ctrl-C reaches it as well, and it alone decides what to do (JupyterLab asks back)."""
    was_interrupted = False
    while True:
        try:
            status = process.wait()
            return INTERRUPTED if was_interrupted and status != 0 else status
        except KeyboardInterrupt:
            was_interrupted = True
