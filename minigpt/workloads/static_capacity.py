"""The capacity of a static server: the unit in which the labs state a load."""

from collections.abc import Sequence

from minigpt.runtime.clock import NS, StepCost, StepShape


def batch_ns(lengths: Sequence[tuple[int, int]], cost: StepCost) -> int:
    """Time of a static batch of (prompt tokens, steps): one prefill of all, then decode steps until the longest ends."""
    num_steps = max(steps for _, steps in lengths) - 1  # decode steps
    prompts = sum(prompt for prompt, _ in lengths)
    prefill_ns = cost.step_ns(StepShape(num_decode=0, num_prefill_tokens=prompts, num_context_tokens=0))
    step_ns = cost.step_ns(StepShape(num_decode=len(lengths), num_prefill_tokens=0, num_context_tokens=0))
    # In decode step s a row attends to its prompt and to min(s, its own steps) tokens: one that has ended rides along.
    context = num_steps * prompts + sum(sum_of_minima(num_steps, steps) for _, steps in lengths)
    return prefill_ns + num_steps * step_ns + cost.per_context_token_ns * context


def sum_of_minima(count: int, limit: int) -> int:
    """min(1, limit) + min(2, limit) + … + min(count, limit)."""
    rising = min(count, limit)
    return rising * (rising + 1) // 2 + (count - rising) * limit


def static_batch_ns(items, cost: StepCost) -> int:
    """Time of one static batch of work items."""
    return batch_ns([(len(item.prompt_token_ids), item.num_steps) for item in items], cost)


def static_capacity(items, max_batch: int, cost: StepCost = StepCost()) -> float:
    """Requests per second that a static server completes when all are queued at once."""
    batches = [items[i : i + max_batch] for i in range(0, len(items), max_batch)]
    return len(items) * NS / sum(static_batch_ns(batch, cost) for batch in batches)
