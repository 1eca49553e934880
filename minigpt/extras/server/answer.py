"""One answer on its way to one client: streamed or whole, within its time, and only as long as the client is there."""

import asyncio
import json
import time

from minigpt.extras.server.completions import (
    ApiError,
    CompletionRequest,
    CompletionText,
    engine_down,
    queue_full,
    server_sent,
)
from minigpt.extras.server.metrics import Stopwatch
from minigpt.extras.server.request_handle import CANCELLED, ENGINE_DOWN, FAILED, QUEUE_FULL, AsyncOutputs, Mailbox
from minigpt.language import say

# What a client hears of a request that was not answered.
FAILURES = {
    FAILED: lambda why: ApiError(500, why, code="engine_error"),
    CANCELLED: lambda why: engine_down(say(en="the server is closing", es="el servidor se está cerrando")),
    QUEUE_FULL: queue_full,
    ENGINE_DOWN: engine_down,
}
LAST_WORDS_S = 1.0  # for telling a client that its time is over, should it still be reading


class Answer:
    """An ASGI application that answers one accepted request."""

    def __init__(
        self, engine, wanted: CompletionRequest, *, mailbox: Mailbox, model: str, stopwatch: Stopwatch,
        time_limit_s: float,
    ):  # fmt: skip
        self._engine, self._wanted, self._stopwatch, self._time_limit_s = engine, wanted, stopwatch, time_limit_s
        self._text = CompletionText(wanted, model)
        self._events = AsyncOutputs(mailbox)
        self._end = CANCELLED  # how it ended, for the metrics
        self._has_started = self._is_complete = False
        # Last, for from here on somebody is served.
        self._handle = engine.submit(
            wanted.prompt_token_ids, wanted.max_tokens, ignore_eos=wanted.ignore_eos, stop=wanted.stop,
            listener=self._events,
        )  # fmt: skip

    async def __call__(self, scope, receive, send) -> None:
        left_s = self._stopwatch.arrival_s + self._time_limit_s - time.perf_counter()
        telling = asyncio.ensure_future(self._tell(send))
        gone = asyncio.ensure_future(client_gone(receive))
        try:
            done, _ = await asyncio.wait({telling, gone}, timeout=left_s, return_when=asyncio.FIRST_COMPLETED)
            if telling in done:
                telling.result()
            elif not done:
                telling.cancel()
                await self._time_is_over(send)
        finally:
            telling.cancel()
            gone.cancel()
            await asyncio.gather(telling, gone, return_exceptions=True)
            self._engine.cancel(self._handle)
            num_output_tokens = self._text.num_tokens
            self._stopwatch.ended(self._end, len(self._wanted.prompt_token_ids), num_output_tokens)

    async def _tell(self, send) -> None:
        parts = []
        async for event in self._events:
            if event.reason in FAILURES:
                await self._tell_error(send, FAILURES[event.reason](event.error))
            elif self._wanted.is_stream:
                await self._tell_chunk(send, event)
            else:
                parts.append(self._text.feed(event.token_ids, is_last=event.reason is not None))
                if event.reason is not None:
                    await self._tell_whole(send, self._text.whole("".join(parts), event.reason))
            if event.reason is not None:
                self._end = "refused" if event.reason in (QUEUE_FULL, ENGINE_DOWN) else event.reason

    async def _tell_chunk(self, send, event) -> None:
        chunk = self._text.chunk(event.token_ids, event.reason)
        if event.reason is not None:
            chunk += self._text.ending()
        if chunk:
            await self._start(send, 200, b"text/event-stream; charset=utf-8")
            await self._body(send, chunk, is_last=event.reason is not None)
        self._stopwatch.tokens_left(len(event.token_ids))

    async def _tell_whole(self, send, body: dict, status: int = 200, headers: dict | None = None) -> None:
        data = json.dumps(body).encode()
        await self._start(send, status, b"application/json", {"content-length": len(data), **(headers or {})})
        await self._body(send, data, is_last=True)

    async def _time_is_over(self, send) -> None:
        self._end = "timed_out"
        message = say(en=f"the request took longer than the server's limit of {self._time_limit_s:g} s",
                      es=f"la petición tardó más que el límite del servidor, {self._time_limit_s:g} s")  # fmt: skip
        error = ApiError(504, message, code="timeout")
        try:
            await asyncio.wait_for(self._tell_error(send, error), LAST_WORDS_S)
        except asyncio.TimeoutError:
            pass  # the client has stopped reading

    async def _tell_error(self, send, error: ApiError) -> None:
        if self._is_complete:
            return
        if self._has_started:  # the status has left: the stream ends with an error, and without [DONE]
            await self._body(send, server_sent(error.body), is_last=True)
        else:
            await self._tell_whole(send, error.body, error.status, error.headers)

    async def _start(self, send, status: int, content_type: bytes, more: dict | None = None) -> None:
        if self._has_started:
            return
        self._has_started = True
        headers = [(b"content-type", content_type), (b"cache-control", b"no-store")]
        headers += [(name.lower().encode(), str(value).encode()) for name, value in (more or {}).items()]
        await send({"type": "http.response.start", "status": status, "headers": headers})

    async def _body(self, send, data: bytes, is_last: bool) -> None:
        self._is_complete |= is_last
        await send({"type": "http.response.body", "body": data, "more_body": not is_last})


async def client_gone(receive) -> None:
    """Return when the client has hung up."""
    while (await receive())["type"] != "http.disconnect":
        pass
