"""Continuous batching whose waiting requests are kept by a line, which says who is next.

A line sees who arrives, who is admitted and which tokens come; the loop does everything else. Two lines are here, and
neither decides anything by itself: Lab 06 writes what they ask.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Protocol


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
    """Serve until the queue is closed and no request waits or runs, on a server with a block pool.

    Each request reserves all it may need when it is admitted, so none is ever preempted.
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
    """Move what has arrived into the line; with none here, wait for the next arrival."""
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
        is_eos = token == server.model.eos_token_id
        if not is_eos:
            request.append(token)
            line.computed(request)
        if not is_eos and request.num_output_tokens < request.max_tokens:
            staying.append(request)
        else:
            server.respond(request)
    return staying


class ByPrediction:
    """Asks `choose(predicted, overtaken, most_overtaken)`, and counts for each request how many have overtaken it."""

    def __init__(self, choose: Callable, predicted: Mapping[int, float], most_overtaken: int | None):
        self._choose, self._predicted, self._most_overtaken = choose, predicted, most_overtaken
        self._num_overtaken: Counter[int] = Counter()

    def arrived(self, request) -> None:
        """Nothing to count yet."""

    def choose(self, waiting: list) -> int:
        ids = [request.request_id for request in waiting]
        overtaken = [self._num_overtaken[i] for i in ids]
        return self._choose([self._predicted[i] for i in ids], overtaken, self._most_overtaken)

    def admitted(self, request, overtaken: list) -> None:
        self._num_overtaken.update(each.request_id for each in overtaken)

    def computed(self, request) -> None:
        """How long an answer has become is not looked at."""


class ByClient:
    """Asks `counters` whose turn it is, and tells them what each client gets; of one client, first come, first served."""

    def __init__(self, counters, client_of: Mapping[int, str]):
        self._counters, self._client_of = counters, client_of

    def arrived(self, request) -> None:
        self._counters.arrive(self._client_of[request.request_id])

    def choose(self, waiting: list) -> int:
        clients, client = [self._client_of[request.request_id] for request in waiting], self._counters.next_client()
        if client not in clients:
            raise ValueError(f"next_client() returned {client!r}, but only these have requests in the queue: {sorted(set(clients))}")
        return clients.index(client)

    def admitted(self, request, overtaken: list) -> None:
        self._counters.admit(self._client_of[request.request_id], request.num_prompt_tokens)

    def computed(self, request) -> None:
        self._counters.count_token(self._client_of[request.request_id])
