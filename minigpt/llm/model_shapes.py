"""The sizes of some well-known models, and of ours, as far as the KV cache depends on them."""

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What the size of a model's KV cache depends on."""

    name: str
    num_layers: int
    num_heads: int  # query heads: they leave nothing in the cache
    num_kv_heads: int
    head_size: int
    bytes_per_element: int  # 4: fp32, 2: fp16 or bf16
    context: int  # most tokens that the cache keeps of one sequence
    latent_size: int | None = None  # numbers per token and layer under multi-head latent attention

    def as_dict(self) -> dict:
        return asdict(self)


# Sizes from each model's paper or published configuration; two bytes per number, as they are usually served.
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
        # Zhang et al. (2022). Kwon et al. (2023) count 800 KB per token, as this does.
        Shape(name="OPT-13B", num_layers=40, num_heads=40, num_kv_heads=40, head_size=128, bytes_per_element=2,
              context=2048),
        # Touvron et al. (2023).
        Shape(name="Llama-2-7B", num_layers=32, num_heads=32, num_kv_heads=32, head_size=128, bytes_per_element=2,
              context=4096),
        # Jiang et al. (2023), table 1 and section 2. Its context is 8192, but attention looks back over a window of 4096:
        # the cache is a ring, and a token that falls out of the window is overwritten.
        Shape(name="Mistral-7B", num_layers=32, num_heads=32, num_kv_heads=8, head_size=128, bytes_per_element=2,
              context=4096),
        # Dubey et al. (2024), table 3; context of the first release.
        Shape(name="Llama-3-8B", num_layers=32, num_heads=32, num_kv_heads=8, head_size=128, bytes_per_element=2,
              context=8192),
        # DeepSeek-AI (2024), sections 2.1 and 3.1: 60 layers, a latent of 512 and a rotary key of 64.
        Shape(name="DeepSeek-V2", num_layers=60, num_heads=128, num_kv_heads=128, head_size=128, bytes_per_element=2,
              context=131_072, latent_size=512 + 64),
    )
}
