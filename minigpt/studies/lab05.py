"""What Lab 05's notebook measures: each idea against the version without it, on the same requests.

All on the virtual clock and with scripted answers, unless said. `loop` is the loop to study; None is the reference's.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from minigpt.analysis import metrics
from minigpt.language import say
from minigpt.runtime.paged.run_log import PagedRunLog
from minigpt.runtime.paged.swap_cost import SwapCost, cost_table
from minigpt.runtime.run_log import RunLog
from minigpt.schedulers.dynamic import dynamic_batch_loop
from minigpt.simulation.paged_run import serve
from minigpt.studies.lab03 import p95_ms, simulate
from minigpt.workloads.memory_pressure import (
    BATCH,
    INTERACTIVE,
    long_prompts,
    long_sequences,
    output_lengths,
    two_classes,
)
from minigpt.workloads.workload import Workload, tutor_requests, workload

LONG_PROMPT = 500  # tokens: from here on a prompt counts as long


def run(requests: Workload, loop: Callable | None = None, **settings) -> PagedRunLog:
    """One run on the virtual clock, by the given loop unless another is named."""
    return serve(requests, loop=loop, impl="given", **settings)


# -- blocks ---------------------------------------------------------------------------------------------------------


def sequence_lengths(requests: Workload) -> list[int]:
    """Prompt and answer of every request, in tokens."""
    return [len(item.prompt_token_ids) + len(item.answer) for item in requests.items]


def tutor_lengths() -> list[int]:
    """Sequence lengths of the tutor's usual mix."""
    return sequence_lengths(workload("mixed", arrivals="burst", num_requests=200, seed=1))


def long_lengths() -> list[int]:
    """Sequence lengths of long documents with long answers, about 600 tokens each."""
    return sequence_lengths(long_sequences(200, seed=1))


