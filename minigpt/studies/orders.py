"""What Lab 06 measures of the queue's order: shortest first with a bound on overtaking, and fairness between clients.

All on the virtual clock, with scripted answers. `choose` and `counters` are a reader's own, or the given ones.
"""

from collections.abc import Callable, Sequence
from functools import partial

from minigpt.analysis import metrics
from minigpt.analysis.service import Moment, largest_difference, service_over_time, times_overtaken
from minigpt.language import say
from minigpt.runtime.paged.run_log import PagedRunLog
from minigpt.schedulers import lines
from minigpt.schedulers.in_line import ByClient, ByPrediction, serve_in_line
from minigpt.simulation.paged_run import serve
from minigpt.workloads.clients import FLOODER, QUIET, client_of, flood, predictions
from minigpt.workloads.workload import Workload, scene, workload

BOUNDS = (0, 4, 8, 16, 32, 64, 128, None)
CROWDED, CALM = 1.8, 0.7  # loads, in shares of what a static server could complete
SLOTS = 8


def in_order(requests: Workload, choose: Callable, most_overtaken: int | None, predicted=None, **settings) -> PagedRunLog:
    """One run with a line that `choose` decides about; predictions are noisy unless given."""
    line = ByPrediction(choose, predicted or predictions(requests), most_overtaken)
    return serve(requests, loop=lambda server: serve_in_line(server, line), **settings)


def small_scene(choose: Callable) -> tuple[dict[str, PagedRunLog], dict[int, str]]:
    """Two slots, two long requests first and four short ones behind a third: in order of arrival, and shortest first."""
    lengths = {"A": (0, 14), "B": (0, 9), "C": (1, 12), "D": (2, 3), "E": (3, 2), "F": (4, 3)}
    requests = scene(**lengths)
    known = predictions(requests, spread=0)
    labels = say(en="first come, first served", es="por orden de llegada"), say(en="shortest first", es="la más corta primero")
    logs = [in_order(requests, choose, bound, known, clock="steps", max_inflight=2) for bound in (0, None)]
    return dict(zip(labels, logs)), dict(enumerate(lengths))


def figures_ms(log: PagedRunLog) -> dict[str, float]:
    """Mean, p95 and longest end-to-end latency."""
    latencies = [1e3 * each for each in metrics.e2e_s(log)]
    return {"mean": sum(latencies) / len(latencies), "p95": metrics.percentile(latencies, 95), "longest": max(latencies)}


def crowd(load: float, seed: int, num_requests: int = 400) -> Workload:
    """The tutor's usual mix at a load."""
    return workload("mixed", load=load, num_requests=num_requests, seed=seed)


def by_bound(choose: Callable, bounds: Sequence[int | None] = BOUNDS, *, load: float = CROWDED, seed: int = 3) -> dict:
    """Mean, p95 and longest latency in ms for each bound on overtaking; 0 is first come, first served, None no bound."""
    return {bound: figures_ms(in_order(crowd(load, seed), choose, bound)) for bound in bounds}


def gain_left(choose: Callable, spreads: Sequence[float], *, seed: int = 3) -> list[float]:
    """How much of what shortest first gains in the mean is left, in percent, for predictions of every quality; 100 at the first."""
    requests = crowd(CROWDED, seed)

    def mean_ms(bound: int | None, spread: float) -> float:
        return figures_ms(in_order(requests, choose, bound, predictions(requests, spread)))["mean"]

    first_come = mean_ms(0, 0)
    gains = [first_come - mean_ms(None, spread) for spread in spreads]
    return [100 * gain / gains[0] for gain in gains]


def half_lost_at(spreads: Sequence[float], left: Sequence[float]) -> str:
    """The first spread at which less than half of the gain is left, or "never"."""
    return next((str(spread) for spread, percent in zip(spreads, left) if percent < 50), say(en="never", es="nunca"))


def what_order_does(choose: Callable, load: float, seed: int) -> str:
    """In words: what shortest first does to mean and longest latency of one crowd, without a bound and with one of 32."""
    found = by_bound(choose, (0, None, 32), load=load, seed=seed)
    mean, longest = (" → ".join(f"{found[bound][name]:.0f}" for bound in (0, None, 32)) for name in ("mean", "longest"))
    return say(en=f"load {load}, seed {seed}: mean {mean} ms, slowest {longest} ms",
               es=f"carga {load}, semilla {seed}: media {mean} ms, la más lenta {longest} ms")


