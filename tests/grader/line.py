"""The only connection between the checks and a worker: an inherited socket pair, so there is nothing to connect to.

On Windows sockets are not inherited: there the worker connects over the loopback and begins with a secret. Other
programs may connect as well; each is turned away without keeping the others waiting.
"""

import hmac
import os
import secrets
import selectors
import socket
import struct
import sys

CAN_INHERIT = sys.platform != "win32"
SECRET_BYTES = 32
MAX_STRANGERS = 64  # at once; of more, the oldest is disconnected
POLL_S = 0.1


class Line:
    """The checks' end, and what the worker needs to find its own."""

    def __init__(self, *, inherited: bool = CAN_INHERIT):
        self.secret = secrets.token_hex(SECRET_BYTES // 2)
        self._ours = self._theirs = self._listener = None
        if inherited:
            self._ours, self._theirs = socket.socketpair()
            ask_for_senders(self._ours)  # before anything is sent
        else:
            self._listener = socket.create_server(("127.0.0.1", 0))

    @property
    def address(self) -> str:
        """The worker's argument."""
        return f"fd:{self._theirs.fileno()}" if self._theirs else f"port:{self._listener.getsockname()[1]}"

    @property
    def handed_down(self) -> tuple[int, ...]:
        """The descriptors that the worker inherits."""
        return (self._theirs.fileno(),) if self._theirs else ()

    def connected(self, on_wait) -> socket.socket:
        """The connection, once the worker has been started; `on_wait` is called now and then and may raise."""
        if self._theirs:
            self._theirs.close()  # so that the line ends when the worker does
            return self._ours
        with self._listener:
            return _accept_the_one(self._listener, self.secret.encode(), on_wait)


def _accept_the_one(listener: socket.socket, secret: bytes, on_wait) -> socket.socket:
    listener.setblocking(False)
    said: dict[socket.socket, bytes] = {}  # what each connection has sent so far
    with selectors.DefaultSelector() as selector:
        selector.register(listener, selectors.EVENT_READ)
        try:
            while True:
                on_wait()
                for key, _ in selector.select(POLL_S):
                    if key.fileobj is listener:
                        _let_in(listener, selector, said)
                    elif key.fileobj in said and _has_said(key.fileobj, secret, selector, said):
                        return key.fileobj
        finally:
            for stranger in said:
                stranger.close()


def _let_in(listener, selector, said: dict) -> None:
    try:
        connection, _ = listener.accept()
    except OSError:
        return  # it has gone again
    connection.setblocking(False)
    if len(said) >= MAX_STRANGERS:
        _hang_up(next(iter(said)), selector, said)
    said[connection] = b""
    selector.register(connection, selectors.EVENT_READ)


def _has_said(connection, secret: bytes, selector, said: dict) -> bool:
    """Read on; return whether this is the worker. A program that sends anything else, or nothing more, is disconnected."""
    try:
        part = connection.recv(SECRET_BYTES - len(said[connection]))
    except BlockingIOError:
        return False
    except OSError:
        part = b""
    said[connection] += part
    if part and len(said[connection]) < SECRET_BYTES:
        return False
    if not hmac.compare_digest(said[connection], secret):
        _hang_up(connection, selector, said)
        return False
    selector.unregister(connection)
    said.pop(connection)
    connection.setblocking(True)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return True


def _hang_up(connection, selector, said: dict) -> None:
    selector.unregister(connection)
    said.pop(connection)
    connection.close()


def connect(address: str, secret: str) -> socket.socket:
    """The worker's end."""
    kind, _, number = address.partition(":")
    if kind == "fd":
        os.set_inheritable(int(number), False)  # not for processes that the student's code starts
        return socket.socket(fileno=int(number))
    connection = socket.create_connection(("127.0.0.1", int(number)))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.sendall(secret.encode())
    return connection


def sender_of(connection: socket.socket, on_wait) -> int | None:
    """The sender's process id, as this side counts, of the next message; None where the system does not say.

    In a process namespace of its own the worker does not know the number by which it is known outside.
    """
    if not _knows_senders(connection):
        return None
    size = struct.calcsize("3i")
    while True:
        try:
            notes = connection.recvmsg(1, socket.CMSG_SPACE(size), socket.MSG_PEEK)[1]
        except TimeoutError:
            on_wait()
            continue
        found = [data for level, kind, data in notes if (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS)]
        return struct.unpack("3i", found[0][:size])[0] or None if found else None


def ask_for_senders(connection: socket.socket) -> None:
    """Have the system record the senders from here on."""
    if _knows_senders(connection):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)


def _knows_senders(connection: socket.socket) -> bool:
    return hasattr(socket, "SO_PASSCRED") and connection.family == socket.AF_UNIX
