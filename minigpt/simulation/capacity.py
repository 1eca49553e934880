"""The capacity of a continuous server, found by running one whose queue is never empty."""

import random

from minigpt.runtime.clock import NS
from minigpt.simulation.fleet import Call, Lengths, draw_calls, simulate


def saturated_per_s(lengths: Lengths, cap: int, *, num_requests: int = 3_000, seed: int = 1, **settings) -> float:
    """Requests per second of a server whose queue is never empty, without filling and draining."""
    rng = random.Random(seed)
    run = simulate([Call(0, *rng.choice(lengths)) for _ in range(num_requests)], cap=cap, **settings)
    finish_ns = sorted(record.finish_ns for record in run.request_records)
    start_ns, end_ns = finish_ns[num_requests // 10], max(record.admitted_ns for record in run.request_records)
    return sum(start_ns < time_ns <= end_ns for time_ns in finish_ns) * NS / (end_ns - start_ns)


def staggered_per_s(lengths: Lengths, cap: int, *, num_requests: int = 3_000, seed: int = 1, **settings) -> float:
    """The same for a server whose requests did not all come at once: they arrive at random, at 1.5 times its
    capacity."""
    rate_per_s = 1.5 * saturated_per_s(lengths, cap, num_requests=num_requests, seed=seed, **settings)
    calls = draw_calls(lengths, rate_per_s, num_requests, seed)
    run = simulate(calls, cap=cap, **settings)
    finish_ns = sorted(record.finish_ns for record in run.request_records)
    start_ns, end_ns = finish_ns[num_requests // 10], calls[-1].arrival_ns
    return sum(start_ns < time_ns <= end_ns for time_ns in finish_ns) * NS / (end_ns - start_ns)
