"""A lab's loop on several machines: a Ray Serve application, one live engine in each replica.

A client talks to Ray's proxy as it would to `python -m minigpt serve`: each replica holds the same server's app. The
proxy keeps requests that are not in flight yet in one queue, and sends the next one to the replica with the fewest.
"""

import asyncio
import os
import socket
import sys
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass

import ray
from ray import cloudpickle, serve
from ray.serve.config import BackpressureConfig, RequestRouterConfig
from starlette.requests import Request
from starlette.responses import JSONResponse

from minigpt.extras.ray.router import LeastInFlight
from minigpt.extras.ray.scaling import Scaling
from minigpt.extras.server.api_error import ApiError
from minigpt.extras.server.app import ServerSettings, make_app
from minigpt.extras.server.live_engine import LiveEngine
from minigpt.language import say
from minigpt.llm.threads import torch_threads
from minigpt.llm.tutor import load_tutor
from minigpt.schedulers.registry import Policy

NAME = "minigpt"  # of the application and its one deployment
HEALTH = "minigpt-health"  # of another application, whose answers wait behind no request
REPLICA_HEADER = b"x-minigpt-replica"
SWITCH_S = 0.001  # how long a thread keeps the interpreter, as in `minigpt serve`
WARM_UP_S = 10.0
HEALTH_CHECK_S = 2.0
RETRY_AFTER_S = 1
KNOCK_S = 5.0
ATTEMPTS = 3  # to start a replica, before the deployment is given up


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaSettings:
    """The settings of every replica."""

    policy: Policy
    max_inflight: int
    max_batch: int = 8
    max_wait_s: float = 0.005
    hang_s: float = 30.0
    time_limit_s: float = 120.0


class Signed:
    """An ASGI application whose responses say which replica they come from: `x-minigpt-replica: REPLICA PID`."""

    def __init__(self, app, signature: str):
        self._app, self._header = app, (REPLICA_HEADER, signature.encode())

    async def __call__(self, scope, receive, send) -> None:
        async def sign(message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), self._header]}
            await send(message)

        await self._app(scope, receive, sign)


@serve.ingress()
class EngineReplica:
    """One engine, with its loop in a thread of its own, and the server around it."""

    def __init__(self, loop: Callable, settings: ReplicaSettings):
        # The loop was sent by value: a student's file need not be on every machine.
        torch_threads(1)
        sys.setswitchinterval(SWITCH_S)
        self._settings = settings
        self._engine = LiveEngine(
            loop, load_tutor(), streams=settings.policy.streams, max_batch=settings.max_batch,
            max_wait_s=settings.max_wait_s, max_inflight=settings.max_inflight, hang_s=settings.hang_s,
        )
        # An unwritten loop is reported before the first request is served.
        state = self._engine.try_out(WARM_UP_S + settings.max_wait_s)
        if not state.is_healthy:
            raise RuntimeError(state.reason)

    def __serve_build_asgi_app__(self):
        """The server's own app, made by Ray once this replica has its event loop."""
        app = make_app(self._engine, ServerSettings(
            time_limit_s=self._settings.time_limit_s, policy=self._settings.policy.name,
        ))
        name = serve.get_replica_context().replica_id.unique_id
        app.add_middleware(Signed, signature=f"{name} {os.getpid()}")
        return app

    def check_health(self) -> None:
        """Called by Ray every few seconds: a replica whose loop has failed is replaced."""
        if not self._engine.state.is_healthy:
            raise RuntimeError(self._engine.state.reason)


class Health:
    """GET /health: how the fleet is. An application of its own, so that the proxy never queues it behind requests."""

    async def __call__(self, request: Request) -> JSONResponse:
        if request.url.path.rstrip("/") != "/health" or request.method not in ("GET", "HEAD"):
            what = f"{request.method} {ascii(request.url.path)[1:-1]}"
            error = ApiError(405 if request.url.path.rstrip("/") == "/health" else 404, say(
                en=f"{what} does not exist; there is GET /health", es=f"{what} no existe; hay GET /health"), code="http_error")
            return JSONResponse(error.body, status_code=error.status)
        return health_of(await asyncio.to_thread(serve.status))


