"""An OpenAI-compatible server around a live engine: completions, chat, models, /health, /metrics and a page at /."""

import asyncio
import contextlib
import hmac
import threading
import time
from dataclasses import dataclass

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from minigpt.extras.server.access_log import AccessLog
from minigpt.extras.server.answer import Answer
from minigpt.extras.server.api_error import ApiError, as_api_error, no_key
from minigpt.extras.server.completions import no_such_model, read_request
from minigpt.extras.server.fields import CHAT, COMPLETIONS
from minigpt.extras.server.live_page import LivePage
from minigpt.extras.server.live_source import QueueFull
from minigpt.extras.server.live_state import EngineDown
from minigpt.extras.server.metrics import ServerMetrics, Stopwatch
from minigpt.extras.server.request_handle import Mailbox
from minigpt.language import say

CLOSED_BY_CLIENT = 499  # nginx's number for a client that has gone
LAST_S = 5.0  # for the engine to release what was cut off when the server ends


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """What the server allows a client."""

    model: str = "mini-gpt"  # the name that clients ask for
    max_body_bytes: int = 65_536
    time_limit_s: float = 120.0  # from a request's arrival to its last byte
    policy: str = ""  # for /health and the page
    api_key: str = ""  # what clients must send; empty: nothing
    cors_origins: tuple[str, ...] = ()  # web pages that may call from a browser; "*": all
    has_access_log: bool = False


class Api:
    """The handlers of one server."""

    def __init__(self, engine, settings: ServerSettings, is_closing: threading.Event):
        self._engine, self._settings = engine, settings
        self._metrics = ServerMetrics(engine)
        self._live = LivePage(engine, self._metrics, settings.policy, is_closing)
        self._started = int(time.time())
        self.mailbox: Mailbox | None = None  # of the asyncio loop, once it runs

    async def completions(self, request: Request):
        """POST /v1/completions."""
        return await self._answer(request, COMPLETIONS)

    async def chat(self, request: Request):
        """POST /v1/chat/completions."""
        return await self._answer(request, CHAT)

    async def _answer(self, request: Request, endpoint: str):
        stopwatch = Stopwatch(self._metrics, time.perf_counter())
        settings = self._settings
        try:
            self._check_key(request)
            body = await self._read_body(request)
            wanted = read_request(body, settings.model, self._engine.context, endpoint)
            answer = Answer(self._engine, wanted, mailbox=self.mailbox, model=settings.model, stopwatch=stopwatch,
                            time_limit_s=settings.time_limit_s)
        except (ApiError, QueueFull, EngineDown, ValueError) as error:
            refusal = as_api_error(error)
            stopwatch.ended("refused", 0, 0, refusal.code)
            raise refusal from None
        self._live.follow(answer)
        return answer

    def _check_key(self, request: Request) -> None:
        key = self._settings.api_key
        shown = request.headers.get("authorization", "").removeprefix("Bearer ")
        # Starlette reads the bytes of a header as Latin-1.
        if key and not hmac.compare_digest(shown.encode("latin-1"), key.encode()):
            raise no_key()

    async def _read_body(self, request: Request) -> bytes:
        try:
            return await asyncio.wait_for(self._read_parts(request), self._settings.time_limit_s)
        except asyncio.TimeoutError:
            message = say(en="the body did not arrive in time", es="el cuerpo no llegó a tiempo")
            raise ApiError(408, message, code="timeout") from None

    async def _read_parts(self, request: Request) -> bytes:
        most, parts, size = self._settings.max_body_bytes, [], 0
        announced = request.headers.get("content-length", "0")
        too_large = ApiError(413, say(en=f"the body is larger than {most} bytes", es=f"el cuerpo pasa de {most} bytes"),
                             code="body_too_large")
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
        self._check_key(request)
        return JSONResponse({"object": "list", "data": [self._model()]})

    async def model(self, request: Request) -> Response:
        """GET /v1/models/{id}."""
        self._check_key(request)
        asked = request.path_params["model"]
        if asked != self._settings.model:
            raise no_such_model(asked, self._settings.model)
        return JSONResponse(self._model())

    def _model(self) -> dict:
        return {"id": self._settings.model, "object": "model", "created": self._started, "owned_by": "minigpt",
                "max_model_len": self._engine.context}

    async def health(self, request: Request) -> Response:
        """GET /health: 200 while the loop serves, 503 and the reason when it does not."""
        state, load = self._engine.state, self._engine.load
        body = {"status": state.name, "reason": state.reason, "policy": self._settings.policy,
                "num_waiting": load.num_waiting, "num_inflight": load.num_inflight}
        return JSONResponse(body, status_code=200 if state.is_healthy else 503)

    async def metrics(self, request: Request) -> Response:
        """GET /metrics."""
        return Response(self._metrics.text(), media_type=CONTENT_TYPE_LATEST)

    async def page(self, request: Request) -> Response:
        """GET /: what is in flight, for people."""
        return self._live.page()

    async def live(self, request: Request) -> Response:
        """GET /live: the same, frame by frame, for the page."""
        self._check_key(request)
        return self._live.frames()

    @property
    def routes(self) -> list[Route]:
        return [
            Route("/v1/completions", self.completions, methods=["POST"]),
            Route("/v1/chat/completions", self.chat, methods=["POST"]),
            Route("/v1/models", self.models), Route("/v1/models/{model:path}", self.model),
            Route("/health", self.health), Route("/metrics", self.metrics),
            Route("/", self.page), Route("/live", self.live),
        ]


