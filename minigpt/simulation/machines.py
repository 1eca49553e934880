"""Machines of three kinds, step by step and without a model: those that do all, and those for prefill or decode alone.

    calls = draw_calls(request_lengths("documents"), rate_per_s=40, num_requests=800, seed=1)
    mixed = run_machines(calls, kinds=["mixed"] * 4, token_budget=64)
    split = run_machines(calls, kinds=["prefill"] * 3 + ["decode"])
    split.ttft_s, split.gaps_s, split.e2e_s

A *mixed* machine is Lab 05's server: decodes first, and pieces of prompts while the token budget lasts. A *prefill*
machine computes one prompt after the other. It gives the first token, and sends K and V over its link, one request at
a time, to the *decode* machine with the fewest requests; meanwhile it computes on.
"""

import heapq
import math
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from minigpt.language import say
from minigpt.runtime.clock import NS, StepCost, StepShape
from minigpt.simulation.replica import Call

MIXED, PREFILL, DECODE = KINDS = ("mixed", "prefill", "decode")


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """What it takes to send a request's K and V to another machine.

    Scaled as `SwapCost` is: 819 kB a token (13 billion parameters), and all times × 30/140, since a computed token takes
    30 µs here and some 140 µs there. The default is 200 Gb/s.
    """

    per_request_ns: int = 50_000
    per_token_ns: int = 7_000

    def ns(self, num_tokens: int) -> int:
        return self.per_request_ns + self.per_token_ns * num_tokens


LINKS = {  # between cards of one machine, and between machines
    "NVLink, 300 GB/s": Link(per_request_ns=10_000, per_token_ns=600),
    "200 Gb/s": Link(),
    "25 Gb/s": Link(per_token_ns=56_000),
}


class Prefix(NamedTuple):
    """The beginning that a request shares with others: the same name, the same tokens."""

    name: int
    num_tokens: int


@dataclass(slots=True, eq=False)
class Job:
    """A request on its way through the machines."""

    index: int
    call: Call
    prefix: Prefix | None
    left: int  # prompt tokens that are not computed yet
    machine: int | None = None  # the first one that it came to
    num_cached: int = 0  # prompt tokens that were in that machine's cache
    token_times_ns: list[int] = field(default_factory=list)  # of every step that gave a token, EOS included

    @property
    def context(self) -> int:
        return self.call.num_prompt_tokens + len(self.token_times_ns)

    @property
    def has_ended(self) -> bool:
        return len(self.token_times_ns) == self.call.num_steps


class Work(NamedTuple):
    """What a machine or its link did: for figures."""

    machine: int
    what: str  # prefill, decode, mixed or transfer
    start_ns: int
    end_ns: int
    requests: tuple[int, ...]


