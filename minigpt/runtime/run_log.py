"""What happened in a run: every request, token, step and answer, recorded by the runtime."""

from dataclasses import dataclass, field
from typing import NamedTuple

from minigpt.llm.tokenizer import EOS_TOKEN_ID
from minigpt.runtime.clock import NS


@dataclass(slots=True, kw_only=True, eq=False)
class RequestLog:
    """One request as the runtime saw it. Times are in nanoseconds since the run began."""

    item: object  # the workload's item: prompt, limits, scripted answer
    arrival_ns: int  # scheduled
    admitted_ns: int | None = None  # taken from the queue; None: never
    token_ids: list[int] = field(default_factory=list)  # what the model produced, without EOS
    token_times_ns: list[int] = field(default_factory=list)  # when each token was computed
    ended: bool = False  # EOS came, or the token limit was reached
    num_computed_tokens: int = 0  # K and V are in the cache
    answer: tuple[int, ...] | None = None  # what was sent to the client; None: nothing
    finish_ns: int | None = None  # when it was sent

    def accept(self, token_id: int, now_ns: int) -> None:
        """Note the token of one step."""
        if token_id == EOS_TOKEN_ID:
            self.ended = True
            return
        self.token_ids.append(token_id)
        self.token_times_ns.append(now_ns)
        self.ended = len(self.token_ids) == self.item.max_tokens


class StepLog(NamedTuple):  # a plain tuple: millions of them are made in simulations
    """One forward pass."""

    start_ns: int
    end_ns: int
    request_ids: tuple[int, ...]  # every row of the batch, in the loop's order
    useful_ids: tuple[int, ...]  # the rows that had not ended before
    num_prefill_tokens: int


@dataclass(slots=True, kw_only=True, eq=False)
class RunLog:
    """A whole run."""

    workload: object
    clock: str  # virtual, cpu or wall
    streams: bool  # whether tokens leave as they are computed; if not, all leave with the answer
    max_batch: int
    max_inflight: int
    requests: dict[int, RequestLog] = field(default_factory=dict)  # those that were taken from the queue
    steps: list[StepLog] = field(default_factory=list)
    end_ns: int = 0  # when the loop returned

    def admit(self, item, arrival_ns: int, now_ns: int) -> None:
        """A request was taken from the queue."""
        self.requests[item.request_id] = RequestLog(item=item, arrival_ns=arrival_ns, admitted_ns=now_ns)

    def add_step(self, step: StepLog) -> None:
        """A forward pass has ended."""
        self.steps.append(step)

    def answered(self, record: RequestLog) -> None:
        """An answer has left, and stands in its record."""

    def closed_at(self, end_ns: int) -> "RunLog":
        """The finished log: requests that were never taken from the queue are added, unanswered."""
        self.end_ns = end_ns
        for item in self.workload.items:
            if item.request_id not in self.requests and item.arrival_ns is not None:
                self.requests[item.request_id] = RequestLog(item=item, arrival_ns=item.arrival_ns)
        self.requests = dict(sorted(self.requests.items()))
        return self

    def records(self) -> list[dict]:
        """One dict of plain numbers per request: id, arrival, admission and answer in seconds (None: it did not happen)."""
        return [
            {
                "request_id": request_id, "arrival_s": _seconds(record.arrival_ns),
                "admitted_s": _seconds(record.admitted_ns), "finish_s": _seconds(record.finish_ns),
            }
            for request_id, record in self.requests.items()
        ]

    def step_records(self) -> list[dict]:
        """One dict of plain numbers per step: when it ran, in seconds; its rows: all, and those that had not ended."""
        return [
            {
                "start_s": _seconds(step.start_ns), "end_s": _seconds(step.end_ns),
                "rows": len(step.request_ids), "useful_rows": len(step.useful_ids),
            }
            for step in self.steps
        ]

    @property
    def finished(self) -> list[RequestLog]:
        return [record for record in self.requests.values() if record.finish_ns is not None]

    @property
    def num_unfinished(self) -> int:
        return len(self.workload.items) - len(self.finished)


def _seconds(time_ns: int | None) -> float | None:
    return None if time_ns is None else time_ns / NS
