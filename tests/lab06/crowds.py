"""The crowds of exercises 6.6 and 6.7, and what is read from their runs."""

from functools import lru_cache

from minigpt.analysis import metrics
from minigpt.schedulers.lines import OUTPUT_WEIGHT, PROMPT_WEIGHT, shortest_first_loop
from minigpt.simulation.paged_run import serve
from minigpt.workloads.clients import flood, predictions
from minigpt.workloads.workload import workload

BOUND = 32
LEAST_PERCENT = 8  # on every graded seed the mean falls by 13 to 25 %
SLOTS = 8


@lru_cache(maxsize=4)
def crowd(seed: int):
    """A crowd that the server cannot keep up with, what a predictor says of it, and its mean in order of arrival."""
    requests = workload("mixed", load=2.4, num_requests=240, seed=seed)
    predicted = predictions(requests, seed=seed)
    served = serve(requests, loop=lambda server: shortest_first_loop(server, predicted, 0))
    return requests, predicted, mean_ms(served)


def mean_ms(log) -> float:
    latencies = metrics.e2e_s(log)
    return 1e3 * sum(latencies) / len(latencies)


@lru_cache(maxsize=4)
def flooded(seed: int):
    """A flood next to quiet clients, and one next to clients who want more than their share, too."""
    return flood(100, seed=seed, start_s=0.1, end_s=0.5), flood(200, seed=seed, quiet_per_s=200.0, start_s=0.0, end_s=0.4)


def most_apart(requests) -> float:
    """2U of the paper: U = max(w_p · longest prompt, w_q · tokens that a running batch can hold)."""
    longest_prompt = max(len(item.prompt_token_ids) for item in requests.items)
    held = SLOTS * max(len(item.prompt_token_ids) + item.max_tokens for item in requests.items)
    return 2 * max(PROMPT_WEIGHT * longest_prompt, OUTPUT_WEIGHT * held)


def p95_ms(log, clients) -> float:
    """p95 of end-to-end latency of some clients; requests without an answer are left out."""
    latencies = [(record.finish_ns - record.arrival_ns) / 1e6 for record in log.requests.values()
                 if record.item.kind in clients and record.finish_ns is not None]
    return metrics.percentile(latencies, 95)
