"""Studies of Lab 04: many runs on the virtual clock, without the model; plain numbers for figures and tables."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import asdict

from minigpt.analysis.littles_law import number_inside, sample_times, windows
from minigpt.analysis.metrics import percentile
from minigpt.language import say
from minigpt.notebook.needs_magic import missing_exercises
from minigpt.notebook.progress import progress
from minigpt.runtime.clock import StepCost
from minigpt.runtime.run_log import RunLog
from minigpt.schedulers.registry import GIVEN, find_policy, implementation, load_loop
from minigpt.simulation.capacity import saturated_per_s, staggered_per_s
from minigpt.simulation.fleet import ROUTINGS, FleetRun, Lengths, draw_calls, request_lengths, simulate
from minigpt.simulation.run import replay
from minigpt.workloads.workload import Workload

LOOP_OF_LAB_03 = ("3.1", "3.2", "3.3", "3.4")


def continuous_loop() -> Callable:
    """The reader's own continuous loop of Lab 03; the given one, and a line about it, if it is not written."""
    missing = missing_exercises(list(LOOP_OF_LAB_03))
    if missing:
        print(say(en="(your loop from Lab 03 is not written yet: the given one is used here)",
                  es="(tu bucle del laboratorio 03 aún no está escrito: aquí se usa el código dado)"))
    return load_loop(find_policy("continuous"), GIVEN if missing else implementation())


def serve(requests: Workload, *, clock="virtual", loop: Callable | None = None, **settings) -> RunLog:
    """Serve with the reader's own continuous loop of Lab 03. Raises ValueError if it leaves a request unanswered:
    what this lab says of a run holds for runs in which all come out again."""
    loop = loop or continuous_loop()
    log = replay("continuous", requests, clock=clock, tokens="scripted", loop=loop, **settings)
    if log.num_unfinished:
        unanswered = ", ".join(str(i) for i, record in log.requests.items() if record.finish_ns is None)
        raise ValueError(say(
            en=f"your loop from Lab 03 left {log.num_unfinished} requests without an answer (request_id {unanswered[:60]}); run "
               "Lab 03's checks to find out why: make grade LAB=03",
            es=f"tu bucle del laboratorio 03 dejó {log.num_unfinished} peticiones sin respuesta (request_id "
               f"{unanswered[:60]}); ejecuta las comprobaciones del laboratorio 03 para saber por qué: make grade LAB=03",
        ))
    return log


# -- Little's law -----------------------------------------------------------------------------------------------


def gaps_percent(
    law: Callable, lengths: Lengths, rate_per_s: float, sizes: Sequence[int], *, num_runs: int = 20
) -> dict[str, list[float]]:
    """|L / (λ·W) − 1| in per cent over the number of requests: the median and the largest of `num_runs` runs.

    `law(records)` returns L, λ and W.
    """
    medians, largest = [], []
    for size in progress(sizes, say(en="sizes", es="tamaños")):
        runs = (serve_rate(lengths, rate_per_s, num_requests=size, seed=seed) for seed in range(num_runs))
        laws = [law(run.records()) for run in runs]
        gaps = [100 * abs(number / (rate * stay) - 1) for number, rate, stay in laws]
        medians.append(percentile(gaps, 50))
        largest.append(max(gaps))
    names = say(en="median", es="mediana"), say(en=f"largest of {num_runs}", es=f"el mayor de {num_runs}")
    return dict(zip(names, (medians, largest)))


def bias_percent(policy: str, requests: Workload, every_s: float = 0.005, clock="virtual") -> dict[str, float]:
    """By how much the mean number inside is off, in per cent, if it is sampled at these moments."""
    records = replay(policy, requests, clock=clock, tokens="scripted", impl="given").records()
    arrivals, answers = (sorted(record[key] for record in records) for key in ("arrival_s", "finish_s"))
    true_number = sum(record["finish_s"] - record["arrival_s"] for record in records) / answers[-1]
    # One by one, even those that leave in the same step: after the k-th answer, k have left.
    left_behind = [bisect_right(arrivals, time) - k for k, time in enumerate(answers, 1)]
    counts = {
        say(en="every 5 ms", es="cada 5 ms"): number_inside(records, "system", sample_times(0.0, answers[-1], every_s)),
        say(en="before each arrival", es="antes de cada llegada"):
            [k - bisect_right(answers, time) for k, time in enumerate(arrivals)],
        say(en="as an answer leaves", es="al salir una respuesta"): [number + 1 for number in left_behind],
        say(en="once it has left", es="cuando ya salió"): left_behind,
    }
    return {name: 100 * (sum(seen) / len(seen) / true_number - 1) for name, seen in counts.items()}


