"""In a worker, this stands for the simulation of fleets: the checking side simulates, and tells the p95."""

from minigpt.language import say

ask = None  # puts one question to the checking side; set by the worker


def p95_s(lengths, rate_per_s, num_replicas, cap, *, num_requests=6_000, seed=0):
    """Simulated p95 of end-to-end latency, in seconds: Poisson arrivals, lengths like those given."""
    pairs = [list(pair) for pair in lengths]
    return ask("fleet.p95_s", pairs, rate_per_s, num_replicas, cap, num_requests, seed)


def __getattr__(name):
    raise AttributeError(say(en=f"fleet.{name}: of the simulation a submission may use fleet.p95_s alone",
                             es=f"fleet.{name}: de la simulación, una entrega solo puede usar fleet.p95_s"))