class Machine:
    """One machine with its queue, its running batch, its cache of prefixes and its link."""

    def __init__(self, number: int, kind: str, cap: int, token_budget: int | None, most_prefixes: int):
        self.number, self.kind, self.token_budget = number, kind, token_budget
        self.cap = 1 if kind == PREFILL else cap
        self.queue: deque[Job] = deque()
        self.running: list[Job] = []
        self.chunks: list[tuple[Job, int]] = []  # of the step that runs now
        self.is_busy = False
        self.link_free_ns = 0
        self._prefixes: OrderedDict[int, int] = OrderedDict()  # name -> tokens, the least recently used first
        self._most_prefixes = most_prefixes

    @property
    def num_inside(self) -> int:
        """Requests in the queue and running."""
        return len(self.queue) + len(self.running)

    def num_cached(self, prefix: Prefix | None) -> int:
        """Tokens of a prefix that need not be computed here."""
        return self._prefixes.get(prefix.name, 0) if prefix else 0

    def plan(self) -> StepShape:
        """Fill the batch from the queue and decide what the next step computes; its shape."""
        while self.queue and len(self.running) < self.cap:
            self._admit(self.queue.popleft())
        decoding = [job for job in self.running if not job.left]
        budget = math.inf if self.token_budget is None else self.token_budget - len(decoding)
        pieces = []
        for job in sorted((job for job in self.running if job.left), key=lambda job: job.left > 1):  # a last token first
            size = min(job.left, budget)
            if size > 0:
                pieces.append((job, size))
                budget -= size
        self.chunks = [*((job, 0) for job in decoding), *pieces]
        # A later piece reads the K and V of the earlier ones; one of a single token is a row like any other.
        read = [(job.context - job.left, size) for job, size in pieces]
        rows = [job.context for job in decoding] + [computed + 1 for computed, size in read if computed and size == 1]
        longer = [(computed, size) for computed, size in read if not (computed and size == 1)]
        return StepShape(
            num_decode=len(rows), num_prefill_tokens=sum(size for _, size in longer),
            num_context_tokens=sum(rows) + sum(computed for computed, _ in longer),
        )

    def _admit(self, job: Job) -> None:
        self.running.append(job)
        if job.prefix and self._most_prefixes:
            # The last token of a prompt is always computed: the first answer token comes from it.
            job.num_cached = min(self.num_cached(job.prefix), job.left - 1)
            job.left -= job.num_cached
            self._prefixes[job.prefix.name] = job.prefix.num_tokens
            self._prefixes.move_to_end(job.prefix.name)
            if len(self._prefixes) > self._most_prefixes:
                self._prefixes.popitem(last=False)

    def finish_step(self, now_ns: int) -> list[Job]:
        """The step has ended: tokens come; those that leave this machine are returned."""
        for job, size in self.chunks:
            job.left -= size
            if not job.left:
                job.token_times_ns.append(now_ns)
        leaving = [job for job in self.running if job.has_ended or (self.kind == PREFILL and not job.left)]
        self.running = [job for job in self.running if job not in leaving]
        return leaving


