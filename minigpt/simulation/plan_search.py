"""The smallest fleet that meets a p95: given, so that `plan` and Ray Serve need no exercise."""

import math

from minigpt.language import say
from minigpt.simulation import fleet
from minigpt.simulation.capacity import saturated_per_s


def smallest_fleet(
    rate_per_s: float, p95_target_s: float, lengths: fleet.Lengths, max_cap: int
) -> tuple[int, int]:
    """The number of replicas and the cap of each: fewest replicas first, then the cap with the lowest p95."""
    capacity = {cap: saturated_per_s(lengths, cap) for cap in caps_worth_trying(max_cap)}
    fewest = math.ceil(rate_per_s / max(capacity.values()))
    most = 10 * fewest + 10
    for num_replicas in range(fewest, most):
        stable = [cap for cap in capacity if rate_per_s / num_replicas < capacity[cap]]
        tried = {cap: fleet.p95_s(lengths, rate_per_s, num_replicas, cap) for cap in stable}
        best = min(tried, key=tried.get, default=None)
        if best is not None and tried[best] <= p95_target_s:
            return num_replicas, best
    raise ValueError(say(
        en=f"p95={1e3 * p95_target_s:g} ms: {most} replicas do not meet it; choose a higher target",
        es=f"p95={1e3 * p95_target_s:g} ms: {most} réplicas no lo cumplen; elige un objetivo mayor",
    ))


def caps_worth_trying(max_cap: int) -> list[int]:
    """Powers of two up to `max_cap`, and `max_cap` itself."""
    return sorted({2**k for k in range(max_cap.bit_length())} | {max_cap})
