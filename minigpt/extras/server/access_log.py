"""One line per request in the terminal, to see what clients ask."""

import time
from datetime import datetime

from minigpt.language import say


class AccessLog:
    """An ASGI application around another one: time, client, request, status, seconds to the last byte."""

    def __init__(self, app, write=print):
        self._app, self._write = app, write

    async def __call__(self, scope, receive, send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start_s, status = time.perf_counter(), None

        async def note(message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, note)
        finally:
            self._note(line(scope, status, time.perf_counter() - start_s))

    def _note(self, text: str) -> None:
        try:
            self._write(text, flush=True)
        except OSError:  # its reader has gone (`| head`): clients are served all the same
            self._write = lambda *_, **__: None


def line(scope, status: int | None, seconds: float) -> str:
    client = scope.get("client") or ("?", 0)
    # A path may hold anything, including what would look like another line.
    path = ascii(scope["path"])[1:-1]
    ending = status or say(en="gone", es="se fue")
    return f"{datetime.now():%H:%M:%S} {client[0]} {scope['method']} {path} {ending} {seconds:.3f} s"
