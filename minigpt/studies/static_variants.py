"""Variants of static batching: your own loop, unchanged, on a server that does one thing differently.

    dropping(loop)                        the model leaves out rows that have ended: a step costs what is still running
    shortest_job_first(loop, workload)    the queue returns the shortest answer first: a server that knows the lengths

Answering early needs no variant: with open-loop arrivals it changes nothing but when the answers leave, so
`minigpt.analysis.latency_phases.ready_s` reads it from the log of either.
"""

import heapq
import queue
from collections.abc import Callable
from functools import partial
from statistics import median

from minigpt.analysis import metrics
from minigpt.analysis.latency_phases import ready_s
from minigpt.language import say
from minigpt.notebook.progress import progress
from minigpt.runtime.interleave import in_turns
from minigpt.runtime.run_log import RunLog
from minigpt.simulation.run import replay
from minigpt.simulation.steady_repeats import steady_repeats
from minigpt.workloads.workload import Workload, workload


class ChangedServer:
    """A server with some of its parts replaced."""

    def __init__(self, server, **parts):
        self._server = server
        for name, part in parts.items():
            setattr(self, name, part)

    def __getattr__(self, name: str):  # called only for parts that were not replaced
        return getattr(self._server, name)


class DroppingModel:
    """A model that computes no row of a request that has ended; its caller gets EOS for it, as always."""

    def __init__(self, model):
        self.eos_token_id = model.eos_token_id
        self._model = model
        self._ended: set[int] = set()

    def forward_one_step(self, requests) -> list[int]:
        running = [request for request in requests if request.request_id not in self._ended]
        tokens = {
            request.request_id: token for request, token in zip(running, self._model.forward_one_step(running))
        }
        for request in running:
            at_limit = request.num_output_tokens + 1 == request.max_tokens
            if at_limit or tokens[request.request_id] == self.eos_token_id:
                self._ended.add(request.request_id)
        return [tokens.get(request.request_id, self.eos_token_id) for request in requests]


class ShortestFirstQueue:
    """A queue that returns the waiting request with the shortest answer."""

    def __init__(self, real_queue, workload: Workload):
        self._real = real_queue
        self._num_steps = {item.request_id: item.num_steps for item in workload.items}
        self._waiting: list[tuple[int, int, object]] = []  # a heap of (length, request id, request)

    @property
    def closed(self) -> bool:
        return not self._waiting and self._real.closed

    def empty(self) -> bool:
        return not self._waiting and self._real.empty()

    def get_nowait(self):
        while not self._real.empty():
            self._put(self._real.get_nowait())
        if not self._waiting:
            raise queue.Empty
        return heapq.heappop(self._waiting)[-1]

    def get(self, timeout_s: float | None = None):
        if self.empty():
            self._put(self._real.get(timeout_s))
        return self.get_nowait()

    def _put(self, request) -> None:
        heapq.heappush(self._waiting, (self._num_steps[request.request_id], request.request_id, request))


def dropping(loop: Callable) -> Callable:
    """The loop on a server whose model leaves out rows that have ended."""
    return lambda server: loop(ChangedServer(server, model=DroppingModel(server.model)))


def shortest_job_first(loop: Callable, workload: Workload) -> Callable:
    """The loop on a server that knows the lengths and sorts its queue by them."""
    return lambda server: loop(ChangedServer(server, queue=ShortestFirstQueue(server.queue, workload)))


def ablation(loop: Callable, serve: Callable[..., list[RunLog]]) -> dict[str, list[float]]:
    """Latencies in seconds of a static loop and its variants; `serve(*loops)` runs loops and gives their logs."""
    static, dropped = serve(loop, dropping(loop))
    return {
        "static": metrics.e2e_s(static), "drop": metrics.e2e_s(dropped),
        "early": ready_s(static), "both": ready_s(dropped),
    }


def serve_in_turns(requests: Workload, settings: dict, *loops: Callable) -> list[RunLog]:
    """The same requests by several static loops that compute their steps in turn, each on a CPU clock of its own."""
    return in_turns(*(lambda clock, loop=loop: replay("static", requests, loop=loop, clock=clock, **settings)
                      for loop in loops))


def ablation_on_this_cpu(loop: Callable, *, load: float = 0.7, num_requests: int = 64, repeats: int = 3,
                         seed: int = 1, **settings) -> dict[str, list[float]]:
    """The p95 of each variant on the CPU clock, in per cent of the static p95 of the same repeat.

    The static server's capacity on this machine sets the arrivals of each repeat (`steady_repeats`).
    """

    def p95_s(capacity_per_s: float) -> dict[str, float]:
        requests = workload("mixed", rate_per_s=load * capacity_per_s, num_requests=num_requests, seed=seed)
        found = ablation(loop, partial(serve_in_turns, requests, settings))
        return {name: metrics.percentile(latencies, 95) for name, latencies in found.items()}

    percents: dict[str, list[float]] = {}
    for found in progress(steady_repeats(p95_s, repeats), "CPU", repeats):
        for name, value in found.items():
            percents.setdefault(name, []).append(100 * value / found["static"])
    return percents


def dropping_in_words(here_percent: list[float], virtual_percent: list[float]) -> str:
    """Whether dropping rows leaves less of the p95 here than on the virtual clock, and the possible reason.

    Both are the p95 with rows dropped in per cent of static, in several runs; if the two ranges overlap, neither is
    called the smaller one.
    """
    here, virtual = (median(values) for values in (here_percent, virtual_percent))
    both = say(en=f"dropping rows leaves {here:.0f} % of the static p95 here, {virtual:.0f} % on the virtual clock",
               es=f"quitar filas deja aquí el {here:.0f} % del p95 estático; con el reloj virtual, el {virtual:.0f} %")
    if max(here_percent) < min(virtual_percent):
        return both + say(en=": it pays more here. A row may cost more here, compared with the fixed part of a step",
                          es=": aquí compensa más. Puede que aquí una fila cueste más, frente a la parte fija de un paso")
    if min(here_percent) > max(virtual_percent):
        return both + say(en=": it pays less here. A row may cost less here, compared with the fixed part of a step",
                          es=": aquí compensa menos. Puede que aquí una fila cueste menos, frente a la parte fija de un paso")
    return both + say(en=": the runs themselves differ by that much", es=": entre unas ejecuciones y otras hay ya tanta diferencia")
