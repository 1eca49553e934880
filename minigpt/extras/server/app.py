"""An OpenAI-compatible server around a live engine: /v1/completions, /v1/models, /health and /metrics."""

import asyncio
import contextlib
import signal
import socket
import time
from dataclasses import dataclass

import uvicorn
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from minigpt.extras.server.answer import Answer
from minigpt.extras.server.completions import ApiError, engine_down, queue_full, read_request
from minigpt.extras.server.live_source import QueueFull
from minigpt.extras.server.live_state import EngineDown
from minigpt.extras.server.metrics import ServerMetrics, Stopwatch
from minigpt.extras.server.request_handle import Mailbox
from minigpt.language import say

CLOSED_BY_CLIENT = 499  # nginx's number; nobody is there to read it


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """What the server allows a client."""

    model: str = "mini-gpt"  # the name that clients ask for
    max_body_bytes: int = 65_536
    time_limit_s: float = 120.0  # from a request's arrival to its last byte
    policy: str = ""  # for /health


class Api:
    """The handlers of one server."""

    def __init__(self, engine, settings: ServerSettings):
        self._engine, self._settings = engine, settings
        self._metrics = ServerMetrics(engine)
        self._started = int(time.time())
        self.mailbox: Mailbox | None = None  # of the asyncio loop, once it runs

    async def completions(self, request: Request):
        """POST /v1/completions."""
        stopwatch = Stopwatch(self._metrics, time.perf_counter())
        settings = self._settings
        try:
            body = await self._read_body(request)
            wanted = read_request(body, settings.model, self._engine.context)
            return Answer(self._engine, wanted, mailbox=self.mailbox, model=settings.model, stopwatch=stopwatch,
                          time_limit_s=settings.time_limit_s)  # fmt: skip
        except (ApiError, QueueFull, EngineDown, ValueError) as error:
            stopwatch.ended("refused", 0, 0)
            raise as_api_error(error) from None

    async def _read_body(self, request: Request) -> bytes:
        try:
            return await asyncio.wait_for(self._read_parts(request), self._settings.time_limit_s)
        except asyncio.TimeoutError:
            message = say(en="the body did not come in time", es="el cuerpo no llegó a tiempo")
            raise ApiError(408, message, code="timeout") from None

    async def _read_parts(self, request: Request) -> bytes:
        most, parts, size = self._settings.max_body_bytes, [], 0
        announced = request.headers.get("content-length", "0")
        too_large = ApiError(413, say(en=f"the body is larger than {most} bytes", es=f"el cuerpo pasa de {most} bytes"),
                             code="body_too_large")  # fmt: skip
        if announced.isdecimal() and int(announced) > most:
            raise too_large
        async for part in request.stream():
            size += len(part)
            if size > most:
                raise too_large
            parts.append(part)
        return b"".join(parts)

    async def models(self, request: Request) -> Response:
        """GET /v1/models."""
        model = {"id": self._settings.model, "object": "model", "created": self._started, "owned_by": "minigpt",
                 "max_model_len": self._engine.context}  # fmt: skip
        return JSONResponse({"object": "list", "data": [model]})

    async def health(self, request: Request) -> Response:
        """GET /health: 200 while the loop serves, 503 and the reason when it does not."""
        state, load = self._engine.state, self._engine.load
        body = {"status": state.name, "reason": state.reason, "policy": self._settings.policy,
                "num_waiting": load.num_waiting, "num_inflight": load.num_inflight}  # fmt: skip
        return JSONResponse(body, status_code=200 if state.is_healthy else 503)

    async def metrics(self, request: Request) -> Response:
        """GET /metrics."""
        return Response(self._metrics.text(), media_type=CONTENT_TYPE_LATEST)


def as_api_error(error: Exception) -> ApiError:
    """A refusal, as a client should see it."""
    if isinstance(error, QueueFull):
        return queue_full(str(error))
    if isinstance(error, EngineDown):
        return engine_down(str(error))
    return error if isinstance(error, ApiError) else ApiError(400, str(error)[:500], code="invalid_value")


def make_app(engine, settings: ServerSettings = ServerSettings()) -> Starlette:
    """The ASGI application around a `LiveEngine` or an `EngineClient`, which finishes what it has at the end."""
    api = Api(engine, settings)

    @contextlib.asynccontextmanager
    async def lifespan(app):
        api.mailbox = Mailbox()
        yield
        await asyncio.to_thread(engine.close, drain=True, timeout_s=settings.time_limit_s)

    routes = [
        Route("/v1/completions", api.completions, methods=["POST"]), Route("/v1/models", api.models),
        Route("/health", api.health), Route("/metrics", api.metrics),
    ]  # fmt: skip
    handlers = {ApiError: show_api_error, HTTPException: show_http_error, ClientDisconnect: show_nothing,
                Exception: show_fault}  # fmt: skip
    return Starlette(routes=routes, exception_handlers=handlers, lifespan=lifespan)


async def show_api_error(request: Request, error: ApiError) -> Response:
    return JSONResponse(error.body, status_code=error.status, headers=error.headers)


async def show_http_error(request: Request, error: HTTPException) -> Response:
    body = ApiError(error.status_code, error.detail, code="http_error").body
    return JSONResponse(body, status_code=error.status_code, headers=error.headers)


async def show_nothing(request: Request, error: ClientDisconnect) -> Response:
    return Response(status_code=CLOSED_BY_CLIENT)


async def show_fault(request: Request, error: Exception) -> Response:
    return JSONResponse(ApiError(500, type(error).__name__, code="server_error").body, status_code=500)


def open_socket(host: str, port: int) -> socket.socket:
    """A listening socket; ValueError if the address cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except (OSError, OverflowError) as error:
        raise ValueError(say(
            en=f"cannot listen on host={host} port={port} ({error}): choose another --port, or 0 for any free one",
            es=f"no se puede escuchar en host={host} port={port} ({error}): elige otro --port, o 0 para uno libre",
        )) from None  # fmt: skip


def run_server(engine, listening: socket.socket, settings: ServerSettings) -> None:
    """Serve until SIGINT or SIGTERM; what is in flight then is finished first. A second SIGINT ends at once."""
    config = uvicorn.Config(
        make_app(engine, settings), log_level="warning", access_log=False, lifespan="on", ws="none", loop="asyncio",
        timeout_keep_alive=30, timeout_graceful_shutdown=round(settings.time_limit_s) + 1, server_header=False,
    )  # fmt: skip
    # uvicorn raises the signal again when it is done, for whoever was there before: here its work is done.
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        engine.close(drain=False, timeout_s=1)