def health_of(status) -> JSONResponse:
    """200 while a replica serves; 503, and what Ray says of the others, when none does."""
    count = running_in(status)
    app = status.applications.get(NAME)
    reason = "" if count or not app else "; ".join(each.message for each in app.deployments.values() if each.message)
    body = {"status": "healthy" if count else "failed", "reason": reason, "num_replicas": count}
    return JSONResponse(body, status_code=200 if count else 503)


def application(
    loop: Callable, scaling: Scaling, settings: ReplicaSettings, *, max_queue: int = 256, **options
) -> serve.Application:
    """The application; `options` are further ones of `serve.deployment`, or others in place of these."""
    ours = {
        "max_queued_requests": max_queue, "health_check_period_s": HEALTH_CHECK_S, "ray_actor_options": {"num_cpus": 1},
        "backpressure_config": BackpressureConfig(status_code=429, retry_after_s=RETRY_AFTER_S),
        "request_router_config": RequestRouterConfig(request_router_class=LeastInFlight),
        "max_constructor_retry_count": ATTEMPTS,
    }
    deployment = serve.deployment(EngineReplica, name=NAME, **{**ours, **scaling.options, **options})
    send_by_value(loop)
    return deployment.bind(loop, settings)


def send_by_value(loop: Callable) -> None:
    """Make a loop from a lab's file travel by value: no other process can import the module that holds it."""
    module = sys.modules.get(loop.__module__)
    if module is not None and not loop.__module__.startswith("minigpt."):
        cloudpickle.register_pickle_by_value(module)


def start_proxy(host: str, port: int, time_limit_s: float) -> None:
    """One proxy, on the head node: it alone knows all that is in flight, so "fewest" is not a guess."""
    http = {"host": host, "port": port, "request_timeout_s": time_limit_s}
    serve.start(proxy_location="HeadOnly", http_options=http)


def deploy(app: serve.Application) -> None:
    """Start the application and wait until it serves; ValueError with the reason if it never does."""
    try:
        serve.run(app, name=NAME, route_prefix="/")
        health = serve.deployment(Health, name=HEALTH, ray_actor_options={"num_cpus": 0})
        serve.run(health.bind(), name=HEALTH, route_prefix="/health")
    except RuntimeError as error:
        status = serve.status().applications.get(NAME)
        message = status.deployments[NAME].message if status and NAME in status.deployments else str(error)
        reason = message.strip().rpartition("\n")[2]  # before it, Ray's own frames
        raise ValueError(say(en=f"no replica could be started: {reason}",
                             es=f"no se pudo iniciar ninguna réplica: {reason}")) from None


def num_running() -> int:
    """Replicas that serve now."""
    return running_in(serve.status())


def running_in(status) -> int:
    """The same, by what Ray said of its applications."""
    app = status.applications.get(NAME)
    return app.deployments[NAME].replica_states.get("RUNNING", 0) if app and NAME in app.deployments else 0


@contextmanager
def connected(address: str | None, num_replicas: int):
    """Inside this context, be connected to an existing cluster or, without an address, to one on this machine alone."""
    if address is None:
        # Each replica is promised a core, whether or not the machine has that many.
        ray.init(address="local", num_cpus=num_replicas + 1, include_dashboard=False, log_to_driver=False)
    else:
        try:
            knock(address)
            ray.init(address=address, log_to_driver=False)
        except OSError as error:  # ConnectionError is a subclass
            raise ValueError(say(
                en=f"address={address!r}: no Ray cluster accepts this connection ({error}). Start one (ray start --head), or "
                "set RAY_AUTH_MODE=token, as for the cluster itself",
                es=f"address={address!r}: ahí ningún clúster de Ray acepta esta conexión ({error}). Inicia uno (ray start "
                   "--head), o define RAY_AUTH_MODE=token, igual que para el propio clúster",
            )) from None
    try:
        yield
    finally:
        if address is None:
            serve.shutdown()
        else:  # a cluster may serve other applications, too
            serve.delete(HEALTH)
            serve.delete(NAME)
        ray.shutdown()


def knock(address: str) -> None:
    """Raise OSError if nothing listens at HOST:PORT; Ray itself would try for a quarter of an hour."""
    host, _, port = address.rpartition(":")
    if host and port.isdecimal() and "/" not in host:
        socket.create_connection((host.strip("[]"), int(port)), timeout=KNOCK_S).close()
