"""Clients that speak HTTP by hand, polite and rude, and a server for them to talk to."""

import asyncio
import contextlib
import json
import random
import threading
from dataclasses import dataclass

from minigpt.corpus.prompts import tutor_prompts
from minigpt.extras.server.app import ServerSettings, make_app
from minigpt.extras.server.http_limits import LimitedProtocol
from minigpt.extras.server.listening import open_socket
from minigpt.extras.server.live_engine import LiveEngine
from minigpt.llm.tutor import load_tutor
from minigpt.schedulers.registry import find_policy
from tests.unit.small import reference


@contextlib.contextmanager
def http_server(loop="continuous", model=None, settings=None, **engine_settings):
    """A server in a thread, around a reference loop or one's own: its engine and its port."""
    import uvicorn

    if isinstance(loop, str):
        engine_settings.setdefault("streams", find_policy(loop).streams)
        loop = reference(loop)
    engine = LiveEngine(loop, model or load_tutor(), **engine_settings)
    listening = open_socket("127.0.0.1", 0)
    app = make_app(engine, settings or ServerSettings())
    config = uvicorn.Config(app, log_level="error", lifespan="on", ws="none", http=LimitedProtocol,
                            timeout_graceful_shutdown=5)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield engine, listening.getsockname()[1]
    finally:
        server.should_exit = True
        engine.close(drain=False, timeout_s=5)
        thread.join(20)
        listening.close()
        assert not thread.is_alive()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An HTTP answer, whole."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict:
        return json.loads(self.body)

    @property
    def events(self) -> list[str]:
        """The data of server-sent events, in order."""
        blocks = self.body.decode("utf-8").split("\n\n")
        assert blocks[-1] == ""
        assert all(block.startswith("data: ") for block in blocks[:-1])
        return [block.removeprefix("data: ") for block in blocks[:-1]]

    @property
    def text(self) -> str:
        """The text of a stream, or of a whole answer."""
        if "event-stream" not in self.headers["content-type"]:
            return self.json["choices"][0]["text"]
        assert self.events[-1] == "[DONE]"
        parts = [json.loads(event) for event in self.events[:-1]]
        return "".join(choice["text"] for part in parts for choice in part["choices"])


def request_bytes(body, path="/v1/completions", method="POST", headers=(), encoding="utf-8") -> bytes:
    """A request as it goes over the wire; `body` is bytes or something for JSON."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"{method} {path} HTTP/1.1", "Host: test", "Connection: close", f"Content-Length: {len(data)}", *headers]
    return "\r\n".join(lines).encode(encoding) + b"\r\n\r\n" + data


def parse_reply(data: bytes) -> Reply:
    """What came over the wire, with chunked bodies put together; a cut one raises ValueError."""
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if headers.get("transfer-encoding") == "chunked":
        body = unchunked(body)
    elif len(body) != int(headers.get("content-length", len(body))):
        raise ValueError("the body is cut")
    return Reply(status=int(first.split()[1]), headers=headers, body=body)


def unchunked(data: bytes) -> bytes:
    parts = []
    while True:
        size, _, data = data.partition(b"\r\n")
        count = int(size, 16)
        if count == 0:
            return b"".join(parts)
        if len(data) < count + 2:
            raise ValueError("a chunk is cut")
        parts.append(data[:count])
        data = data[count + 2 :]


async def send(port: int, data: bytes, timeout_s: float = 60.0) -> Reply:
    """Send bytes, read to the end."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(data)
        return parse_reply(await asyncio.wait_for(reader.read(), timeout_s))
    finally:
        writer.close()


def ask(port: int, body, **settings) -> Reply:
    """One request, from a test that is not asynchronous."""
    return asyncio.run(send(port, request_bytes(body, **settings)))


def get(port: int, path: str) -> Reply:
    return ask(port, b"", path=path, method="GET")


# -- random clients ---------------------------------------------------------------------------------------------------


async def polite(port: int, rng: random.Random) -> None:
    """Asks the tutor in one of several ways, and gets its answer."""
    prompt = rng.choice(tutor_prompts()[rng.choice(("fix", "fix", "explain"))])
    body = {"prompt": rng.choice((prompt.prompt, list(prompt.token_ids))), "stream": rng.random() < 0.6}
    if rng.random() < 0.5:
        body |= {"max_tokens": 128, "temperature": 0, "stream_options": {"include_usage": True}}
    reply = await send(port, request_bytes(body))
    assert reply.status == 200 and reply.text == prompt.answer


