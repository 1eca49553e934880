"""Workloads at random for the loops of labs 02 and 03: small, and full of edges."""

import random
from collections.abc import Iterator
from dataclasses import replace

from minigpt.runtime.clock import VirtualClock, steps_clock
from minigpt.workloads.workload import WorkItem, Workload
from tests.lab03.scenes import MS

CLOCKS = (steps_clock, VirtualClock)  # the second lets prefill and rows cost something
CAPS = (1, 2, 3, 4, 8, 11)  # more than the usual 8, too


def random_items(rng: random.Random, number: int) -> list[WorkItem]:
    """Requests of 0 to 12 tokens, some ended by EOS and some by their limit; ids say nothing of order or length."""
    ids = rng.sample(range(4 * number), number)
    return [_item(rng, request_id) for request_id in ids]


def _item(rng: random.Random, request_id: int) -> WorkItem:
    length = rng.choice((0, 1, 1, 2, 3, rng.randint(1, 12)))
    by_limit = length > 0 and rng.random() < 0.5
    alphabet = rng.choice((2, 200))  # of few tokens many come twice in a row
    return WorkItem(
        request_id=request_id, prompt_token_ids=tuple(rng.randrange(200) for _ in range(rng.randint(1, 9))),
        max_tokens=length if by_limit else length + rng.randint(1, 9), arrival_ns=0, priority=rng.randrange(3),
        answer=tuple(rng.randrange(alphabet) for _ in range(length)),
    )


def random_workloads(seed: int, *, number: int, clients: tuple[int, ...] = (2, 3)) -> Iterator[tuple[Workload, dict]]:
    """Workloads with the settings of a server: bursts, drops, times on and off the grid of steps, and closed loops."""
    rng = random.Random(seed)
    for count in range(number):
        items = random_items(rng, rng.randint(1, 20))
        kind = ("burst", "drops", "grid", "crowds", "closed")[count % 5]
        settings = {"clock": CLOCKS[count % 2], "cap": CAPS[count // 2 % len(CAPS)]}
        if kind == "closed":
            items = [replace(item, arrival_ns=None) for item in items]
            yield Workload(name=kind, items=tuple(items), num_clients=rng.choice(clients),
                           think_ns=rng.choice((0, 1_234_567))), settings
        else:
            items = [replace(item, arrival_ns=_arrival_ns(rng, kind)) for item in items]
            yield Workload(name=kind, items=tuple(items)), settings


def _arrival_ns(rng: random.Random, kind: str) -> int:
    if kind == "burst":
        return 0
    if kind == "drops":
        return rng.randrange(200 * MS)
    if kind == "grid":  # whole milliseconds: at the very ends of steps and waits, often several together
        return rng.randrange(25) * MS
    return rng.choice((0, rng.randrange(12 * MS), 40 * MS + rng.randrange(MS)))
