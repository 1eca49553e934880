"""`python -m minigpt serve` in a process of its own."""

import os
import re
import subprocess
import sys
import threading

from minigpt.paths import repository_root

READY = re.compile(r"Serving (\S+) on http://127\.0\.0\.1:(\d+)/v1")


def start(*options, reads: bool = True, **settings) -> tuple[subprocess.Popen, int]:
    """A server on a free port, and that port once it serves; without `reads` its output is the caller's."""
    variables = {**os.environ, "MINIGPT_ENV": "current", "MINIGPT_LANG": "en", "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "minigpt", "serve", "--port", "0", *options], env=variables, cwd=repository_root(),
        text=True, encoding="utf-8", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **settings,
    )
    lines = []
    for line in process.stdout:
        lines.append(line)
        if found := READY.search(line):
            # A pipe that is not read fills up, and then the server waits for its own log.
            if reads:
                threading.Thread(target=process.stdout.read, daemon=True).start()
            return process, int(found[2])
    raise AssertionError("".join(lines))
