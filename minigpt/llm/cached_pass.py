"""The pass with a KV cache: T new tokens of each of B sequences through all layers, in few calls.

`MiniGPT.forward` is the same arithmetic, written to be read; this is written to be run. At small batches calling
the operations costs more than their arithmetic. So everything that is the same for all layers is prepared before the
loop over them (memory, views, angles, masks), results go into given memory, and sums and products are computed in place
where possible.
A decode step is a pass with T = 1.

Attention is two batched products, with one small matrix per sequence and KV head. Its rows of queries are the T new
tokens times the G = H/K query heads that share the KV head. The linear layers have N = B·T rows.
"""

import torch
import torch.nn.functional as F


class Workspace:
    """The memory that every layer of a pass overwrites, and its views: made once, since a view costs a call too."""

    def __init__(self, cfg, batch: int, new: int):
        self.made_for = cfg, batch, new
        heads, kv_heads, rows = cfg.num_heads, cfg.num_kv_heads, batch * new
        self.length, self.normed = torch.empty(rows, 1), torch.empty(rows, cfg.width)  # (N, 1), (N, E)
        self.gate_up = torch.empty(rows, 2 * cfg.ffn_width)
        self.gate, self.up = self.gate_up.chunk(2, dim=1)  # (N, F) each

        self.qkv = torch.empty(rows, (heads + 2 * kv_heads) * cfg.head_size)
        by_head = self.qkv.view(batch, new, -1, cfg.head_size)  # (B, T, H + 2K, D)
        pairs = by_head[:, :, : heads + kv_heads].unflatten(-1, (-1, 2))  # (B, T, H + K, D/2, 2)
        self.q_and_k = torch.view_as_complex(pairs)  # (B, T, H + K, D/2): turning all pairs is one product
        self.new_kv = by_head[:, :, heads:].unflatten(2, (2, kv_heads)).permute(0, 3, 1, 2, 4)  # (B, K, T, 2, D)

        self._q = by_head[:, :, :heads].unflatten(2, (kv_heads, -1)).transpose(1, 2)  # (B, K, T, G, D)
        self._queries = self._q.reshape(batch * kv_heads, -1, cfg.head_size)
        self.gathered = torch.empty(self._queries.shape)  # (B·K, T·G, D)
        self._by_token = self.gathered.view(batch, kv_heads, new, -1).transpose(1, 2)  # (B, T, K, G·D)
        self._gathered_rows = self._by_token.reshape(rows, -1)
        # With one new token and one KV head the two reshaped tensors are views; otherwise each layer needs new copies.
        self._are_views = new == kv_heads == 1

    def queries(self) -> torch.Tensor:
        """The layer's queries as matrices, (B·K, T·G, D)."""
        return self._queries if self._are_views else self._q.reshape(self._queries.shape)

    def gathered_rows(self) -> torch.Tensor:
        """The output of the layer's attention, one row per token: (N, H·D)."""
        return self._gathered_rows if self._are_views else self._by_token.reshape(self._gathered_rows.shape)


def logits_after(model, tokens, positions, cache, slots, longest: int) -> torch.Tensor:
    """Put tokens (N,) at positions (B, T) of slots (B,) into the cache; logits (B, V) after the last of each slot.

    `longest` is S, the number of tokens that the longest of these sequences then holds.
    """
    x = run_layers(model, tokens, positions, cache, slots, longest)
    cache.lengths.index_copy_(0, slots, positions[:, -1] + 1)
    return F.linear(x.view(*positions.shape, -1)[:, -1], model.embedding)


def logits_of_all(model, tokens, positions, cache, slots, longest: int) -> torch.Tensor:
    """As `logits_after`, for every token: (B, T, V)."""
    x = run_layers(model, tokens, positions, cache, slots, longest)
    cache.lengths.index_copy_(0, slots, positions[:, -1] + 1)
    return F.linear(x, model.embedding).view(*positions.shape, -1)


def run_layers(model, tokens, positions, cache, slots, longest: int) -> torch.Tensor:
    """The tokens after the last layer, normed: (N, E), in the workspace of the cache."""
    work, scale = workspace(cache, model.config, *positions.shape), model.config.head_size**-0.5
    slot_mapping, read = cache.slot_mapping(slots, positions), cache.reader(slots, longest)
    turns, bias = model.turns[positions], score_bias(model, positions, longest)  # turns: (B, T, 1, D/2)
    x = model.embedding.index_select(0, tokens)  # (N, E)
    for index, layer in enumerate(model.layers):
        torch.mm(norm(model, x, layer.attention_norm, work), layer.qkv, out=work.qkv)
        work.q_and_k.mul_(turns)
        cache.write(index, slot_mapping, work.new_kv)
        keys, values = read(index)  # (B·K, D, S), (B·K, S, D)
        scores = torch.baddbmm(bias, work.queries(), keys, alpha=scale)  # (B·K, T·G, S)
        torch.bmm(scores.softmax(dim=-1), values, out=work.gathered)
        x.addmm_(work.gathered_rows(), layer.attention_out)
        torch.mm(norm(model, x, layer.ffn_norm, work), layer.gate_up, out=work.gate_up)
        x.addmm_(F.silu(work.gate, inplace=True).mul_(work.up), layer.down)
    return norm(model, x, model.final_norm, work)


def workspace(cache, *wanted) -> Workspace:
    """The workspace of the cache's last pass if config, B and T are the same, else a new one."""
    if cache.workspace is None or cache.workspace.made_for != wanted:
        cache.workspace = Workspace(*wanted)
    return cache.workspace


def norm(model, x: torch.Tensor, weight: torch.Tensor, work: Workspace) -> torch.Tensor:
    """RMSNorm of each row of x (N, E), by its length ‖x‖: the root mean square is ‖x‖/√E."""
    length = torch.linalg.vector_norm(x, dim=-1, keepdim=True, out=work.length)  # (N, 1)
    length.hypot_(model.norm_floor)  # √(‖x‖² + E·eps)
    # 0 + √E·x/length: `addcdiv` multiplies and divides in one call.
    return torch.addcdiv(model.zeros, x, length, value=model.root_width, out=work.normed).mul_(weight)


def score_bias(model, positions: torch.Tensor, longest: int) -> torch.Tensor:
    """The mask added to the scores (B·K, T·G, S): −∞ where the query at a position must not look."""
    cfg, new = model.config, positions.shape[1]
    bias = model.masks[:, :longest][cfg.context - 1 - positions]  # (B, T, S): a position sees itself and those before it
    if new > 1:  # the row of a single token serves all its heads as it is
        bias = bias.repeat_interleave(cfg.num_heads // cfg.num_kv_heads, dim=1)
    return bias if cfg.num_kv_heads == 1 else bias.repeat_interleave(cfg.num_kv_heads, dim=0)