def make_app(
    engine, settings: ServerSettings = ServerSettings(), is_closing: threading.Event | None = None
) -> Starlette:
    """The ASGI application around a `LiveEngine` or an `EngineClient`, which finishes its requests at shutdown."""
    is_closing = is_closing or threading.Event()
    api = Api(engine, settings, is_closing)

    @contextlib.asynccontextmanager
    async def lifespan(app):
        api.mailbox = Mailbox()
        yield
        is_closing.set()
        # Every answer was given, or cut off at its time limit: only cleaning up is left.
        await asyncio.to_thread(engine.close, drain=True, timeout_s=LAST_S)

    routes = api.routes
    handlers = {ApiError: show_api_error, HTTPException: shows_what_there_is(routes), ClientDisconnect: show_nothing,
                Exception: show_fault}
    return Starlette(routes=routes, exception_handlers=handlers, lifespan=lifespan, middleware=middleware_of(settings))


def middleware_of(settings: ServerSettings) -> list[Middleware]:
    chosen = [Middleware(AccessLog)] if settings.has_access_log else []
    if settings.cors_origins:
        chosen.append(Middleware(CORSMiddleware, allow_origins=settings.cors_origins, allow_methods=["*"],
                                 allow_headers=["*"]))
    return chosen


async def show_api_error(request: Request, error: ApiError) -> Response:
    return JSONResponse(error.body, status_code=error.status, headers=error.headers)


def shows_what_there_is(routes: list[Route]):
    """A handler of 404 and 405 that names the paths and methods that exist."""
    doors = {route.path: " / ".join(sorted(route.methods - {"HEAD"})) for route in routes}
    listed = ", ".join(f"{methods} {path.replace(':path', '')}" for path, methods in doors.items())

    async def show_http_error(request: Request, error: HTTPException) -> Response:
        what, message = f"{request.method} {ascii(request.url.path)[1:-1]}", error.detail
        if error.status_code in (404, 405):
            message = say(en=f"{what} does not exist; there are {listed}", es=f"{what} no existe; hay {listed}")
        body = ApiError(error.status_code, message, code="http_error").body
        return JSONResponse(body, status_code=error.status_code, headers=error.headers)

    return show_http_error


async def show_nothing(request: Request, error: ClientDisconnect) -> Response:
    return Response(status_code=CLOSED_BY_CLIENT)


async def show_fault(request: Request, error: Exception) -> Response:
    return JSONResponse(ApiError(500, type(error).__name__, code="server_error").body, status_code=500)
