"""What Lab 05's functions must answer, by their definitions, and random cases to ask them."""

import math
import random
from fractions import Fraction

PERCENTS = (1, 25, 50, 75, 90, 95, 99, 100)


def blocks_for(num_tokens: int, block_size: int) -> int:
    """Whole blocks, the last one perhaps with empty places."""
    return math.ceil(Fraction(num_tokens, block_size))


def nearest_rank(values, percent: int) -> int:
    """The ⌈percent/100·n⌉-th smallest, in exact fractions."""
    return sorted(values)[math.ceil(Fraction(percent * len(values), 100)) - 1]


def tokens_by_rule(case: dict) -> int:
    """Tokens that "max", "profiled" or "watermark" reserves."""
    most, now = case["prompt"] + case["limit"], case["prompt"] + case["outputs"]
    if case["admission"] == "max":
        return most
    if case["admission"] == "watermark":
        return now
    return min(most, max(now, case["prompt"] + nearest_rank(case["profile"], case["profile_percent"])))


def reserve_case(rng: random.Random, admission: str) -> dict:
    """A request to admit: new, or come back with a part of its answer."""
    limit = rng.choice((1, 2, 7, 60, 300))
    num_seen = rng.choice((1, 2, 3, 7, 10, 11, 19, 20, 21, 37))
    return {
        "admission": admission, "prompt": rng.randint(1, 60), "limit": limit, "outputs": rng.choice((0, rng.randrange(limit))),
        "profile": [rng.randint(0, 90) for _ in range(num_seen)], "profile_percent": rng.choice(PERCENTS),
    }


def due_plan(crowd, order, budget: int | None) -> list[tuple[int, int]]:
    """The plan of a step: `crowd` is (prompt, computed, outputs) by id, `order` the ids as they stand in flight."""
    rest = {i: crowd[i][0] + crowd[i][2] - crowd[i][1] for i in order}
    plan = [(i, 1) for i in order if rest[i] == 1]
    left = math.inf if budget is None else budget - len(plan)
    for i in order:
        if rest[i] > 1 and left > 0:
            plan.append((i, min(rest[i], left)))
            left -= plan[-1][1]
    return plan


def crowd_case(rng: random.Random) -> tuple[list, list[int], int | None]:
    """A crowd in flight, its order, and a budget that just suffices, just does not, or anything."""
    crowd = []
    for _ in range(rng.randint(1, 6)):
        prompt, outputs = rng.randint(1, 40), rng.choice((0, 0, rng.randint(1, 12)))
        rest = rng.choice((1, 1, 2, 3, prompt + outputs, rng.randint(1, prompt + outputs)))
        crowd.append((prompt, max(0, prompt + outputs - rest), outputs))
    order = rng.sample(range(len(crowd)), len(crowd))
    rests = [prompt + outputs - computed for prompt, computed, outputs in crowd]
    exact = [sum(sorted(rests)[: i + 1]) for i in range(len(rests))]
    budget = rng.choice((None, max(1, rests.count(1)), rests.count(1) + 1, rng.choice(exact), rng.choice(exact) + 1, rng.randint(1, 90)))
    return crowd, order, budget


def due_time(request: tuple[float, int], aging_s: float) -> float:
    """When a request (arrival in seconds, priority) is due: each step of priority is worth `aging_s` of waiting."""
    arrival_s, priority = request
    return arrival_s + priority * aging_s


def cheaper_way(cost: dict, num_computed: int, block_size: int) -> str:
    """"swap" if copying out and in costs less than computing again. Exact where the costs are sums of powers of two."""
    block_s = cost["swap_block_s"] + block_size * cost["swap_token_s"]
    swap_s = 2 * blocks_for(num_computed, block_size) * block_s
    return "swap" if swap_s < cost["prefill_s"] + num_computed * cost["prefill_token_s"] else "recompute"
