"""The built page on this machine."""

import http.server
from functools import partial
from pathlib import Path

from minigpt.language import say

# A browser starts a module, and WebAssembly while it loads, only under these types.
TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm", ".json": "application/json"}


class Handler(http.server.SimpleHTTPRequestHandler):
    """Files of a folder, with the types that the page needs, and no line for each of them."""

    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, **TYPES}

    def log_message(self, *args) -> None:
        pass


def server_of(folder: Path, port: int) -> http.server.ThreadingHTTPServer:
    """A server of a folder, for this machine alone."""
    return http.server.ThreadingHTTPServer(("127.0.0.1", port), partial(Handler, directory=str(folder)))


def serve(folder: Path, port: int) -> None:
    """Serve until Ctrl-C."""
    with server_of(folder, port) as server:
        print(say(en=f"open http://127.0.0.1:{server.server_port}/ (Ctrl-C ends it)",
                  es=f"abre http://127.0.0.1:{server.server_port}/ (Ctrl-C termina)"), flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
