"""What guessing tokens gains, and when (Lab 06): tokens a step, what a step with guesses costs, and both together.

`code` has `propose` and `accept`: the given scheduler, or a student's file.
"""

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass

from minigpt.language import say
from minigpt.runtime.clock import StepCost
from minigpt.runtime.paged.run_log import PagedRunLog
from minigpt.schedulers.speculative import SpeculativeScheduler, speculative_loop
from minigpt.simulation.paged_run import serve
from minigpt.workloads.workload import WorkItem, Workload, workload

BATCHES = (1, 8, 64)
CONTEXT_TOKENS = 64  # of each sequence whose step is timed


@dataclass(slots=True)
class Counts:
    """What came of the guesses of a run."""

    num_guessed: int = 0
    num_right: int = 0
    num_steps: int = 0  # of single requests: each row of a decode

    @property
    def tokens_per_step(self) -> float:
        """Tokens that a request gets in a step of its own, 1 without guesses."""
        return 1 + self.num_right / self.num_steps

    @property
    def guesses_per_step(self) -> float:
        return self.num_guessed / self.num_steps

    @property
    def right_percent(self) -> float:
        return 100 * self.num_right / self.num_guessed if self.num_guessed else 0.0


def answers(num_requests: int = 120, *, seed: int = 3) -> Workload:
    """The tutor's usual mix, all there at once."""
    return workload("mixed", arrivals="burst", num_requests=num_requests, seed=seed)


def loop_of(code=SpeculativeScheduler, counts: Counts | None = None) -> SpeculativeScheduler:
    """The given loop with the decisions of `code`; what comes of its guesses is counted."""

    def accept(guesses, choices):
        tokens, num_dropped = code.accept(guesses, choices)
        if counts is not None:
            counts.num_steps += 1
            counts.num_guessed += len(guesses)
            counts.num_right += len(tokens) - 1
        return tokens, num_dropped

    return speculative_loop.with_functions(propose=code.propose, accept=accept)


def run(requests: Workload, num_guesses: int, code=SpeculativeScheduler, **settings) -> tuple[PagedRunLog, Counts]:
    """One run; with 0 guesses by the loop that does not speculate."""
    counts = Counts()
    if not num_guesses:
        return serve(requests, impl="given", **settings), counts
    return serve(requests, loop=loop_of(code, counts), num_guesses=num_guesses, **settings), counts


def one_answer(code, prompt: str, num_guesses: int = 3) -> list[tuple[list[int], list[int]]]:
    """The tutor's answer to a prompt, step by step: (guesses, tokens kept), to be drawn."""
    from minigpt.llm.tokenizer import encode_prompt

    steps = []

    def accept(guesses, choices):
        tokens, num_dropped = code.accept(guesses, choices)
        steps.append((list(guesses), list(tokens)))
        return tokens, num_dropped

    item = WorkItem(request_id=0, prompt_token_ids=tuple(encode_prompt(prompt)), max_tokens=128, arrival_ns=0)
    loop = speculative_loop.with_functions(propose=code.propose, accept=accept)
    serve(Workload(name="one answer", items=(item,)), loop=loop, tokens="model", num_guesses=num_guesses)
    return steps


# -- predicted from a + b·B ------------------------------------------------------------------------------------------


def predicted_gain(a_ms: float, b_ms: float, batch: int, tokens_per_step: float, guesses_per_step: float) -> float:
    """Tokens a step over what the step costs more, if a guess is one more row of the line a + b·B."""
    return tokens_per_step * (a_ms + b_ms * batch) / (a_ms + b_ms * batch * (1 + guesses_per_step))


def line_of_the_virtual_clock(cost: StepCost = StepCost()) -> tuple[float, float]:
    """a and b of the virtual clock, in milliseconds."""
    return cost.step_overhead_ns / 1e6, cost.per_sequence_ns / 1e6