def most_overtaken(log: PagedRunLog) -> int:
    """How often the request that was overtaken most was overtaken."""
    return max(times_overtaken(log).values())


# -- clients ----------------------------------------------------------------------------------------------------------


def first_come(requests: Workload) -> PagedRunLog:
    """In order of arrival, from any client."""
    return in_order(requests, lines.next_in_line, 0, max_inflight=SLOTS)


def fair(requests: Workload, counters: Callable = lines.TokenCounters) -> PagedRunLog:
    """By virtual token counters, of the class `counters`."""
    line = ByClient(counters(lines.PROMPT_WEIGHT, lines.OUTPUT_WEIGHT), client_of(requests))
    return serve(requests, loop=lambda server: serve_in_line(server, line), max_inflight=SLOTS)


def services(log: PagedRunLog) -> list[Moment]:
    """The service of every client over time."""
    return service_over_time(log, client_of(log.workload), prompt_weight=lines.PROMPT_WEIGHT,
                             output_weight=lines.OUTPUT_WEIGHT)


def service_lines(log: PagedRunLog, times_s: Sequence[float]) -> dict[str, list[float]]:
    """Tokens of service that each client has had at each time, in thousands."""
    moments, found = services(log), {client: [] for client in (FLOODER, *QUIET)}
    for time_s in times_s:
        past = [moment for moment in moments if moment.time_ns <= 1e9 * time_s]
        for client, values in found.items():
            values.append(past[-1].service[client] / 1e3 if past else 0.0)
    return {client_name(client): values for client, values in found.items()}


def client_name(client: str) -> str:
    return say(en=f"{client} (floods)", es=f"{client} (avalancha)") if client == FLOODER else client


def client_p95_ms(log: PagedRunLog) -> dict[str, float]:
    """p95 of end-to-end latency of each client."""
    latencies: dict[str, list[float]] = {}
    for record in log.requests.values():
        latencies.setdefault(record.item.kind, []).append((record.finish_ns - record.arrival_ns) / 1e6)
    return {client_name(client): metrics.percentile(latencies[client], 95) for client in sorted(latencies)}


def most_apart(log: PagedRunLog) -> float:
    """The most by which two clients' service differed while both had requests waiting, in tokens."""
    moments, clients = services(log), sorted(set(client_of(log.workload).values()))
    pairs = [(one, other) for i, one in enumerate(clients) for other in clients[i + 1 :]]
    return max(largest_difference(moments, *pair) for pair in pairs)


def bound_apart(requests: Workload) -> float:
    """2U of the VTC paper: U is the larger of the longest prompt, by a prompt's weight, and a full batch, by the output's."""
    longest = max(len(item.prompt_token_ids) for item in requests.items)
    full = SLOTS * max(len(item.prompt_token_ids) + item.max_tokens for item in requests.items)
    return 2 * max(lines.PROMPT_WEIGHT * longest, lines.OUTPUT_WEIGHT * full)


def apart_in_words(name: str, log: PagedRunLog) -> str:
    """How far apart two clients came, and the bound."""
    apart, limit = most_apart(log), bound_apart(log.workload)
    is_within = apart <= limit
    return say(en=f"{name}: {apart:.0f} tokens apart, 2U = {limit:.0f}: {'within' if is_within else 'beyond'}",
               es=f"{name}: {apart:.0f} tokens de diferencia, 2U = {limit:.0f}: {'dentro' if is_within else 'fuera'}")


def p95_in_words(name: str, log: PagedRunLog) -> str:
    """The p95 of every client in one line."""
    return f"{name}: p95 " + ", ".join(f"{client[0]} {ms:.0f}" for client, ms in client_p95_ms(log).items()) + " ms"


def what_a_flood_does(counters: Callable, seed: int) -> str:
    """In words: a quiet client's p95 and the flooder's, in order of arrival and fair, for one seed."""
    requests = flood(seed=seed)
    before, after = client_p95_ms(first_come(requests)), client_p95_ms(fair(requests, counters))
    quiet, flooder = QUIET[0], client_name(FLOODER)
    return say(
        en=f"seed {seed}: {quiet} {before[quiet]:.0f} → {after[quiet]:.0f} ms, {flooder} {before[flooder]:.0f} → {after[flooder]:.0f} ms",
        es=f"semilla {seed}: {quiet} {before[quiet]:.0f} → {after[quiet]:.0f} ms, {flooder} {before[flooder]:.0f} → {after[flooder]:.0f} ms",
    )


calm_flood = partial(flood, flood_per_s=60.0)  # A asks for no more than the others
