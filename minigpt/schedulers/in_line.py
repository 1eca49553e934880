"""Continuous batching whose waiting requests are kept by a line, which says who is next.

A line sees who arrives, who is admitted and which tokens come; the loop does everything else. Lab 06 writes two of
them: the shortest first (with nobody overtaken too often), and the client who has had least.
"""

from typing import Protocol

from minigpt.schedulers.static import take_token


class Line(Protocol):
    """Who is next, and what there is to count for it."""

    def arrived(self, request) -> None:
        """A request waits from now on."""

    def choose(self, waiting: list) -> int:
        """The place in `waiting`, which is in order of arrival, of the request that is admitted next."""

    def admitted(self, request, overtaken: list) -> None:
        """The chosen request has left the line; those in `overtaken` arrived before it and still wait."""

    def computed(self, request) -> None:
        """The request has got an output token."""


def serve_in_line(server, line: Line) -> None:
    """Serve until the queue is closed and nobody waits or runs, on a server with a block pool.

    Each request reserves all it may need when it is admitted, so nobody is ever preempted.
    """
    waiting, running = [], []
    while waiting or running or not server.queue.closed:
        take_arrivals(server, line, waiting, must_wait=not running)
        while waiting and len(running) < server.max_inflight:
            place = line.choose(waiting)
            most = waiting[place].num_prompt_tokens + waiting[place].max_tokens
            if not server.blocks.reserve(waiting[place], most):
                break
            running.append(waiting.pop(place))
            line.admitted(running[-1], waiting[:place])
        running = step(server, line, running)


def take_arrivals(server, line: Line, waiting: list, *, must_wait: bool) -> None:
    """Move what has arrived into the line; with nobody here, wait for the next arrival."""
    arrived = [server.queue.get()] if must_wait and not waiting else []
    while not server.queue.empty():
        arrived.append(server.queue.get_nowait())
    for request in arrived:
        waiting.append(request)
        line.arrived(request)


def step(server, line: Line, running: list) -> list:
    """One step over all that run; those that ended in it are answered, the others are returned."""
    staying = []
    plan = [(request, request.num_tokens - request.num_computed_tokens) for request in running]
    for request, token in zip(running, server.model.forward_chunks(plan)):
        has_ended = take_token(request, token, server.model.eos_token_id)
        if token != server.model.eos_token_id:
            line.computed(request)
        if has_ended:
            server.respond(request)
        else:
            staying.append(request)
    return staying
