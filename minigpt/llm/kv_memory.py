"""How much memory the KV cache takes: of this model and of some well-known ones.

Every layer keeps a key and a value of every token, for each of its key/value heads:

    bytes per token = 2 · layers · KV heads · head size · bytes of one number

Multi-head latent attention (DeepSeek-V2) keeps one compressed vector and one shared rotary key per layer instead.
"""

from collections.abc import Sequence

from minigpt.language import say
from minigpt.llm.model_shapes import Shape

MIB, GIB = 2**20, 2**30
WAYS = ("maximum", "exact", "blocks")


def bytes_per_token(shape: Shape) -> int:
    """Bytes that one token of one sequence takes."""
    per_layer = 2 * shape.num_kv_heads * shape.head_size if shape.latent_size is None else shape.latent_size
    return shape.num_layers * per_layer * shape.bytes_per_element


def bytes_per_sequence(shape: Shape, num_tokens: int) -> int:
    """Bytes of a sequence of `num_tokens` tokens. Raises ValueError beyond the context."""
    if not 0 <= num_tokens <= shape.context:
        raise ValueError(say(
            en=f"num_tokens={num_tokens}: a sequence of {shape.name} holds 0 to {shape.context}",
            es=f"num_tokens={num_tokens}: una secuencia de {shape.name} admite de 0 a {shape.context}",
        ))
    return num_tokens * bytes_per_token(shape)


def places(num_tokens: int, way: str, *, context: int, block_size: int = 16) -> int:
    """Token positions reserved for a sequence: its maximum, its exact length, or whole blocks."""
    if way not in WAYS:
        names = ", ".join(WAYS)
        raise ValueError(say(en=f"way={way!r}: choose one of {names}", es=f"way={way!r}: elige una de {names}"))
    return {"maximum": context, "exact": num_tokens, "blocks": -(-num_tokens // block_size) * block_size}[way]


def sequences_that_fit(
    num_places: int, lengths: Sequence[int], way: str, *, context: int, block_size: int = 16
) -> int:
    """How many of these sequences, taken in order until one does not fit, share a cache of a given number of positions."""
    for count, num_tokens in enumerate(lengths):
        num_places -= places(num_tokens, way, context=context, block_size=block_size)
        if num_places < 0:
            return count
    return len(lengths)