def gap_by_width(code, records: list[dict], widths_s: Sequence[float]) -> dict[str, list[float]]:
    """|L / (λ·W) − 1| in per cent on adjacent windows of each width: the median and the 95th percentile.

    `code` has the reader's `mean_number` and `rate_and_mean_stay`. Filling and draining are left out.
    """
    start_s, end_s = records[len(records) // 10]["arrival_s"], records[-len(records) // 10]["arrival_s"]
    medians, p95s = [], []
    for width_s in progress(widths_s, say(en="windows", es="ventanas")):
        gaps = []
        for window in windows(start_s, end_s, width_s):
            rate, stay = code.rate_and_mean_stay(records, "system", *window)
            gaps.append(100 * abs(code.mean_number(records, "system", *window) / (rate * stay) - 1))
        medians.append(percentile(gaps, 50))
        p95s.append(percentile(gaps, 95))
    return {say(en="median", es="mediana"): medians, "p95": p95s}


def inside_over_time(
    lengths: Lengths, shares: Sequence[float], *, end_s: float, cap: int = 8, num_points: int = 40
) -> tuple[list[float], dict[str, list[int]]]:
    """How many requests are inside over time, at each share of what the server can complete."""
    capacity = saturated_per_s(lengths, cap)
    times = sample_times(0.0, end_s, end_s / num_points)
    counts = {}
    for share in shares:
        rate = share * capacity
        records = serve_rate(lengths, rate, num_requests=round(1.2 * rate * end_s), cap=cap).records()
        counts[say(en=f"load {share}", es=f"carga {share}")] = number_inside(records, "system", times)
    return times, counts


# -- one server -------------------------------------------------------------------------------------------------


def serve_rate(
    lengths: Lengths, rate_per_s: float, *, num_requests: int = 20_000, seed: int = 2, **settings
) -> FleetRun:
    """One run of a fleet at an arrival rate."""
    return simulate(draw_calls(lengths, rate_per_s, num_requests, seed), **settings)


def over_rate(lengths: Lengths, rates: Sequence[float], **settings) -> tuple[list[float], list[float]]:
    """Mean and p95 of end-to-end latency in milliseconds at every arrival rate."""
    runs = [serve_rate(lengths, rate, **settings) for rate in progress(rates, say(en="rates", es="tasas"))]
    return [1e3 * run.mean_s for run in runs], [1e3 * run.p95_s for run in runs]


def over_cap(lengths: Lengths, rate_per_s: float, caps: Sequence[int], **settings) -> dict[str, list[float | None]]:
    """p95 of E2E, TTFT and TPOT in milliseconds for every cap; None where the queue grows without end."""
    series: dict[str, list[float | None]] = {"E2E": [], "TTFT": [], "TPOT": []}
    for cap in progress(caps, say(en="caps", es="topes")):
        keeps_up = saturated_per_s(lengths, cap) > rate_per_s
        run = serve_rate(lengths, rate_per_s, cap=cap, **settings) if keeps_up else None
        samples = (run.e2e_s, run.ttft_s, run.tpot_s) if run else (None,) * 3
        for name, sample in zip(series, samples):
            series[name].append(None if sample is None else 1e3 * percentile(sample, 95))
    return series


def throughput_errors_percent(code, names: Sequence[str], cap: int = 8, cost=StepCost()) -> dict[str, list[float]]:
    """By how much the reader's `throughput_per_s` is off the replay of a full house, for each kind of requests:
    with all requests there from the start, and with arrivals at random that never let the queue run dry."""
    starts = {say(en="all at once", es="todas a la vez"): saturated_per_s,
              say(en="one after another", es="una tras otra"): staggered_per_s}
    errors: dict[str, list[float]] = {start: [] for start in starts}
    for name in progress(names, say(en="kinds", es="clases")):
        lengths = request_lengths(name)
        predicted = code.throughput_per_s(lengths, cap, asdict(cost))
        for start, measure in starts.items():
            # With equal lengths a run never forgets how it began: take the median over several beginnings.
            measured = [measure(lengths, cap, num_requests=2_000, seed=seed, cost=cost) for seed in range(1, 6)]
            errors[start].append(100 * (predicted / percentile(measured, 50) - 1))
    return errors


def time_errors_percent(code, names: Sequence[str], share: float, cap: int) -> list[float]:
    """By how much the reader's `mean_time_in_system_s` is off the replay, at a share of what the server can
    complete."""
    return [time_error_percent(code, name, share, cap) for name in progress(names, say(en="kinds", es="clases"))]


def time_error_percent(
    code, name: str, share: float, cap: int, burstiness: float = 1.0, seed: int = 2,
    num_requests: int = 40_000, cost=StepCost(),
) -> float:
    """The same for one kind of requests, whose arrivals may come in bursts."""
    lengths = request_lengths(name)
    rate = share * saturated_per_s(lengths, cap, cost=cost)
    calls = draw_calls(lengths, rate, num_requests, seed, burstiness)
    measured = simulate(calls, cap=cap, cost=cost).mean_s
    return 100 * (code.mean_time_in_system_s(lengths, rate, cap, asdict(cost)) / measured - 1)


# -- a fleet ----------------------------------------------------------------------------------------------------


def routing_p95_ms(lengths: Lengths, rates: Sequence[float], num_replicas: int, cap: int = 8, **settings) -> dict:
    """p95 in milliseconds of each routing at every rate of the whole fleet: random, in turn, fewest inside."""
    names = (say(en="random", es="al azar"), say(en="round robin", es="por turnos"),
             say(en="fewest inside", es="la réplica con menos peticiones"))
    return {
        name: [
            1e3 * serve_rate(lengths, rate, num_replicas=num_replicas, cap=cap, routing=routing, **settings).p95_s
            for rate in progress(rates, name)
        ]
        for name, routing in zip(names, ROUTINGS)
    }


def over_replicas(lengths: Lengths, rate_per_s: float, sizes: Sequence[int], caps=(8, 16, 32), **settings) -> dict:
    """p95 and mean in milliseconds of fleets of several sizes, each with the cap of the lowest p95."""
    best = [
        min((serve_rate(lengths, rate_per_s, num_replicas=size, cap=cap, **settings) for cap in caps),
            key=lambda run: run.p95_s)
        for size in progress(sizes, say(en="replicas", es="réplicas"))
    ]
    return {"p95": [1e3 * run.p95_s for run in best], say(en="mean", es="media"): [1e3 * run.mean_s for run in best]}
