"""Routing in a fleet whose replicas remember prefixes: random, in turn, fewest in flight, the better of two, affinity.

    requests = fleet_of_prefixes(2_000, rate_per_s=700, popularity=1.0, seed=1)
    run = serve_prefixes(requests, ROUTERS["two"](seed=0), num_replicas=8)
    run.ttft_s, run.hit_percent
"""

import random
from collections.abc import Callable
from itertools import count

from minigpt.simulation.fleet import draw_calls, request_lengths
from minigpt.simulation.machines import MIXED, MachinesRun, Prefix, run_machines
from minigpt.simulation.replica import Call

NUM_PREFIXES, PREFIX_TOKENS = 40, 200  # instructions that clients send before their own text
CACHED_PREFIXES = 8  # of a replica, the least recently used goes first
MOST_AHEAD = 4

Route = Callable[[list[int], list[int]], int]  # (in flight, cached tokens) -> place
Requests = tuple[list[Call], list[Prefix]]


def fleet_of_prefixes(num_requests: int, *, rate_per_s: float, popularity: float, seed: int) -> Requests:
    """The tutor's requests, each behind one of 40 instructions: the k-th most popular as 1 / k^popularity."""
    rng = random.Random(seed)
    weights = [1 / place**popularity for place in range(1, NUM_PREFIXES + 1)]
    prefixes = [Prefix(name, PREFIX_TOKENS) for name in rng.choices(range(NUM_PREFIXES), weights, k=num_requests)]
    calls = draw_calls(request_lengths("mixed"), rate_per_s, num_requests, seed)
    return [call._replace(num_prompt_tokens=call.num_prompt_tokens + PREFIX_TOKENS) for call in calls], prefixes


def serve_prefixes(requests: Requests, route: Route, num_replicas: int) -> MachinesRun:
    """Let a fleet serve the requests, each sent where `route` says."""
    calls, prefixes = requests
    return run_machines(calls, kinds=[MIXED] * num_replicas, prefixes=prefixes, most_prefixes=CACHED_PREFIXES, route=route)


def at_random(seed: int) -> Route:
    """Any replica."""
    rng = random.Random(seed)
    return lambda in_flight, cached: rng.randrange(len(in_flight))


def in_turn(seed: int) -> Route:
    """One after the other, whatever they have to do."""
    turns = count(seed)
    return lambda in_flight, cached: next(turns) % len(in_flight)


def least(seed: int) -> Route:
    """The fewest in flight: every replica is asked."""
    return lambda in_flight, cached: fewest(in_flight, range(len(in_flight)))


def two(seed: int) -> Route:
    """Two are drawn, and the one with fewer gets the request (Mitzenmacher, 2001)."""
    rng = random.Random(seed)
    return lambda in_flight, cached: fewest(in_flight, rng.sample(range(len(in_flight)), 2))


def affine(most_ahead: float = MOST_AHEAD) -> Route:
    """Where most of the prompt is cached, unless that replica has over `most_ahead` more than the least busy."""

    def route(in_flight: list[int], cached: list[int]) -> int:
        emptiest = fewest(in_flight, range(len(in_flight)))
        holder = fewest(in_flight, [i for i, tokens in enumerate(cached) if tokens == max(cached)])
        return holder if in_flight[holder] <= in_flight[emptiest] + most_ahead else emptiest

    return route


def fewest(in_flight: list[int], places) -> int:
    """The place with the fewest in flight; of equals, the first."""
    return min(places, key=lambda place: (in_flight[place], place))


ROUTERS: dict[str, Callable[[int], Route]] = {
    "random": at_random, "round_robin": in_turn, "least": least, "two": two, "prefix": lambda seed: affine(),
}
