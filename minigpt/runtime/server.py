"""The serving runtime: what a student's loop sees of a server, and the record of everything it did.

    server.queue      get(timeout_s=None) · get_nowait() · empty() · closed
    server.clock      time() · sleep(s)
    server.model      forward_one_step(requests) -> one token id per request · eos_token_id
    server.respond(request)
    server.max_batch · server.max_wait_s · server.max_inflight

The loop touches neither tensors nor a wall clock, so that the same code runs on every clock of `minigpt.runtime.clock` and
on either runner of `minigpt.runtime.model_runner`. What it does is written into a `RunLog` by the runtime, not by the loop.

A server is put together from four parts: a *source* of requests, an *executor* that runs steps, a *time keeper* and a
*log*. A replay, a server with a block pool and a server for real clients differ in their parts, not in this class.
"""

from collections.abc import Callable
from typing import Protocol

from minigpt.runtime.arrivals import Source, make_source
from minigpt.runtime.clock import NS
from minigpt.runtime.executor import BatchExecutor, StepLimit, step_limit
from minigpt.runtime.known_names import KnownNames
from minigpt.runtime.model_runner import Runner
from minigpt.runtime.request import FINISHED, IN_FLIGHT, Request
from minigpt.runtime.request_queue import RequestQueue
from minigpt.runtime.run_log import RequestLog, RunLog
from minigpt.runtime.time_keeper import ServerClock, TimeKeeper


class StepExecutor(Protocol):
    """`server.model`, as far as the server itself needs it."""

    eos_token_id: int

    def record_of(self, request: Request) -> RequestLog:
        """The record of a request in flight; raises ServingError for any other request."""

    def free(self, record: RequestLog) -> None:
        """The request has left: whatever it held is free."""


class Server(KnownNames):
    """One server with its queue, clock and model, for one run."""

    def __init__(
        self, *, source: Source, executor: StepExecutor, time_keeper: TimeKeeper, log: RunLog, max_wait_s: float = 0.005
    ):
        self.max_batch, self.max_wait_s, self.max_inflight = log.max_batch, max_wait_s, log.max_inflight
        self.log, self.model = log, executor
        self.clock = ServerClock(time_keeper)
        self.queue = RequestQueue(source, time_keeper, self._admit)
        self._source, self._time = source, time_keeper

    def limit_idle_polls(self, most: int) -> None:
        """Set how often in a row the loop may poll without letting time pass; after that it gets BusyWait."""
        self._time.max_idle_polls = most

    def respond(self, request: Request) -> None:
        """Send the answer: the request leaves the server now, and its place in the KV cache is free."""
        record = self.model.record_of(request)
        record.answer = tuple(request.output_token_ids)
        record.finish_ns = self._time.now_ns
        self.model.free(record)
        request.status, request.finish_time_s = FINISHED, record.finish_ns / NS
        self._source.answered(record.finish_ns)
        self._time.progress()
        self.log.answered(record)

    def _admit(self, item, arrival_ns: int) -> Request:
        self.log.admit(item, arrival_ns, self._time.now_ns)
        return Request(
            request_id=item.request_id, prompt_token_ids=item.prompt_token_ids, max_tokens=item.max_tokens,
            arrival_time_s=arrival_ns / NS, priority=item.priority, status=IN_FLIGHT,
        )


def make_server(
    workload, *, clock, runner: Runner, max_batch: int = 8, max_wait_s: float = 0.005, max_inflight: int = 8,
    streams: bool = True,
) -> Server:
    """A server for one run over one workload."""
    check_room(max_batch=max_batch, max_inflight=max_inflight)
    log = RunLog(
        workload=workload, clock=clock.name, streams=streams, max_batch=max_batch, max_inflight=max_inflight
    )
    time_keeper = TimeKeeper(clock)
    executor = BatchExecutor(log, time_keeper, runner, StepLimit(step_limit(workload)))
    return Server(
        source=make_source(workload), executor=executor, time_keeper=time_keeper, log=log, max_wait_s=max_wait_s
    )


def check_room(**limits: int) -> None:
    """Refuse a server that could admit no request."""
    for name, value in limits.items():
        if value < 1:
            raise ValueError(f"{name}={value}: a server needs room for at least one request")


def run(loop: Callable, workload, *, clock, runner: Runner, **settings) -> RunLog:
    """Let `loop(server)` serve the workload; return the log. Settings are those of `make_server`."""
    server = make_server(workload, clock=clock, runner=runner, **settings)
    loop(server)
    return server.log.closed_at(clock.now_ns)
