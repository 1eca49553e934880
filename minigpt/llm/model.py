"""The Mini-GPT: a decoder-only transformer in the Llama shape, small enough to read in one sitting.

RMSNorm, rotary positions (Su et al., RoFormer, 2021), SwiGLU (Shazeer, 2020) and grouped-query attention (Ainslie
et al., 2023). The weights load unchanged into Hugging Face's Llama class.

There are three ways in, and they give the same logits:

    forward(tokens)                        all positions at once, no cache: slow for generation, and the oracle
    prefill(prompts, cache, slots)         the tokens of new prompts, whole or in chunks, into the KV cache
    decode_step(token_ids, cache, slots)   one token further for B sequences of different lengths

Weights are stored as (inputs, outputs), so that a layer is `x @ weight`, and products that read the same input are
one matrix: `qkv` holds queries, keys and values, `gate_up` both halves of the SwiGLU. At small batches a step costs
more for calling operations than for arithmetic; fewer calls are what makes it fast.
"""

from dataclasses import dataclass

from minigpt.llm import threads

threads.use_threads(1)

import torch  # noqa: E402  (the thread count must be decided before torch loads)
import torch.nn.functional as F  # noqa: E402

from minigpt.llm.kv_cache import CacheFull, KVCache  # noqa: E402
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
    """Turn the pairs (x_i, x_{i+D/2}) of the last axis by their position's angles.

    Rolling by half a head brings each element's partner to its place; `sin` carries the signs (`rope_tables`).
    """
    return torch.addcmul(x * cos, x.roll(x.shape[-1] // 2, dims=-1), sin)


def rope_tables(config: Config) -> tuple[torch.Tensor, torch.Tensor]:
    """cos and signed sin of the rotary angles, (context, D) each."""
    half = config.head_size // 2
    speeds = config.rope_base ** (-torch.arange(half, dtype=torch.float32) / half)  # (D/2,) radians a token
    angles = torch.arange(config.context, dtype=torch.float32)[:, None] * speeds  # (context, D/2)
    cos, sin = angles.cos(), angles.sin()
    return torch.cat([cos, cos], dim=-1), torch.cat([-sin, sin], dim=-1)


class MiniGPT:
    """The model: weights and the three ways through them."""

    def __init__(self, config: Config, embedding: torch.Tensor, layers: list[Layer], final_norm: torch.Tensor):
        self.config = config
        self.embedding = embedding  # (V, E); also the output matrix (tied)
        self.layers = layers
        self.final_norm = final_norm  # (E,)
        self.cos, self.sin = rope_tables(config)
        self.eos_token_id = EOS_TOKEN_ID

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
        return self._logits(x)

    @torch.inference_mode()
    def prefill(self, prompts: list[list[int]], cache: KVCache, slots: list[int]) -> torch.Tensor:
        """Compute the next tokens of each sequence into its slot; logits (B, V) after the last one of each.

        `prompts[i]` continues what slot `slots[i]` holds, so a long prompt can come in chunks. Rows of different
        lengths are padded on the right; padding is neither stored nor attended to.
        """
        self._check_prompts(prompts, cache, slots)
        cfg = self.config
        num_new = torch.tensor([len(prompt) for prompt in prompts])
        widest = int(num_new.max())
        tokens = torch.tensor([prompt + [0] * (widest - len(prompt)) for prompt in prompts])  # (B, T)
        slot_ids = torch.tensor(slots)
        positions = cache.lengths[slot_ids][:, None] + torch.arange(widest)  # (B, T)
        real = torch.arange(widest) < num_new[:, None]  # (B, T), False where padded
        longest = int(positions[real].max()) + 1  # S
        places = cache.slot_mapping(slot_ids[:, None].expand(-1, widest)[real], positions[real])
        rows = cache.slot_rows(slot_ids)
        hidden = torch.arange(longest) > positions[:, :, None]  # (B, T, S): the future, and other sequences' leftovers
        bias = torch.zeros(hidden.shape).masked_fill_(hidden, -torch.inf)[:, None, None]  # (B, 1, 1, T, S)
        rope_at = positions.clamp(max=cfg.context - 1)  # only padding can lie beyond the context
        cos, sin = self.cos[rope_at][:, :, None], self.sin[rope_at][:, :, None]  # (B, T, 1, D)

        x = self.embedding[tokens]  # (B, T, E)
        for index, layer in enumerate(self.layers):
            qk, v = self._project(layer, x)
            q, k = rotate(qk, cos, sin).split([cfg.num_heads, cfg.num_kv_heads], dim=-2)
            cache.write(index, places, k[real].view(-1, cfg.head_size), v[real].view(-1, cfg.head_size))
            attended = self._attend_many(q, *cache.read(index, rows, longest), bias)
            x = x + attended @ layer.attention_out
            x = layer.feed_forward(x.view(-1, cfg.width), cfg.norm_eps).view(x.shape)
        cache.lengths[slot_ids] += num_new
        return self._logits(x[torch.arange(len(prompts)), num_new - 1])

    @torch.inference_mode()
    def decode_step(self, token_ids: list[int], cache: KVCache, slots: list[int]) -> torch.Tensor:
        """Append one token to each of B sequences; logits (B, V) for the token after it.

        The linear layers run over all B rows at once. Only the new token has a query; it attends to the cached K
        and V of its own slot. The number of tensor operations does not depend on B.
        """
        self._check_tokens(token_ids, slots)
        cfg = self.config
        batch = len(slots)
        slot_ids = torch.tensor(slots)
        positions = cache.lengths[slot_ids]  # (B,): each sequence has its own
        longest = int(positions.max()) + 1  # S
        if longest > cache.max_length:
            raise CacheFull(f"a sequence holds {longest - 1} tokens, all that a slot can: end it before this step")
        places, rows = cache.slot_mapping(slot_ids, positions), cache.slot_rows(slot_ids)
        cos, sin = self.cos[positions, None], self.sin[positions, None]  # (B, 1, D)
        hidden = torch.arange(longest) > positions[:, None]  # (B, S): beyond the sequence's own length
        bias = torch.zeros(hidden.shape).masked_fill_(hidden, -torch.inf)
        bias = bias.repeat_interleave(cfg.num_kv_heads, dim=0)[:, None]  # (B·K, 1, S)
        scale = cfg.head_size**-0.5

        x = self.embedding[torch.tensor(token_ids)]  # (B, E)
        for index, layer in enumerate(self.layers):
            qk, v = self._project(layer, x)  # (B, H + K, D), (B, K, D)
            q, k = rotate(qk, cos, sin).split([cfg.num_heads, cfg.num_kv_heads], dim=1)
            cache.write(index, places, k.reshape(-1, cfg.head_size), v.reshape(-1, cfg.head_size))
            keys, values = cache.read(index, rows, longest)  # (B·K, S, D)
            # The H/K query heads that share a key/value head are rows of one small matrix.
            q = q.reshape(batch * cfg.num_kv_heads, -1, cfg.head_size)  # (B·K, H/K, D)
            weights = torch.baddbmm(bias, q, keys.transpose(1, 2), alpha=scale).softmax(dim=-1)  # (B·K, H/K, S)
            attended = torch.bmm(weights, values).view(batch, -1)  # (B, H·D)
            x = torch.addmm(x, attended, layer.attention_out)
            x = layer.feed_forward(x, cfg.norm_eps)
        cache.lengths[slot_ids] += 1
        return self._logits(x)

    def _project(self, layer: Layer, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Queries and keys (…, H + K, D), not yet rotated, and values (…, K, D) of x (…, E)."""
        cfg = self.config
        qkv = rms_norm(x, layer.attention_norm, cfg.norm_eps) @ layer.qkv
        heads = qkv.view(*x.shape[:-1], cfg.num_heads + 2 * cfg.num_kv_heads, cfg.head_size)
        return heads.split([cfg.num_heads + cfg.num_kv_heads, cfg.num_kv_heads], dim=-2)

    def _attend_many(self, q, keys, values, bias) -> torch.Tensor:
        """Attention of T queries a sequence: q (B, T, H, D), keys and values (B·K, S, D), result (B, T, H·D)."""
        cfg = self.config
        batch, length = q.shape[:2]
        grouped = q.view(batch, length, cfg.num_kv_heads, -1, cfg.head_size).permute(0, 2, 3, 1, 4)  # (B, K, H/K, T, D)
        keys, values = (t.view(batch, cfg.num_kv_heads, 1, -1, cfg.head_size) for t in (keys, values))
        scores = grouped @ keys.transpose(-1, -2) * cfg.head_size**-0.5 + bias  # (B, K, H/K, T, S)
        attended = scores.softmax(dim=-1) @ values  # (B, K, H/K, T, D)
        return attended.permute(0, 3, 1, 2, 4).reshape(batch, length, -1)

    def _logits(self, x: torch.Tensor) -> torch.Tensor:
        return rms_norm(x, self.final_norm, self.config.norm_eps) @ self.embedding.t()

    def _check_tokens(self, token_ids: list[int], slots: list[int]) -> None:
        if not token_ids or len(token_ids) != len(slots):
            raise ValueError(f"token_ids has {len(token_ids)} tokens and slots {len(slots)}: give one token a slot")
        if len(set(slots)) != len(slots):
            raise ValueError(f"slots={slots} names a slot twice: a sequence takes one token a step")
        worst = max(token_ids) if max(token_ids) >= self.config.vocab_size else min(token_ids)
        if not 0 <= worst < self.config.vocab_size:
            raise ValueError(f"token {worst} is outside the vocabulary: tokens are 0 to {self.config.vocab_size - 1}")

    def _check_prompts(self, prompts: list[list[int]], cache: KVCache, slots: list[int]) -> None:
        if any(len(prompt) == 0 for prompt in prompts):
            raise ValueError("prompts holds an empty prompt: every sequence needs at least one token")
        self._check_tokens([max(prompt) for prompt in prompts], slots)
        self._check_tokens([min(prompt) for prompt in prompts], slots)
        for prompt, slot in zip(prompts, slots):
            total = int(cache.lengths[slot]) + len(prompt)
            if total > cache.max_length:
                raise CacheFull(
                    f"a prompt of {len(prompt)} tokens would bring slot {slot} to {total} tokens, "
                    f"and it can hold {cache.max_length}: shorten the prompt"
                )
