"""Why the figures of Lab 03 are what they are: measured next to them, so that the text has something to point at."""

from collections.abc import Callable, Sequence
from statistics import median

from minigpt.language import say
from minigpt.runtime.clock import NS, StepCost
from minigpt.runtime.run_log import RunLog
from minigpt.simulation.paired_runs import PairedRuns
from minigpt.studies.lab03 import SEEDS, both_p95_s, compare, p95_ms, spread_lengths, with_new_prompts
from minigpt.workloads.workload import workload

OVERLOAD = 3.0  # arrivals per second over what the static server completes: both queues always hold requests


def capacity_ratio(cost: StepCost, loop: Callable | None = None, seed: int = SEEDS[0]) -> float:
    """Requests per second of a continuous loop that is never idle, over the static server's; answers of 16 tokens.

    They arrive one by one, too fast for both. So the loop's requests are at different tokens, as in any run but a burst.
    """
    runs = compare(workload("constant:16", load=OVERLOAD, num_requests=1_000, seed=seed, cost=cost), loop, cost=cost)
    return runs.static.end_ns / runs.continuous.end_ns


def prompts_per_pass(loop: Callable | None = None, *, load: float = 0.95, seed: int = SEEDS[0], cost: StepCost = StepCost()) -> str:
    """How many prompts share a prefill pass, on average, with answers of 16 tokens that arrive one by one; in words.

    As in `equal_lengths`, static batches wait for no one.
    """
    runs = compare(workload("constant:16", load=load, num_requests=1_000, seed=seed, cost=cost), loop, cost=cost, max_wait_s=0.0)
    passes = [[num_new for _, num_new in with_new_prompts(log) if num_new] for log in (runs.continuous, runs.static)]
    yours, static = (sum(each) / len(each) for each in passes)
    return say(en=f"prompts per prefill pass at load {load}: yours {yours:.1f} on average, static {static:.1f}",
               es=f"prompts por pasada de prellenado con carga {load}: los tuyos {yours:.1f} de media, los del estático {static:.1f}")


def at_light_load(loop: Callable | None = None, *, load: float = 0.1, spread: float = 10, cost: StepCost = StepCost()) -> str:
    """Three figures of a cell of the map, in words: who waits for another batch, how many slots are used, what p95 saves."""
    crowds = [workload(spread_lengths(spread), load=load, num_requests=400, seed=seed, cost=cost) for seed in SEEDS[:3]]
    runs = [compare(crowd, loop, cost=cost) for crowd in crowds]
    waits_s = [record["admitted_s"] - record["arrival_s"] for each in runs for record in each.static.records()]
    late = 100 * sum(wait_s > 0.0051 for wait_s in waits_s) / len(waits_s)  # a tenth of a millisecond for rounding
    most = max(len(step.request_ids) for each in runs for step in each.continuous.steps)
    fall = median(p95_ms(each.static) - p95_ms(each.continuous) for each in runs)
    return say(
        en=f"load {load}, ×{spread} · static: {late:.0f} % wait longer than 5 ms · yours: at most {most} slots in use, "
        f"p95 {fall:.1f} ms lower",
        es=f"carga {load}, ×{spread} · estático: el {late:.0f} % espera más de 5 ms · tu bucle: hasta {most} slots "
        f"ocupados, p95 {fall:.1f} ms más bajo",
    )


def p95_by_run_length(counts: Sequence[int], *cell: float, loop: Callable | None = None) -> dict[str, list[float]]:
    """The median p95 (ms) of both servers in a cell (spread, load) of the map, for each number of requests in a run."""
    spread, load = cell
    pairs = [[both_p95_s(workload(spread_lengths(spread), load=load, num_requests=count, seed=seed), loop) for seed in SEEDS[:3]]
             for count in counts]
    return {name: [1e3 * median(pair[place] for pair in crowds) for crowds in pairs]
            for place, name in enumerate(("static", "continuous"))}


def prompt_in_decode_steps(log: RunLog) -> float | None:
    """How many plain decode steps a step with one new prompt takes (medians); None if the run lacks one of the kinds."""
    plain, with_one = ([(step.end_ns - step.start_ns) / NS for step, num_new in with_new_prompts(log) if num_new == number]
                       for number in (0, 1))
    return median(with_one) / median(plain) if plain and with_one else None


def place_among(value: float, measured: Sequence[float]) -> str:
    """Whether a value lies between the least and the greatest of some, in words."""
    if value < min(measured):
        return say(en="below all of them", es="por debajo de todos")
    return say(en="above all of them", es="por encima de todos") if value > max(measured) else say(en="between them", es="entre ellos")


def next_to_virtual(pairs: PairedRuns, loop: Callable, **settings) -> str:
    """The p95 reduction of the same requests on the virtual clock, and one price on both clocks, in words.

    `settings` are those of the workload that the pairs served, with its load: only the rate is this machine's.
    """
    virtual = compare(workload("mixed", **settings), loop)
    own = sorted(prompt_in_decode_steps(each.continuous) for each in pairs.runs)
    given = prompt_in_decode_steps(virtual.continuous)
    reduction = virtual.p95_reduction_percent
    place = place_among(reduction, pairs.reductions_percent)
    return say(
        en=f"the same requests on the virtual clock: {reduction:.1f} % ({place})\na step with a new prompt takes as long as "
        f"{own[0]:.1f} to {own[-1]:.1f} plain decode steps here, {given:.1f} on the virtual clock",
        es=f"las mismas peticiones en el reloj virtual: {reduction:.1f} % ({place})\nun paso con un prompt nuevo dura lo que de "
        f"{own[0]:.1f} a {own[-1]:.1f} pasos de decodificación aquí; en el reloj virtual, lo que {given:.1f}",
    )
