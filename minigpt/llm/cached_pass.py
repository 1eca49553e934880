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

MOST_WORKSPACES = 20  # of a cache


class Workspace:
    """The memory that every layer of a pass overwrites, and its views: made once, since a view costs a call too."""

    def __init__(self, cfg, batch: int, new: int):
        self.made_for = cfg, batch, new
        heads, kv_heads, rows = cfg.num_heads, cfg.num_kv_heads, batch * new
        # The last column of `row` holds √(E·eps) at all times: the length of a row is then √(‖x‖² + E·eps), which the norm needs.
        self.row = torch.full((rows, cfg.width + 1), (cfg.width * cfg.norm_eps) ** 0.5)  # (N, E + 1)
        self.x = self.row[:, :-1]  # (N, E): what the layers add to
        self.length, self.normed = torch.empty(rows, 1), torch.empty(rows, cfg.width)  # (N, 1), (N, E)
        self.gate_up = torch.empty(rows, 2 * cfg.ffn_width)
        self.gate, self.up = self.gate_up.chunk(2, dim=1)  # (N, F) each
        self.activated, self.added = torch.empty(rows, cfg.ffn_width), torch.empty(rows, cfg.width)
        self.scale = cfg.head_size**-0.5

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
    x = run_layers(model, tokens, positions, cache, slots, longest, only_last=True)
    cache.lengths.index_copy_(0, slots, positions[:, -1] + 1)
    return model.output_product(x)


def logits_of_all(model, tokens, positions, cache, slots, longest: int) -> torch.Tensor:
    """As `logits_after`, for every token: (B, T, V)."""
    x = run_layers(model, tokens, positions, cache, slots, longest, only_last=False)
    cache.lengths.index_copy_(0, slots, positions[:, -1] + 1)
    return model.output_product(x).view(*positions.shape, -1)


def run_layers(model, tokens, positions, cache, slots, longest: int, only_last: bool) -> torch.Tensor:
    """The tokens after the last layer, normed: all of them, (N, E), or the last of each sequence, (B, E)."""
    work = workspace(cache, model.config, *positions.shape)
    slot_mapping, read = cache.slot_mapping(slots, positions), cache.reader(slots, longest)
    turns, bias = model.turns[positions], score_bias(model, positions, longest)  # turns: (B, T, 1, D/2)
    torch.index_select(model.embedding, 0, tokens, out=work.x)
    for index, (layer, by) in enumerate(zip(model.layers, model.products)):
        by.qkv(norm(model, layer.attention_norm, work), out=work.qkv)
        work.q_and_k.mul_(turns)
        cache.write(index, slot_mapping, work.new_kv)
        if only_last and layer is model.layers[-1] and positions.shape[1] > 1:
            # The other tokens were needed up to here: for their K and V.
            work, bias = last_of_each(work, cache), score_bias(model, positions[:, -1:], longest)
        attend(work, bias, *read(index))
        work.x.add_(by.attention_out(work.gathered_rows(), out=work.added))
        work.x.add_(feed_forward(norm(model, layer.ffn_norm, work), by, work))
    return norm(model, model.final_norm, work)


def attend(work: Workspace, bias, keys, values) -> None:
    """Attention of the workspace's queries to keys (B·K, D, S) and values (B·K, S, D)."""
    scores = torch.baddbmm(bias, work.queries(), keys, alpha=work.scale)  # (B·K, T·G, S)
    torch.bmm(scores.softmax(dim=-1), values, out=work.gathered)


def feed_forward(normed: torch.Tensor, by, work: Workspace) -> torch.Tensor:
    """SwiGLU of normed (N, E)."""
    by.gate_up(normed, out=work.gate_up)
    return by.down(torch.mul(F.silu(work.gate, inplace=True), work.up, out=work.activated), out=work.added)


def last_of_each(work: Workspace, cache) -> Workspace:
    """A workspace of one token per sequence, with the sums so far and the queries of the last ones."""
    config, batch, new = work.made_for
    last = workspace(cache, config, batch, 1)
    last.x.copy_(work.x.unflatten(0, (batch, new))[:, -1])
    last.qkv.copy_(work.qkv.view(batch, new, -1)[:, -1])
    return last


def workspace(cache, *wanted) -> Workspace:
    """The workspace for a config, B and T; the cache keeps those of its latest shapes."""
    found = cache.workspaces.get(wanted)
    if found is None:
        if len(cache.workspaces) == MOST_WORKSPACES:
            cache.workspaces.clear()
        found = cache.workspaces[wanted] = Workspace(*wanted)
    return found


def norm(model, weight: torch.Tensor, work: Workspace) -> torch.Tensor:
    """RMSNorm of each row of x (N, E), by its length ‖x‖: the root mean square is ‖x‖/√E."""
    length = torch.linalg.vector_norm(work.row, dim=-1, keepdim=True, out=work.length)  # (N, 1)
    # 0 + √E·x/length: `addcdiv` multiplies and divides in one call.
    return torch.addcdiv(model.zeros, work.x, length, value=model.root_width, out=work.normed).mul_(weight)


def score_bias(model, positions: torch.Tensor, longest: int) -> torch.Tensor:
    """The mask added to the scores (B·K, T·G, S): −∞ where the query at a position must not look."""
    cfg, new = model.config, positions.shape[1]
    bias = model.masks[:, :longest][cfg.context - 1 - positions]  # (B, T, S): a position sees itself and those before it
    if new > 1:  # the row of a single token serves all its heads as it is
        bias = bias.repeat_interleave(cfg.num_heads // cfg.num_kv_heads, dim=1)
    return bias if cfg.num_kv_heads == 1 else bias.repeat_interleave(cfg.num_kv_heads, dim=0)
