"""A server as a child process: started, waited for, ended."""

import http.client
import os
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager

START_S = 300  # vLLM takes half a minute on a quiet machine
END_S = 20


def free_port() -> int:
    """A free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def running(command: list[str], port: int):
    """The server runs and answers /health inside this context."""
    with tempfile.TemporaryFile() as output:
        # A session of its own: a server's own workers can be ended with it.
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            wait_until_healthy(process, port, output)
            yield
        finally:
            end(process)


def wait_until_healthy(process: subprocess.Popen, port: int, output) -> None:
    """Return when /health answers 200. Raises RuntimeError with the server's last words if it never does."""
    deadline_s = time.monotonic() + START_S
    while time.monotonic() < deadline_s and process.poll() is None:
        if is_healthy(port):
            return
        time.sleep(0.2)
    output.seek(0)
    lines = [line.strip() for line in output.read().decode("utf-8", errors="replace").splitlines() if line.strip()]
    what = f"was not ready after {START_S} s" if process.poll() is None else f"ended with status {process.returncode}"
    raise RuntimeError(f"the server {what}: {lines[-1] if lines else ''}")


def is_healthy(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def end(process: subprocess.Popen) -> None:
    """End the server, gently at first, and any process it leaves behind."""
    process.terminate()
    try:
        process.wait(END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if hasattr(os, "killpg"):  # not on Windows
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # no process was left
