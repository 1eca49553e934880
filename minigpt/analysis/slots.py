"""Which request held which slot, and how many waited: the slots of a run over time, read from its log.

A *slot* is a place in the running batch, counted from 0. A request takes the lowest free slot in the first step that
computes it and keeps it until its answer leaves. A static server sends all answers at the end of a batch, so there
every slot of the batch is held until the longest member has ended.
"""

import heapq
from dataclasses import dataclass

from minigpt.runtime.run_log import RunLog, StepLog


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One request's stay in its slot. Times are in nanoseconds since the run began."""

    slot: int  # from 0
    request_id: int
    start_ns: int  # its first step begins
    prefill_until_ns: int  # its first step ends: the prompt is computed, the first token is there
    useful_until_ns: int  # its last useful step ends; from here on the slot is held for nothing
    end_ns: int  # the answer leaves; the end of the run for a request that was never answered


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """How many requests wait from this moment to the next one listed."""

    time_ns: int
    in_queue: int  # arrived, not taken from the queue
    forming: int  # taken from the queue, and the first step has not begun: the batch is being formed


def slot_spans(log: RunLog) -> list[Span]:
    """Every stay in a slot, in the order in which the stays began."""
    first: dict[int, tuple[int, StepLog]] = {}  # request -> its slot and its first step
    last_useful_ns: dict[int, int] = {}
    held: dict[int, int] = {}
    slots = FreeSlots()
    for step in log.steps:
        for request_id in _gone(log, held, step.start_ns):
            slots.free(held.pop(request_id))
        for request_id in step.request_ids:
            if request_id not in held:
                held[request_id] = slots.allocate()
                first[request_id] = held[request_id], step
        last_useful_ns.update(dict.fromkeys(step.useful_ids, step.end_ns))
    return [_span(log, request_id, *found, last_useful_ns) for request_id, found in first.items()]


def num_slots(log: RunLog) -> int:
    """How many slots the server has: a static one `max_batch`, a continuous one `max_inflight`."""
    return log.max_inflight if log.streams else log.max_batch


class FreeSlots:
    """An unlimited supply of slots, the lowest free one first."""

    def __init__(self):
        self._returned: list[int] = []
        self._next = 0

    def allocate(self) -> int:
        if self._returned:
            return heapq.heappop(self._returned)
        # A loop that exceeds its cap gets slots beyond it: a figure then shows one row too many.
        self._next += 1
        return self._next - 1

    def free(self, slot: int) -> None:
        heapq.heappush(self._returned, slot)


def _gone(log: RunLog, held: dict[int, int], now_ns: int) -> list[int]:
    finish_ns = {request_id: log.requests[request_id].finish_ns for request_id in held}
    return [request_id for request_id, time_ns in finish_ns.items() if time_ns is not None and time_ns <= now_ns]


def _span(log: RunLog, request_id: int, slot: int, step: StepLog, last_useful_ns: dict[int, int]) -> Span:
    finish_ns = log.requests[request_id].finish_ns
    return Span(
        slot=slot, request_id=request_id, start_ns=step.start_ns, prefill_until_ns=step.end_ns,
        useful_until_ns=last_useful_ns[request_id], end_ns=log.end_ns if finish_ns is None else finish_ns,
    )


def waiting_over_time(log: RunLog) -> list[Waiting]:
    """The number of waiting requests after each change, in order of time."""
    start_ns = {span.request_id: span.start_ns for span in slot_spans(log)}
    changes: dict[int, list[int]] = {}
    for request_id, record in log.requests.items():
        _count(changes, record.arrival_ns, queue=1)
        if record.admitted_ns is not None:
            _count(changes, record.admitted_ns, queue=-1, forming=1)
            placed_ns = start_ns.get(request_id, record.finish_ns)
            if placed_ns is not None:
                _count(changes, placed_ns, forming=-1)
    waiting, in_queue, forming = [], 0, 0
    for time_ns in sorted(changes):
        in_queue += changes[time_ns][0]
        forming += changes[time_ns][1]
        waiting.append(Waiting(time_ns=time_ns, in_queue=in_queue, forming=forming))
    return waiting


def _count(changes: dict[int, list[int]], time_ns: int, queue: int = 0, forming: int = 0) -> None:
    change = changes.setdefault(time_ns, [0, 0])
    change[0] += queue
    change[1] += forming
