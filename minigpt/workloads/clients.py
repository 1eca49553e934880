"""Workloads for Lab 06: what a predictor says of a request's length, and clients of whom one floods the server."""

import random
from dataclasses import replace

from minigpt.runtime.clock import to_ns
from minigpt.workloads.workload import Workload, poisson, tutor_requests

FLOODER, QUIET = "A", ("B", "C", "D")


def predictions(requests: Workload, spread: float = 0.5, seed: int = 0) -> dict[int, float]:
    """What a noisy predictor says of the steps that each answer takes, by request_id.

    The true number, times a lognormal factor with this spread: at 0.5 two of three are within a factor of 1.65. A
    spread of 0 knows the future.
    """
    rng = random.Random(seed)
    return {item.request_id: item.num_steps * rng.lognormvariate(0, spread) for item in requests.items}


def client_of(requests: Workload) -> dict[int, str]:
    """Whose each request is, by request_id: its kind."""
    return {item.request_id: item.kind for item in requests.items}


def flood(
    num_quiet: int = 400, *, seed: int = 0, quiet_per_s: float = 60.0, flood_per_s: float = 600.0, start_s: float = 0.5,
    end_s: float = 1.5,
) -> Workload:
    """Three quiet clients (B, C, D) with `num_quiet` requests of the tutor together, each at a steady rate; A floods.

    A server with 8 slots completes some 330 a second: the quiet clients alone leave it room, the flood does not.
    """
    rng = random.Random(seed)
    times = [(time_s, rng.choice(QUIET)) for time_s in poisson(num_quiet, len(QUIET) * quiet_per_s, rng)]
    num_flood = round((end_s - start_s) * flood_per_s)
    times += [(start_s + time_s, FLOODER) for time_s in poisson(num_flood, flood_per_s, rng)]
    items = [
        replace(item, arrival_ns=to_ns(time_s), kind=client)
        for item, (time_s, client) in zip(tutor_requests(len(times), rng), sorted(times))
    ]
    return Workload(name="flood", items=tuple(items))
