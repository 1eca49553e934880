"""A completions server that follows a script: its times, tokens and errors are known, so a client can be judged."""

import asyncio
import json
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import contextmanager
from dataclasses import dataclass, field

HEAD = "HTTP/1.1 {} x\r\nContent-Type: {}\r\nConnection: close\r\n\r\n"


@dataclass(slots=True, kw_only=True)
class FakeServer:
    """What the server saw; `answer(body, writer)` is its script."""

    answer: Callable[[dict, asyncio.StreamWriter], Awaitable[None]]
    models: tuple[str, ...] = ("fake",)
    port: int = 0
    bodies: list[dict] = field(default_factory=list)
    times_s: list[float] = field(default_factory=list)  # when each request came, on time.perf_counter

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        length = next((int(line.split(":")[1]) for line in head.split("\r\n")
                       if line.lower().startswith("content-length")), 0)
        text = await reader.readexactly(length)
        if head.startswith("GET /v1/models"):
            listed = {"object": "list", "data": [{"id": name} for name in self.models]}
            writer.write((HEAD.format(200, "application/json") + json.dumps(listed)).encode())
        else:
            assert head.startswith("POST /v1/completions")
            self.times_s.append(time.perf_counter())
            self.bodies.append(json.loads(text))
            await self.answer(self.bodies[-1], writer)
        writer.close()


@contextmanager
def serving(answer, **settings):
    """Run a fake server in a thread of its own."""
    server = FakeServer(answer=answer, **settings)
    loop = asyncio.new_event_loop()
    ready = threading.Event()

    async def serve() -> None:
        listening = await asyncio.start_server(server.handle, "127.0.0.1", 0, backlog=200)
        server.port = listening.sockets[0].getsockname()[1]

    def run() -> None:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(serve())
        loop.call_soon(ready.set)  # by run_forever: a stop before it would be lost
        loop.run_forever()
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        loop.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert ready.wait(30)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(30)
        assert not thread.is_alive()


def event(**fields) -> bytes:
    return b"data: " + json.dumps({"object": "text_completion", **fields}).encode() + b"\n\n"


def piece(text: str, finish_reason: str | None = None) -> bytes:
    return event(choices=[{"index": 0, "text": text, "finish_reason": finish_reason}])


def usage(num_tokens: int) -> bytes:
    return event(choices=[], usage={"prompt_tokens": 1, "completion_tokens": num_tokens})


def error(status: int, message: str):
    """A script that refuses every request."""

    async def answer(_, writer) -> None:
        writer.write((HEAD.format(status, "application/json") + json.dumps({"error": message})).encode())

    return answer


def streaming(ttft_s: float = 0.0, itl_s: float = 0.0, *, tokens_per_piece: int = 1, with_usage: bool = True,
              end: bytes = b"data: [DONE]\n\n"):
    """A script that answers each request with `max_tokens` tokens at known times."""

    async def answer(body: dict, writer) -> None:
        writer.write(HEAD.format(200, "text/event-stream").encode())
        await asyncio.sleep(ttft_s)
        for first in range(0, body["max_tokens"], tokens_per_piece):
            if first:
                await asyncio.sleep(itl_s)
            writer.write(piece("a" * min(tokens_per_piece, body["max_tokens"] - first)))
            await writer.drain()
        writer.write(piece("", "length") + (usage(body["max_tokens"]) if with_usage else b"") + end)
        await writer.drain()

    return answer
