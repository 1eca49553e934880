"""The `server` of `minigpt.runtime.server` for a run without an end: live arrivals, bounded memory, and news for the engine.

A loop cannot tell it from the one that it was written for. Three things differ behind the port: requests come from a
`LiveSource`, the log forgets what is over, and every token passes by the engine, which may put EOS in its place. That
is how a client who has gone gets its request out of an unchanged loop: the loop retires it by itself.
"""

from collections import deque

from minigpt.runtime.clock import NS
from minigpt.runtime.request import Request
from minigpt.runtime.run_log import RequestLog
from minigpt.runtime.server import BatchExecutor, RequestQueue, Server, ServerClock, TimeKeeper

KEPT_ANSWERS = 100  # answered requests that the log still knows: enough to say that one was answered before
KEPT_STEPS = 1_000
MAX_USELESS_STEPS = 1_000  # in a row, without a token for anybody


class Abandoned(BaseException):
    """Raised in the thread of a loop that has been given up; no Exception, so that a loop does not swallow it."""


class LiveWorkload:
    """What stands where a replay has its workload: nothing is known beforehand."""

    name, items, num_clients = "live", (), None


class LiveServer(Server):
    """One server for one run over requests that nobody knows yet.

    `hooks` hears of it: `admitted(request_id)`, `choose(request_id, token_id) -> token_id`, `stepped(request_ids)`,
    `answered(life)`, all in the loop's thread.
    """

    def __init__(self, source, *, clock, tokens, hooks, **settings):
        super().__init__(LiveWorkload(), clock=clock, tokens=tokens, **settings)
        self._source, self._hooks = source, hooks
        self._time_keeper = LiveTimeKeeper(clock)
        self.log.steps = deque(maxlen=KEPT_STEPS)
        self.clock = ServerClock(self._time_keeper)
        self.queue = LiveQueue(source, self._time_keeper, self._admit)
        self.model = LiveExecutor(self.log, self._time_keeper, tokens, hooks)
        self._answered: deque[int] = deque()

    def abandon(self) -> None:
        """From now on whatever the loop asks raises Abandoned."""
        self._time_keeper.is_abandoned = True

    def respond(self, request: Request) -> None:
        record = self.model.record_of(request)
        super().respond(request)
        self._answered.append(request.request_id)
        if len(self._answered) > KEPT_ANSWERS:
            del self.log.requests[self._answered.popleft()]
        self._hooks.answered(record)

    def _admit(self, item, arrival_ns: int) -> Request:
        request = super()._admit(item, arrival_ns)
        self._hooks.admitted(item.request_id)
        return request


class LiveTimeKeeper(TimeKeeper):
    """Time that passes by itself, until the loop is given up."""

    is_abandoned = False

    def poll(self) -> None:
        if self.is_abandoned:
            raise Abandoned

    def progress(self) -> None:
        self.poll()


class LiveQueue(RequestQueue):
    """`server.queue`, where waiting is really waiting: an arrival or the source's end wakes the loop."""

    def _wait(self, timeout_s: float | None) -> None:
        self._source.wait(timeout_s)
        self._time_keeper.progress()


class LiveExecutor(BatchExecutor):
    """`server.model`, for as many steps as there are clients."""

    def __init__(self, log, time_keeper, tokens, hooks):
        super().__init__(log, time_keeper, tokens)
        self._hooks = hooks
        self._steps_left = MAX_USELESS_STEPS

    def _compute(self, new: list[RequestLog], running: list[RequestLog]) -> dict[int, int]:
        tokens = super()._compute(new, running)
        for record in (*new, *running):
            if not record.ended:
                request_id = record.item.request_id
                tokens[request_id] = self._hooks.choose(request_id, tokens[request_id])
        return tokens

    def _record(self, start_ns, shape, records, tokens) -> None:
        super()._record(start_ns, shape, records, tokens)
        if useful_ids := self._log.steps[-1].useful_ids:
            self._steps_left = MAX_USELESS_STEPS
        self._hooks.stepped(useful_ids)


def seconds_since(clock, time_ns: int) -> float:
    return (clock.now_ns - time_ns) / NS
