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
from minigpt.workloads.workload import Workload, make_items, workload

SEEDS = (3, 4, 5)  # one crowd's p95 near saturation says little about the next one's
FORWARDS, BACKWARDS = ("useful", "held", "forming", "queue"), ("useful", "queue", "forming", "held")


def rule_p95_ms(log: RunLog) -> float:
    """The 95th-percentile answer length, in steps, times the mean time of a step of this run."""
    mean_step_ns = sum(step.end_ns - step.start_ns for step in log.steps) / len(log.steps)
    return metrics.percentile([item.num_steps for item in log.workload.items], 95) * mean_step_ns / 1e6


def rule_over_load(loads: Sequence[float], loop: Callable, *, num_requests: int = 1_000, **settings
                   ) -> dict[str, list[list[float]]]:
    """The rule of thumb's p95 and the measured one, in milliseconds: at every load, in each of several crowds."""
    logs = [[simulate("static", workload("mixed", load=load, num_requests=num_requests, seed=seed), loop=loop, **settings)
             for seed in SEEDS] for load in progress(loads, say(en="loads", es="cargas"))]
    return {name: [[figure(log) for log in of_load] for of_load in logs]
            for name, figure in (("predicted", rule_p95_ms), ("measured", p95_ms))}


def p95_built_up(loads: Sequence[float], loop: Callable, *, order: Sequence[str] = FORWARDS, num_requests: int = 1_000,
                 **settings) -> dict[str, list[float]]:
    """What each part of latency adds to the p95, in milliseconds, at every load; they sum up to the p95.

    A p95 is not a sum of p95s, so what a part adds depends on which parts are counted before it: `order`.
    """
    added: dict[str, list[float]] = {part: [] for part in FORWARDS}
    for load in progress(loads, say(en="loads", es="cargas")):
        requests = workload("mixed", load=load, num_requests=num_requests, seed=SEEDS[0])
        so_far = 0.0
        for part, p95 in p95_built_up_ms(simulate("static", requests, loop=loop, **settings), tuple(order)).items():
            added[part].append(p95 - so_far)
            so_far = p95
    return added


def both_orders(loads: Sequence[float], loop: Callable, **settings) -> tuple[list[str], dict[str, list[float]]]:
    """`p95_built_up` in both orders, as bars side by side: their labels, and the parts of each."""
    orders = [p95_built_up(loads, loop, order=order, **settings) for order in (FORWARDS, BACKWARDS)]
    names = say(en="held counted first", es="retención, primero"), say(en="held counted last", es="retención, al final")
    labels = [f"ρ = {load} · {name}" for load in loads for name in names]
    return labels, {part: [found[part][i] for i in range(len(loads)) for found in orders] for part in FORWARDS}


def over_wait(waits_ms: Sequence[float], loads: Sequence[float], loop: Callable, *, num_requests: int = 1_000
              ) -> tuple[dict[str, list[list[float]]], dict[str, list[list[float]]]]:
    """For every load, over `max_wait_s`, in each of several crowds: p95 and the machine's time per request, in ms."""
    p95: dict[str, list[list[float]]] = {f"ρ = {load}": [] for load in loads}
    busy: dict[str, list[list[float]]] = {name: [] for name in p95}
    for load, wait_ms in progress([(load, wait_ms) for load in loads for wait_ms in waits_ms], "max_wait"):
        logs = [
            simulate("static", workload("mixed", load=load, num_requests=num_requests, seed=seed), loop=loop,
                     max_wait_s=wait_ms / 1e3)
            for seed in SEEDS
        ]
        p95[f"ρ = {load}"].append([p95_ms(log) for log in logs])
        busy[f"ρ = {load}"].append([_busy_ms(log) / len(log.requests) for log in logs])
    return p95, busy


def _busy_ms(log: RunLog) -> float:
    return sum(step.end_ns - step.start_ns for step in log.steps) / 1e6


def rises_ms(p95: Sequence[list[float]]) -> list[list[float]]:
    """By how much each wait's p95 lies above that of the first one, in each crowd."""
    return [[value - start for value, start in zip(crowds, p95[0])] for crowds in p95]


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


def ablation_over_load(loads: Sequence[float], loop: Callable, *, num_requests: int = 1_000, **settings
                       ) -> dict[str, list[list[float]]]:
    """The p95 in ms of every variant at every load, in each crowd; the last two: sorted by length, and Lab 03's loop."""
    found: dict[str, list[list[float]]] = {}
    for load in progress(loads, say(en="loads", es="cargas")):
        crowds = [_ablation_ms(workload("mixed", load=load, num_requests=num_requests, seed=seed), loop, settings)
                  for seed in SEEDS]
        for name in crowds[0]:
            found.setdefault(name, []).append([crowd[name] for crowd in crowds])
    return found


def _ablation_ms(requests: Workload, loop: Callable, settings: dict) -> dict[str, float]:
    """The p95 of each variant on the same requests, in milliseconds."""
    samples = variants.ablation(loop, lambda *loops: [simulate("static", requests, loop=each, **settings) for each in loops])
    by_length = variants.shortest_job_first(loop, requests)
    samples["sorted"] = metrics.e2e_s(simulate("static", requests, loop=by_length, **settings))
    samples["continuous"] = metrics.e2e_s(simulate("continuous", requests, impl="given", **settings))
    return {name: 1e3 * metrics.percentile(latencies, 95) for name, latencies in samples.items()}


def falls_percent(p95_ms: dict[str, list[list[float]]], name: str, place: int = 0) -> list[float]:
    """By how many per cent a variant lowers the static p95 at the load of this place, in each crowd."""
    return [metrics.reduction_percent(*pair) for pair in zip(p95_ms["static"][place], p95_ms[name][place])]


def sorting_gain(name: str, loop: Callable, *, num_requests: int = 512) -> float:
    """How many times as fast a burst is served when the queue is sorted by length."""
    burst = workload(name, arrivals="burst", num_requests=num_requests, seed=5)
    by_length = simulate("static", burst, loop=variants.shortest_job_first(loop, burst))
    return simulate("static", burst, loop=loop).end_ns / by_length.end_ns