def rounding_waste_percent(lengths: Sequence[int], block_size: int) -> float:
    """The same waste, calculated: every sequence leaves the rest of its last block empty."""
    held = sum(-(-length // block_size) * block_size for length in lengths)
    return 100 * (1 - sum(lengths) / held)


def waste_percent(manager_class, lengths: Sequence[int], block_size: int) -> float:
    """Share of the held places without a token, when each sequence has grown to its length in a block manager."""
    manager = manager_class(sum(-(-length // block_size) for length in lengths), block_size)
    for i, length in enumerate(lengths):
        manager.allocate(i, 1)
        for _ in range(length - 1):
            manager.append(i)
    held = sum(len(table) for table in manager.tables.values()) * block_size
    return 100 * (1 - sum(lengths) / held)


def reserved_waste_percent(lengths: Sequence[int], reserved: int) -> float:
    """The same, when every sequence holds places for the longest that it could become."""
    return 100 * (1 - sum(lengths) / (reserved * len(lengths)))


def paged_difference(manager_class, block_size: int = 16) -> float:
    """The largest difference of a logit between attention over a manager's blocks and over slots, on the tutor."""
    from minigpt.llm.kv_cache import KVCache
    from minigpt.llm.paged_kv_cache import PagedKVCache
    from minigpt.llm.tutor import load_tutor

    model, prompts = load_tutor(), [list(item.prompt_token_ids) for item in tutor_requests(8, random.Random(2))]
    slots_used, num_blocks = list(range(8)), 8 * 40
    manager = manager_class(num_blocks, block_size)
    slots, paged = KVCache(model.config, 8), PagedKVCache(model.config, num_blocks, block_size, 8)
    for i, prompt in enumerate(prompts):
        slots.allocate(), paged.allocate()
        manager.allocate(i, len(prompt))
    worst, last = 0.0, None
    for _ in range(24):
        for i in slots_used:
            paged.set_table(i, manager.tables[i])
        both = [
            model.prefill(prompts, cache, slots_used) if last is None else model.decode_step(last, cache, slots_used)
            for cache in (slots, paged)
        ]
        worst = max(worst, float((both[0] - both[1]).abs().max()))
        last = both[0].argmax(dim=-1).tolist()
        for i in slots_used:
            manager.append(i)
    return worst


# -- admission ------------------------------------------------------------------------------------------------------

ADMISSIONS = {
    "max": {"admission": "max"},
    "profiled, 99 %": {"admission": "profiled", "profile_percent": 99},
    "profiled, 90 %": {"admission": "profiled", "profile_percent": 90},
    "profiled, 50 %": {"admission": "profiled", "profile_percent": 50},
    "watermark + 0": {"admission": "watermark"},
    "watermark + 4": {"admission": "watermark", "reserve_blocks": 4},
}


def by_admission(
    loop: Callable | None = None, *, num_blocks: int = 32, load: float = 1.3, seed: int = 3
) -> dict[str, PagedRunLog]:
    """The tutor's usual mix in a small pool, admitted by each rule."""
    requests, profile = workload("mixed", load=load, num_requests=400, seed=seed), output_lengths()
    return {
        name: run(requests, loop, num_blocks=num_blocks, max_inflight=16, profile=profile, **rule)
        for name, rule in ADMISSIONS.items()
    }


def what_max_costs(loop: Callable | None, seed: int) -> str:
    """In words: how much slower `max` is than the best rule on another seed, and which rule that is."""
    p95 = {name: p95_ms(log) for name, log in by_admission(loop, seed=seed).items()}
    best = min(p95, key=p95.get)
    return say(en=f"seed {seed}: {p95['max'] / p95[best]:.1f} times; the best: {best}",
               es=f"semilla {seed}: {p95['max'] / p95[best]:.1f} veces; la mejor: {best}")


# -- chunks ---------------------------------------------------------------------------------------------------------

BUDGETS = (None, 256, 128, 64)  # tokens per step; None: prompts come whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaps:
    """What a token budget does to the time between tokens, in milliseconds, and to the rest."""

    p50_ms: float
    p95_ms: float
    p99_ms: float
    longest_ms: float
    ttft_long_ms: float  # median, of requests with a long prompt
    ttft_short_ms: float  # p95, of the others
    throughput_per_s: float


def by_budget(loop: Callable | None = None, budgets: Sequence[int | None] = BUDGETS) -> dict[int | None, Gaps]:
    """Long prompts among running decodes, with each token budget."""
    requests = long_prompts(seed=3)
    return {budget: gaps_of(run(requests, loop, token_budget=budget)) for budget in budgets}


def gaps_of(log: RunLog) -> Gaps:
    gaps = metrics.itl_s(log)
    p50, p95, p99, longest = (1e3 * metrics.percentile(gaps, percent) for percent in (50, 95, 99, 100))
    first = {True: [], False: []}
    for record in log.requests.values():
        first[len(record.item.prompt_token_ids) >= LONG_PROMPT].append((record.token_times_ns[0] - record.arrival_ns) / 1e6)
    return Gaps(
        p50_ms=p50, p95_ms=p95, p99_ms=p99, longest_ms=longest, ttft_long_ms=metrics.percentile(first[True], 50),
        ttft_short_ms=metrics.percentile(first[False], 95), throughput_per_s=metrics.throughput_per_s(log),
    )


# -- classes --------------------------------------------------------------------------------------------------------

AGINGS_S = (0.0, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5)


def by_aging(loop: Callable | None = None, agings_s: Sequence[float] = AGINGS_S) -> list[PagedRunLog]:
    """Two classes of clients on a full server, for each waiting time that is worth a step of priority."""
    requests = two_classes(seed=3)
    return [run(requests, loop, aging_s=aging_s) for aging_s in agings_s]


def class_p95_ms(log: RunLog, priority: int) -> float:
    """p95 of end-to-end latency of one class."""
    latencies = zip(log.requests.values(), metrics.e2e_s(log))
    return 1e3 * metrics.percentile([each_s for record, each_s in latencies if record.item.priority == priority], 95)


def class_figures(logs: Sequence[PagedRunLog]) -> dict[str, list[float]]:
    """p95 of both classes, over runs."""
    return {name: [class_p95_ms(log, priority) for log in logs]
            for name, priority in (("interactive", INTERACTIVE), ("batch", BATCH))}


def what_classes_pay(loop: Callable | None, seed: int, aging_s: float = AGINGS_S[-1]) -> str:
    """In words: what aging gains the interactive class over first come, first served, and costs the other."""
    requests = two_classes(seed=seed)
    before, after = (run(requests, loop, aging_s=each) for each in (0.0, aging_s))
    faster = class_p95_ms(before, INTERACTIVE) / class_p95_ms(after, INTERACTIVE)
    slower = 100 * (class_p95_ms(after, BATCH) / class_p95_ms(before, BATCH) - 1)
    return say(en=f"seed {seed}: corrections {faster:.1f} times as fast, explanations {slower:+.0f} %",
               es=f"semilla {seed}: correcciones {faster:.1f} veces más rápidas, explicaciones {slower:+.0f} %")


# -- preemption -----------------------------------------------------------------------------------------------------


def preemption_ms(lengths: Sequence[int], block_sizes: Sequence[int] = (4, 16, 64)) -> dict[str, list[float]]:
    """The cost of preempting a sequence of each length: recomputed, or copied out and in with each block size."""
    cost, link = cost_table(None, SwapCost()), SwapCost()
    series = {"recompute": [1e3 * (cost["prefill_s"] + cost["prefill_token_s"] * length) for length in lengths]}
    for size in block_sizes:
        series[f"swap, {size}"] = [2 * link.ns(-(-length // size), size) / 1e6 for length in lengths]
    return series


# -- dynamic batching -----------------------------------------------------------------------------------------------


def by_batching(loads: Sequence[float]) -> dict[str, list[float]]:
    """p95 of end-to-end latency in ms of static, dynamic and continuous batching, at every load; 20 ms of window."""
    loops = {"static": None, "dynamic": dynamic_batch_loop, "continuous": None}
    found: dict[str, list[float]] = {name: [] for name in loops}
    for load in loads:
        requests = workload("mixed", load=load, num_requests=400, seed=3)
        for name, loop in loops.items():
            policy = "continuous" if name == "continuous" else "static"
            found[name].append(p95_ms(simulate(policy, requests, loop=loop, impl="given", max_wait_s=0.02)))
    return found
