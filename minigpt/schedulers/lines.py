"""Lines for `serve_in_line`, as given code: first come first, shortest first, and the client who has had least.

Studies, claims and the arena run them; Lab 06 writes their decisions.
"""

from collections import Counter
from collections.abc import Callable, Mapping

from minigpt.schedulers.in_line import serve_in_line


class ShortestFirst:
    """The shortest prediction first, and nobody overtaken more than `most_overtaken` times (None: without a bound)."""

    def __init__(self, predicted: Mapping[int, float], most_overtaken: int | None, choose: Callable | None = None):
        self.predicted, self.most_overtaken = predicted, most_overtaken
        self.num_overtaken: Counter[int] = Counter()
        self._choose = choose or next_in_line

    def arrived(self, request) -> None:
        """Nothing to count yet."""

    def choose(self, waiting: list) -> int:
        ids = [request.request_id for request in waiting]
        return self._choose([self.predicted[i] for i in ids], [self.num_overtaken[i] for i in ids], self.most_overtaken)

    def admitted(self, request, overtaken: list) -> None:
        self.num_overtaken.update(each.request_id for each in overtaken)

    def computed(self, request) -> None:
        """The length of the answer is not looked at."""


def next_in_line(predicted: list, overtaken: list, most_overtaken: int | None) -> int:
    """The place of the shortest prediction, unless the first of all has been overtaken as often as it may be."""
    if most_overtaken is not None and overtaken[0] >= most_overtaken:
        return 0
    return predicted.index(min(predicted))


class ByClient:
    """The client with the least service first; of one client, first come first served. `counters` keeps the service."""

    def __init__(self, client_of: Mapping[int, int], counters):
        self.client_of, self.counters = client_of, counters

    def arrived(self, request) -> None:
        self.counters.arrive(self.client_of[request.request_id])

    def choose(self, waiting: list) -> int:
        clients = [self.client_of[request.request_id] for request in waiting]
        return clients.index(self.counters.next_client())

    def admitted(self, request, overtaken: list) -> None:
        self.counters.admit(self.client_of[request.request_id], request.num_prompt_tokens)

    def computed(self, request) -> None:
        self.counters.count_token(self.client_of[request.request_id])


class TokenCounters:
    """Virtual token counters (VTC; Sheng et al., OSDI 2024)."""

    def __init__(self, prompt_weight: float = 1, output_weight: float = 2):
        self.prompt_weight, self.output_weight = prompt_weight, output_weight
        self.service: Counter[int] = Counter()
        self.num_waiting: Counter[int] = Counter()
        self.last_to_leave: int | None = None

    def arrive(self, client: int) -> None:
        """A request of the client waits. A client who comes to the line starts no lower than those who are in it."""
        here = [self.service[other] for other, number in self.num_waiting.items() if number]
        if not self.num_waiting[client]:
            floor = min(here) if here else self.service[self.last_to_leave]
            self.service[client] = max(self.service[client], floor)
        self.num_waiting[client] += 1

    def next_client(self) -> int:
        """Of the clients who wait, the one with the least service; at equal service the lowest number."""
        return min((self.service[client], client) for client, number in self.num_waiting.items() if number)[1]

    def admit(self, client: int, num_prompt_tokens: int) -> None:
        """A request of the client leaves the line, and its prompt is computed."""
        self.service[client] += self.prompt_weight * num_prompt_tokens
        self.num_waiting[client] -= 1
        if not self.num_waiting[client]:
            self.last_to_leave = client

    def count_token(self, client: int) -> None:
        """A request of the client has got an output token."""
        self.service[client] += self.output_weight


def shortest_first_loop(server, predicted: Mapping[int, float], most_overtaken: int | None = None) -> None:
    """Shortest predicted job first, with or without a bound on overtaking; a bound of 0 is first come, first served."""
    serve_in_line(server, ShortestFirst(predicted, most_overtaken))


def fair_loop(server, client_of: Mapping[int, int]) -> None:
    """Fair between clients, by virtual token counters."""
    serve_in_line(server, ByClient(client_of, TokenCounters()))
