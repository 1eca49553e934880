"""The Mini-GPT: a decoder-only transformer in the Llama shape, small enough to read in one sitting.

RMSNorm, rotary positions (Su et al., RoFormer, 2021), SwiGLU (Shazeer, 2020) and grouped-query attention (Ainslie
et al., 2023). The weights load unchanged into Hugging Face's Llama class.

There are four ways in, and they give the same logits:

    forward(tokens)                        all positions at once, no cache: slow for generation, and the oracle
    prefill(prompts, cache, slots)         the tokens of new prompts, whole or in chunks, into the KV cache
    decode_step(token_ids, cache, slots)   one token further for B sequences of different lengths
    verify(guesses, cache, slots)          as prefill, with the logits after every token

Weights are stored as (inputs, outputs), so that a layer is `x @ weight`, and products that read the same input are
one matrix: `qkv` holds queries, keys and values, `gate_up` both halves of the SwiGLU. `forward` is written to be read;
the others share `cached_pass.py`, which is the same arithmetic in fewer calls.
"""

from dataclasses import dataclass

from minigpt.llm import threads

threads.use_threads(1)

import torch  # noqa: E402  (the thread count must be decided before torch loads)
import torch.nn.functional as F  # noqa: E402

from minigpt.llm.cached_pass import logits_after, logits_of_all  # noqa: E402
from minigpt.llm.kv_cache import CacheFull, KVCache  # noqa: E402
from minigpt.llm.products import LayerProducts, product_with  # noqa: E402
from minigpt.llm.tokenizer import EOS_TOKEN_ID, VOCAB_SIZE  # noqa: E402

