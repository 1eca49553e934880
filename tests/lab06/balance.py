"""Two kinds of machines on paper and replayed: what each division completes, and with the mistakes that are easy to make."""

import random
from dataclasses import asdict
from functools import lru_cache

from minigpt.runtime.clock import StepCost
from minigpt.simulation import fleet
from minigpt.simulation.machines import Link, run_machines
from minigpt.simulation.replica import Call

COST = asdict(StepCost())
CASES = (  # kind of requests, machines, link
    ("mixed", 4, Link()),
    ("uniform:1,63", 5, Link()),
    ("documents", 4, Link()),
    ("documents", 6, Link(per_token_ns=56_000)),
    ("exponential:16,128", 6, Link(per_token_ns=600)),
)
SLOTS = 8


def per_request_ns(lengths, cost, link, in_flight, *, slower=max, less=1, share=True, context=True) -> tuple[float, float]:
    """What one request costs a prefill machine (with its link) and a decode machine."""
    count = len(lengths)
    prompt, steps = (sum(column) / count for column in zip(*lengths))
    door = slower(cost["prefill_overhead_ns"] + cost["per_prefill_token_ns"] * prompt,
                  link["per_request_ns"] + link["per_token_ns"] * prompt)
    step_ns = cost["step_overhead_ns"] / (in_flight if share else 1) + cost["per_sequence_ns"]
    attended = sum(tokens + k - 1 for tokens, n in lengths for k in range(2, n + 1)) / count
    return door, (steps - less) * step_ns + context * cost["per_context_token_ns"] * attended


def best_split(num_machines, lengths, cost, link, in_flight, *, join=min, unit=1e9, prefers=1, **otherwise) -> tuple[int, int, float]:
    """The division that completes most; of equals, that with fewer prefill machines."""
    door_ns, decode_ns = per_request_ns(lengths, cost, link, in_flight, **otherwise)

    def per_s(num_prefill: int) -> float:
        return unit * join(num_prefill / door_ns, (num_machines - num_prefill) / decode_ns)

    best = max(range(1, num_machines), key=lambda num_prefill: (per_s(num_prefill), -num_prefill * prefers))
    return best, num_machines - best, per_s(best)


def drawn_fleets(seed: int, count: int, *, slow_link: bool = False):
    """(machines, lengths, cost, link, in flight): requests that are heavy on either side, and now and then on the link."""
    rng = random.Random(seed)
    for _ in range(count):
        longest = rng.choice((4, 40, 700))
        lengths = [(rng.randint(1, longest), rng.randint(1, rng.choice((3, 60)))) for _ in range(rng.randint(2, 9))]
        lengths.append((rng.randint(1, longest), rng.randint(2, 60)))  # not all of one step
        cost = {name: rng.randint(1, 2 * value) for name, value in COST.items()}
        per_token = cost["per_prefill_token_ns"] * (rng.randint(2, 5) if slow_link else rng.uniform(0, 0.9))
        link = {"per_request_ns": rng.randint(1, 90_000), "per_token_ns": round(per_token)}
        yield rng.choice((2, 3, 4, 8, 12)), lengths, cost, link, rng.choice((1, 4, 8, 64))


def even_fleets():
    """Fleets in which a request costs both kinds the same, so that two divisions complete as much.

    All costs are powers of two: in whatever order and unit they are added up, equals stay equal.
    """
    cost = dict.fromkeys(COST, 0) | {"prefill_overhead_ns": 512, "per_prefill_token_ns": 64, "step_overhead_ns": 1024,
                                     "per_sequence_ns": 256}
    for num_machines in (3, 5, 9):
        yield num_machines, [(8, 3), (8, 3)], cost, {"per_request_ns": 1, "per_token_ns": 1}, 4


@lru_cache(maxsize=16)
def lengths_of(name: str) -> tuple:
    return tuple(fleet.request_lengths(name, 400, seed=4))


@lru_cache(maxsize=64)
def replayed_per_s(name: str, num_prefill: int, num_decode: int, link: Link) -> float:
    """Requests per second of a fleet whose queue is never empty."""
    burst = [Call(0, *pair) for pair in lengths_of(name)]
    return run_machines(burst, kinds=["prefill"] * num_prefill + ["decode"] * num_decode, cap=SLOTS, link=link).per_s
