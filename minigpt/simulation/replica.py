"""One replica of a fleet: a continuous server of Lab 03 on the virtual clock, without a model and without steps.

As long as nobody enters and nobody leaves, the next k decode steps cost what a sum says. So a replica jumps from one
change to the next instead of going step by step, and yet agrees with the ordinary runtime to the nanosecond
(tests/unit/test_fleet.py).
"""

from bisect import bisect_left
from collections import deque
from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import islice
from typing import NamedTuple

from minigpt.runtime.clock import StepCost, StepShape

NEVER = 1 << 62  # nanoseconds: later than anything


class Call(NamedTuple):
    """A request as far as its cost depends on it."""

    arrival_ns: int
    num_prompt_tokens: int
    num_steps: int  # forward passes: one a token, and one for EOS if the answer ends with it


class RequestRecord(NamedTuple):
    """What became of a call. Times are in nanoseconds."""

    replica: int
    admitted_ns: int
    first_token_ns: int  # end of the step that computed its prompt
    finish_ns: int


class Replica:
    """One server with its queue and `cap` seats.

    `run_until` carries out every change that has happened by then. What lies beyond is only looked ahead to: an
    arrival may still change it.
    """

    def __init__(self, number: int, cap: int, cost: StepCost, calls: Sequence[Call], request_records: list[RequestRecord | None]):
        self._number, self._cap, self._cost, self._calls, self._records = number, cap, cost, calls, request_records
        self._waiting: deque[int] = deque()  # indices of calls, oldest first
        self._ends: list[tuple[int, int]] = []  # those in flight: a heap of (step in which it ends, index)
        self._now_ns = 0  # always between two steps
        self._step = 0  # steps carried out
        self._context = 0  # tokens that the next decode pass attends to
        self._new: list[int] = []  # the next change: these are admitted,
        self._num_steps = 0  # so many steps pass,
        self.next_ns = NEVER  # and it is this time then; NEVER if nobody is here

    @property
    def num_inside(self) -> int:
        """Requests in the queue and in flight."""
        return len(self._waiting) + len(self._ends)

    def put(self, index: int) -> None:
        """A call arrives. `run_until` must have been called with its arrival."""
        self._waiting.append(index)
        if self.num_inside <= self._cap:  # otherwise no seat is free before the next change, which stays as it is
            self._look_ahead()

    def run_until(self, time_ns: int) -> None:
        """Carry out all changes up to this time."""
        while self.next_ns <= time_ns:
            self._carry_out()
            self._look_ahead()

    def _look_ahead(self) -> None:
        """Find the next change: a step that admits, or the decode steps until somebody leaves or can be admitted."""
        if not self._ends:
            if not self._waiting:
                self.next_ns = NEVER
                return
            self._now_ns = max(self._now_ns, self._calls[self._waiting[0]].arrival_ns)
        free = self._cap - len(self._ends)
        self._new = [i for i in islice(self._waiting, free) if self._calls[i].arrival_ns <= self._now_ns]
        if self._new:
            self._num_steps, self.next_ns = 1, self._now_ns + self._admitting_step_ns()
            return
        self._num_steps = self._ends[0][0] - self._step
        if free and self._waiting:
            # Somebody arrives during a step and sits down at its end: the first boundary that is not before it.
            gap_ns = self._calls[self._waiting[0]].arrival_ns - self._now_ns
            self._num_steps = bisect_left(range(self._num_steps), gap_ns, key=self._decode_ns)
        self.next_ns = self._now_ns + self._decode_ns(self._num_steps)

    def _admitting_step_ns(self) -> int:
        num_prompt_tokens = sum(self._calls[i].num_prompt_tokens for i in self._new)
        return self._cost.step_ns(StepShape(
            num_decode=len(self._ends), num_prefill_tokens=num_prompt_tokens, num_context_tokens=self._context
        ))

    def _decode_ns(self, num_steps: int) -> int:
        """Time of so many decode steps with nobody entering or leaving; each attends to one token a row more."""
        cost, rows = self._cost, len(self._ends)
        context = num_steps * self._context + rows * (num_steps * (num_steps - 1) // 2)
        step_ns = cost.step_overhead_ns + cost.per_sequence_ns * rows
        return num_steps * step_ns + cost.per_context_token_ns * context

    def _carry_out(self) -> None:
        """Let the next change happen."""
        start_ns, self._now_ns = self._now_ns, self.next_ns
        self._step += self._num_steps
        self._context += self._num_steps * len(self._ends)
        for index in self._new:
            self._waiting.popleft()
            call = self._calls[index]
            self._context += call.num_prompt_tokens + 1
            heappush(self._ends, (self._step + call.num_steps - 1, index))
            self._records[index] = RequestRecord(self._number, start_ns, self._now_ns, NEVER)
        while self._ends and self._ends[0][0] == self._step:
            _, index = heappop(self._ends)
            self._context -= self._calls[index].num_prompt_tokens + self._calls[index].num_steps
            self._records[index] = self._records[index]._replace(finish_ns=self._now_ns)