torch.set_num_threads(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The shape of a Mini-GPT; the defaults are those of the shipped checkpoint."""

    vocab_size: int = VOCAB_SIZE  # V
    width: int = 128  # E
    num_layers: int = 6
    num_heads: int = 4  # H
    num_kv_heads: int = 1  # K; each serves H/K query heads
    head_size: int = 32  # D
    ffn_width: int = 384  # F
    context: int = 1024  # tokens: the most that one sequence can hold
    rope_base: float = 10_000.0  # wavelength of the slowest rotation, roughly, in tokens
    norm_eps: float = 1e-5


@dataclass(slots=True, kw_only=True)
class Layer:
    """The weights of one transformer layer."""

    attention_norm: torch.Tensor  # (E,)
    qkv: torch.Tensor  # (E, (H + 2K)·D): queries, keys, values
    attention_out: torch.Tensor  # (H·D, E)
    ffn_norm: torch.Tensor  # (E,)
    gate_up: torch.Tensor  # (E, 2F)
    down: torch.Tensor  # (F, E)

    def feed_forward(self, x: torch.Tensor, eps: float) -> torch.Tensor:
        """x + SwiGLU(norm(x)), for x of shape (N, E)."""
        gate, up = (rms_norm(x, self.ffn_norm, eps) @ self.gate_up).chunk(2, dim=-1)  # (N, F) each
        return torch.addmm(x, F.silu(gate) * up, self.down)


def rms_norm(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    """Scale each row of x (…, E) to unit root mean square, then by the learned weight."""
    return F.rms_norm(x, weight.shape, weight, eps)


def rotate(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Turn the pairs (x_0, x_1), (x_2, x_3) … of the last axis by their position's angles.

    Each element needs its partner times the sine; `sin` holds the signs (`rope_tables`).
    """
    partners = x.unflatten(-1, (-1, 2)).flip(-1).flatten(-2)
    return torch.addcmul(x * cos, partners, sin)


def rope_tables(config: Config) -> tuple[torch.Tensor, torch.Tensor]:
    """cos and signed sin of the rotary angles, (context, D) each: every angle stands twice, for both of a pair."""
    half = config.head_size // 2
    speeds = config.rope_base ** (-torch.arange(half, dtype=torch.float32) / half)  # (D/2,) radians per position
    angles = torch.arange(config.context, dtype=torch.float32)[:, None] * speeds  # (context, D/2)
    cos, sin = angles.cos(), angles.sin()
    return torch.stack([cos, cos], dim=-1).flatten(1), torch.stack([-sin, sin], dim=-1).flatten(1)


class MiniGPT:
    """The model: weights and the ways through them."""

    def __init__(self, config: Config, embedding: torch.Tensor, layers: list[Layer], final_norm: torch.Tensor):
        self.config = config
        self.embedding = embedding  # (V, E); also the output matrix (tied)
        self.layers = layers
        self.final_norm = final_norm  # (E,)
        self.cos, self.sin = rope_tables(config)
        self.eos_token_id = EOS_TOKEN_ID
        # Of the cached pass: its products; and constants, angles as complex numbers, masks, and what its norm needs.
        self.products, self.output_product = [LayerProducts(layer) for layer in layers], product_with(embedding.t())
        self.turns = torch.complex(self.cos[:, ::2], self.sin[:, 1::2])[:, None]  # (context, 1, D/2)
        ramp = torch.cat([torch.zeros(config.context), torch.full((config.context,), -torch.inf)])
        self.masks = ramp.unfold(0, config.context, 1)  # views of it: row r leaves context − r places visible
        self.root_width, self.zeros = config.width**0.5, torch.zeros(config.width)  # √E, (E,)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Logits (B, T, V) after every position of tokens (B, T), computed without a cache."""
        batch, length = tokens.shape
        cfg = self.config
        cos, sin = self.cos[:length, None], self.sin[:length, None]  # (T, 1, D)
        x = self.embedding[tokens]  # (B, T, E)
        for layer in self.layers:
            qk, v = self._project(layer, x)
            q, k = rotate(qk, cos, sin).split([cfg.num_heads, cfg.num_kv_heads], dim=-2)
            attended = F.scaled_dot_product_attention(
                q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), is_causal=True, enable_gqa=True
            )  # (B, H, T, D)
            x = x + attended.transpose(1, 2).reshape(batch, length, -1) @ layer.attention_out
            x = layer.feed_forward(x.view(batch * length, -1), cfg.norm_eps).view(batch, length, -1)
        return rms_norm(x, self.final_norm, cfg.norm_eps) @ self.embedding.t()

    @torch.inference_mode()
    def prefill(self, prompts: list[list[int]], cache: KVCache, slots: list[int]) -> torch.Tensor:
        """Compute the next tokens of each sequence into its slot; return logits (B, V) after the last one of each.

        `prompts[i]` continues what slot `slots[i]` holds, so a long prompt can come in chunks. Shorter prompts are
        padded with their own last token, at its own position: that only computes the same K and V again.
        """
        return logits_after(self, *self._padded(prompts, cache, slots))

    @torch.inference_mode()
    def verify(self, guesses: list[list[int]], cache: KVCache, slots: list[int]) -> torch.Tensor:
        """As `prefill`, with logits (B, T, V) after every token: what the model would have said at each place.

        A shorter row is padded: its entries beyond its own length say nothing.
        """
        return logits_of_all(self, *self._padded(guesses, cache, slots))

    def _padded(self, prompts: list[list[int]], cache: KVCache, slots: list[int]) -> tuple:
        """The tokens of a ragged batch (N,), their positions (B, T), cache, slots (B,) and S."""
        lengths = cache.lengths.tolist()
        self._check_prompts(prompts, cache, slots, lengths)
        widest = max(map(len, prompts))  # T
        tokens = torch.tensor([prompt + prompt[-1:] * (widest - len(prompt)) for prompt in prompts])  # (B, T)
        slots = torch.tensor(slots)
        first = cache.lengths[slots][:, None]  # (B, 1)
        num_new = torch.tensor([[len(prompt)] for prompt in prompts])  # (B, 1)
        positions = first + torch.arange(widest).minimum(num_new - 1)  # (B, T)
        longest = int(positions.max()) + 1  # S
        return tokens.view(-1), positions, cache, slots, longest

    @torch.inference_mode()
    def decode_step(self, token_ids: list[int], cache: KVCache, slots: list[int]) -> torch.Tensor:
        """Append one token to each of B sequences; return logits (B, V) for the token after it.

        The linear layers run over all B rows at once. Only the new token has a query; it attends to the cached K
        and V of its own slot. The number of tensor operations does not depend on B.
        """
        self._check_tokens(token_ids, slots)
        lengths = cache.lengths.tolist()
        positions = [lengths[slot] for slot in slots]  # each sequence has its own
        longest = max(positions) + 1  # S
        if longest > cache.max_length:
            raise CacheFull(f"a sequence holds {longest - 1} tokens, as many as a slot can hold: end it before this step")
        tokens, positions, slots = torch.tensor([token_ids, positions, slots]).unbind(0)  # (B,) each
        return logits_after(self, tokens, positions.unsqueeze(1), cache, slots, longest)

    def _project(self, layer: Layer, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Queries and keys (…, H + K, D), not yet rotated, and values (…, K, D) of x (…, E)."""
        cfg = self.config
        qkv = rms_norm(x, layer.attention_norm, cfg.norm_eps) @ layer.qkv
        heads = qkv.view(*x.shape[:-1], cfg.num_heads + 2 * cfg.num_kv_heads, cfg.head_size)
        return heads.split([cfg.num_heads + cfg.num_kv_heads, cfg.num_kv_heads], dim=-2)

    def _check_tokens(self, token_ids: list[int], slots: list[int]) -> None:
        if not token_ids or len(token_ids) != len(slots):
            raise ValueError(f"token_ids has {len(token_ids)} tokens and slots {len(slots)}: give one token per slot")
        if len(set(slots)) != len(slots):
            raise ValueError(f"slots={slots} names a slot twice: a sequence takes one token per step")
        worst = max(token_ids) if max(token_ids) >= self.config.vocab_size else min(token_ids)
        if not 0 <= worst < self.config.vocab_size:
            raise ValueError(f"token {worst} is outside the vocabulary: tokens are 0 to {self.config.vocab_size - 1}")

    def _check_prompts(self, prompts: list[list[int]], cache: KVCache, slots: list[int], lengths: list[int]) -> None:
        if any(len(prompt) == 0 for prompt in prompts):
            raise ValueError("prompts holds an empty prompt: every sequence needs at least one token")
        self._check_tokens([max(prompt) for prompt in prompts], slots)
        self._check_tokens([min(prompt) for prompt in prompts], slots)
        for prompt, slot in zip(prompts, slots):
            total = lengths[slot] + len(prompt)
            if total > cache.max_length:
                raise CacheFull(
                    f"a prompt of {len(prompt)} tokens would bring slot {slot} to {total} tokens, but it can hold "
                    f"{cache.max_length}: shorten the prompt"
                )
