"""Sharing blocks and guessing tokens change no token: the Mini-GPT's answers, ragged and preempted on the way."""

import random

import pytest

from minigpt.llm.tutor import answer_all, load_tutor
from minigpt.runtime.paged import prefix_cache
from minigpt.schedulers.paged import production_loop
from minigpt.schedulers.speculative import speculative_loop
from minigpt.simulation.paged_run import serve
from minigpt.workloads.workload import WorkItem, arriving, poisson

MOST_TOKENS, CLEAR = 24, 2e-3  # logits: above this no rounding changes the greedy choice
VARIANTS = {
    "plain": {"loop": production_loop},
    "prefix": {"loop": production_loop, "prefix": prefix_cache},
    "guesses": {"loop": speculative_loop, "num_guesses": 3},
    "both": {"loop": speculative_loop, "num_guesses": 2, "prefix": prefix_cache},
}


def random_requests(num_requests: int, seed: int):
    """Prompts of random tokens, many with a beginning in common, whose greedy answers are clear; with these answers."""
    rng = random.Random(seed)
    stems = [[rng.randrange(256) for _ in range(rng.randint(5, 60))] for _ in range(5)]
    prompts = []
    for _ in range(num_requests + num_requests // 4 + 4):
        stem = rng.choice(stems)
        prompts.append(stem[: rng.randint(0, len(stem))] + [rng.randrange(97, 123) for _ in range(rng.randint(1, 30))])
    answers = list(answer_all(load_tutor(), prompts, MOST_TOKENS))
    clear = [(prompt, answer) for prompt, answer in zip(prompts, answers) if answer.smallest_gap > CLEAR][:num_requests]
    assert len(clear) == num_requests
    items = [
        WorkItem(request_id=i, prompt_token_ids=tuple(prompt), max_tokens=MOST_TOKENS, arrival_ns=0, answer=answer.token_ids)
        for i, (prompt, answer) in enumerate(clear)
    ]
    return arriving(items, poisson(num_requests, 400.0, rng), "random prompts")


def served(requests, variant: str, **settings):
    # 16 blocks of 8 tokens: a few requests fill them, so that some are preempted and cached blocks are evicted.
    return serve(requests, tokens="model", num_blocks=16, block_size=8, token_budget=40, **VARIANTS[variant], **settings)


def expect_same(requests) -> dict:
    logs = {name: served(requests, name) for name in VARIANTS}
    for name, log in logs.items():
        wrong = [i for i, record in log.requests.items() if record.answer != record.item.answer]
        assert wrong == [], f"{name}: answers that differ from those given alone"
    return logs


def test_answers_are_the_same():
    logs = expect_same(random_requests(20, seed=1))
    assert all(log.preemptions for log in logs.values())
    assert sum(each.num_found for each in logs["prefix"].prefix_lookups) > 0


@pytest.mark.slow
def test_five_hundred_random_prompts_get_the_same_answers():
    logs = expect_same(random_requests(500, seed=2))
    assert all(len(log.preemptions) > 20 for log in logs.values())
    assert len(logs["guesses"].steps) < len(logs["plain"].steps)
