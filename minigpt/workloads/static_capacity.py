"""How much a static server can do: the yardstick by which the labs state a load."""

from minigpt.runtime.clock import NS, StepCost, StepShape


def static_batch_ns(items, cost: StepCost) -> int:
    """Time of one static batch: a prefill of all, then steps until the longest member has ended."""
    prompts = [len(item.prompt_token_ids) for item in items]
    total = cost.step_ns(StepShape(num_decode=0, num_prefill_tokens=sum(prompts), num_context_tokens=0))
    for step in range(1, max(item.num_steps for item in items)):
        # A member that has ended rides along: it costs its row and attends to what it holds.
        context = sum(prompt + min(step, item.num_steps) for prompt, item in zip(prompts, items))
        total += cost.step_ns(StepShape(num_decode=len(prompts), num_prefill_tokens=0, num_context_tokens=context))
    return total


def static_capacity(items, max_batch: int, cost: StepCost = StepCost()) -> float:
    """Requests per second that a static server completes when all are there at once."""
    batches = [items[i : i + max_batch] for i in range(0, len(items), max_batch)]
    return len(items) * NS / sum(static_batch_ns(batch, cost) for batch in batches)
