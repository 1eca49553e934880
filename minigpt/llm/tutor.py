"""The tutor: the shipped Mini-GPT, asked one prompt or many, always greedily."""

import gc
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import torch

from minigpt.llm.checkpoint_io import load_checkpoint
from minigpt.llm.kv_cache import KVCache
from minigpt.llm.model import MiniGPT
from minigpt.llm.tokenizer import decode, encode_prompt

MAX_ANSWER_TOKENS = 128  # more than the longest answer of the corpus


@lru_cache(maxsize=1)
def load_tutor() -> MiniGPT:
    """The shipped model, loaded once per process."""
    model = load_checkpoint()
    # Python's garbage collector visits every object now and then: some 40 ms in the middle of a step, nearly all of it for the
    # modules that are loaded by now and stay. Frozen, these are not visited any more.
    gc.freeze()
    return model


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A greedy answer and how certain the model was of it."""

    token_ids: tuple[int, ...]  # without EOS
    ended: bool  # whether EOS ended it, and not the token limit
    smallest_gap: float  # least difference between the best and the second logit over all steps, EOS's included

    @property
    def text(self) -> str:
        return decode(list(self.token_ids))


def stream(model: MiniGPT, prompt: str, max_tokens: int = MAX_ANSWER_TOKENS) -> Iterator[int]:
    """The answer's tokens, one by one, as they are computed."""
    if max_tokens < 1:
        raise ValueError(f"max_tokens={max_tokens}: ask for at least one token")
    prompt_ids = encode_prompt(prompt)
    cache = KVCache(model.config, num_slots=1)
    slots = [cache.allocate()]
    logits = model.prefill([prompt_ids], cache, slots)
    for _ in range(min(max_tokens, cache.max_length - len(prompt_ids))):
        token = int(logits[0].argmax())
        if token == model.eos_token_id:
            return
        yield token
        if cache.lengths[0] < cache.max_length:
            logits = model.decode_step([token], cache, slots)


def answer_all(
    model: MiniGPT, prompts: list[list[int]], max_tokens: int = MAX_ANSWER_TOKENS, batch_size: int = 64
) -> Iterator[Answer]:
    """The answers to many prompts (token ids), in order, computed `batch_size` at a time."""
    for start in range(0, len(prompts), batch_size):
        yield from _answer_batch(model, prompts[start : start + batch_size], max_tokens)


def _answer_batch(model: MiniGPT, prompts: list[list[int]], max_tokens: int) -> list[Answer]:
    if max_tokens < 1:
        raise ValueError(f"max_tokens={max_tokens}: ask for at least one token")
    longest = min(max(map(len, prompts)) + max_tokens, model.config.context)
    cache = KVCache(model.config, len(prompts), longest)
    running = [cache.allocate() for _ in prompts]  # the slot of prompt i is i
    token_ids: list[list[int]] = [[] for _ in prompts]
    gaps, ended = [float("inf")] * len(prompts), [False] * len(prompts)
    logits = model.prefill(prompts, cache, running)
    while running:
        best = torch.topk(logits, 2, dim=-1)
        for slot, token, (first, second) in zip(running, best.indices[:, 0].tolist(), best.values.tolist()):
            gaps[slot] = min(gaps[slot], first - second)
            ended[slot] = token == model.eos_token_id
            if not ended[slot]:
                token_ids[slot].append(token)
        running = [
            s for s in running if not ended[s] and len(token_ids[s]) < max_tokens and cache.lengths[s] + 1 < cache.max_length
        ]
        if running:
            logits = model.decode_step([token_ids[slot][-1] for slot in running], cache, running)
    return [
        Answer(token_ids=tuple(tokens), ended=end, smallest_gap=gap) for tokens, end, gap in zip(token_ids, ended, gaps)
    ]