def gain_on_the_virtual_clock(batch: int, num_guesses: int, code=SpeculativeScheduler) -> float:
    """How much sooner the same answers are done with guesses, `batch` requests at a time."""
    requests = answers(max(60, 3 * batch))
    plain, _ = run(requests, 0, max_inflight=batch)
    guessed, _ = run(requests, num_guesses, code, max_inflight=batch)
    return plain.end_ns / guessed.end_ns


# -- measured on this processor --------------------------------------------------------------------------------------


def step_ms(batch: int, num_guesses: int, *, rounds: int = 15) -> float:
    """Median time of a decode step of the Mini-GPT in which every sequence has `num_guesses` guesses."""
    from minigpt.llm.kv_cache import KVCache
    from minigpt.llm.tutor import load_tutor

    model = load_tutor()
    cache = KVCache(model.config, batch, CONTEXT_TOKENS + 16)
    slots = [cache.allocate() for _ in range(batch)]
    model.prefill([[97 + (i + k) % 26 for k in range(CONTEXT_TOKENS)] for i in range(batch)], cache, slots)
    rows, times = [[97 + k for k in range(1 + num_guesses)]] * batch, []
    for _ in range(rounds + 2):
        cache.lengths[:] = CONTEXT_TOKENS  # rolled back: each round does the same
        start = time.thread_time_ns()
        _ = model.verify(rows, cache, slots) if num_guesses else model.decode_step([97] * batch, cache, slots)
        times.append((time.thread_time_ns() - start) / 1e6)
    return statistics.median(times[2:])


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A step without and with guesses at one batch size, on this processor."""

    batch: int
    plain_ms: float
    guessing_ms: float

    @property
    def cost(self) -> float:
        """How many times as long the step with guesses takes."""
        return self.guessing_ms / self.plain_ms


def measured_steps(num_guesses: int = 2, batches: Sequence[int] = BATCHES) -> list[Step]:
    """Steps with that many guesses for every sequence, and without, in turn."""
    return [Step(batch=batch, plain_ms=step_ms(batch, 0), guessing_ms=step_ms(batch, num_guesses)) for batch in batches]


def fitted_line(steps: Sequence[Step]) -> tuple[float, float]:
    """a and b of these steps without guesses, in milliseconds, as in Lab 01."""
    line = statistics.linear_regression([step.batch for step in steps], [step.plain_ms for step in steps])
    return line.intercept, line.slope


def what_a_step_buys(steps: Sequence[Step], num_guesses: int = 2) -> str:
    """In words, from the figures: what steps of this cost gain with the tokens that guessing gives on the tutor's mix."""
    tokens_per_step = run(answers(), num_guesses)[1].tokens_per_step
    gains = [tokens_per_step / step.cost for step in steps]
    named = ", ".join(f"{step.batch}: × {gain:.2f}" for step, gain in zip(steps, gains))
    head = say(en=f"with {tokens_per_step:.2f} tokens per step (the mean over more requests), the gain by batch size would be {named}",
               es=f"con {tokens_per_step:.2f} tokens por paso (media de más peticiones), la ganancia sería, por lote, {named}")
    return f"{head}; {where_it_turns([step.batch for step in steps], gains)}"


def where_it_turns(batches: Sequence[int], gains: Sequence[float]) -> str:
    """In words, from the figures: at which batch sizes guessing gains, and at which it loses."""
    gaining = [str(batch) for batch, gain in zip(batches, gains) if gain >= 1]
    losing = [str(batch) for batch, gain in zip(batches, gains) if gain < 1]
    if not losing:
        return say(en=f"it gains at every batch size tried ({', '.join(gaining)})",
                   es=f"gana con todos los tamaños de lote probados ({', '.join(gaining)})")
    if not gaining:
        return say(en=f"it loses at every batch size tried ({', '.join(losing)})",
                   es=f"pierde con todos los tamaños de lote probados ({', '.join(losing)})")
    return say(en=f"it gains at batch {', '.join(gaining)} and loses at {', '.join(losing)}",
               es=f"gana con lotes de {', '.join(gaining)} y pierde con {', '.join(losing)}")
