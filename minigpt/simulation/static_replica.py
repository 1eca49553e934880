"""The static server of Lab 02 on the virtual clock, without a model and without steps: one sum per batch.

The cost of a static batch is fixed when it starts, so its end is computed at once. The times agree with the ordinary
runtime to the nanosecond (tests/unit/test_static_replica.py).
"""

from collections.abc import Sequence

from minigpt.runtime.clock import StepCost, to_ns
from minigpt.simulation.replica import Call, RequestRecord
from minigpt.workloads.static_capacity import batch_ns


def serve_static(
    calls: Sequence[Call], *, max_batch: int = 8, max_wait_s: float = 0.005, cost: StepCost = StepCost()
) -> list[RequestRecord]:
    """Serve the calls, given in order of arrival; return the record of each. All tokens leave at the end of the batch."""
    records, free_ns = [], 0
    while len(records) < len(calls):
        admitted, start_ns = next_batch(calls, len(records), free_ns, max_batch, to_ns(max_wait_s))
        batch = calls[len(records) : len(records) + len(admitted)]
        free_ns = start_ns + batch_ns([(call.num_prompt_tokens, call.num_steps) for call in batch], cost)
        records += [RequestRecord(0, admitted_ns, free_ns, free_ns) for admitted_ns in admitted]
    return records


def next_batch(
    calls: Sequence[Call], first: int, free_ns: int, max_batch: int, max_wait_ns: int
) -> tuple[list[int], int]:
    """When each call of the batch that begins with call `first` is taken from the queue, and when the batch starts.

    Waiting calls are taken at once; later ones are waited for until the deadline, unless no more will come.
    """
    now_ns = max(free_ns, calls[first].arrival_ns)
    deadline_ns = calls[first].arrival_ns + max_wait_ns
    admitted = [now_ns]
    for call in calls[first + 1 : first + max_batch]:
        if call.arrival_ns > max(now_ns, deadline_ns):
            return admitted, max(now_ns, deadline_ns)
        now_ns = max(now_ns, call.arrival_ns)
        admitted.append(now_ns)
    return admitted, now_ns  # the batch is full, or the queue is closed
