"""Scenes at random for `collect_batch`: who comes when, and what the definition collects, computed on this side."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from minigpt.schedulers.static import next_batch
from minigpt.workloads.workload import Workload
from tests.grader.outcomes import Text, t
from tests.lab03.scenes import MS, scene

WAITS_S = (0.0, 0.005, 0.002, 0.0123)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """A bus stop: a workload, a server's settings, and how long the server is away between two batches."""

    workload: Workload
    max_batch: int
    max_wait_s: float
    away_ms: tuple[float, ...]

    @property
    def settings(self) -> dict:
        return {"max_batch": self.max_batch, "max_wait_s": self.max_wait_s, "max_inflight": 6}


def random_stops(seed: int, number: int) -> Iterator[Stop]:
    """Arrivals on and off the grid of milliseconds, several together, some exactly at the end of a wait."""
    rng = random.Random(seed)
    for count in range(number):
        max_wait_s = WAITS_S[count % len(WAITS_S)]
        arrivals = [rng.choice((0, 20)) + _after(rng, 1e3 * max_wait_s) for _ in range(rng.randint(1, 16))]
        yield Stop(
            # Answers of other lengths: sorting by them breaks the order of the queue.
            workload=scene(*((arrival, 1 + (5 * i + count) % 7) for i, arrival in enumerate(arrivals))), max_batch=rng.choice((1, 2, 3, 5, 12)),
            max_wait_s=max_wait_s, away_ms=tuple(rng.choice((0, 0, 1, 7, round(0.6e3 * max_wait_s, 3))) for _ in range(17)),
        )


def _after(rng: random.Random, wait_ms: float) -> float:
    """Milliseconds after a first arrival: at once, at the very end of its wait, just before or beyond, anywhere."""
    return rng.choice((0, 0, wait_ms, wait_ms + 0.3, max(0, wait_ms - 0.2), rng.randrange(9), rng.randrange(9 * MS) / MS))


def batches_of(server, away_ms: tuple[float, ...]) -> list[tuple[list[int], float]]:
    """What the definition collects, batch by batch: ids, and when it leaves in ms."""
    found = []
    for away in away_ms:
        server.clock.sleep(away / 1e3)
        ids = [request.request_id for request in next_batch(server)]
        found.append((ids, server.clock.now_ns / MS))
    return found


def told(stop: Stop) -> Text:
    """A scene in words."""
    ordered = sorted(stop.workload.items, key=lambda item: (item.arrival_ns, item.request_id))
    arrivals = ", ".join(f"{item.request_id}: {item.arrival_ns / MS:g}" for item in ordered)
    wait_ms = f"{1e3 * stop.max_wait_s:g}"
    return t(f"(batch, when it leaves in ms; arrivals in ms: {arrivals}; max_batch = {stop.max_batch}, max_wait_s is "
             f"{wait_ms} ms). ",
             f"(lote, cuándo sale en ms; llegadas en ms: {arrivals}; max_batch = {stop.max_batch}, max_wait_s es de "
             f"{wait_ms} ms). ")
