"""From a load to serve to a fleet, and to how that fleet does on requests that the plan has not seen.

The search for the plan is exercise 4.8; `impl` says whose: given, the reader's or the reference's.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from minigpt.language import say
from minigpt.llm.kv_memory import MIB, bytes_per_token
from minigpt.llm.model_shapes import MODELS
from minigpt.schedulers import lab_file
from minigpt.schedulers.registry import GIVEN, code_file
from minigpt.simulation import fleet
from minigpt.simulation.capacity import saturated_per_s
from minigpt.simulation.plan_search import caps_worth_trying, smallest_fleet

UNSEEN_SEEDS = (101, 102, 103, 104, 105)
MOST_REPLICAS = 256  # that are simulated: a larger fleet is several of these
RARE_PER_S = 0.01  # requests per second, so few that they never meet


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A fleet, and how it does on workloads that its planning did not use. Times in milliseconds."""

    rate_per_s: float
    p95_target_ms: float
    num_replicas: int
    cap: int
    p95_ms: list[float]  # one per unseen workload
    p95_one_fewer_ms: list[float] | None  # the same with one replica fewer; None if there is only one
    capacity_per_s: float  # of one replica with this cap
    load_percent: float  # arrivals over the capacity of all replicas
    kv_mib: float  # of a full replica whose sequences are all as long as the longest

    @property
    def num_met(self) -> int:
        """Unseen workloads on which the target is met."""
        return sum(p95 <= self.p95_target_ms for p95 in self.p95_ms)


def load_plan(impl: str) -> Callable:
    """The function that plans: the given one, or `plan` of Lab 04 as written by `impl`."""
    if impl == GIVEN:
        return smallest_fleet
    return lab_file.load(code_file("04", impl)).plan


def make_plan(
    lengths: fleet.Lengths, rate_per_s: float, p95_target_s: float, max_cap: int, *, impl: str = GIVEN
) -> Plan:
    """Plan a fleet for requests of these lengths and try it. Raises ValueError if no fleet can meet the target."""
    for name, value in (("rate", rate_per_s), ("p95", p95_target_s), ("max-cap", max_cap)):
        if not 0 < value < math.inf:
            raise ValueError(say(en=f"{name}={value}: it must be positive", es=f"{name}={value}: debe ser positivo"))
    alone_s = fleet.p95_s(lengths, RARE_PER_S, 1, 1)
    if alone_s > p95_target_s:
        given, least = f"{1e3 * p95_target_s:g}", f"{1e3 * alone_s:.1f}"
        raise ValueError(say(
            en=f"p95={given} ms: no fleet can do that; even alone, 5 % of these requests take over {least} ms",
            es=f"p95={given} ms: ninguna flota puede; incluso a solas, el 5 % de estas peticiones tarda más de "
            f"{least} ms",
        ))
    _check_size(lengths, rate_per_s, max_cap)
    num_replicas, cap = load_plan(impl)(rate_per_s, p95_target_s, lengths, max_cap)
    capacity = saturated_per_s(lengths, cap)
    longest = max(prompt + steps for prompt, steps in lengths)
    return Plan(
        rate_per_s=rate_per_s, p95_target_ms=1e3 * p95_target_s, num_replicas=num_replicas, cap=cap,
        p95_ms=_unseen_ms(lengths, rate_per_s, num_replicas, cap),
        p95_one_fewer_ms=_one_fewer_ms(lengths, rate_per_s, num_replicas - 1, max_cap) if num_replicas > 1 else None,
        capacity_per_s=capacity, load_percent=100 * rate_per_s / num_replicas / capacity,
        kv_mib=cap * longest * bytes_per_token(MODELS["Mini-GPT"]) / MIB,
    )


def _check_size(lengths: fleet.Lengths, rate_per_s: float, max_cap: int) -> None:
    """Refuse a rate whose fleet would take hours to simulate."""
    fewest = math.ceil(rate_per_s / saturated_per_s(lengths, max_cap))
    if fewest > MOST_REPLICAS:
        part = rate_per_s * MOST_REPLICAS / fewest / 2
        raise ValueError(say(
            en=f"rate={rate_per_s:g}: it takes at least {fewest:.6g} replicas, but at most {MOST_REPLICAS} are simulated. Plan "
               f"for a part of it, such as {part:.3g}: replicas grow in proportion",
            es=f"rate={rate_per_s:g}: hacen falta al menos {fewest:.6g} réplicas, pero se simulan como mucho {MOST_REPLICAS}. "
               f"Planifica para una parte, como {part:.3g}: las réplicas crecen en proporción",
        ))


def fewest_for(calls, plan: Plan) -> int | None:
    """The fewest replicas, with the plan's cap, that meet its target on these very arrivals; None if none do."""
    target_s = plan.p95_target_ms / 1e3

    def meets(num_replicas: int) -> bool:
        return fleet.simulate(calls, num_replicas=num_replicas, cap=plan.cap).p95_s <= target_s

    low, high = plan.num_replicas, plan.num_replicas
    while not meets(high):
        if high == MOST_REPLICAS:
            return None
        low, high = high, min(2 * high, MOST_REPLICAS)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if meets(middle) else (middle, high)
    return high


def _one_fewer_ms(lengths: fleet.Lengths, rate_per_s: float, num_replicas: int, max_cap: int) -> list[float]:
    """Its p95 with the best cap for this many replicas: the smaller fleet deserves a fair trial."""
    best = min(caps_worth_trying(max_cap), key=lambda cap: fleet.p95_s(lengths, rate_per_s, num_replicas, cap, seed=UNSEEN_SEEDS[0]))
    return _unseen_ms(lengths, rate_per_s, num_replicas, best)


def _unseen_ms(lengths: fleet.Lengths, rate_per_s: float, num_replicas: int, cap: int) -> list[float]:
    return [1e3 * fleet.p95_s(lengths, rate_per_s, num_replicas, cap, seed=seed) for seed in UNSEEN_SEEDS]
