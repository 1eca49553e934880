"""The `server` of `minigpt.runtime.server` for a run without an end: live arrivals, bounded memory, and news for the engine.

A loop cannot tell it from the one that it was written for. Its parts differ: requests come from a `LiveSource`, the log
forgets what is over and notifies the engine, and every token passes through the engine, which may replace it by EOS.
That is how the request of a client that has gone leaves an unchanged loop: the loop retires it by itself.
"""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from minigpt.llm.tokenizer import EOS_TOKEN_ID
from minigpt.runtime.executor import BatchExecutor, StepLimit
from minigpt.runtime.model_runner import Runner
from minigpt.runtime.run_log import RequestLog, RunLog, StepLog
from minigpt.runtime.server import Server, check_room
from minigpt.runtime.time_keeper import TimeKeeper

KEPT_ANSWERS = 100  # answered requests that the log remembers: enough to report that one was answered before
KEPT_STEPS = 1_000
MAX_USELESS_STEPS = 1_000  # in a row, without a token for any request


class Abandoned(BaseException):
    """Raised in the thread of a loop that has been given up; not an Exception, so that a loop does not swallow it."""


class Hooks(Protocol):
    """The notifications that the engine gets from its server, all of them in the loop's thread."""

    def admitted(self, request_id: int) -> None: ...

    def choose(self, request_id: int, token_id: int) -> int: ...

    def stepped(self, request_ids: Sequence[int]) -> None: ...

    def answered(self, record: RequestLog) -> None: ...


class LiveWorkload:
    """The counterpart of a replay's workload: nothing is known beforehand."""

    name, items, num_clients = "live", (), None


class LiveLog(RunLog):
    """A log of bounded length, which passes on what it records."""

    def __init__(self, hooks: Hooks, **settings):
        super().__init__(workload=LiveWorkload(), steps=deque(maxlen=KEPT_STEPS), **settings)
        self._hooks = hooks
        self._answered: deque[int] = deque()

    def admit(self, item, arrival_ns: int, now_ns: int) -> None:
        super().admit(item, arrival_ns, now_ns)
        self._hooks.admitted(item.request_id)

    def add_step(self, step: StepLog) -> None:
        super().add_step(step)
        self._hooks.stepped(step.useful_ids)

    def answered(self, record: RequestLog) -> None:
        self._answered.append(record.item.request_id)
        if len(self._answered) > KEPT_ANSWERS:
            del self.requests[self._answered.popleft()]
        self._hooks.answered(record)


class LiveTimeKeeper(TimeKeeper):
    """Time that passes by itself, until the loop is given up."""

    is_abandoned = False

    def poll(self) -> None:
        if self.is_abandoned:
            raise Abandoned

    def progress(self) -> None:
        self.poll()

    def wait_for_arrival(self, source, timeout_s: float | None) -> None:
        """Really wait: an arrival or the source's end wakes the loop."""
        source.wait(timeout_s)
        self.progress()


class ChoosingRunner:
    """A runner whose every token may be replaced by `choose(request_id, token_id)`."""

    def __init__(self, runner: Runner, choose: Callable[[int, int], int]):
        self._runner, self._choose = runner, choose
        self.free = runner.free

    def prefill(self, items: list) -> list[int]:
        return [self._choose(item.request_id, token) for item, token in zip(items, self._runner.prefill(items))]

    def decode(self, request_ids: list[int], last_tokens: list[int]) -> list[int]:
        tokens = self._runner.decode(request_ids, last_tokens)
        return [
            # A row whose last token is EOS has ended and rides along: its token is not used.
            token if last == EOS_TOKEN_ID else self._choose(request_id, token)
            for request_id, last, token in zip(request_ids, last_tokens, tokens)
        ]


class UselessSteps(StepLimit):
    """Stops a loop that steps again and again without producing a token."""

    def __init__(self):
        super().__init__(MAX_USELESS_STEPS)

    def was_useful(self) -> None:
        self._left = MAX_USELESS_STEPS


def make_live_server(
    source, *, clock, runner: Runner, hooks: Hooks, max_batch: int, max_wait_s: float, max_inflight: int, streams: bool
) -> tuple[Server, Callable[[], None]]:
    """A server for requests not known beforehand, and a function that gives its loop up: any later call raises Abandoned."""
    check_room(max_batch=max_batch, max_inflight=max_inflight)
    log = LiveLog(hooks, clock=clock.name, streams=streams, max_batch=max_batch, max_inflight=max_inflight)
    time_keeper = LiveTimeKeeper(clock)
    executor = BatchExecutor(log, time_keeper, ChoosingRunner(runner, hooks.choose), UselessSteps())
    server = Server(source=source, executor=executor, time_keeper=time_keeper, log=log, max_wait_s=max_wait_s)

    def abandon() -> None:
        time_keeper.is_abandoned = True

    return server, abandon

