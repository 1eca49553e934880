"""One answer on its way to one client: streamed or whole, within its time limit, while the client is connected."""

import asyncio
import functools
import json
import time

from minigpt.extras.server.answer_text import AnswerText, server_sent
from minigpt.extras.server.api_error import ApiError, engine_down, queue_full
from minigpt.extras.server.completions import CompletionRequest
from minigpt.extras.server.metrics import Stopwatch
from minigpt.extras.server.request_handle import (
    CANCELLED,
    ENGINE_DOWN,
    FAILED,
    LENGTH,
    QUEUE_FULL,
    STOP,
    Mailbox,
    RequestOutput,
)
from minigpt.language import say

# What a client gets for a request that was not answered.
FAILURES = {
    FAILED: lambda why: ApiError(500, why, code="engine_error"),
    CANCELLED: lambda why: engine_down(say(en="the server is closing", es="el servidor se está cerrando")),
    QUEUE_FULL: queue_full,
    ENGINE_DOWN: engine_down,
}
LAST_WORDS_S = 1.0  # for telling a client that its time is over, if it is still reading


class Answer:
    """An ASGI application that answers one accepted request, which may hold several prompts."""

    def __init__(
        self, engine, wanted: CompletionRequest, *, mailbox: Mailbox, model: str, stopwatch: Stopwatch,
        time_limit_s: float,
    ):
        self._engine, self._wanted, self._stopwatch, self._time_limit_s = engine, wanted, stopwatch, time_limit_s
        self.text = AnswerText(wanted, model)
        self._inbox: asyncio.Queue[tuple[int, RequestOutput]] = asyncio.Queue()
        self._end = CANCELLED  # how it ended, for the metrics
        self._refusal = ""
        self._has_started = self._is_complete = False
        self.handles = []
        try:  # last, since the request counts as in service from here on
            for index, (prompt, limit) in enumerate(zip(wanted.prompts, wanted.max_tokens, strict=True)):
                listener = functools.partial(self._hear, mailbox, index)
                self.handles.append(engine.submit(prompt, limit, options=wanted.options, listener=listener))
        except BaseException:
            self._cancel()
            raise

    def _hear(self, mailbox: Mailbox, index: int, event: RequestOutput) -> None:
        mailbox.post(self._inbox, (index, event))

    def _cancel(self) -> None:
        for handle in self.handles:
            self._engine.cancel(handle)

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
            self._cancel()
            self._stopwatch.ended(self._end, self._wanted.num_prompt_tokens, self.text.num_tokens, self._refusal)

    async def _news(self) -> dict[int, RequestOutput]:
        """The events of each prompt so far; combined if this task lags, so that it cannot fall further and further behind."""
        news = dict([await self._inbox.get()])
        while not self._inbox.empty():
            index, event = self._inbox.get_nowait()
            news[index] = news[index].then(event) if index in news else event
        return news

    async def _tell(self, send) -> None:
        while not self.text.is_complete:
            for index, event in (await self._news()).items():
                if event.reason in FAILURES:
                    await self._tell_failure(send, event)
                    return
                if self._wanted.is_stream:
                    await self._tell_chunk(send, index, event)
                else:
                    self.text.choices[index].feed(event.token_ids, event.reason)
        if not self._wanted.is_stream:
            await self._tell_whole(send, self.text.whole())
        self._end = LENGTH if any(choice.reason == LENGTH for choice in self.text.choices) else STOP

    async def _tell_failure(self, send, event: RequestOutput) -> None:
        error = FAILURES[event.reason](event.error)
        self._end = event.reason
        if event.reason in (QUEUE_FULL, ENGINE_DOWN):
            self._end, self._refusal = "refused", error.code
        await self._tell_error(send, error)

    async def _tell_chunk(self, send, index: int, event: RequestOutput) -> None:
        chunk = self.text.chunk(index, event.token_ids, event.reason)
        if self.text.is_complete:
            chunk += self.text.ending()
        if chunk:
            await self._start(send, 200, b"text/event-stream; charset=utf-8")
            await self._body(send, chunk, is_last=self.text.is_complete)
        self._stopwatch.tokens_left(len(event.token_ids), index)

    async def _tell_whole(self, send, body: dict, status: int = 200, headers: dict | None = None) -> None:
        data = json.dumps(body).encode()
        await self._start(send, status, b"application/json", {"content-length": len(data), **(headers or {})})
        await self._body(send, data, is_last=True)

    async def _time_is_over(self, send) -> None:
        self._end = "timed_out"
        none = say(en="; not one token of it was computed: does the loop step every request that it takes?",
                   es="; no se calculó ni un token suyo: ¿ejecuta el bucle pasos con cada petición que toma?")
        message = say(en=f"the request took longer than the server's limit of {self._time_limit_s:g} s",
                      es=f"la petición tardó más que el límite del servidor, {self._time_limit_s:g} s")
        error = ApiError(504, message + (none if self._is_untouched() else ""), code="timeout")
        try:
            await asyncio.wait_for(self._tell_error(send, error), LAST_WORDS_S)
        except asyncio.TimeoutError:
            pass  # the client has stopped reading

    def _is_untouched(self) -> bool:
        """Whether the loop has taken this request and never stepped it."""
        ids = {handle.request_id for handle in self.handles}
        mine = [each for each in self._engine.load.occupants if each.request_id in ids]
        return bool(mine) and not any(each.num_output_tokens or each.has_ended for each in mine)

    async def _tell_error(self, send, error: ApiError) -> None:
        if self._is_complete:
            return
        if self._has_started:  # the status was sent already: the stream ends with an error, and without [DONE]
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