async def leaver(port: int, rng: random.Random) -> None:
    """Hangs up at some byte of its request, or of the answer."""
    prompt = rng.choice(tutor_prompts()["explain"])
    data = request_bytes({"prompt": prompt.prompt, "stream": rng.random() < 0.7})
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    cut = rng.randint(0, len(data) * 3)  # two out of three send all of it
    writer.write(data[:cut])
    if cut >= len(data):
        await reader.read(rng.randint(1, 2_000))
    else:
        await asyncio.sleep(rng.random() * 0.05)
    if rng.random() < 0.5:
        writer.transport.abort()  # a reset, not a farewell
    else:
        writer.close()


JUNK = (
    b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"prompt": "x"', b"[" * 5_000, b'{"prompt": ' + b"9" * 5_000 + b"}",
    {"prompt": None}, {"prompt": 5}, {"prompt": {}}, {"prompt": []}, {"prompt": [[]]}, {"prompt": ["a", ""]},
    {"prompt": [[1], []]}, {"prompt": ["a"] * 129}, {"prompt": [1, "a"]}, {"prompt": [257]}, {"prompt": [-1]}, {"prompt": [True]},
    {"prompt": [1.5]}, {"prompt": ""}, {"prompt": "\n"}, {"prompt": "\ud800"}, {"prompt": [1] * 1_024},
    {"prompt": [1] * 20_000}, {"prompt": "x" * 5_000},
    *({"prompt": "fix: x", **wrong} for wrong in (
        {"max_tokens": 0}, {"max_tokens": -1}, {"max_tokens": 1.0}, {"max_tokens": "5"}, {"max_tokens": True},
        {"max_tokens": 10**30}, {"max_tokens": 1_024}, {"stream": "yes"}, {"stream": 1}, {"stop": 5}, {"stop": [""]},
        {"stop": ""}, {"stop": ["a"] * 5}, {"stop": [None]}, {"stop": "\udfff"}, {"stop": "x" * 300},
        {"stream_options": []}, {"stream_options": {"include_usage": 1}}, {"ignore_eos": "no"}, {"n": 2}, {"n": True},
        {"best_of": 3}, {"echo": True}, {"logprobs": 0}, {"logprobs": 5}, {"suffix": "."}, {"model": 5},
    )),
)


async def junk(port: int, rng: random.Random) -> None:
    """Sends what no server can serve, and is told so."""
    reply = await send(port, request_bytes(rng.choice(JUNK)))
    assert reply.status == 400 and reply.json["error"]["message"]


async def huge(port: int, rng: random.Random) -> None:
    """Sends more than a body may hold, announced or not."""
    text = b"x" * 200_000
    data = request_bytes(b'{"prompt": "' + text + b'"}')
    if rng.random() < 0.5:
        head = b"POST /v1/completions HTTP/1.1\r\nHost: test\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
        data = head + b"%x\r\n%s\r\n0\r\n\r\n" % (len(text), text)
    try:
        assert (await send(port, data)).status == 413
    except (ConnectionError, IndexError):  # the server hung up while we were still talking
        pass


async def stranger(port: int, rng: random.Random) -> None:
    """Speaks something else, or to another door."""
    data = rng.choice((
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GET / HTTP/9.9\r\n\r\n", b"HELO\r\n\r\n",
        request_bytes(b"", path="/v1/completions", method="GET"), request_bytes({}, path="/v1/chat/completions"),
        request_bytes(b"", method="DELETE"), b"POST /v1/completions HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
    ))
    try:
        reply = await send(port, data)
    except (ConnectionError, IndexError):  # hung up without a word
        return
    assert 400 <= reply.status < 500


CLIENTS = {polite: 8, leaver: 6, junk: 4, huge: 1, stranger: 1}


async def one_of_many(port: int, seed: int):
    """A random client: which it was."""
    rng = random.Random(seed)
    client = rng.choices(list(CLIENTS), list(CLIENTS.values()))[0]
    await client(port, rng)
    return client


async def many(port: int, seeds, at_once: int = 32) -> list:
    """Random clients, a fixed number at a time; those whose assertions fail raise here."""
    door = asyncio.Semaphore(at_once)

    async def enter(seed):
        async with door:
            return await one_of_many(port, seed)

    return await asyncio.gather(*(enter(seed) for seed in seeds))
