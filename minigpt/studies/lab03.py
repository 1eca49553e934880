"""Studies that the notebooks and the claims share: many runs, on the virtual clock and without the model.

Each takes the continuous loop to study (a student's or the reference's) and returns plain numbers for a figure.
"""

from collections.abc import Callable, Iterator, Sequence
from statistics import median

from minigpt.analysis import metrics
from minigpt.language import say
from minigpt.notebook.progress import progress
from minigpt.runtime.clock import NS, StepCost, VirtualClock
from minigpt.runtime.run_log import RunLog, StepLog
from minigpt.simulation.fleet import calls_of
from minigpt.simulation.run import Runs, replay
from minigpt.simulation.static_replica import serve_static
from minigpt.workloads.static_capacity import static_capacity
from minigpt.workloads.workload import Workload, workload

SEEDS = (1, 2, 3, 4, 5, 6)  # one crowd's p95 near saturation says little about the next one's
DECODE_ONLY = StepCost(prefill_overhead_ns=0, per_prefill_token_ns=1)  # prompts cost (almost) nothing


def simulate(policy: str, requests: Workload, *, cost: StepCost = StepCost(), **settings) -> RunLog:
    """One run on the virtual clock with scripted answers: the same times as with the model, thousands of times faster."""
    return replay(policy, requests, clock=VirtualClock(cost), tokens="scripted", **settings)


def compare(requests: Workload, loop: Callable | None = None, *, cost: StepCost = StepCost(), **settings) -> Runs:
    """The given static policy and a continuous loop on the same requests."""
    return Runs(
        static=simulate("static", requests, cost=cost, impl="given", **settings),
        continuous=simulate("continuous", requests, cost=cost, loop=loop, **settings),
    )


def spread_lengths(spread: float, mean: float = 16.0, long_share: float = 0.2) -> str:
    """A two-point distribution of output lengths: a share of answers `spread` times as long as the others."""
    short = mean / (1 - long_share + long_share * spread)
    return f"two_point:{max(1, round(short))},{max(1, round(short * spread))},{long_share}"


def static_p95_s(requests: Workload, cost: StepCost = StepCost(), **settings) -> float:
    """Return the given static server's p95, computed batch by batch: what `simulate` gives, in a twentieth of its time."""
    calls = calls_of(requests)
    records = serve_static(calls, cost=cost, **settings)
    return metrics.percentile([(each.finish_ns - call.arrival_ns) / NS for each, call in zip(records, calls)], 95)


def both_p95_s(requests: Workload, loop: Callable | None = None, *, cost: StepCost = StepCost()) -> tuple[float, float]:
    """The p95 of the given static server and of a continuous loop on the same requests."""
    continuous = simulate("continuous", requests, cost=cost, loop=loop)
    return static_p95_s(requests, cost), metrics.percentile(metrics.e2e_s(continuous), 95)


def reduction_grid(
    loads: Sequence[float], spreads: Sequence[float], loop: Callable | None = None, *, seeds: Sequence[int] = SEEDS[:3],
    num_requests: int = 400, cost: StepCost = StepCost()
) -> list[list[list[float]]]:
    """p95 reduction in per cent for every spread (rows) and load (columns), in each of several crowds."""

    def reduction(spread: float, load: float, seed: int) -> float:
        requests = workload(spread_lengths(spread), load=load, num_requests=num_requests, seed=seed, cost=cost)
        return metrics.reduction_percent(*both_p95_s(requests, loop, cost=cost))

    cells = [(spread, load) for spread in spreads for load in loads]
    found = [[reduction(*cell, seed) for seed in seeds] for cell in progress(cells, say(en="map", es="mapa"))]
    return [found[i : i + len(loads)] for i in range(0, len(found), len(loads))]


def reduction_by_run_length(counts: Sequence[int], *cell: float, loop: Callable | None = None) -> list[float]:
    """The median p95 reduction of a cell (spread, load) of the map, for each number of requests in a run."""
    spread, load = cell
    return [median(reduction_grid([load], [spread], loop, num_requests=count)[0][0]) for count in counts]


def over_load(loads: Sequence[float], figure: Callable[[RunLog], float], loop: Callable | None = None,
              *, name: str = "mixed", num_requests: int = 400, seed: int = 3) -> dict[str, list[float]]:
    """A figure of the log at every load, for static and continuous batching."""
    runs = [
        compare(workload(name, load=load, num_requests=num_requests, seed=seed), loop)
        for load in progress(loads, say(en="loads", es="cargas"))
    ]
    return {"static": [figure(r.static) for r in runs], "continuous": [figure(r.continuous) for r in runs]}