@dataclass(frozen=True, slots=True, kw_only=True)
class MachinesRun:
    """What became of every call, in the order of the calls. Times in seconds."""

    calls: Sequence[Call]
    jobs: Sequence[Job]
    work: Sequence[Work]

    @property
    def e2e_s(self) -> list[float]:
        return [(job.token_times_ns[-1] - job.call.arrival_ns) / NS for job in self.jobs]

    @property
    def ttft_s(self) -> list[float]:
        return [(job.token_times_ns[0] - job.call.arrival_ns) / NS for job in self.jobs]

    @property
    def gaps_s(self) -> list[float]:
        """The gaps between the tokens of each request, all of them together."""
        times = (job.token_times_ns for job in self.jobs)
        return [(after - before) / NS for each in times for before, after in zip(each, each[1:])]

    @property
    def tpot_s(self) -> list[float]:
        """Time per output token after the first, of each request of several steps; the way to another machine included."""
        spans = [(job.token_times_ns[-1] - job.token_times_ns[0], job.call.num_steps - 1) for job in self.jobs]
        return [span_ns / NS / steps for span_ns, steps in spans if steps]

    @property
    def hit_percent(self) -> float:
        """Share of the prompt tokens that were in a cache."""
        return 100 * sum(job.num_cached for job in self.jobs) / sum(call.num_prompt_tokens for call in self.calls)

    @property
    def per_s(self) -> float:
        """Requests a second in the middle of the run: between the first and the last tenth of the answers."""
        ends = sorted(job.token_times_ns[-1] for job in self.jobs)
        first, last = len(ends) // 10, -(len(ends) // 10) - 1
        return (len(ends) - 2 * (len(ends) // 10) - 1) * NS / (ends[last] - ends[first])


class Run:
    """The machines, what waits to happen, and what has happened."""

    def __init__(self, machines: Sequence[Machine], link: Link, cost: StepCost):
        self.machines, self.link, self.cost = machines, link, cost
        self.work: list[Work] = []
        self._events: list[tuple[int, int, Callable]] = []  # (time, number, what happens then)
        self._count = 0

    def at(self, time_ns: int, what: Callable[[int], None]) -> None:
        """Let something happen; at the same time in the order in which it was asked for."""
        heapq.heappush(self._events, (time_ns, self._count, what))
        self._count += 1

    def go(self) -> None:
        """Until nothing is left to happen."""
        while self._events:
            now_ns = self._events[0][0]
            while self._events and self._events[0][0] == now_ns:  # who arrives as a step ends gets into the next one
                heapq.heappop(self._events)[2](now_ns)
            for machine in self.machines:
                if not machine.is_busy and machine.num_inside:
                    self._start(machine, now_ns)

    def put(self, machine: Machine, job: Job) -> None:
        if job.machine is None:
            job.machine = machine.number
        machine.queue.append(job)

    def _start(self, machine: Machine, now_ns: int) -> None:
        shape = machine.plan()
        end_ns = now_ns + self.cost.step_ns(shape)
        machine.is_busy = True
        what = MIXED if shape.num_decode and shape.num_prefill_tokens else DECODE if shape.num_decode else PREFILL
        self.work.append(Work(machine.number, what, now_ns, end_ns, tuple(job.index for job, _ in machine.chunks)))
        self.at(end_ns, lambda time_ns: self._end(machine, time_ns))

    def _end(self, machine: Machine, now_ns: int) -> None:
        machine.is_busy = False
        for job in machine.finish_step(now_ns):
            if not job.has_ended:
                self._send(machine, job, now_ns)

    def _send(self, machine: Machine, job: Job, now_ns: int) -> None:
        start_ns = max(now_ns, machine.link_free_ns)
        machine.link_free_ns = start_ns + self.link.ns(job.call.num_prompt_tokens)
        self.work.append(Work(machine.number, "transfer", start_ns, machine.link_free_ns, (job.index,)))
        self.at(machine.link_free_ns, lambda _: self.put(emptiest(self.machines, DECODE), job))


def emptiest(machines: Sequence[Machine], *kinds: str) -> Machine:
    """The machine of these kinds with the fewest requests; of several, the first."""
    return min((each for each in machines if each.kind in kinds), key=lambda each: each.num_inside)


def run_machines(
    calls: Sequence[Call], *, kinds: Sequence[str], cap: int = 8, token_budget: int | None = None, link: Link = Link(),
    cost: StepCost = StepCost(), prefixes: Sequence[Prefix] | None = None, most_prefixes: int = 0,
    route: Callable[[list[int], list[int]], int] | None = None,
) -> MachinesRun:
    """Let machines of these kinds serve the calls, which are in order of arrival.

    `route(in_flight, cached_tokens)` gets, of every machine that takes arrivals, the requests inside and the tokens of
    the prompt that its cache holds, and returns the place of one in these lists; without it the fewest requests decide.
    """
    check_kinds(kinds)
    machines = [Machine(number, kind, cap, token_budget if kind == MIXED else None, most_prefixes)
                for number, kind in enumerate(kinds)]
    doors = [machine for machine in machines if machine.kind != DECODE]
    run = Run(machines, link, cost)
    jobs = [Job(index, call, prefixes[index] if prefixes else None, call.num_prompt_tokens)
            for index, call in enumerate(calls)]

    def arrive(job: Job) -> None:
        inside = [door.num_inside for door in doors]
        place = route(inside, [door.num_cached(job.prefix) for door in doors]) if route else inside.index(min(inside))
        run.put(doors[place], job)

    for job in jobs:
        run.at(job.call.arrival_ns, lambda _, job=job: arrive(job))
    run.go()
    return MachinesRun(calls=calls, jobs=jobs, work=run.work)


def check_kinds(kinds: Sequence[str]) -> None:
    """Refuse a fleet that could not serve a request to its end."""
    if not kinds or not set(kinds) <= set(KINDS) or (PREFILL in kinds) != (DECODE in kinds):
        raise ValueError(say(
            en=f"kinds={list(kinds)}: choose mixed machines, or some for prefill and some for decode",
            es=f"kinds={list(kinds)}: elige máquinas mixtas, o algunas de prefill y algunas de decode",
        ))
