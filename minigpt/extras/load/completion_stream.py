"""What a client sees of one streamed completion: when its tokens came, how many there were, how it ended.

The stream is server-sent events, as the OpenAI API sends them: `data: {…}` for a piece of the answer, one with the
`usage` at the end, then `data: [DONE]`.
"""

import json
from collections.abc import AsyncIterable, Callable
from dataclasses import dataclass, field

DONE = "[DONE]"


class BrokenStream(Exception):
    """A stream that is not an answer: it holds an error, cannot be parsed, or ends too early."""


@dataclass(slots=True, kw_only=True)
class Reply:
    """One request as its client saw it. Times are in nanoseconds since the run began."""

    sent_ns: int | None = None  # its bytes left; None: they never did
    piece_times_ns: list[int] = field(default_factory=list)  # when each piece of the answer that carried tokens came
    num_tokens: int | None = None  # by the server's `usage`; None: it gave none
    finish_ns: int | None = None  # the answer was complete; None: it never was
    failure: str | None = None  # one of a few words, for counting: "connection", "HTTP 429", "time-out", "broken stream"
    detail: str = ""  # the failure's own words


async def events(chunks: AsyncIterable[bytes]):
    """The data of each server-sent event, however the network splits the bytes."""
    rest, data = b"", []
    async for chunk in chunks:
        # Not splitlines(): text may hold characters that it takes for a line's end.
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            line = line.rstrip(b"\r")
            if line.startswith(b"data:"):
                data.append(line[5:].strip())
            elif not line and data:
                yield b"\n".join(data).decode("utf-8", errors="replace")
                data = []
    if rest.startswith(b"data:"):  # the last line, not yet ended
        data.append(rest[5:].strip())
    if data:
        yield b"\n".join(data).decode("utf-8", errors="replace")


async def read_completion(chunks: AsyncIterable[bytes], reply: Reply, now_ns: Callable[[], int]) -> None:
    """Record in `reply` what arrives; raises BrokenStream for a stream that ends without a complete answer."""
    finish_ns = None
    async for data in events(chunks):
        if data == DONE:
            finish_ns = finish_ns or now_ns()
            break
        if _note(_parsed(data), reply, now_ns()):
            finish_ns = now_ns()
    if finish_ns is None:
        raise BrokenStream("the stream ended before the answer did")
    reply.finish_ns = finish_ns


def read_whole(data: bytes, reply: Reply, now_ns: int) -> None:
    """Record an answer that came in one piece, not as a stream."""
    if not _note(_parsed(data.decode("utf-8", errors="replace")), reply, now_ns):
        raise BrokenStream("the answer has no finish_reason")
    reply.finish_ns = now_ns


def _parsed(data: str) -> dict:
    try:
        event = json.loads(data)
    except ValueError:
        raise BrokenStream(f"not JSON: {data[:80]}") from None
    if not isinstance(event, dict):
        raise BrokenStream(f"not a JSON object: {data[:80]}")
    if event.get("error"):
        raise BrokenStream(f"error in the stream: {json.dumps(event['error'])[:200]}")
    return event


def _note(event: dict, reply: Reply, now_ns: int) -> bool:
    """Record one event; return whether it completes the answer."""
    usage = event.get("usage")
    if isinstance(usage, dict) and isinstance(usage.get("completion_tokens"), int):
        reply.num_tokens = usage["completion_tokens"]
    choices = event.get("choices")
    if not choices:
        return False
    choice = choices[0]
    if choice.get("text") or choice.get("token_ids"):
        reply.piece_times_ns.append(now_ns)
    return choice.get("finish_reason") is not None