def equal_lengths(loads: Sequence[float], cost: StepCost, loop: Callable | None = None, seed: int = SEEDS[0]) -> list[float]:
    """p95 of continuous over p95 of static for answers of 16 tokens that arrive one by one; batches wait for no one."""
    requests = [workload("constant:16", load=load, num_requests=1_000, seed=seed, cost=cost) for load in loads]
    continuous = [simulate("continuous", each, cost=cost, loop=loop) for each in requests]
    return [p95_ms(log) / (1e3 * static_p95_s(each, cost, max_wait_s=0.0)) for log, each in zip(continuous, requests)]


def equal_lengths_of_crowds(loads: Sequence[float], cost: StepCost, loop: Callable | None = None) -> list[list[float]]:
    """`equal_lengths` in several crowds: for each load, the ratio in each of them."""
    crowds = progress(SEEDS, say(en="workloads", es="tandas"))
    return [list(ratios) for ratios in zip(*(equal_lengths(loads, cost, loop, seed) for seed in crowds))]


def compare_loops(name: str, load: float, loop: Callable, other: Callable, *, num_requests: int = 600) -> list[float]:
    """By how many per cent the second continuous loop lowers the first one's p95, in each of three crowds."""
    crowds = [workload(name, load=load, num_requests=num_requests, seed=seed) for seed in SEEDS[:3]]
    pairs = [[simulate("continuous", each, loop=one) for one in (loop, other)] for each in crowds]
    return [metrics.p95_reduction_percent(*pair) for pair in pairs]


def wins(ratios: Sequence[float]) -> str:
    """In how many crowds a p95 ratio is below 1, in words."""
    won, count = sum(ratio < 1 for ratio in ratios), len(ratios)
    return say(en=f"your p95 is lower in {won} of {count} workloads (×{min(ratios):.2f} to ×{max(ratios):.2f})",
               es=f"tu p95 es menor en {won} de {count} tandas (de ×{min(ratios):.2f} a ×{max(ratios):.2f})")


def burst_gain(name: str, loop: Callable | None = None, *, num_requests: int = 512, max_batch: int = 8,
               cost: StepCost = StepCost()) -> tuple[float, float, float]:
    """How many times as fast as by static batching a burst is served: by continuous batching, at most, and by sorted batches.

    "At most" is the steps of all static batches over the steps that perfectly filled slots would need. Sorted: static
    batching of the same requests in order of length, which a server can do only if it knows the lengths.
    """
    requests = workload(name, arrivals="burst", num_requests=num_requests, seed=5, max_batch=max_batch)
    runs = compare(requests, loop, cost=cost, max_batch=max_batch, max_inflight=max_batch)
    steps = [item.num_steps for item in requests.items]
    static_steps = sum(max(steps[i : i + max_batch]) for i in range(0, len(steps), max_batch))
    least_steps = max(max(steps), -(-sum(steps) // max_batch))
    by_length = sorted(requests.items, key=lambda item: item.num_steps)
    sorted_s = len(steps) / static_capacity(by_length, max_batch, cost)
    static_s = runs.static.end_ns / NS
    return static_s * NS / runs.continuous.end_ns, static_steps / least_steps, static_s / sorted_s


def p95_ms(log: RunLog) -> float:
    """p95 of end-to-end latency in milliseconds."""
    return 1e3 * metrics.percentile(metrics.e2e_s(log), 95)


def ttft_p95_ms(log: RunLog) -> float:
    """p95 of the time to the first token in milliseconds."""
    return 1e3 * metrics.percentile(metrics.ttft_s(log), 95)


def itl_p95_ms(log: RunLog) -> float | None:
    """p95 of the gaps between tokens in milliseconds; None for a server that does not stream."""
    gaps = metrics.itl_s(log)
    return 1e3 * metrics.percentile(gaps, 95) if gaps else None


def longest_gap_ms(log: RunLog) -> float | None:
    """The longest gap between two tokens of an answer in milliseconds; None for a server that does not stream."""
    return 1e3 * max(metrics.itl_s(log), default=0.0) or None


def with_new_prompts(log: RunLog) -> Iterator[tuple[StepLog, int]]:
    """Each step of a run, and how many new prompts it prefilled."""
    admitted = set()
    for step in log.steps:
        new = set(step.request_ids) - admitted
        admitted |= new
        yield step, len(new)


def prompts_in_longest_gap(log: RunLog) -> int | None:
    """How many new prompts were prefilled in the step that made the longest gap between two tokens; None without streaming."""
    if not log.streams:
        return None
    gaps = [(step.end_ns - step.start_ns, num_new) for step, num_new in with_new_prompts(log)
            if num_new < len(step.request_ids)]  # a running request was waiting for its next token
    return max(gaps)[1] if gaps else None
