"""One replica of a fleet: a continuous server of Lab 03 on the virtual clock, without a model and without steps.

As long as no request enters or leaves, the cost of the next k decode steps is a closed sum. So a replica jumps from one
change to the next instead of going step by step, and still agrees with the ordinary runtime to the nanosecond
(tests/unit/test_fleet.py).
"""

from bisect import bisect_left
from collections import deque
from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import islice
from typing import NamedTuple

from minigpt.runtime.clock import StepCost

NEVER = 1 << 1024  # nanoseconds: beyond every float, and so after the last arrival at any rate, however low


class Call(NamedTuple):
    """A request as far as its cost depends on it."""

    arrival_ns: int
    num_prompt_tokens: int
    num_steps: int  # forward passes: one per token, and one for EOS if the answer ends with it


class RequestRecord(NamedTuple):
    """What became of a call. Times are in nanoseconds."""

    replica: int
    admitted_ns: int
    first_token_ns: int  # end of the step that computed its prompt
    finish_ns: int


class Records:
    """The records of all calls so far, a list for each moment: a replica writes a number, not a tuple."""

    def __init__(self, num_calls: int):
        self.replica, self.admitted_ns, self.first_token_ns, self.finish_ns = ([NEVER] * num_calls for _ in range(4))

    def rows(self) -> list[RequestRecord]:
        """The same, call by call."""
        return list(map(RequestRecord, self.replica, self.admitted_ns, self.first_token_ns, self.finish_ns))


class Replica:
    """One server with its queue and `cap` slots.

    `run_until` carries out every change that has happened by then. The next change is only computed in advance: an
    arrival may still alter it.
    """

    def __init__(self, number: int, cap: int, cost: StepCost, calls: Sequence[Call], records: Records):
        self._number, self._cap, self._calls, self._records = number, cap, calls, records
        # The parts of StepCost.step_ns, which is not called for each step here.
        self._overhead_ns, self._row_ns, self._context_ns = cost.step_overhead_ns, cost.per_sequence_ns, cost.per_context_token_ns
        self._prefill_ns, self._prompt_token_ns = cost.prefill_overhead_ns, cost.per_prefill_token_ns
        self.num_inside = 0  # requests in the queue and in flight
        self._waiting: deque[int] = deque()  # indices of calls, oldest first
        self._ends: list[tuple[int, int]] = []  # those in flight: a heap of (step in which it ends, index)
        self._now_ns = 0  # always between two steps
        self._step = 0  # steps carried out
        self._context = 0  # tokens that the next decode pass attends to
        self._new: list[int] = []  # the next change: these are admitted,
        self._num_steps = 0  # this many steps pass,
        self.next_ns = NEVER  # and this is the time then; NEVER if the server is empty

    def put(self, index: int) -> None:
        """A call arrives. `run_until` must have been called with its arrival."""
        self._waiting.append(index)
        self.num_inside += 1
        if self.num_inside <= self._cap:  # otherwise no slot is free before the next change, which stays as it is
            self._look_ahead()

    def run_until(self, time_ns: int) -> None:
        """Carry out all changes up to this time."""
        while self.next_ns <= time_ns:
            self._carry_out()
            self._look_ahead()

    def _look_ahead(self) -> None:
        """Find the next change: a step that admits, or the decode steps until a request leaves or can be admitted."""
        calls, waiting, ends = self._calls, self._waiting, self._ends
        if not ends:
            if not waiting:
                self.next_ns = NEVER
                return
            self._now_ns = max(self._now_ns, calls[waiting[0]].arrival_ns)
        now_ns, free = self._now_ns, self._cap - len(ends)
        if free and waiting and calls[waiting[0]].arrival_ns <= now_ns:
            self._new = [i for i in islice(waiting, free) if calls[i].arrival_ns <= now_ns]
            self._num_steps, self.next_ns = 1, now_ns + self._admitting_step_ns()
            return
        self._new, self._num_steps = [], ends[0][0] - self._step
        if free and waiting:
            # A request that arrives during a step is admitted at its end: the first boundary that is not before it.
            gap_ns = calls[waiting[0]].arrival_ns - now_ns
            self._num_steps = bisect_left(range(self._num_steps), gap_ns, key=self._decode_ns)
        self.next_ns = now_ns + self._decode_ns(self._num_steps)

    def _admitting_step_ns(self) -> int:
        """A step that decodes those in flight and computes the new prompts."""
        calls, num_prompt_tokens = self._calls, 0
        for index in self._new:
            num_prompt_tokens += calls[index].num_prompt_tokens
        prefill_ns = self._prefill_ns + self._prompt_token_ns * num_prompt_tokens if num_prompt_tokens else 0
        return prefill_ns + (self._decode_ns(1) if self._ends else 0)

    def _decode_ns(self, num_steps: int) -> int:
        """Time of `num_steps` decode steps in which no request enters or leaves; each attends to one more token per row."""
        rows = len(self._ends)
        context = num_steps * self._context + rows * (num_steps * (num_steps - 1) // 2)
        return num_steps * (self._overhead_ns + self._row_ns * rows) + self._context_ns * context

    def _carry_out(self) -> None:
        """Carry out the next change."""
        calls, records, ends = self._calls, self._records, self._ends
        start_ns, self._now_ns = self._now_ns, self.next_ns
        self._step += self._num_steps
        self._context += self._num_steps * len(ends)
        for index in self._new:
            self._waiting.popleft()
            _, num_prompt_tokens, num_steps = calls[index]
            self._context += num_prompt_tokens + 1
            heappush(ends, (self._step + num_steps - 1, index))
            records.replica[index] = self._number
            records.admitted_ns[index], records.first_token_ns[index] = start_ns, self._now_ns
        while ends and ends[0][0] == self._step:
            _, index = heappop(ends)
            self.num_inside -= 1
            _, num_prompt_tokens, num_steps = calls[index]
            self._context -= num_prompt_tokens + num_steps
            records.finish_ns[index] = self._now_ns
