"""A simulated fleet of replicas: 200,000 requests take seconds, since no model is run.

    lengths = request_lengths("mixed")                        pairs (prompt tokens, steps), as in a server's log
    calls = draw_calls(lengths, rate_per_s=900, num_requests=20_000, seed=1)
    run = simulate(calls, num_replicas=4, cap=8)
    run.p95_s, run.records()

Each replica is the continuous server of Lab 03 on the virtual clock (minigpt/simulation/replica.py).
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

from minigpt.analysis.metrics import percentile
from minigpt.language import say
from minigpt.runtime.clock import NS, StepCost
from minigpt.simulation.replica import NEVER, Call, Records, Replica, RequestRecord
from minigpt.workloads.lengths import parse_lengths

NUM_INSIDE = attrgetter("num_inside")
ROUTINGS = ("random", "round_robin", "least_in_flight")
DOCUMENTS = ("documents", (500, 700), "uniform:32,96")  # name, prompt tokens, answer tokens

Lengths = list[tuple[int, int]]  # (prompt tokens, steps) of each request


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetRun:
    """What became of every call, in the order of the calls. Times in seconds."""

    calls: Sequence[Call]
    request_records: Sequence[RequestRecord]

    @property
    def e2e_s(self) -> list[float]:
        """End-to-end latency of each request."""
        return [(record.finish_ns - call.arrival_ns) / NS for call, record in zip(self.calls, self.request_records)]

    @property
    def ttft_s(self) -> list[float]:
        """Time to first token of each request."""
        return [(record.first_token_ns - call.arrival_ns) / NS for call, record in zip(self.calls, self.request_records)]

    @property
    def tpot_s(self) -> list[float]:
        """Time per output token after the first, of each request of several steps; EOS counts as a token here."""
        pairs = [(call.num_steps - 1, record) for call, record in zip(self.calls, self.request_records) if call.num_steps > 1]
        return [(record.finish_ns - record.first_token_ns) / NS / steps for steps, record in pairs]

    @property
    def mean_s(self) -> float:
        """Mean end-to-end latency."""
        return sum(self.e2e_s) / len(self.calls)

    @property
    def p95_s(self) -> float:
        """p95 of end-to-end latency."""
        return percentile(self.e2e_s, 95)

    def records(self) -> list[dict]:
        """One dict of plain numbers a request, as `RunLog.records` gives them."""
        return [
            {
                "request_id": i, "arrival_s": call.arrival_ns / NS, "admitted_s": record.admitted_ns / NS,
                "finish_s": record.finish_ns / NS,
            }
            for i, (call, record) in enumerate(zip(self.calls, self.request_records))
        ]


def simulate(
    calls: Sequence[Call], *, num_replicas: int = 1, cap: int = 8, routing: str = "least_in_flight",
    cost: StepCost = StepCost(), seed: int = 0,
) -> FleetRun:
    """Let a fleet serve the calls, given in order of arrival.

    `routing` says where a call goes when it arrives: `random`, `round_robin`, or `least_in_flight`: to the replica
    with the fewest requests inside, including waiting ones (on a tie, the first such replica).
    """
    for name, value in (("num_replicas", num_replicas), ("cap", cap)):
        if type(value) is not int or value < 1:
            raise ValueError(say(en=f"{name}={value!r}: give a whole number of at least 1",
                                 es=f"{name}={value!r}: indica un número entero, al menos 1"))
    if routing not in ROUTINGS:
        names = ", ".join(ROUTINGS)
        raise ValueError(say(en=f"routing={routing!r}: choose one of {names}",
                             es=f"routing={routing!r}: elige uno de {names}"))
    if any(before.arrival_ns > after.arrival_ns for before, after in zip(calls, calls[1:])):
        raise ValueError(say(en="calls: not in order of arrival; sort them",
                             es="calls: no están por orden de llegada; ordénalas"))
    records = Records(len(calls))
    replicas = [Replica(number, cap, cost, calls, records) for number in range(num_replicas)]
    rng = random.Random(seed)
    for index, call in enumerate(calls):
        if routing == "least_in_flight":
            for replica in replicas:  # their counts must be up to date
                if replica.next_ns <= call.arrival_ns:
                    replica.run_until(call.arrival_ns)
            chosen = min(replicas, key=NUM_INSIDE)
        else:
            chosen = replicas[index % num_replicas if routing == "round_robin" else rng.randrange(num_replicas)]
            chosen.run_until(call.arrival_ns)
        chosen.put(index)
    for replica in replicas:
        replica.run_until(NEVER - 1)
    return FleetRun(calls=calls, request_records=records.rows())


# -- calls ------------------------------------------------------------------------------------------------------


def calls_of(workload) -> list[Call]:
    """The calls of a workload with scripted answers and scheduled arrivals, in order of arrival."""
    items = sorted(workload.items, key=lambda item: (item.arrival_ns, item.request_id))
    return [Call(item.arrival_ns, len(item.prompt_token_ids), item.num_steps) for item in items]


def request_lengths(name: str, num_requests: int = 1_000, seed: int = 0) -> Lengths:
    """Lengths by a name of `minigpt.workloads.workload`, or `documents`: long prompts, answers of a few dozen tokens."""
    rng = random.Random(seed)
    if name == DOCUMENTS[0]:
        _, (shortest, longest), answers = DOCUMENTS
        sampler = parse_lengths(answers)
        return [(rng.randint(shortest, longest), sampler(rng)) for _ in range(num_requests)]
    from minigpt.workloads.workload import make_items

    return [(len(item.prompt_token_ids), item.num_steps) for item in make_items(name, num_requests, rng)]


def draw_calls(
    lengths: Lengths, rate_per_s: float, num_requests: int, seed: int, burstiness: float = 1.0
) -> list[Call]:
    """Arrivals whose lengths are drawn, with replacement, from the given ones.

    Gaps are gamma-distributed: with burstiness 1 the arrivals are Poisson, below 1 they come in bursts.
    """
    if not rate_per_s > 0:
        raise ValueError(say(en=f"rate_per_s={rate_per_s}: it must be positive",
                             es=f"rate_per_s={rate_per_s}: debe ser positiva"))
    if not burstiness > 0:
        raise ValueError(say(en=f"burstiness={burstiness}: it must be positive",
                             es=f"burstiness={burstiness}: debe ser positiva"))
    rng = random.Random(seed)
    now_s, calls = 0.0, []
    for _ in range(num_requests):
        is_poisson = burstiness == 1
        now_s += rng.expovariate(rate_per_s) if is_poisson else rng.gammavariate(burstiness, 1 / (rate_per_s * burstiness))
        calls.append(Call(round(now_s * NS), *rng.choice(lengths)))
    return calls


def p95_s(
    lengths: Lengths, rate_per_s: float, num_replicas: int, cap: int, *, num_requests: int = 6_000, seed: int = 0,
    burstiness: float = 1.0, **settings,
) -> float:
    """Simulated p95 of end-to-end latency, in seconds: Poisson arrivals (or bursts), lengths like those given."""
    calls = draw_calls(lengths, rate_per_s, num_requests, seed, burstiness)
    return simulate(calls, num_replicas=num_replicas, cap=cap, **settings).p95_s
