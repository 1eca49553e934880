"""Whose turn it is: the line with a bound on overtaking, and virtual token counters, by their definitions."""

import random
from itertools import chain


def next_place(predicted, overtaken, most_overtaken) -> int:
    """The first of the shortest, of those that may be admitted: nobody before them has used up the bound."""
    used_up = [i for i, times in enumerate(overtaken) if most_overtaken is not None and times >= most_overtaken]
    reachable = range(used_up[0] + 1 if used_up else len(predicted))
    return min(reachable, key=lambda i: (predicted[i], i))


def drawn_lines(seed: int, count: int, bounds=(None, 0, 1, 2, 5)):
    """(predicted, overtaken, most_overtaken): lines as they come about, with equals, long and short, at every bound."""
    rng = random.Random(seed)
    for turn in range(count):
        bound = bounds[turn % len(bounds)]
        size = rng.choice((1, 2, 3, 8))
        most = 9 if bound is None else bound
        overtaken = sorted((rng.randint(0, most) for _ in range(size)), reverse=True)  # of who came first most
        predicted = [rng.choice((1, 2, 3.5, 20, rng.randint(1, 60))) for _ in range(size)]
        yield predicted, overtaken, bound


class Counters:
    """The definition of virtual token counters, and what becomes of it with each of the mistakes that are easy to make."""

    def __init__(self, prompt_weight, output_weight, mistake: str = ""):
        self.weights, self.mistake = (prompt_weight, output_weight), mistake
        self.service: dict[str, float] = {}
        self.waiting: dict[str, int] = {}
        self.last_to_leave: str | None = None

    def arrive(self, client):
        here = [self.service[other] for other, number in self.waiting.items() if number]
        lifts = not self.waiting.get(client) or self.mistake == "lifts at every arrival"
        floor = 0
        if lifts and self.mistake != "never lifts":
            floor = self._floor(here)
        if self.mistake == "lowers too" and lifts and here:
            self.service[client] = floor
        self.service[client] = max(self.service.get(client, 0), floor)
        self.waiting[client] = self.waiting.get(client, 0) + 1

    def _floor(self, here) -> float:
        if here:
            return max(here) if self.mistake == "lifts to the highest" else min(here)
        if self.mistake == "nobody there, no lift":
            return 0
        if self.mistake == "lifts to the lowest of all":
            return min(self.service.values(), default=0)
        return self.service.get(self.last_to_leave, 0)

    def next_client(self):
        here = [client for client, number in self.waiting.items() if number]
        if self.mistake == "those who do not wait, too":
            here = list(self.waiting)
        ties = (lambda c: c) if self.mistake != "ties in order of arrival" else (lambda c: list(self.waiting).index(c))
        return min(here, key=lambda client: (self.service[client], ties(client)))

    def admit(self, client, num_prompt_tokens):
        weight = {"prompts for nothing": 0, "a request is a request": 1 / num_prompt_tokens}.get(self.mistake, self.weights[0])
        self.service[client] += weight * num_prompt_tokens
        self.waiting[client] -= 1
        if not self.waiting[client]:
            self.last_to_leave = client

    def count_token(self, client):
        weights = {"output for nothing": 0, "a request is a request": 0, "weights exchanged": self.weights[0]}
        self.service[client] += weights.get(self.mistake, self.weights[1])


def story(seed: int, *, clients: str = "ABCD", num_calls: int = 120, empties: bool = True) -> tuple[tuple, list]:
    """Weights, and calls as a server makes them: arrivals, admissions of whose turn it is, tokens of those in flight.

    With `empties` the line runs empty from time to time, and clients stay away for long.
    """
    rng = random.Random(seed)
    weights = rng.choice(((1, 2), (1, 1), (3, 2), (1, 5)))
    counters, calls, in_flight = Counters(*weights), [], []
    while len(calls) < num_calls:
        kind = rng.choice(("arrive", "admit", "admit", "token", "token") if empties else ("arrive", "arrive", "admit", "token"))
        waiting = any(counters.waiting.values())
        if kind == "arrive" or not (waiting or in_flight):
            client = rng.choice(clients[: rng.choice((1, 2, len(clients)))])
            counters.arrive(client)
            calls.append(("arrive", client))
        elif kind == "admit" and waiting:
            client, tokens = counters.next_client(), rng.choice((1, 5, 30, 200))
            calls += [("next_client",), ("admit", client, tokens)]
            counters.admit(client, tokens)
            in_flight.append(client)
        elif in_flight:
            client = rng.choice(in_flight)
            for _ in range(rng.choice((1, 3, 20))):
                counters.count_token(client)
                calls.append(("count_token", client))
            if rng.random() < 0.3:
                in_flight.remove(client)
    return weights, calls


def due_turns(weights, calls, mistake: str = "") -> list:
    """What each `next_client` of a story answers, by the definition or with a mistake."""
    counters, turns = Counters(*weights, mistake), []
    for name, *args in calls:
        turn = getattr(counters, name)(*args)
        if name == "next_client":
            turns.append(turn)
    return turns


def all_pairs(names):
    """Every two of several names."""
    names = sorted(names)
    return chain.from_iterable(((one, other) for other in names[i + 1 :]) for i, one in enumerate(names))
