"""An open-loop client: every request leaves at its scheduled time, whatever the server does.

A client that waits for an answer before it sends the next request goes easy on a slow server, and then reports the
latency of the requests that it did send: Gil Tene calls it coordinated omission. Here each request is a task of its
own with a connection of its own, and its latency counts from its schedule.
"""

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass

import httpx

from minigpt.extras.load.completion_stream import BrokenStream, Reply, read_completion, read_whole
from minigpt.language import say
from minigpt.notebook.progress import progress
from minigpt.runtime.clock import NS
from minigpt.workloads.files import text_of
from minigpt.workloads.workload import WorkItem, Workload

LEAD_NS = NS // 10  # between making the tasks and the schedule's zero
PROMPTS = ("ids", "text")
MOST_DETAIL = 200  # characters of a server's error


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where requests go, and how they are written."""

    url: str  # of the server, without /v1
    model: str
    prompts: str = "ids"  # or text, for a server with another tokenizer
    timeout_s: float = 120.0  # from sending to the last byte
    streams: bool = True  # ask for each token as it comes, or for the answer at its end


def server_url(url: str) -> str:
    """The server's address as the user gave it, checked, without a trailing /v1."""
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL:
        parsed = httpx.URL("")
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise ValueError(say(
            en=f"url={url!r}: give a server's address, such as http://127.0.0.1:8000",
            es=f"url={url!r}: indica la dirección de un servidor, como http://127.0.0.1:8000",
        ))
    return url.rstrip("/").removesuffix("/v1")


def make_client(url: str) -> httpx.AsyncClient:
    """An HTTP client that never makes a request wait for another one's connection."""
    # No connection is kept: each request is another user's. No proxy from the environment: it would be measured, too.
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    return httpx.AsyncClient(base_url=url, limits=limits, timeout=None, trust_env=False)


async def find_model(client: httpx.AsyncClient, wanted: str | None, timeout_s: float = 10.0) -> str:
    """The model to ask for: `wanted`, else the first that the server lists. Also checks that a server answers."""
    url = str(client.base_url)
    try:
        response = await client.get("/v1/models", timeout=timeout_s)
    except httpx.HTTPError as error:
        raise ValueError(say(
            en=f"url={url!r}: no server answers there ({type(error).__name__}). "
            "Start a server: python -m minigpt serve",
            es=f"url={url!r}: ahí no responde ningún servidor ({type(error).__name__}). Inicia un servidor: python -m minigpt "
               "serve",
        )) from None
    if wanted:
        return wanted
    try:
        return response.json()["data"][0]["id"]
    except (ValueError, LookupError, TypeError):
        raise ValueError(say(
            en=f"url={url!r}: {url}/v1/models lists no model (HTTP {response.status_code}). Name one with --model",
            es=f"url={url!r}: {url}/v1/models no da ningún modelo (HTTP {response.status_code}). Indica uno con --model",
        )) from None


def request_body(item: WorkItem, target: Target) -> bytes:
    """The JSON of one request: greedy, with the token count at the end of the stream."""
    prompt = list(item.prompt_token_ids) if target.prompts == "ids" else text_of(item.prompt_token_ids)
    if prompt is None:
        raise ValueError(say(
            en=f"request {item.request_id}: its prompt ends inside a character, so it is not valid text; send token ids "
               "(--prompts ids)",
            es=f"petición {item.request_id}: su prompt acaba en medio de un carácter, así que no es texto válido; envía "
               "identificadores (--prompts ids)",
        ))
    body = {
        "model": target.model, "prompt": prompt, "max_tokens": item.max_tokens, "temperature": 0,
        "stream": target.streams,
    }
    if target.streams:
        body["stream_options"] = {"include_usage": True}
    # Extensions that some servers refuse: only where the workload asks for them.
    if item.ignore_eos:
        body["ignore_eos"] = True
    if item.priority:
        body["priority"] = item.priority
    return json.dumps(body).encode()


class Run:
    """One workload on its way to one server."""

    def __init__(self, client: httpx.AsyncClient, target: Target):
        self._client, self._target = client, target
        self._start_ns = time.perf_counter_ns() + LEAD_NS

    def now_ns(self) -> int:
        """Nanoseconds since the schedule's zero."""
        return time.perf_counter_ns() - self._start_ns

    async def send_at(self, arrival_ns: int, body: bytes, reply: Reply) -> None:
        """Send one request at its scheduled time, and record its reply."""
        await asyncio.sleep((arrival_ns - self.now_ns()) / NS)
        try:
            await asyncio.wait_for(self._exchange(body, reply), self._target.timeout_s)
        except asyncio.TimeoutError:
            reply.failure, reply.detail = "time-out", f"no complete answer within {self._target.timeout_s:g} s"
        except httpx.HTTPError as error:
            reply.failure, reply.detail = "connection", f"{type(error).__name__}: {error}"
        except BrokenStream as error:
            reply.failure, reply.detail = "broken stream", str(error)

    async def _exchange(self, body: bytes, reply: Reply) -> None:
        async def note(event: str, _) -> None:
            if event == "http11.send_request_body.complete":
                reply.sent_ns = self.now_ns()

        headers = {"content-type": "application/json", "accept": "text/event-stream"}
        async with self._client.stream(
            "POST", "/v1/completions", content=body, headers=headers, extensions={"trace": note}
        ) as response:
            if response.status_code != 200:
                text = (await response.aread()).decode("utf-8", errors="replace")
                reply.failure, reply.detail = f"HTTP {response.status_code}", text[:MOST_DETAIL]
                return
            if self._target.streams:
                await read_completion(response.aiter_bytes(), reply, self.now_ns)
            else:
                read_whole(await response.aread(), reply, self.now_ns())


async def send_all(workload: Workload, client: httpx.AsyncClient, target: Target) -> tuple[list[Reply], int]:
    """Send every request at its scheduled time; return the replies in the workload's order, and when the last one ended."""
    bodies = [request_body(item, target) for item in workload.items]  # before the clock starts
    replies = [Reply() for _ in bodies]
    run = Run(client, target)
    tasks = [
        asyncio.ensure_future(run.send_at(item.arrival_ns, body, reply))
        for item, body, reply in zip(workload.items, bodies, replies, strict=True)
    ]
    label = say(en="requests", es="peticiones")
    for task in progress(asyncio.as_completed(tasks), label, total=len(tasks)):
        await task
    return replies, run.now_ns()


async def load(
    workload: Workload, url: str, *, model: str | None = None, prompts: str = "ids", timeout_s: float = 120.0,
    streams: bool = True,
) -> tuple[Target, Sequence[Reply], int]:
    """Find the server's model and send it the workload; return the target, the replies, and when the last one ended."""
    if prompts not in PROMPTS:
        raise ValueError(f"prompts={prompts!r}: choose {' or '.join(PROMPTS)}")
    if not timeout_s > 0:
        raise ValueError(f"timeout_s={timeout_s}: it must be positive")
    url = server_url(url)
    async with make_client(url) as client:
        found = await find_model(client, model)
        target = Target(url=url, model=found, prompts=prompts, timeout_s=timeout_s, streams=streams)
        return target, *await send_all(workload, client, target)
