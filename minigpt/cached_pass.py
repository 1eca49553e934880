"""The pass with a KV cache: T new tokens of each of B sequences through all layers, in few operations.

`MiniGPT.forward` is the same arithmetic as one writes it; this is the same as one runs it. At small batches a step
costs more for calling operations than for their arithmetic, so nothing is called twice that can be called once:
memory, views, masks and angles are made before the loop over the layers, and every layer overwrites them. A decode
step is a pass with T = 1.

Attention of a pass is two batched products of small matrices, one per sequence and KV head. The rows of a matrix of
queries are the T tokens of the sequence times the G = H/K query heads that share the KV head.
"""

import math

import torch
import torch.nn.functional as F


class Workspace:
    """What the layers of one pass write to, and views of it: made once, since a view costs a call as well."""

    def __init__(self, cfg, batch: int, new: int, longest: int):
        shared = cfg.num_heads // cfg.num_kv_heads  # G
        rows, per_sequence = batch * new, (batch, new, cfg.num_kv_heads, shared)  # N = B·T, (B, T, K, G)
        self.normed = torch.empty(rows, cfg.width)  # (N, E)
        self.gate_up = torch.empty(rows, 2 * cfg.ffn_width)  # (N, 2F)
        self.gate, self.up = self.gate_up.chunk(2, dim=1)  # (N, F) each

        self.qkv = torch.empty(rows, (cfg.num_heads + 2 * cfg.num_kv_heads) * cfg.head_size)
        q, kv = self.qkv.view(batch, new, -1, cfg.head_size).tensor_split([cfg.num_heads], dim=2)
        self.new_kv = kv.unflatten(2, (2, cfg.num_kv_heads)).permute(0, 3, 1, 2, 4)  # (B, K, T, 2, D)
        self.q = pairs(q.view(*per_sequence, cfg.head_size).transpose(1, 2))  # (B, K, T, G, D/2), complex
        self.k = pairs(self.new_kv[:, :, :, :1])  # (B, K, T, 1, D/2), complex

        of_attention = batch * cfg.num_kv_heads, new * shared  # (B·K, T·G, …)
        self.queries = torch.empty(*of_attention, cfg.head_size)
        self.turned_q = pairs(self.queries.view(batch, cfg.num_kv_heads, new, shared, cfg.head_size))
        self.scores, self.weights = torch.empty(2, *of_attention, longest).unbind(0)
        self.attended = torch.empty(*of_attention, cfg.head_size)
        self.by_token = self.attended.view(batch, cfg.num_kv_heads, new, -1).transpose(1, 2)  # (B, T, K, G·D)


def pairs(x: torch.Tensor) -> torch.Tensor:
    """The neighbours in the last axis of x (…, D) as complex numbers (…, D/2): a rotation is then one product."""
    return torch.view_as_complex(x.unflatten(-1, (-1, 2)))


def run_layers(model, tokens: torch.Tensor, cache, slots: list[int], positions: torch.Tensor, longest: int) -> torch.Tensor:
    """What the last layer leaves of tokens (B, T) at these positions (B, T), normed: (B, T, E).

    Their K and V are written to the cache; `longest` is S, the tokens of the longest sequence with its new ones.
    """
    cfg, (batch, new) = model.config, tokens.shape
    work, scale = Workspace(cfg, batch, new, longest), cfg.head_size**-0.5
    turns = model.turns[positions][:, None, :, None]  # (B, 1, T, 1, D/2)
    bias = mask(model, positions, longest)
    slot_mapping, read = cache.slot_mapping(slots, positions), cache.reader(slots, longest)
    norms = norm_weights(model)

    x = model.embedding.index_select(0, tokens.view(-1))  # (N, E)
    for index, layer in enumerate(model.layers):
        torch.mm(norm(x, next(norms), model.norm_floor, work.normed), layer.qkv, out=work.qkv)
        torch.mul(work.q, turns, out=work.turned_q)
        work.k.mul_(turns)
        cache.write(index, slot_mapping, work.new_kv)
        keys, values = read(index)  # (B·K, D, S), (B·K, S, D)
        torch.baddbmm(bias, work.queries, keys, alpha=scale, out=work.scores)
        torch.softmax(work.scores, dim=-1, out=work.weights)
        torch.bmm(work.weights, values, out=work.attended)
        x.addmm_(work.by_token.reshape(len(x), -1), layer.attention_out)
        torch.mm(norm(x, next(norms), model.norm_floor, work.normed), layer.gate_up, out=work.gate_up)
        F.silu(work.gate, inplace=True).mul_(work.up)
        x.addmm_(work.gate, layer.down)
    return norm(x, next(norms), model.norm_floor, work.normed).view(batch, new, -1)


def norm(x: torch.Tensor, weight: torch.Tensor, floor: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """RMSNorm of each row of x (N, E) by its length: the root mean square is ‖x‖/√E, and `weight` brings the √E."""
    length = torch.linalg.vector_norm(x, dim=-1, keepdim=True)  # (N, 1)
    return torch.div(x, length.hypot_(floor), out=out).mul_(weight)  # hypot is √(‖x‖² + E·eps)


def norm_weights(model):
    """The weights of all norms times √E, in the order of their use."""
    weights = [weight for layer in model.layers for weight in (layer.attention_norm, layer.ffn_norm)]
    return iter(torch.stack([*weights, model.final_norm]).mul_(math.sqrt(model.config.width)).unbind(0))


def mask(model, positions: torch.Tensor, longest: int) -> torch.Tensor:
    """What to add to the scores, (B·K, T·G, S): −∞ where a query's position hides what lies beyond it."""
    cfg, (batch, new) = model.config, positions.shape
    rows = model.masks[:, :longest].index_select(0, positions.view(-1)).view(batch, 1, new, 1, longest)
    shape = batch, cfg.num_kv_heads, new, cfg.num_heads // cfg.num_kv_heads, longest
    return rows.expand(shape).reshape(batch * cfg.num_kv_heads, -1, longest)
