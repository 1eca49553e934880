"""How much memory the KV cache takes: of this model and of some that everybody knows.

Every layer keeps a key and a value of every token, for each of its key/value heads:

    bytes a token = 2 · layers · KV heads · head size · bytes of one number

Multi-head latent attention (DeepSeek-V2) keeps one compressed vector and one shared rotary key a layer instead.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from minigpt.language import say

MIB, GIB = 2**20, 2**30
WAYS = ("maximum", "exact", "blocks")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What the size of a model's KV cache depends on."""

    name: str
    num_layers: int
    num_heads: int  # query heads: they leave nothing in the cache
    num_kv_heads: int
    head_size: int
    bytes_per_element: int  # 4: fp32, 2: fp16 or bf16
    context: int  # tokens that one sequence can hold
    latent_size: int | None = None  # numbers a token and layer under multi-head latent attention

    def as_dict(self) -> dict:
        return asdict(self)


# Sizes from each model's paper or published configuration; two bytes a number, as they are usually served.
MODELS = {
    shape.name: shape
    for shape in (
        # minigpt/llm/model.py, Config. In fp32.
        Shape(name="Mini-GPT", num_layers=6, num_heads=4, num_kv_heads=1, head_size=32, bytes_per_element=4,
              context=1024),
        # Radford et al. (2019), the smallest of the four.
        Shape(name="GPT-2", num_layers=12, num_heads=12, num_kv_heads=12, head_size=64, bytes_per_element=2,
              context=1024),
        # Almazrouei et al. (2023): one KV head for 71 query heads (multi-query attention, Shazeer, 2019).
        Shape(name="Falcon-7B", num_layers=32, num_heads=71, num_kv_heads=1, head_size=64, bytes_per_element=2,
              context=2048),
        # Zhang et al. (2022). Kwon et al. (2023) count 800 KB a token, as this does.
        Shape(name="OPT-13B", num_layers=40, num_heads=40, num_kv_heads=40, head_size=128, bytes_per_element=2,
              context=2048),
        # Touvron et al. (2023).
        Shape(name="Llama-2-7B", num_layers=32, num_heads=32, num_kv_heads=32, head_size=128, bytes_per_element=2,
              context=4096),
        # Jiang et al. (2023), table 1. Its window of 4096 tokens bounds what a sequence keeps, not what a token takes.
        Shape(name="Mistral-7B", num_layers=32, num_heads=32, num_kv_heads=8, head_size=128, bytes_per_element=2,
              context=8192),
        # Dubey et al. (2024), table 3; context of the first release.
        Shape(name="Llama-3-8B", num_layers=32, num_heads=32, num_kv_heads=8, head_size=128, bytes_per_element=2,
              context=8192),
        # DeepSeek-AI (2024), sections 2.1 and 3.1: 60 layers, a latent of 512 and a rotary key of 64.
        Shape(name="DeepSeek-V2", num_layers=60, num_heads=128, num_kv_heads=128, head_size=128, bytes_per_element=2,
              context=131_072, latent_size=512 + 64),
    )
}  # fmt: skip


def bytes_per_token(shape: Shape) -> int:
    """Bytes that one token of one sequence takes."""
    per_layer = 2 * shape.num_kv_heads * shape.head_size if shape.latent_size is None else shape.latent_size
    return shape.num_layers * per_layer * shape.bytes_per_element


def bytes_per_sequence(shape: Shape, num_tokens: int) -> int:
    """Bytes of a sequence of so many tokens. Raises ValueError beyond the context."""
    if not 0 <= num_tokens <= shape.context:
        raise ValueError(say(
            en=f"num_tokens={num_tokens}: a sequence of {shape.name} holds 0 to {shape.context}",
            es=f"num_tokens={num_tokens}: una secuencia de {shape.name} admite de 0 a {shape.context}",
        ))  # fmt: skip
    return num_tokens * bytes_per_token(shape)


def places(num_tokens: int, way: str, *, context: int, block_size: int = 16) -> int:
    """Tokens' places that are set aside for a sequence: its maximum, its exact length, or whole blocks."""
    if way not in WAYS:
        names = ", ".join(WAYS)
        raise ValueError(say(en=f"way={way!r}: choose one of {names}", es=f"way={way!r}: elige una de {names}"))
    return {"maximum": context, "exact": num_tokens, "blocks": -(-num_tokens // block_size) * block_size}[way]


def sequences_that_fit(
    num_places: int, lengths: Sequence[int], way: str, *, context: int, block_size: int = 16
) -> int:  # fmt: skip
    """How many of these sequences, taken in order until one does not fit, share a cache of so many tokens' places."""
    for count, num_tokens in enumerate(lengths):
        num_places -= places(num_tokens, way, context=context, block_size=block_size)
        if num_places < 0:
            return count
    return len(lengths)
