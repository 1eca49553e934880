"""What Lab 06 measures of two kinds of machines, and of routing in a fleet; on the virtual clock, without the model."""

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict

from minigpt.analysis.metrics import percentile
from minigpt.language import say
from minigpt.notebook.progress import progress
from minigpt.runtime.clock import StepCost
from minigpt.simulation.fleet import Lengths, draw_calls, request_lengths
from minigpt.simulation.machines import DECODE, LINKS, MIXED, PREFILL, Link, MachinesRun, run_machines
from minigpt.simulation.replica import Call
from minigpt.simulation.routing import MOST_AHEAD, ROUTERS, fleet_of_prefixes, serve_prefixes
from minigpt.workloads.lengths import in_words

MACHINES, SLOTS, BUDGET = 4, 8, 64
REPLICAS = 8
COST = asdict(StepCost())


def kinds_of(num_prefill: int, num_machines: int = MACHINES) -> list[str]:
    """The kinds of `num_machines` machines: the first `num_prefill` for prefill, the others for decode."""
    return [PREFILL] * num_prefill + [DECODE] * (num_machines - num_prefill)


def fleets(num_prefill: int, num_machines: int = MACHINES) -> dict[str, dict]:
    """The same number of machines in three ways: their settings, by name."""
    split = say(en=f"{num_prefill} prefill + {num_machines - num_prefill} decode",
                es=f"{num_prefill} de prefill + {num_machines - num_prefill} de decode")
    return {
        split: {"kinds": kinds_of(num_prefill, num_machines)},
        say(en=f"mixed, pieces of {BUDGET}", es=f"mixtas, trozos de {BUDGET}"):
            {"kinds": [MIXED] * num_machines, "token_budget": BUDGET},
        say(en="mixed, whole prompts", es="mixtas, prompts enteros"): {"kinds": [MIXED] * num_machines},
    }


def small_scene() -> dict[str, MachinesRun]:
    """Six requests on two machines: one for each phase, and two that mix them."""
    prompts, steps = (300, 60, 40, 500, 60, 80), (12, 16, 10, 14, 12, 10)
    calls = [Call(4_000_000 * i, prompt, count) for i, (prompt, count) in enumerate(zip(prompts, steps))]
    return {name: run_machines(calls, **settings) for name, settings in list(fleets(1, 2).items())[:2]}


def saturated_per_s(lengths: Lengths, kinds: Sequence[str], link: Link = Link(), **settings) -> float:
    """Requests a second that machines complete whose queue is never empty."""
    return run_machines([Call(0, *pair) for pair in lengths], kinds=kinds, link=link, **settings).per_s


def predicted_and_replayed(split: Callable, names: Sequence[str], num_machines: int, link: Link = Link()) -> dict[str, tuple]:
    """For each kind of requests: the reader's division, its requests a second, and those that every division completes."""
    found = {}
    for name in progress(names, say(en="kinds", es="clases")):
        lengths = request_lengths(name, 400)
        replays = [saturated_per_s(lengths, kinds_of(p, num_machines), link) for p in range(1, num_machines)]
        found[name] = (*split(num_machines, lengths, COST, asdict(link), SLOTS), replays)
    return found


def on_paper_in_words(name: str, found: tuple) -> str:
    """One kind's division, on paper and replayed, and the one that completes most in the replay if that is another."""
    num_prefill, num_decode, on_paper, replays = found
    best, name = max(replays), in_words(name)
    replayed = f"{replays[num_prefill - 1]:.0f}"
    if best > replays[num_prefill - 1]:
        most = replays.index(best) + 1
        replayed += f" ({most} + {num_prefill + num_decode - most}: {best:.0f})"
    return say(en=f"{name}: on paper {num_prefill} + {num_decode}, {on_paper:.0f} per second; replayed {replayed}",
               es=f"{name}: sobre el papel {num_prefill} + {num_decode}, {on_paper:.0f} por segundo; en la reproducción {replayed}")


def over_rates(lengths: Lengths, rates: Sequence[float], num_prefill: int, *, link: Link = Link(), num_requests: int = 500,
               seed: int = 1) -> dict[str, list[MachinesRun]]:
    """Runs of the three fleets at every arrival rate."""
    return {
        name: [run_machines(draw_calls(lengths, rate, num_requests, seed), link=link, **settings)
               for rate in progress(rates, name)]
        for name, settings in fleets(num_prefill).items()
    }


def p95_ms(values_s: Sequence[float]) -> float:
    return 1e3 * percentile(values_s, 95)


def lowest(values: dict[str, Sequence[float]], place: int) -> str:
    """The name of the line that is lowest at a place, or the names of all within 1 % of it."""
    at = {name: each[place] for name, each in values.items()}
    return say(en=" and ", es=" y ").join(name for name, value in at.items() if value <= 1.01 * min(at.values()))


def who_wins(lengths: Lengths, rate: float, num_prefill: int, seed: int) -> str:
    """In words: p95 of TTFT and of TPOT of the three fleets at one rate, for one seed."""
    runs = over_rates(lengths, [rate], num_prefill, seed=seed)
    ttft, tpot = ({name: p95_ms(getattr(run, what)) for name, [run] in runs.items()} for what in ("ttft_s", "tpot_s"))
    parts = [f"{name}: {ttft[name]:.0f} / {tpot[name]:.2f}" for name in runs]
    return say(en=f"{rate:.0f} per second, seed {seed} · ", es=f"{rate:.0f} por segundo, semilla {seed} · ") + "; ".join(parts)


def by_link(lengths: Lengths, rate: float, num_prefill: int, seed: int = 1) -> dict[str, MachinesRun]:
    """The split fleet at one rate, over each link."""
    calls = draw_calls(lengths, rate, 500, seed)
    return {name: run_machines(calls, kinds=kinds_of(num_prefill), link=link) for name, link in LINKS.items()}


# -- routing ----------------------------------------------------------------------------------------------------------

ROUTES = {
    "random": ("random", "al azar"), "round_robin": ("round robin", "por turnos"), "least": ("fewest in flight", "la de menos en vuelo"),
    "two": ("better of two", "la mejor de dos"), "prefix": ("prefix, at most 4 ahead", "prefijo, con límite 4"),
    "strict": ("prefix, no limit", "prefijo, sin límite"),
}


def reader_route(route: Callable, way: str, most_ahead: float, seed: int = 0) -> Callable:
    """The reader's `route` as a fleet asks it."""
    rng = random.Random(seed)
    return lambda in_flight, cached: route(way, in_flight, cached, rng.sample(range(len(in_flight)), 2), most_ahead)


def by_route(route: Callable, *, popularity: float, rate_per_s: float = 800.0, num_requests: int = 1_500,
             seed: int = 1) -> dict[str, MachinesRun]:
    """A fleet under each routing; the last four are decided by the reader's `route`."""
    requests = fleet_of_prefixes(num_requests, rate_per_s=rate_per_s, popularity=popularity, seed=seed)
    ways = {name: ROUTERS[name](seed) for name in ("random", "round_robin")}
    ways |= {way: reader_route(route, way, MOST_AHEAD, seed) for way in ("least", "two", "prefix")}
    ways["strict"] = reader_route(route, "prefix", num_requests, seed)
    return {say(en=ROUTES[name][0], es=ROUTES[name][1]): serve_prefixes(requests, each, REPLICAS)
            for name, each in progress(ways.items(), say(en="ways", es="maneras"))}
