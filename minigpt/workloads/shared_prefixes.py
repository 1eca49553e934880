"""Workloads whose prompts begin alike: a shared instruction, and conversations of several turns (Lab 06)."""

import random
from dataclasses import replace

from minigpt.llm.tokenizer import encode
from minigpt.workloads.workload import WorkItem, Workload, arriving, poisson, tutor_requests

# The tutor was trained on single lines. Behind an instruction it answers nonsense, and the same nonsense every time: what is
# looked at here is whether an answer changes, and when it comes.
INSTRUCTION = (
    "You are a patient tutor of grammar. Somebody sends you a sentence. If the line begins with fix, name the word that has to "
    "stand there instead, and nothing else. If it begins with explain, say in one sentence which rule it breaks. Answer in "
    "the language in which the sentence is written. If the sentence is right, say ok.\n"
)
PROMPT_TOKENS = 192
FEW_LETTERS = 4  # enough that no two prompts go on alike


def shared_instruction(
    share: float, num_requests: int = 300, *, seed: int = 0, rate_per_s: float = 100.0, num_tokens: int = PROMPT_TOKENS
) -> Workload:
    """The tutor's requests behind an instruction; of `num_tokens` prompt tokens this share is the same in all of them.

    All prompts are of one length whatever the share: the rest is filled with text that no other prompt has.
    """
    if not 0 <= share < 1:
        raise ValueError(f"share={share}: a share of the prompt, from 0 to below 1")
    rng, letters = random.Random(seed), random.Random(seed + 1)  # two: the same arrivals whatever the share
    common = (encode(INSTRUCTION) * 4)[: round(share * num_tokens)]
    items = [
        replace(item, prompt_token_ids=(*common, *filled(item, num_tokens - len(common), letters)))
        for item in tutor_requests(num_requests, rng)
    ]
    return arriving(items, poisson(num_requests, rate_per_s, rng), "shared instruction")


def filled(item: WorkItem, num_tokens: int, rng: random.Random) -> tuple[int, ...]:
    """A request's prompt brought to a length: random letters before it, at least a few, and of the prompt what fits."""
    letters = [rng.randrange(97, 123) for _ in range(max(FEW_LETTERS, num_tokens - len(item.prompt_token_ids)))]
    return (*letters, *item.prompt_token_ids[len(letters) - num_tokens :])[:num_tokens]


def conversations(
    num_clients: int = 40, num_turns: int = 6, *, seed: int = 0, pause_s: float = 1.0, within_s: float = 2.0
) -> Workload:
    """Clients that talk: each turn's prompt is all that was said before, and a new line.

    A client's turns come `pause_s` apart on average, whatever the server does; the clients begin within `within_s`.
    """
    rng, items, times = random.Random(seed), [], []
    for _ in range(num_clients):
        now, said = rng.uniform(0, within_s), tuple(encode(INSTRUCTION)[:64])
        for item in tutor_requests(num_turns, rng, explain_share=0.3):
            said = (*said, *item.prompt_token_ids)
            items.append(replace(item, prompt_token_ids=said))
            times.append(now)
            said = (*said, *item.answer, ord("\n"))
            now += rng.expovariate(1 / pause_s)
    order = sorted(range(len(items)), key=times.__getitem__)
    items = [replace(items[place], request_id=number) for number, place in enumerate(order)]
    return arriving(items, sorted(times), "conversations")
