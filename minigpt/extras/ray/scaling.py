"""From Lab 04's plan to Ray Serve's settings: how many replicas, how many requests in each, when to add one.

    lengths = fleet.request_lengths("mixed", 3_000)
    plan = planner.make_plan(lengths, rate_per_s=900, p95_target_s=0.08, max_cap=64)
    scaling_of(plan, lengths, quiet_rate_per_s=200)

Ray Serve's autoscaler divides the requests that are inside (waiting ones included) by `target_ongoing_requests` and
starts or ends replicas until their number is the quotient (https://docs.ray.io/en/latest/serve/autoscaling-guide.html). Little's
law says which target keeps the planned number at the planned rate: L = λ·W are inside the fleet, L / replicas in each.
"""

from dataclasses import dataclass

from minigpt.language import say
from minigpt.simulation import fleet
from minigpt.simulation.planner import UNSEEN_SEEDS, Plan

NUM_REQUESTS = 6_000  # in a simulation, as in the planner's own


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaling:
    """The settings of one deployment."""

    min_replicas: int
    max_replicas: int
    target_ongoing_requests: float  # per replica, on average
    max_ongoing_requests: int  # per replica, at most: the in-flight cap. The others wait in the proxy, for any replica

    @property
    def options(self) -> dict:
        """As `serve.deployment(...).options(...)` takes them."""
        both = {"max_ongoing_requests": self.max_ongoing_requests}
        if self.min_replicas == self.max_replicas:
            return {**both, "num_replicas": self.max_replicas}
        return {**both, "autoscaling_config": {
            "min_replicas": self.min_replicas, "max_replicas": self.max_replicas,
            "initial_replicas": self.min_replicas, "target_ongoing_requests": self.target_ongoing_requests,
        }}


def fixed(num_replicas: int, cap: int) -> Scaling:
    """A fixed number of replicas, whatever the load."""
    for name, value in (("replicas", num_replicas), ("max-inflight", cap)):
        if value < 1:
            raise ValueError(say(en=f"{name}={value}: at least 1", es=f"{name}={value}: al menos 1"))
    return Scaling(min_replicas=num_replicas, max_replicas=num_replicas, target_ongoing_requests=float(cap),
                   max_ongoing_requests=cap)


def scaling_of(plan: Plan, lengths: fleet.Lengths, quiet_rate_per_s: float | None = None) -> Scaling:
    """At most the plan's replicas; at least what the quiet hours need (one, if no rate is given for them)."""
    rate = plan.rate_per_s
    if quiet_rate_per_s is not None and not 0 < quiet_rate_per_s <= rate:
        raise ValueError(say(
            en=f"quiet-rate={quiet_rate_per_s}: give a rate above 0 and not above the planned one, {rate:g}",
            es=f"quiet-rate={quiet_rate_per_s}: indica una tasa mayor que 0 y no mayor que la planificada, {rate:g}",
        ))
    fewest = 1 if quiet_rate_per_s is None else _fewest(plan, lengths, quiet_rate_per_s)
    # A target above the cap would never be reached: the autoscaler would only see the queue.
    target = min(num_inside(lengths, rate, plan.num_replicas, plan.cap) / plan.num_replicas, float(plan.cap))
    return Scaling(min_replicas=fewest, max_replicas=plan.num_replicas, target_ongoing_requests=round(target, 2),
                   max_ongoing_requests=plan.cap)


def num_inside(lengths: fleet.Lengths, rate_per_s: float, num_replicas: int, cap: int) -> float:
    """Requests in the whole fleet, on average: Little's law, with W from a simulation."""
    calls = fleet.draw_calls(lengths, rate_per_s, NUM_REQUESTS, seed=UNSEEN_SEEDS[0])
    return rate_per_s * fleet.simulate(calls, num_replicas=num_replicas, cap=cap).mean_s


def _fewest(plan: Plan, lengths: fleet.Lengths, rate_per_s: float) -> int:
    """The fewest replicas, with the plan's cap, that meet its p95 at a lower rate."""
    target_s = plan.p95_target_ms / 1e3
    for num_replicas in range(1, plan.num_replicas):
        if fleet.p95_s(lengths, rate_per_s, num_replicas, plan.cap) <= target_s:
            return num_replicas
    return plan.num_replicas
