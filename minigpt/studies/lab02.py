"""Studies of static batching that Lab 02 shows: on the virtual clock, without the model, plain numbers for figures."""

import random
from collections.abc import Callable, Sequence

from minigpt.analysis import metrics
from minigpt.analysis.latency_phases import p95_built_up_ms
from minigpt.language import say
from minigpt.notebook.progress import progress
from minigpt.runtime.run_log import RunLog
from minigpt.studies import static_variants as variants
from minigpt.studies.lab03 import p95_ms, simulate
from minigpt.workloads.workload import make_items, workload

SEEDS = (3, 4)  # their requests are pooled: one crowd's p95 near saturation says little of the next one's


def rule_p95_ms(log: RunLog) -> float:
    """The 95th-percentile answer length, in steps, times the mean time of a step of this run."""
    mean_step_ns = sum(step.end_ns - step.start_ns for step in log.steps) / len(log.steps)
    return metrics.percentile([item.num_steps for item in log.workload.items], 95) * mean_step_ns / 1e6


def rule_over_load(loads: Sequence[float], loop: Callable, *, num_requests: int = 1_000, **settings
                       ) -> dict[str, list[float]]:  # fmt: skip
    """The rule of thumb's p95 and the measured one, in milliseconds, at every load."""
    requests = [workload("mixed", load=load, num_requests=num_requests, seed=SEEDS[0]) for load in loads]
    bar = progress(requests, say(en="loads", es="cargas"))
    logs = [simulate("static", each, loop=loop, **settings) for each in bar]
    return {"predicted": [rule_p95_ms(log) for log in logs], "measured": [p95_ms(log) for log in logs]}


def p95_built_up(loads: Sequence[float], loop: Callable, *, num_requests: int = 1_000, **settings
                 ) -> dict[str, list[float]]:  # fmt: skip
    """What each part of latency adds to the p95, in milliseconds, at every load; they sum up to the p95."""
    added: dict[str, list[float]] = {part: [] for part in ("useful", "held", "forming", "queue")}
    for load in progress(loads, say(en="loads", es="cargas")):
        requests = workload("mixed", load=load, num_requests=num_requests, seed=SEEDS[0])
        so_far = 0.0
        for part, p95 in p95_built_up_ms(simulate("static", requests, loop=loop, **settings), tuple(added)).items():
            added[part].append(p95 - so_far)
            so_far = p95
    return added


def over_wait(waits_ms: Sequence[float], loads: Sequence[float], loop: Callable, *, num_requests: int = 1_000
              ) -> tuple[dict[str, list[float]], dict[str, list[float]]]:  # fmt: skip
    """For every load, over `max_wait_s`: the p95 and the machine's time for one request, both in milliseconds."""
    p95: dict[str, list[float]] = {f"ρ = {load}": [] for load in loads}
    busy: dict[str, list[float]] = {name: [] for name in p95}
    for load, wait_ms in progress([(load, wait_ms) for load in loads for wait_ms in waits_ms], "max_wait"):
        logs = [
            simulate("static", workload("mixed", load=load, num_requests=num_requests, seed=seed), loop=loop,
                     max_wait_s=wait_ms / 1e3)
            for seed in SEEDS
        ]  # fmt: skip
        latencies = [latency for log in logs for latency in metrics.e2e_s(log)]
        busy_ns = sum(step.end_ns - step.start_ns for log in logs for step in log.steps)
        p95[f"ρ = {load}"].append(1e3 * metrics.percentile(latencies, 95))
        busy[f"ρ = {load}"].append(busy_ns / 1e6 / len(latencies))
    return p95, busy


def expected_longest(lengths: Sequence[int], batch_size: int) -> float:
    """E[longest of a batch], when each member's length is drawn from `lengths`: the sum of 1 − P(length ≤ n)^B.

    >>> expected_longest([1, 3], 2)  # 1 in a quarter of all batches, otherwise 3
    2.5
    """
    ordered = sorted(lengths)
    longest = float(ordered[0])
    for i, (low, high) in enumerate(zip(ordered, ordered[1:]), 1):
        longest += (high - low) * (1 - (i / len(ordered)) ** batch_size)
    return longest


def predicted_waste(name: str, max_batch: int = 8) -> float:
    """The share of slots of full batches that is held for nothing: 1 − E[length] / E[longest of the batch]."""
    lengths = [item.num_steps for item in make_items(name, 4_000, random.Random(0))]
    return 1 - sum(lengths) / len(lengths) / expected_longest(lengths, max_batch)


def ablation_over_load(loads: Sequence[float], loop: Callable, *, num_requests: int = 1_000) -> dict[str, list[float]]:
    """The p95 in milliseconds of every variant at every load; the last two: sorted by length, and Lab 03's loop."""
    found: dict[str, list[float]] = {}
    for load in progress(loads, say(en="loads", es="cargas")):
        pooled: dict[str, list[float]] = {}
        for seed in SEEDS:
            requests = workload("mixed", load=load, num_requests=num_requests, seed=seed)
            samples = variants.ablation(loop, lambda *loops: [simulate("static", requests, loop=each) for each in loops])
            by_length = variants.shortest_first(loop, requests)
            samples["sorted"] = metrics.e2e_s(simulate("static", requests, loop=by_length))
            samples["continuous"] = metrics.e2e_s(simulate("continuous", requests, impl="given"))
            for name, latencies in samples.items():
                pooled.setdefault(name, []).extend(latencies)
        for name, latencies in pooled.items():
            found.setdefault(name, []).append(1e3 * metrics.percentile(latencies, 95))
    return found


def sorting_gain(name: str, loop: Callable, *, num_requests: int = 512) -> float:
    """How many times as fast a burst is served when the queue is sorted by length."""
    burst = workload(name, arrivals="burst", num_requests=num_requests, seed=5)
    by_length = simulate("static", burst, loop=variants.shortest_first(loop, burst))
    return simulate("static", burst, loop=loop).end_ns / by_length.end_ns
