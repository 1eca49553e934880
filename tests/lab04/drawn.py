"""Random logs, kinds of requests and step costs: small, with every edge in them, and exact in floating point."""

import random
from dataclasses import asdict

from minigpt.runtime.clock import StepCost

TICK_S = 0.125  # all times are multiples, so that moments coincide and sums are exact


def drawn_records(rng: random.Random, num_requests: int, *, last_tick: int = 40) -> list[dict]:
    """Records in any order: entries at one moment, at 0 s too, stays of no time, some not admitted, some not answered."""
    records = []
    for request_id in rng.sample(range(100), num_requests):
        arrival = rng.randrange(last_tick)
        admitted = arrival + rng.choice((0, 0, 1, 5))
        finish = admitted + rng.choice((0, 1, 2, 9, 30))
        fate = rng.choice(("answered",) * 4 + ("in flight", "waiting"))
        ticks = {"arrival_s": arrival, "admitted_s": None if fate == "waiting" else admitted,
                 "finish_s": finish if fate == "answered" else None}
        records.append({"request_id": request_id,
                        **{name: None if tick is None else tick * TICK_S for name, tick in ticks.items()}})
    return records


def drawn_windows(seed: int, count: int):
    """(records, stage, start_s, end_s): logs of no, one or a dozen requests, windows that open late and close early."""
    rng = random.Random(seed)
    for turn in range(count):
        records = drawn_records(rng, rng.choice((0, 1, 2, 5, 12)))
        start = rng.choice((0, rng.randrange(30)))
        end = start + rng.choice((1, 8, 64))
        yield records, ("system", "in_flight", "queue")[turn % 3], start * TICK_S, end * TICK_S


def drawn_lengths(rng: random.Random, most_steps: int = 80) -> list[tuple[int, int]]:
    """(prompt tokens, steps) of a few requests, alike or far apart, some of one step."""
    longest = rng.choice((5, most_steps))
    lengths = [(rng.randint(1, 300), rng.randint(1, longest)) for _ in range(rng.randint(2, 12))]
    return [*lengths, (rng.randint(1, 300), rng.randint(2, longest))]  # not all of one step


def drawn_cost(rng: random.Random, *fields: str) -> dict[str, int]:
    """Coefficients of a step; only those named cost anything, or all of them if none is."""
    cost = asdict(StepCost())
    return {name: rng.randint(1, 2 * value) if name in fields or not fields else 0 for name, value in cost.items()}


def drawn_model(rng: random.Random, *, alike: bool = False) -> dict[str, int]:
    """Sizes of a fictitious model; `alike`: with a key/value head for each query head."""
    num_kv_heads = rng.randint(1, 12)
    return {
        "num_layers": rng.randint(1, 40), "num_heads": num_kv_heads * (1 if alike else rng.randint(2, 9)),
        "num_kv_heads": num_kv_heads, "head_size": rng.randint(3, 130), "bytes_per_element": rng.choice((1, 2, 4, 8)),
        "context": rng.randint(40, 300),
    }


def drawn_memories(seed: int, way: str, count: int, *, bytes_of, places):
    """(budget in bytes, model, lengths, way, block size): what some sequences fill to the last place, or miss by a byte.

    `bytes_of(model)` are those of a token, `places(model, lengths, way, block_size)` what each sequence gets.
    """
    rng = random.Random(f"{seed} {way}")
    for turn in range(count):
        model = drawn_model(rng)
        lengths = [rng.randint(1, 40) for _ in range(rng.choice((0, 1, 2, 9, 20)))]
        block_size = rng.choice((1, 4, 7, 16, 32))
        filled = sum(places(model, lengths[: rng.randint(0, len(lengths))], way, block_size)) * bytes_of(model)
        spare = (0, -1, 1, bytes_of(model) - 1, rng.randrange(50 * bytes_of(model)))[turn % 5]
        yield max(0, filled + spare), model, lengths, way, block_size
