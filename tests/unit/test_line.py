"""The line to a worker: no other program gets on it, and none keeps the worker off it."""

import os
import socket
import threading
import time

import pytest

from tests.grader import channel, line
from tests.grader.line import Line

UNIX = pytest.mark.skipif(not line.CAN_INHERIT, reason="Windows hands no sockets down")


class NotYet(Exception):
    """Raised by a wait that has gone on for long."""


def patience(seconds: float):
    until_s = time.monotonic() + seconds

    def on_wait():
        if time.monotonic() > until_s:
            raise NotYet

    return on_wait


def port_of(made: Line) -> int:
    return int(made.address.removeprefix("port:"))


@UNIX
def test_an_inherited_line_has_no_listener_and_knows_who_sends():
    made = Line()
    assert made.address.startswith("fd:") and len(made.handed_down) == 1
    worker = socket.socket(fileno=os.dup(made.handed_down[0]))
    ours = made.connected(patience(5))
    ours.settimeout(0.1)
    channel.send(worker, {"hello": 1})
    assert line.sender_of(ours, patience(5)) in (os.getpid(), None)  # None: not Linux
    assert channel.receive(ours, patience(5)) == {"hello": 1}
    worker.close()
    with pytest.raises(channel.ChannelError, match="closed"):
        channel.receive(ours, patience(5))


def test_strangers_on_the_loopback_neither_get_in_nor_keep_the_worker_out():
    made = Line(inherited=False)
    strangers = [socket.create_connection(("127.0.0.1", port_of(made))) for _ in range(10)]
    strangers[0].close()  # gone at once
    strangers[1].sendall(b"x" * line.SECRET_BYTES)  # a wrong secret
    strangers[2].sendall(made.secret[:-1].encode())  # not all of it, and then silence
    strangers[3].sendall(b"\xff\xff\xff\xff")
    found = []

    def worker():
        time.sleep(0.3)
        connection = line.connect(made.address, made.secret)
        channel.send(connection, "it is me")
        found.append(connection)

    threading.Thread(target=worker).start()
    ours = made.connected(patience(20))
    assert channel.receive(ours) == "it is me"
    for connection in (ours, *found, *strangers):
        connection.close()


def test_more_strangers_than_are_kept_waiting():
    made = Line(inherited=False)
    strangers = []

    def come():
        for _ in range(2 * line.MAX_STRANGERS):
            strangers.append(socket.create_connection(("127.0.0.1", port_of(made))))
        found.append(line.connect(made.address, made.secret))

    found = []
    thread = threading.Thread(target=come)
    thread.start()
    ours = made.connected(patience(20))
    thread.join()
    for connection in (ours, *found, *strangers):
        connection.close()


def test_without_the_worker_it_is_the_wait_that_ends():
    made = Line(inherited=False)
    stranger = socket.create_connection(("127.0.0.1", port_of(made)))
    with pytest.raises(NotYet):
        made.connected(patience(0.5))
    stranger.close()


def test_a_message_of_empty_lists_is_refused_before_it_is_read():
    ours, theirs = socket.socketpair()
    data = b"[" + b"[]," * channel.MAX_CONTAINERS + b"[]]"
    threading.Thread(target=lambda: theirs.sendall(channel.LENGTH.pack(len(data)) + data), daemon=True).start()
    with pytest.raises(channel.ChannelError, match="lists"):
        channel.receive(ours)
    ours.close()


def test_a_large_message_waits_for_a_slow_reader():
    ours, theirs = socket.socketpair()
    ours.settimeout(0.05)
    got = []
    reader = threading.Thread(target=lambda: (time.sleep(0.4), got.append(channel.receive(theirs))))
    reader.start()
    channel.send(ours, "x" * 5_000_000, patience(20))
    reader.join()
    assert got == ["x" * 5_000_000]
    with pytest.raises(NotYet):
        channel.send(ours, "x" * 5_000_000, patience(0.3))  # this one is never read
