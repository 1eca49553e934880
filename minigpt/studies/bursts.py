"""Arrivals that are not Poisson: what they do to a prediction and to a plan, and a planner for a recorded trace.

Clients that know nothing of each other arrive as a Poisson process. Real ones share a clock, a lecture hall, a script
that retries: they come in bursts. `busy_and_quiet` makes such a trace from a seed; `recorded` reads a real one.
"""

import math
import random
from collections.abc import Callable, Sequence
from pathlib import Path

from minigpt.analysis.tables import aligned
from minigpt.language import say
from minigpt.notebook.progress import progress
from minigpt.runtime.clock import NS, StepCost
from minigpt.simulation import fleet
from minigpt.simulation.capacity import saturated_per_s
from minigpt.simulation.replica import Call
from minigpt.studies.lab04 import time_error_percent

BURSTINESS = (1.0, 0.5, 0.25)  # of gamma-distributed gaps; 1 is Poisson
CAPS = (8, 16, 32, 64)


def ladder_errors_percent(
    code, name: str, share: float, cap: int = 8, seeds: Sequence[int] = (2, 3, 4), cost=StepCost()
) -> dict:
    """By how much the reader's `mean_time_in_system_s` differs from the replay, for each burstiness: one value per seed."""
    return {burstiness: [time_error_percent(code, name, share, cap, burstiness, seed, 10_000, cost) for seed in seeds]
            for burstiness in progress(BURSTINESS, say(en="burstiness", es="ráfagas"))}


# -- traces -----------------------------------------------------------------------------------------------------


def busy_and_quiet(lengths: fleet.Lengths, rate_per_s: float, num_requests: int, seed: int) -> list[Call]:
    """A trace of busy spells (a tenth of a second on average, at 2.5 times the mean rate) and quiet ones (three times
    as long, at half of it); within a spell the arrivals are Poisson. It is then squeezed or stretched to the rate."""
    rng = random.Random(seed)
    now_s, end_s, is_busy, times_s = 0.0, 0.0, True, []
    while len(times_s) < num_requests:
        if now_s >= end_s:
            is_busy = not is_busy
            end_s = now_s + rng.expovariate(1 / (0.1 if is_busy else 0.3))
        next_s = now_s + rng.expovariate(rate_per_s * (2.5 if is_busy else 0.5))
        if next_s < end_s:
            times_s.append(next_s)
        now_s = min(next_s, end_s)  # beyond the end of the spell the rate is different: draw again from there
    factor = (num_requests - 1) / rate_per_s / (times_s[-1] - times_s[0])
    return [Call(round((time_s - times_s[0]) * factor * NS), *rng.choice(lengths)) for time_s in times_s]


def recorded(path: str | None, lengths: fleet.Lengths, rate_per_s: float, seed: int = 5) -> list[Call]:
    """The calls of a trace file; made ones with these lengths, at this rate, if `path` is None.

    A file's time is squeezed or stretched until its load on a fleet equals theirs.
    """
    if path is None:
        return busy_and_quiet(lengths, rate_per_s, 8_000, seed)
    from minigpt.workloads.traces import trace_workload

    own_lengths, _ = lengths_and_rate(fleet.calls_of(trace_workload(Path(path))))
    rate_per_s *= saturated_per_s(own_lengths, 8) / saturated_per_s(lengths, 8)
    trace = trace_workload(Path(path), rate_per_s=rate_per_s)
    print(*trace.notes, sep="\n")
    return fleet.calls_of(trace)


def lengths_and_rate(calls: Sequence[Call]) -> tuple[fleet.Lengths, float]:
    """What a planner would know of these calls: their lengths, and how many per second."""
    span_s = (calls[-1].arrival_ns - calls[0].arrival_ns) / NS
    return [(call.num_prompt_tokens, call.num_steps) for call in calls], (len(calls) - 1) / span_s


# -- plans ------------------------------------------------------------------------------------------------------


def p95_by_arrivals(trace: Sequence[Call], sizes: Sequence[int], cap: int) -> dict[str, list[float]]:
    """p95 in milliseconds of fleets of several sizes: on a trace, and with the same lengths at the same mean rate
    under Poisson arrivals and under bursts (burstiness 0.25), each the middle one of three seeds."""
    lengths, rate_per_s = lengths_and_rate(trace)

    def middle(num_replicas: int, burstiness: float) -> float:
        found = (fleet.p95_s(lengths, rate_per_s, num_replicas, cap, num_requests=4_000, seed=seed, burstiness=burstiness)
                 for seed in (11, 12, 13))
        return 1e3 * sorted(found)[1]

    return {
        "Poisson": [middle(size, 1.0) for size in progress(sizes, "Poisson")],
        say(en="bursts", es="ráfagas"): [middle(size, 0.25) for size in progress(sizes, say(en="bursts", es="ráfagas"))],
        say(en="trace", es="traza"): [1e3 * fleet.simulate(trace, num_replicas=size, cap=cap).p95_s for size in sizes],
    }


def first_that_meets(sizes: Sequence[int], p95_ms: Sequence[float], target_ms: float) -> float:
    """The smallest of these fleets whose p95 meets a target; infinity if none does."""
    return next((size for size, p95 in zip(sizes, p95_ms) if p95 <= target_ms), math.inf)


def try_planner(plan_for: Callable, lengths: fleet.Lengths, rate_per_s: float, p95_target_s: float, max_cap: int = 64) -> bool:
    """Try a planner for traces on three that it has not seen, and say of each plan whether it meets the target, and
    whether one replica fewer would have."""
    rows, all_right = [("", say(en="plan", es="plan"), "p95 (ms)", say(en="one fewer (ms)", es="una menos (ms)"), "")], True
    for seed in (21, 22, 23):
        calls = busy_and_quiet(lengths, rate_per_s, 3_000, seed)
        try:
            num_replicas, cap = plan_for(calls, p95_target_s, max_cap)
        except NotImplementedError:
            print(say(en="plan_for is not written yet", es="plan_for aún no está escrita"))
            return False
        row, is_right = judged(calls, num_replicas, cap, p95_target_s, max_cap)
        rows.append((say(en=f"trace {seed}", es=f"traza {seed}"), f"{num_replicas} × {cap}", *row))
        all_right = all_right and is_right
    print(aligned(rows))
    return all_right


def judged(calls: Sequence[Call], num_replicas: int, cap: int, p95_target_s: float, max_cap: int) -> tuple[tuple, bool]:
    """What a plan does on its trace, in words, and whether it is right: the target met, and no replica to spare."""
    p95 = fleet.simulate(calls, num_replicas=num_replicas, cap=min(cap, max_cap)).p95_s
    fewer = math.inf
    if num_replicas > 1:
        fewer = min(fleet.simulate(calls, num_replicas=num_replicas - 1, cap=each).p95_s for each in CAPS)
    if cap > max_cap:
        verdict = say(en="does not fit in memory", es="no cabe en la memoria")
    elif p95 > p95_target_s:
        verdict = say(en="misses the target", es="no cumple el objetivo")
    elif fewer <= p95_target_s:
        verdict = say(en="one replica to spare", es="sobra una réplica")
    else:
        return (f"{1e3 * p95:.1f}", f"{1e3 * fewer:.1f}", say(en="right", es="correcto")), True
    return (f"{1e3 * p95:.1f}", f"{1e3 * fewer:.1f}", verdict), False
