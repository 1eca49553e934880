"""Workloads for Lab 06: whose request it is, what a predictor says of its length, and a client who floods."""

import random
from dataclasses import replace

from minigpt.workloads.workload import Workload, poisson, tutor_requests

FLOODER, QUIET = 0, 1


def predictions(requests: Workload, spread: float = 0.5, seed: int = 0) -> dict[int, float]:
    """What a noisy predictor says of every answer's length, by request_id.

    The true number of steps, times a lognormal factor with this spread: at 0.5 two of three predictions are within a
    factor of 1.65. A spread of 0 knows the future.
    """
    rng = random.Random(seed)
    return {item.request_id: item.num_steps * rng.lognormvariate(0, spread) for item in requests.items}


def flood(
    num_requests: int = 400, *, seed: int = 0, quiet_per_s: float = 60.0, flood_per_s: float = 600.0,
    start_s: float = 0.5, end_s: float = 1.5, num_quiet: int = 3,
) -> tuple[Workload, dict[int, int]]:
    """Some quiet clients who send the tutor's requests at a steady rate, and one (number 0) who floods for a while.

    `num_requests` are the quiet clients' together. Also returns whose each request is, by request_id.
    """
    rng = random.Random(seed)
    quiet = [(time_s, QUIET + rng.randrange(num_quiet)) for time_s in poisson(num_requests, num_quiet * quiet_per_s, rng)]
    num_flood = round((end_s - start_s) * flood_per_s)
    times = [*quiet, *((start_s + time_s, FLOODER) for time_s in poisson(num_flood, flood_per_s, rng))]
    times.sort()
    items = tutor_requests(len(times), rng)
    timed = [replace(item, arrival_ns=round(time_s * 1e9)) for item, (time_s, _) in zip(items, times)]
    return Workload(name="flood", items=tuple(timed)), {i: client for i, (_, client) in enumerate(times)}
