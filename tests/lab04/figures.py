"""What replays say: of one server's capacity and time in the system, and of fleets on requests not seen."""

from dataclasses import dataclass
from functools import lru_cache

from minigpt.simulation import fleet
from minigpt.simulation.capacity import saturated_per_s

NUM_REQUESTS = 30_000
CASES = (  # kind of requests, cap, load
    ("mixed", 8, 0.3),
    ("mixed", 8, 0.8),
    ("uniform:1,63", 8, 0.7),
    ("uniform:1,63", 16, 0.8),
    ("exponential:16,128", 8, 0.8),
    ("lognormal:24,0.8,200", 16, 0.6),
)
NUM_LENGTHS = 3_000
CAPS = (8, 16, 32, 64)  # with fewer slots no fleet that is one replica too small keeps up
MAX_CAP = 64


@lru_cache(maxsize=64)
def measured_capacity(name: str, cap: int) -> tuple[tuple, float]:
    """Lengths of a kind of requests, and the requests per second that a replay of them with `cap` slots completes."""
    lengths = tuple(fleet.request_lengths(name, 600, seed=4))
    return lengths, saturated_per_s(list(lengths), cap, num_requests=2_400)


@lru_cache(maxsize=16)
def replayed(name: str, cap: int, share: float, seed: int) -> tuple[list, float, float]:
    """Lengths, arrival rate and mean time in the system of a replay at a share of the measured capacity."""
    lengths, capacity = measured_capacity(name, cap)
    calls = fleet.draw_calls(list(lengths), share * capacity, NUM_REQUESTS, seed)
    return list(lengths), share * capacity, fleet.simulate(calls, cap=cap).mean_s


@dataclass(frozen=True, slots=True)
class Order:
    """A load to serve: a kind of requests, their rate, and the p95 target."""

    name: str
    share: float  # arrival rate, in capacities of one replica with 8 slots
    p95_target_s: float


ORDERS = (
    Order("mixed", 4.2, 0.076),
    Order("exponential:16,128", 4.2, 0.068),
    Order("uniform:1,63", 4.2, 0.072),
    Order("two_point:8,80,0.3", 4.2, 0.112),
    Order("documents", 4.2, 0.480),
)


# One replica, nearly full of long prompts: 16 slots answer soonest, and 8 or 64 far later.
DOCUMENTS_PER_S = 34.0  # 98 % of what 8 slots complete, 92 % of what 16 do
LATE_S = 2.0  # met with every cap that keeps up, so that they differ only in the p95


# Very long prompts: a fleet that just keeps up needs many slots, and with a replica more, few are best.
LONG = [(2000, 60), (2040, 64), (1960, 56)]
HALF = [(1000, 30), (1020, 32), (980, 28)]  # half the work for the same rate
LONG_PER_S, LONG_CAPS = 23.0, (1, 2, 4, 8, 16)
FLEETS = (  # lengths, p95 target in seconds, fewest replicas that meet it: by far, and one fewer misses it by far
    (HALF, 0.3, 2),  # first: anything kept from it is wrong for the next
    (LONG, 0.7, 3),
    (LONG, 3.0, 2),
)


@lru_cache(maxsize=8)
def p95_by_cap_s(place: int) -> dict[int, float]:
    """What the planner's own simulation says of one of these fleets, by its cap."""
    lengths, _, num_replicas = FLEETS[place]
    return {cap: fleet.p95_s(lengths, LONG_PER_S, num_replicas, cap) for cap in LONG_CAPS}


@lru_cache(maxsize=1)
def documents() -> list:
    return fleet.request_lengths("documents", 1_000, seed=6)


@lru_cache(maxsize=64)
def p95_with_cap_s(cap: int) -> float:
    """What the planner's own simulation says of that replica."""
    return fleet.p95_s(documents(), DOCUMENTS_PER_S, 1, cap)


@lru_cache(maxsize=16)
def terms(order: Order, seed: int) -> tuple[list, float]:
    """The lengths that the planner sees, and the arrival rate."""
    lengths = fleet.request_lengths(order.name, NUM_LENGTHS, seed)
    return lengths, round(order.share * saturated_per_s(lengths, 8, num_requests=2_000), 1)


@lru_cache(maxsize=64)
def p95_unseen_s(order: Order, seed: int, num_replicas: int, cap: int) -> float:
    """p95 of a fleet on requests that the planner has not seen: other lengths of the kind, other arrivals."""
    fresh = fleet.request_lengths(order.name, NUM_LENGTHS, seed + 1_000)
    return fleet.p95_s(fresh, terms(order, seed)[1], num_replicas, cap, num_requests=8_000, seed=seed + 2_000)
