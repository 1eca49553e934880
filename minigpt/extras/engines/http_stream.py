"""A client of streaming servers: a fixed number of requests in flight, each on its own thread and connection."""

import http.client
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from minigpt.extras.engines.interface import Served

TIMEOUT_S = 300


def serve_over_http(
    port: int, path: str, items, num_inflight: int, body: Callable, read: Callable, *, from_text: bool = False
) -> list[Served]:
    """Send `body(item)` for every item; `read(event)` gives the tokens of one server-sent event."""
    start_s = time.perf_counter()

    def answer(item) -> Served:
        times_s, token_ids, num_tokens = [], [], None
        for event in events(port, path, body(item)):
            new = read(event)
            if new:
                times_s.append(time.perf_counter() - start_s)
                token_ids += new
            num_tokens = counted(event) or num_tokens
        return Served(
            request_id=item.request_id, token_ids=tuple(token_ids), finish_s=time.perf_counter() - start_s,
            first_s=times_s[0] if times_s else None, from_text=from_text, num_tokens=num_tokens,
        )

    with ThreadPoolExecutor(num_inflight) as clients:
        return list(clients.map(answer, items))


def counted(event: dict) -> int | None:
    """How many tokens the server reports: from OpenAI's field, or llama-server's."""
    return (event.get("usage") or {}).get("completion_tokens") or event.get("tokens_predicted")


def events(port: int, path: str, body: dict):
    """The server-sent events of one request. Raises RuntimeError if the server refuses it or reports an error."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)
    try:
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        response = connection.getresponse()
        if response.status != 200:
            raise RuntimeError(f"HTTP {response.status}: {response.read(200).decode('utf-8', errors='replace')}")
        for line in response:
            data = line.strip().removeprefix(b"data: ")
            if line.startswith(b"data:") and data != b"[DONE]":
                event = json.loads(data)
                if event.get("error"):
                    raise RuntimeError(str(event["error"]))
                yield event
    finally:
        connection.close()
