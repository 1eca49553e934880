"""The cost of preemption: computing K and V again, or copying them out and back."""

from dataclasses import dataclass

from minigpt.runtime.clock import NS, StepCost


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapCost:
    """Time to copy blocks out of the pool, or back in.

    Scaled from a model of 13 billion parameters on an A100: a token's K and V are 819 kB, 33 µs on a 25 GB/s link,
    where computing it takes about 140 µs; and every block takes 80 transfers (K and V of 40 layers) of some 10 µs each.
    In the Mini-GPT's time a computed token takes 30 µs, so all of it shrinks by 30/140.
    """

    per_block_ns: int = 170_000
    per_token_ns: int = 7_000

    def ns(self, num_blocks: int, block_size: int) -> int:
        return num_blocks * (self.per_block_ns + block_size * self.per_token_ns)


def cost_table(step_cost, swap_cost: SwapCost) -> dict[str, float]:
    """What recomputing and swapping take, in seconds, for the loop to weigh."""
    cost = step_cost if isinstance(step_cost, StepCost) else StepCost()
    return {
        "prefill_s": cost.prefill_overhead_ns / NS, "prefill_token_s": cost.per_prefill_token_ns / NS,
        "swap_block_s": swap_cost.per_block_ns / NS, "swap_token_s": swap_cost.per_token_ns / NS,
    }
