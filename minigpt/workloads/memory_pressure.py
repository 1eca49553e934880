"""Workloads for Lab 05: long prompts among running decodes, two classes of clients, and long sequences."""

import random
from dataclasses import replace

from minigpt.workloads.workload import Workload, arriving, poisson, requests_of_lengths, workload

INTERACTIVE, BATCH = 0, 1  # priorities: lower is more urgent


def long_prompts(
    num_requests: int = 800, *, seed: int = 0, rate_per_s: float = 80.0, long_share: float = 0.25,
    long_tokens: int = 512,
) -> Workload:
    """Chats with answers of 16 or 50 tokens, and a share of requests with a long prompt and an answer of 8."""
    rng = random.Random(seed)
    outputs, prompts = [], []
    for _ in range(num_requests):
        is_long = rng.random() < long_share
        outputs.append(8 if is_long else rng.choice((16, 50)))
        prompts.append(long_tokens if is_long else rng.randint(20, 40))
    items = requests_of_lengths(outputs, rng, prompts)
    return arriving(items, poisson(num_requests, rate_per_s, rng), "long prompts")


def two_classes(num_requests: int = 400, *, seed: int = 0, load: float = 1.7) -> Workload:
    """The tutor's requests: corrections are interactive, explanations (40 %) are batch work.

    The load is a share of what a static server could complete: here more than the continuous one can, too.
    """
    mixed = workload("mixed:0.4", load=load, num_requests=num_requests, seed=seed)
    items = (replace(item, priority=INTERACTIVE if item.kind == "fix" else BATCH) for item in mixed.items)
    return replace(mixed, name="two classes", items=tuple(items))


def long_sequences(num_requests: int = 60, *, seed: int = 0, rate_per_s: float = 20.0) -> Workload:
    """Prompts of 200 to 500 tokens and answers of 100 to 400: sequences of about 600 tokens."""
    rng = random.Random(seed)
    outputs = [rng.randint(100, 400) for _ in range(num_requests)]
    prompts = [rng.randint(200, 500) for _ in range(num_requests)]
    items = requests_of_lengths(outputs, rng, prompts)
    return arriving(items, poisson(num_requests, rate_per_s, rng), "long sequences")


def output_lengths(seed: int = 99, num_requests: int = 500) -> list[int]:
    """What earlier requests of the tutor's usual mix came to: a profile of output lengths."""
    earlier = workload("mixed", arrivals="burst", num_requests=num_requests, seed=seed)
    return [len(item.answer) for item in earlier.items]
