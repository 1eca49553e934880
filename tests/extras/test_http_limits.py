"""What a connection may cost: size and time of a head, and bodies without end."""

import asyncio
import socket

import pytest

from minigpt.extras.server import http_limits
from minigpt.extras.server.access_log import AccessLog
from tests.extras.http_clients import http_server, send
from tests.extras.loops import is_empty, wait_until


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")


@pytest.fixture(scope="module")
def server():
    """One continuous server for all tests that leave it as it was."""
    with http_server() as (engine, port):
        yield engine, port


@pytest.fixture
def port(server):
    engine, port = server
    yield port
    wait_until(lambda: is_empty(engine.load))
    assert engine.state.is_healthy


@pytest.mark.parametrize("head", [
    b"GET /health HTTP/1.1\r\nHost: x\r\nA: " + b"x" * 100_000 + b"\r\n\r\n",
    b"GET /health HTTP/1.1\r\n" + b"".join(b"A%d: b\r\n" % i for i in range(9_000)) + b"\r\n",
    b"GET /" + b"x" * 50_000,
])
def test_a_head_has_its_size(port, head):
    try:
        reply = asyncio.run(send(port, head))
    except ConnectionError:  # the server hung up while we were still talking
        return
    assert reply.status == 431 and "head is larger than" in reply.json["error"]["message"]


def test_a_head_has_its_time(port, monkeypatch):
    monkeypatch.setattr(http_limits, "HEAD_S", 0.3)
    for data, expected in ((b"GET /health HTTP/1.1\r\nHost: x", b"408"), (b"", b"")):
        assert asyncio.run(read_all(port, data))[9:12] == expected


async def read_all(port, data, more=b"", timeout_s=10):
    """Send the data, then `more` again and again until the server hangs up: what it said."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    reading = asyncio.ensure_future(reader.read())
    while more and not reading.done():
        writer.write(more)
        await asyncio.sleep(0.01)
    reply = await asyncio.wait_for(reading, timeout_s)
    writer.close()
    return reply


@pytest.mark.parametrize("path", ["/nowhere", "/v1/completions", "/health"])
def test_a_body_without_end_is_cut(port, path):
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    try:
        reply = asyncio.run(asyncio.wait_for(read_all(port, head, b"1000\r\n" + b"x" * 4096 + b"\r\n"), 20))
    except ConnectionError:
        return
    assert reply[9:12] in (b"404", b"405", b"413")


def test_an_answer_leaves_at_once(port, monkeypatch):
    """hey keeps its connections: each answer took 41 ms more, for the body waited until the head was confirmed."""
    transports, made = [], http_limits.LimitedProtocol.connection_made

    def seen(self, transport):
        made(self, transport)
        transports.append(transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    monkeypatch.setattr(http_limits.LimitedProtocol, "connection_made", seen)
    assert asyncio.run(send(port, b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")).status == 200
    assert transports and all(transports)


def test_a_log_that_nobody_reads_any_more_is_given_up():
    """`serve --access-log | head`: each request printed a traceback."""
    written = []

    def write(text, flush):
        written.append(text)
        raise BrokenPipeError

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200})

    async def requests():
        log = AccessLog(app, write)
        for _ in range(3):
            await log({"type": "http", "method": "GET", "path": "/health"}, None, asyncio.Queue().put)

    asyncio.run(requests())
    assert len(written) == 1 and "GET /health 200" in written[0]
