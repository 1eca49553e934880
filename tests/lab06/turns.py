"""Whose turn it is: the line with a bound on overtaking, and virtual token counters, by their definitions."""

import random
from itertools import chain


def next_place(predicted, overtaken, most_overtaken) -> int:
    """The first of the shortest, of those that may be admitted: no request before them has used up the bound."""
    used_up = [i for i, times in enumerate(overtaken) if most_overtaken is not None and times >= most_overtaken]
    reachable = range(used_up[0] + 1 if used_up else len(predicted))
    return min(reachable, key=lambda i: (predicted[i], i))


TELLING = (  # every two of the mistakes that are easy to make with a bound differ on one of these
    ([9, 2], [3, 0], 3), ([9, 2], [4, 0], 3), ([9, 5, 2], [3, 3, 0], 3), ([9, 2], [0, 0], 0), ([2, 9, 2], [1, 1, 0], 2),
)


def drawn_lines(seed: int, count: int, bounds=(None, 3, 0, 5, 2)):
    """(predicted, overtaken, most_overtaken): lines as they come about, with equals, long and short, at every bound."""
    rng = random.Random(seed)
    for turn in range(count):
        bound = bounds[turn % len(bounds)]
        size = rng.choice((1, 3, 5, 8))
        most = 9 if bound is None else bound
        overtaken = sorted((rng.randint(0, most) for _ in range(size)), reverse=True)  # who came first, most often
        overtaken[0] = rng.choice((most, most, most + 1, overtaken[0]))  # beyond it where the bound was just lowered
        # Now and then they differ by far less than 1: rounding them makes them equal.
        drawn = (lambda: round(rng.uniform(2, 4), 3)) if turn % 3 == 2 else lambda: rng.choice((1, 2, 3.5, 20, rng.randint(1, 60)))
        predicted = [drawn() for _ in range(size)]
        yield predicted, overtaken, bound


class Counters:
    """The definition of virtual token counters, and what becomes of it with each of the mistakes that are easy to make."""

    def __init__(self, prompt_weight, output_weight, mistake: str = ""):
        weights = {"a token of a prompt is 1": (1, output_weight), "a token of an answer is 1": (prompt_weight, 1)}
        self.weights, self.mistake = weights.get(mistake, (prompt_weight, output_weight)), mistake
        self.service: dict[str, float] = {}
        self.waiting: dict[str, int] = {}
        self.last_to_leave: str | None = None
        self.left_with: float = 0

    def arrive(self, client):
        absent_too = self.mistake == "those in flight, too"
        here = [self.service[other] for other, number in self.waiting.items() if absent_too or number and other != client]
        lifts = not self.waiting.get(client) or self.mistake == "lifts at every arrival"
        lifts = client not in self.waiting if self.mistake == "lifts newcomers only" else lifts
        floor = self._floor(here) if lifts and self.mistake != "never lifts" else 0
        mine = 0 if self.mistake == "lowers too" and lifts and here else self.service.get(client, 0)
        self.service[client] = max(mine, floor)
        self.waiting[client] = self.waiting.get(client, 0) + 1

    def _floor(self, here) -> float:
        if here:
            lowest = max(here) if self.mistake == "lifts to the highest" else min(here)
            if self.mistake != "the last to leave, whoever waits" and (lowest or self.mistake != "0 is nothing"):
                return lowest
        if self.mistake == "lifts to the lowest of all":
            return min(self.service.values(), default=0)
        if self.mistake == "the counter at that time":
            return self.left_with
        return 0 if self.mistake == "nobody there, no lift" else self.service.get(self.last_to_leave, 0)

    def next_client(self):
        here = [client for client, number in self.waiting.items() if number]
        if self.mistake == "those who do not wait, too":
            here = list(self.waiting)
        if self.mistake == "most first":
            return max(here, key=lambda client: (self.service[client], client))
        names = list(self.waiting) if self.mistake == "ties in order of arrival" else sorted(self.waiting)
        return min(here, key=lambda client: (self.service[client], names.index(client)))

    def admit(self, client, num_prompt_tokens):
        tokens = {"prompts for nothing": 0, "a prompt is a prompt": 1}.get(self.mistake, num_prompt_tokens)
        self.service[client] += self.weights[0] * tokens
        self.waiting[client] -= 1
        if not self.waiting[client]:
            self.last_to_leave, self.left_with = client, self.service[client]

    def count_token(self, client):
        if self.mistake == "only while it waits" and not self.waiting.get(client):
            return
        weights = {"output for nothing": 0, "weights exchanged": self.weights[0]}
        self.service[client] += weights.get(self.mistake, self.weights[1])


def story(seed: int, *, clients: str = "ABCD", num_calls: int = 150) -> tuple[tuple, list]:
    """Weights, and calls as a server makes them: arrivals, admissions of whose turn it is, tokens of those in flight.

    Crowds come and go: the line runs empty from time to time, and clients stay away for long.
    """
    rng = random.Random(seed)
    weights = rng.choice(((1, 2), (1, 1), (3, 2), (1, 5)))
    counters, calls, in_flight = Counters(*weights), [], []
    while len(calls) < num_calls:
        crowd = rng.sample(clients, rng.randint(1, len(clients)))
        for client in (rng.choice(crowd) for _ in range(rng.randint(1, 6))):
            counters.arrive(client)
            calls.append(("arrive", client))
        for _ in range(rng.randint(1, 7)):
            if not any(counters.waiting.values()):
                break
            client, tokens = counters.next_client(), rng.choice((1, 5, 30, 200))
            calls += [("next_client",), ("admit", client, tokens)]
            counters.admit(client, tokens)
            in_flight.append(client)
        for client in rng.sample(in_flight, rng.randint(0, min(3, len(in_flight)))):
            for _ in range(rng.choice((1, 3, 12))):
                counters.count_token(client)
                calls.append(("count_token", client))
        in_flight = in_flight[-4:]
    return weights, calls


def new_beside_idle(weights=(1, 2)) -> tuple[tuple, list]:
    """B waits and has had nothing yet when C comes: its counter of 0 is the lowest, and C is not lifted to A's."""
    calls = [("arrive", "A"), ("arrive", "B"), ("next_client",), ("admit", "A", 100), ("arrive", "C")]
    calls += [("next_client",), ("admit", "B", 30), ("arrive", "B"), ("next_client",), ("admit", "C", 5), ("next_client",)]
    return weights, calls


def queued_story(seed: int) -> tuple[tuple, list]:
    """The same with all clients in the line all the time: no counter is lifted."""
    weights, calls = story(seed)
    counters, found, last = Counters(*weights), [("arrive", client) for client in "DCBA" for _ in range(60)], "A"
    for _, client in found:
        counters.arrive(client)
    for name, *args in calls:
        if name == "arrive":
            continue
        if name == "next_client":
            last = counters.next_client()
        args = [last, *args[1:]] if args else args
        getattr(counters, name)(*args)
        found.append((name, *args))
    return weights, found


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
