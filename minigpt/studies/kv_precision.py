"""What keeping K and V in fewer bits does to the tutor's logits and answers (shown in Lab 05)."""

import random
from dataclasses import dataclass

import torch

from minigpt.llm.kv_cache import KVCache
from minigpt.llm.quantized_kv_cache import QuantizedKVCache, kv_bytes
from minigpt.llm.tutor import load_tutor
from minigpt.workloads.workload import tutor_requests


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantizedAnswers:
    """How the tutor's answers change with K and V in `bits` bits."""

    bits: int
    bytes_per_token: float
    mean_error: float  # of a logit, in the steps in which both caches hold the same tokens
    largest_error: float
    num_changed: int  # answers in which some token differs
    num_prompts: int


def compare(model, prompts: list[list[int]], bits: int, num_steps: int = 64) -> QuantizedAnswers:
    """Greedy answers from a quantized cache compared with those from an exact one, for prompts served together."""
    longest = max(map(len, prompts)) + num_steps + 1
    size = model.config, len(prompts), longest
    caches = [KVCache(*size), QuantizedKVCache(*size, bits=bits)]
    slots = [[cache.allocate() for _ in prompts] for cache in caches][0]  # both hand out 0, 1, 2 …
    logits = [model.prefill(prompts, cache, slots) for cache in caches]
    same, ended, errors = torch.ones(len(prompts), dtype=torch.bool), torch.zeros(len(prompts), dtype=torch.bool), []
    for _ in range(num_steps):
        exact, rounded = (each.argmax(dim=-1) for each in logits)
        alive = same & ~ended
        errors.append((logits[0] - logits[1]).abs()[alive].flatten())
        # Once a token differs the two texts diverge: from there on nothing can be compared.
        same &= (exact == rounded) | ended
        ended |= exact == model.eos_token_id
        if bool((ended | ~same).all()):
            break
        logits = [model.decode_step(tokens.tolist(), cache, slots) for tokens, cache in zip((exact, rounded), caches)]
    every = torch.cat(errors)
    return QuantizedAnswers(
        bits=bits, bytes_per_token=kv_bytes(model.config, bits), mean_error=float(every.mean()),
        largest_error=float(every.max()), num_changed=int((~same).sum()), num_prompts=len(prompts),
    )


def tutor_in_bits(bits: int, num_prompts: int = 96) -> QuantizedAnswers:
    """The tutor's usual mix with K and V in `bits` bits."""
    items = tutor_requests(num_prompts, random.Random(4), explain_share=0.5)
    return compare(load_tutor(), [list(item.prompt_token_ids) for item in items], bits)
