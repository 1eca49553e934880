"""The static server of Lab 02 on the virtual clock, without a model and without steps: one sum per batch.

What a static batch costs is decided when it starts, so its end is computed at once. The times agree with the ordinary
runtime to the nanosecond (tests/unit/test_static_replica.py).
"""

from collections.abc import Sequence

from minigpt.runtime.clock import StepCost, StepShape, to_ns
from minigpt.simulation.replica import Call, RequestRecord


def serve_static(
    calls: Sequence[Call], *, max_batch: int = 8, max_wait_s: float = 0.005, cost: StepCost = StepCost()
) -> list[RequestRecord]:
    """What becomes of each call, in their order, which is that of arrival. A static answer comes whole, at its end."""
    records, free_ns = [], 0
    while len(records) < len(calls):
        admitted, start_ns = next_batch(calls, len(records), free_ns, max_batch, to_ns(max_wait_s))
        batch = calls[len(records) : len(records) + len(admitted)]
        free_ns = start_ns + batch_ns(batch, cost)
        records += [RequestRecord(0, admitted_ns, free_ns, free_ns) for admitted_ns in admitted]
    return records


def next_batch(
    calls: Sequence[Call], first: int, free_ns: int, max_batch: int, max_wait_ns: int
) -> tuple[list[int], int]:
    """When each call of the batch from `first` on is taken from the queue, and when the batch starts.

    Whoever waits already is taken; others are waited for until the deadline, unless nobody will come any more.
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


def batch_ns(batch: Sequence[Call], cost: StepCost) -> int:
    """Time of a batch: one prefill of all prompts, then decode steps until the longest member has ended."""
    num_steps = max(call.num_steps for call in batch) - 1  # decode steps
    prompts = sum(call.num_prompt_tokens for call in batch)
    prefill_ns = cost.step_ns(StepShape(num_decode=0, num_prefill_tokens=prompts, num_context_tokens=0))
    step_ns = cost.step_ns(StepShape(num_decode=len(batch), num_prefill_tokens=0, num_context_tokens=0))
    # In decode step s a row attends to its prompt and to min(s, its own steps) tokens: one that has ended rides along.
    context = num_steps * prompts + sum(sum_of_minima(num_steps, call.num_steps) for call in batch)
    return prefill_ns + num_steps * step_ns + cost.per_context_token_ns * context


def sum_of_minima(count: int, limit: int) -> int:
    """min(1, limit) + min(2, limit) + … + min(count, limit)."""
    rising = min(count, limit)
    return rising * (rising + 1) // 2 + (count - rising) * limit
