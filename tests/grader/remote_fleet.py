"""The worker's replacement for the simulation of fleets: the checking side simulates, and returns the p95."""

from minigpt.language import say

ask = None  # puts one question to the checking side; set by the worker


def p95_s(lengths, rate_per_s, num_replicas, cap, *, num_requests=6_000, seed=0):
    """Simulated p95 of end-to-end latency, in seconds: Poisson arrivals, lengths like those given."""
    pairs = [list(pair) for pair in lengths]
    return ask("fleet.p95_s", pairs, rate_per_s, num_replicas, cap, num_requests, seed)


def __getattr__(name):
    raise AttributeError(say(en=f"fleet.{name}: a submission may use only fleet.p95_s of the simulation",
                             es=f"fleet.{name}: de la simulación, una entrega solo puede usar fleet.p95_s"))
