"""The decisions that Lab 06 writes for `serve_in_line`, as given code: studies, claims and the arena run them."""

from collections import Counter
from collections.abc import Mapping, Sequence

from minigpt.schedulers.in_line import ByClient, ByPrediction, serve_in_line

PROMPT_WEIGHT, OUTPUT_WEIGHT = 1, 2  # of a token, as in the VTC paper


def next_in_line(predicted: Sequence[float], overtaken: Sequence[int], most_overtaken: int | None) -> int:
    """The place of the shortest prediction, unless the first of all has been overtaken as often as it may be.

    A request that overtakes another overtakes all that arrived before it, so the first has been overtaken most.
    """
    if most_overtaken is not None and overtaken[0] >= most_overtaken:
        return 0
    return min(range(len(predicted)), key=predicted.__getitem__)


class TokenCounters:
    """Virtual token counters (VTC; Sheng et al., OSDI 2024): the service of each client, and whose turn it is."""

    def __init__(self, prompt_weight: float = PROMPT_WEIGHT, output_weight: float = OUTPUT_WEIGHT):
        self.prompt_weight, self.output_weight = prompt_weight, output_weight
        self.service: Counter[str] = Counter()
        self.num_waiting: Counter[str] = Counter()
        self.last_to_leave: str | None = None

    def arrive(self, client: str) -> None:
        """A request of the client waits. Who comes to the line starts no lower than those who stand in it."""
        if not self.num_waiting[client]:
            here = [self.service[other] for other, number in self.num_waiting.items() if number]
            floor = min(here) if here else self.service[self.last_to_leave]
            self.service[client] = max(self.service[client], floor)
        self.num_waiting[client] += 1

    def next_client(self) -> str:
        """Of the clients who wait, the one with the least service; at equal service the first name."""
        return min((self.service[client], client) for client, number in self.num_waiting.items() if number)[1]

    def admit(self, client: str, num_prompt_tokens: int) -> None:
        """A request of the client leaves the line, and its prompt is computed."""
        self.service[client] += self.prompt_weight * num_prompt_tokens
        self.num_waiting[client] -= 1
        if not self.num_waiting[client]:
            self.last_to_leave = client

    def count_token(self, client: str) -> None:
        """A request of the client has got an output token."""
        self.service[client] += self.output_weight


def shortest_first_loop(server, predicted: Mapping[int, float], most_overtaken: int | None = None) -> None:
    """Shortest predicted job first, with or without a bound on overtaking; a bound of 0 is first come, first served."""
    serve_in_line(server, ByPrediction(next_in_line, predicted, most_overtaken))


def fair_loop(server, client_of: Mapping[int, str]) -> None:
    """Fair between clients, by virtual token counters."""
    serve_in_line(server, ByClient(TokenCounters(), client_of))
