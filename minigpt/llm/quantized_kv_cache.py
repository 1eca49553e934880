"""K and V in 8, 4 or 2 bits: less memory per token, and an error in every logit.

Each head's vector of a token is divided by a scale of its own, rounded to integers, and multiplied again when it is
read. Production engines keep FP8 or INT8, often with one scale per layer (KIVI, Liu et al., 2024, goes down to 2
bits).
"""

import torch

from minigpt.llm.kv_cache import KVCache

SCALE_BYTES = 2  # one float16 per vector
LARGEST = {8: 127, 4: 7, 2: 1}  # of a signed integer of this many bits


class QuantizedKVCache(KVCache):
    """A KV cache that keeps integers of `bits` bits (8, 4 or 2) and a scale per vector.

    Each integer takes a whole byte here, which keeps the code short; `kv_bytes` counts what packing them would take.
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
    """Bytes of K and V per token: 32 or 16 bits unquantized, fewer with a scale per vector."""
    vector = config.head_size * bits / 8 + (SCALE_BYTES if bits in LARGEST else 0)
    return 2 * config.num_layers * config.num_kv_heads * vector
