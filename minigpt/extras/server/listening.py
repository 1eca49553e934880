"""Listening on a port until a signal ends it: requests in flight are finished, and one line says so."""

import math
import os
import signal
import socket
import sys
import threading
import time

import uvicorn

from minigpt.extras.server.app import ServerSettings, make_app
from minigpt.extras.server.http_limits import LimitedProtocol
from minigpt.language import say

KEEP_ALIVE_S = 30
TWICE_S = 0.5  # the same Ctrl-C may come twice, from a terminal and from a parent; a second one is a decision
CUT_OFF = 130  # exit status after a second Ctrl-C: 128 + SIGINT


def open_socket(host: str, port: int) -> socket.socket:
    """A listening socket; ValueError if the address is not available."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except (OSError, OverflowError) as error:
        raise ValueError(say(
            en=f"cannot listen on host={host} port={port} ({error}): choose another --port, or 0 for any free one",
            es=f"no se puede escuchar en host={host} port={port} ({error}): elige otro --port, o 0 para uno libre",
        )) from None


class Server(uvicorn.Server):
    """uvicorn's server, which reports what it does at a signal."""

    def __init__(self, config: uvicorn.Config, engine, is_closing: threading.Event):
        super().__init__(config)
        self._engine, self._is_closing, self._asked_s = engine, is_closing, math.inf

    def handle_exit(self, number: int, frame) -> None:
        """First signal: finish what is in flight. A second Ctrl-C, later: cut it off.

        SIGTERM never cuts: systemd, `timeout` and containers send it to the whole group, and so twice.
        """
        load = self._engine.load
        num = load.num_inflight + load.num_waiting
        if not self.should_exit:
            self._asked_s = time.monotonic()
            if num:
                tell(say(en=f"Finishing {num} requests; Ctrl-C again cuts them off.",
                         es=f"Se terminan {num} peticiones; otro Ctrl-C las corta."))
            self._is_closing.set()
            self.should_exit = True
        elif number == signal.SIGINT and time.monotonic() - self._asked_s > TWICE_S:
            tell(say(en=f"{num} requests were cut off.", es=f"Se cortaron {num} peticiones."))
            self._engine.kill("")
            os._exit(CUT_OFF)  # unwinding hundreds of open answers would print hundreds of tracebacks


def tell(line: str) -> None:
    """Write a line from a signal's handler: print may be in the middle of another one."""
    os.write(sys.stderr.fileno(), (line + "\n").encode())


def run_server(engine, listening: socket.socket, settings: ServerSettings) -> None:
    """Serve until SIGINT or SIGTERM; what is in flight then is finished first."""
    is_closing = threading.Event()
    config = uvicorn.Config(
        make_app(engine, settings, is_closing), log_level="warning", access_log=False, lifespan="on", ws="none",
        loop="asyncio", http=LimitedProtocol, timeout_keep_alive=KEEP_ALIVE_S, server_header=False,
        timeout_graceful_shutdown=math.ceil(settings.time_limit_s) + 1,
    )
    # uvicorn raises the signal again at the end, for handlers set earlier: here there is nothing left to do.
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        Server(config, engine, is_closing).run(sockets=[listening])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        engine.close(drain=False, timeout_s=1)
