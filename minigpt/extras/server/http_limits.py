"""HTTP connections that send at once, with limits that uvicorn leaves to a proxy: a head's size and time, unread bodies."""

import json
import socket

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from minigpt.extras.server.api_error import ApiError
from minigpt.language import say

MOST_HEAD_BYTES = 32_768  # request line and headers
HEAD_S = 10.0  # from the connection, or a request's first byte, to the end of its head
LINGER_S = 1.0  # for what a client is still sending once it has its answer: closing at once could cost it that answer


class LimitedProtocol(HttpToolsProtocol):
    """A connection to one client."""

    def __init__(self, *args, **settings):
        super().__init__(*args, **settings)
        self._num_head_bytes, self._num_field_bytes = 0, 0
        self._is_in_head, self._is_body_read = True, True
        self._refusal: ApiError | None = None
        self._timer = None

    def connection_made(self, transport) -> None:
        super().connection_made(transport)
        # Head and body leave in two parts. The system would hold the second back until the client has confirmed the
        # first: 40 ms in each answer on a connection that is kept. asyncio turns that off for its own sockets only.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._start_timer(HEAD_S, self._head_is_late)

    def connection_lost(self, error) -> None:
        self._stop_timer()
        super().connection_lost(error)

    def data_received(self, data: bytes) -> None:
        if self._is_in_head:
            self._num_head_bytes += len(data)
        super().data_received(data)
        # If a head ends in the middle of `data`, part of its body was counted too, which no longer matters.
        if self._is_in_head and self._num_head_bytes > MOST_HEAD_BYTES and not self.transport.is_closing():
            self._refuse(head_too_large())

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._num_field_bytes = 0
        self._start_timer(HEAD_S, self._head_is_late)

    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        self._count(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        super().on_header(name, value)
        self._count(name, value)

    def on_headers_complete(self) -> None:
        self._is_in_head, self._is_body_read = False, False
        self._stop_timer()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._is_body_read = True
        self._is_in_head, self._num_head_bytes = True, 0  # of the next request
        self._stop_timer()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self._is_body_read and not self.pipeline:
            self._start_timer(LINGER_S, self.transport.close)

    def send_400_response(self, msg: str) -> None:
        """Called for anything that is not HTTP, and for a head that `_count` has refused."""
        self._refuse(self._refusal or ApiError(400, msg, code="http_error"))

    def _count(self, *parts: bytes) -> None:
        self._num_field_bytes += sum(map(len, parts))
        if self._num_field_bytes > MOST_HEAD_BYTES:
            self._refusal = head_too_large()
            raise ValueError  # ends the parsing, which then calls send_400_response

    def _head_is_late(self) -> None:
        if self._num_head_bytes and not self.transport.is_closing():
            message = say(en=f"the request's head did not arrive within {HEAD_S:.0f} s",
                          es=f"la cabecera de la petición no llegó en {HEAD_S:.0f} s")
            self._refuse(ApiError(408, message, code="timeout"))
        else:
            self.transport.close()

    def _refuse(self, error: ApiError) -> None:
        body = json.dumps(error.body).encode()
        lines = (STATUS_LINE[error.status], b"content-type: application/json", b"connection: close",
                 b"content-length: %d" % len(body), b"", body)
        # The status line ends itself.
        self.transport.write(lines[0] + b"\r\n".join(lines[1:]))
        self.transport.close()

    def _start_timer(self, seconds: float, then) -> None:
        self._stop_timer()
        self._timer = self.loop.call_later(seconds, then)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def head_too_large() -> ApiError:
    message = say(en=f"the request's head is larger than {MOST_HEAD_BYTES} bytes",
                  es=f"la cabecera de la petición pasa de {MOST_HEAD_BYTES} bytes")
    return ApiError(431, message, code="head_too_large")
