"""K and V in 8, 4 or 2 bits: less memory a token, and an error in every logit.

Each head's vector of a token is divided by a scale of its own, rounded to whole numbers, and multiplied again when it
is read. Production engines keep FP8 or INT8, often with one scale a layer (KIVI, Liu et al., 2024, goes down to 2
bits).
"""

from dataclasses import dataclass

import torch

from minigpt.kv_cache import KVCache

SCALE_BYTES = 2  # one float16 a vector
LARGEST = {8: 127, 4: 7, 2: 1}  # of a signed whole number of so many bits


class QuantizedKVCache(KVCache):
    """A KV cache that keeps whole numbers of `bits` bits (8, 4 or 2) and a scale a vector.

    The numbers lie in bytes of their own here, so that the code stays short; `kv_bytes` counts what packing them would
    take.
    """

    def __init__(self, config, num_slots: int, max_length: int | None = None, *, bits: int):
        if bits not in LARGEST:
            raise ValueError(f"bits={bits}: choose 8, 4 or 2")
        super().__init__(config, num_slots, max_length)
        self.bits = bits
        self._store(self.kv.to(torch.int8))
        self._scales = torch.zeros(*self.kv.shape[:-1], 1, dtype=torch.float16)  # (layers, 2, slots·K, max_length, 1)

    def write(self, layer: int, slot_mapping: torch.Tensor, kv: torch.Tensor) -> None:
        """Round kv (B, K, T, 2, D) and store it with its scales."""
        # A vector of zeros has no size to divide by.
        scale = (kv.abs().amax(dim=-1, keepdim=True) / LARGEST[self.bits]).clamp(min=1e-6).half()  # (B, K, T, 2, 1)
        whole = (kv / scale.float()).round().clamp(-LARGEST[self.bits], LARGEST[self.bits])
        super().write(layer, slot_mapping, whole.to(torch.int8))
        self._scales[layer].flatten(0, -2).index_put_((slot_mapping,), scale)

    def reader(self, slots: torch.Tensor, longest: int):
        """A function that gives K and V of a layer as real numbers again."""
        rows = self.slot_rows(slots)

        def read(layer: int) -> tuple[torch.Tensor, torch.Tensor]:
            keys, values = self.kv[layer, :, rows, :longest].float() * self._scales[layer, :, rows, :longest].float()
            return keys.mT, values

        return read


def kv_bytes(config, bits: int) -> float:
    """Bytes of K and V a token takes: 32 or 16 bits as they are, fewer with a scale a vector."""
    vector = config.head_size * bits / 8 + (SCALE_BYTES if bits in LARGEST else 0)
    return 2 * config.num_layers * config.num_kv_heads * vector


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantizedAnswers:
    """What becomes of the tutor's answers with K and V in so many bits."""

    bits: int
    bytes_per_token: float
    mean_error: float  # of a logit, in the steps in which both caches hold the same tokens
    largest_error: float
    num_changed: int  # answers in which some token differs
    num_prompts: int


def compare(model, prompts: list[list[int]], bits: int, num_steps: int = 64) -> QuantizedAnswers:
    """Greedy answers from a quantized cache beside those from an exact one, for prompts served together."""
    longest = max(map(len, prompts)) + num_steps + 1
    size = model.config, len(prompts), longest
    caches = [KVCache(*size), QuantizedKVCache(*size, bits=bits)]
    slots = [[cache.take() for _ in prompts] for cache in caches][0]  # both hand out 0, 1, 2 …
    logits = [model.prefill(prompts, cache, slots) for cache in caches]
    same, ended, errors = torch.ones(len(prompts), dtype=torch.bool), torch.zeros(len(prompts), dtype=torch.bool), []
    for _ in range(num_steps):
        exact, rounded = (each.argmax(dim=-1) for each in logits)
        alive = same & ~ended
        errors.append((logits[0] - logits[1]).abs()[alive].flatten())
        # Once a token differs the two texts go separate ways: from there on nothing can be compared.
        same &= (exact == rounded) | ended
        ended |= exact == model.eos_token_id
        if bool((ended | ~same).all()):
            break
        logits = [model.decode_step(tokens.tolist(), cache, slots) for tokens, cache in zip((exact, rounded), caches)]
    every = torch.cat(errors)
    return QuantizedAnswers(
        bits=bits, bytes_per_token=kv_bytes(model.config, bits), mean_error=float(every.mean()),
        largest_error=float(every.max()), num_changed=int((~same).sum()), num_prompts=len(prompts),
    )  # fmt: skip


def tutor_in_bits(bits: int, num_prompts: int = 96) -> QuantizedAnswers:
    """The tutor's usual mix with K and V in so many bits."""
    import random

    from minigpt.tutor import load_tutor
    from minigpt.workload import tutor_requests

    items = tutor_requests(num_prompts, random.Random(4), explain_share=0.5)
    return compare(load_tutor(), [list(item.prompt_token_ids) for item in items], bits)
