"""K and V in 8, 4 or 2 bits: less memory a token, and an error in every logit.

Each head's vector of a token is divided by a scale of its own, rounded to whole numbers, and multiplied again when it
is read. Production engines keep FP8 or INT8, often with one scale a layer (KIVI, Liu et al., 2024, goes down to 2
bits).
"""

import torch

from minigpt.llm.kv_cache import KVCache

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
        self.k_scale, self.v_scale = (torch.zeros(*self.k.shape[:-1], 1, dtype=torch.float16) for _ in range(2))
        self.k, self.v = self.k.to(torch.int8), self.v.to(torch.int8)

    def write(self, layer: int, places: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> None:
        """Round k and v, both (N·K, D), and store them with their scales."""
        for numbers, scales, x in ((self.k, self.k_scale, k), (self.v, self.v_scale, v)):
            # A vector of zeros has no size to divide by.
            scale = (x.abs().amax(dim=-1, keepdim=True) / LARGEST[self.bits]).clamp(min=1e-6).half()  # (N·K, 1)
            whole = (x / scale.float()).round().clamp(-LARGEST[self.bits], LARGEST[self.bits]).to(torch.int8)
            numbers[layer].view(-1, x.shape[-1]).index_copy_(0, places, whole)
            scales[layer].view(-1, 1).index_copy_(0, places, scale)

    def read(self, layer: int, rows, longest: int) -> tuple[torch.Tensor, torch.Tensor]:
        """K and V as real numbers again, (B·K, longest, D) each."""
        return tuple(
            numbers[layer, rows, :longest].float() * scales[layer, rows, :longest].float()
            for numbers, scales in ((self.k, self.k_scale), (self.v, self.v_scale))
        )


def kv_bytes(config, bits: int) -> float:
    """Bytes of K and V a token takes: 32 or 16 bits as they are, fewer with a scale a vector."""
    vector = config.head_size * bits / 8 + (SCALE_BYTES if bits in LARGEST else 0)
    return 2 * config.num_layers * config.num_kv_heads * vector
