"""Lab 01, amortized forward pass: one pass over B requests costs far less than B passes.

The KV cache of a request is the simplest that works: a dict that maps a layer's index to (keys, values), each of shape
(S, K, D) with the oldest token first; K is the number of key/value heads. An empty dict is a request without tokens.
All shape letters are in minigpt/__init__.py. The model is a `MiniGPT`: minigpt/llm/model.py.
"""

import math
import statistics

import torch

from minigpt.llm.model import rms_norm, rotate


def length(cache):
    """Return how many tokens a cache holds, which is also the position of the next one."""
    return len(cache[0][0]) if cache else 0


def project(model, layer, x, positions):
    """Return queries (B, H, D), keys and values (B, K, D) of x (B, E); queries and keys are rotated by position (B,)."""
    cfg = model.config
    qkv = rms_norm(x, layer.attention_norm, cfg.norm_eps) @ layer.qkv  # (B, (H + 2K)·D): one product for all rows
    heads = qkv.view(len(x), -1, cfg.head_size)
    q, k, v = heads.split([cfg.num_heads, cfg.num_kv_heads, cfg.num_kv_heads], dim=1)
    cos, sin = model.cos[positions, None], model.sin[positions, None]  # (B, 1, D)
    return rotate(q, cos, sin), rotate(k, cos, sin), v


def logits_of(model, x):
    """Return the logits (B, V) of x (B, E), the output of the last layer."""
    return rms_norm(x, model.final_norm, model.config.norm_eps) @ model.embedding.t()


def remember(cache, layer, k, v):
    """Append the newest tokens' keys k and values v, (T, K, D) each, to those that `cache` holds for this layer.

    `cache` is changed in place. Return (keys, values) of all tokens so far, the newest included: (S, K, D) each.
    """
    # EXERCISE 1.1 (about 5 lines)
    raise NotImplementedError("exercise 1.1: remember")


def attend(q, keys, values):
    """Let the newest token's queries q (H, D) attend to keys and values (S, K, D); return (H·D,), heads in order.

    A query's weights over the S tokens are softmax(q·key / √D); they must also be right for large scores. H/K
    neighbouring query heads share a key/value head: with H = 4 and K = 2, heads 0 and 1 read key/value head 0, heads 2
    and 3 read head 1.
    """
    # EXERCISE 1.2 (about 4 lines)
    raise NotImplementedError("exercise 1.2: attend")


@torch.inference_mode()
def decode_one(model, cache, token):
    """Append one token to a request and return the logits (V,) for the token after it. The cache grows by one token."""
    # EXERCISE 1.3 (about 8 lines)
    raise NotImplementedError("exercise 1.3: decode_one")


@torch.inference_mode()
def decode_batch(model, caches, tokens):
    """Append one token to each of B requests of any length; return the logits (B, V) for the tokens after them.

    `tokens[i]` belongs to the request of `caches[i]`. Each weight matrix is read once, for all rows together.
    """
    # EXERCISE 1.4 (about 11 lines)
    raise NotImplementedError("exercise 1.4: decode_batch")


def answer_together(model, prompts, max_tokens=100):
    """Return greedy answers (token ids without EOS) to several prompts (token ids), decoded together by `decode_batch`.

    Each step feeds every request one token: first those of its prompt (the simplest form of prefill, and a slow one), then
    those of its own answer. A request drops out at its EOS, or after `max_tokens`.
    """
    caches, tokens = [{} for _ in prompts], [list(prompt) for prompt in prompts]
    running = list(range(len(prompts)))
    while running:
        fed = [tokens[i][length(caches[i])] for i in running]
        logits = decode_batch(model, [caches[i] for i in running], fed)
        for i, best in zip(running, logits.argmax(dim=-1).tolist()):
            if length(caches[i]) == len(tokens[i]):  # the prompt is in: from here on, keep the model's tokens
                tokens[i].append(best)
        ended = {i for i in running if tokens[i][-1] == model.eos_token_id or len(tokens[i]) == len(prompts[i]) + max_tokens}
        running = [i for i in running if i not in ended]
    answers = [all_tokens[len(prompt) :] for prompt, all_tokens in zip(prompts, tokens)]
    return [[token for token in each if token != model.eos_token_id] for each in answers]


def time_fairly(candidates, repeats, warmup, clock):
    """Return the median time of one call of each candidate, in the unit of the clock: a dict of name -> time.

    `candidates` maps names to functions without arguments; `clock()` returns the current time. First call each
    candidate `warmup` times without timing it. Then run `repeats` rounds; in each round, call every candidate once and
    read the clock before and after the call.
    """
    # EXERCISE 1.5 (about 10 lines)
    raise NotImplementedError("exercise 1.5: time_fairly")


def p95(values):
    """Return the nearest-rank p95, the ⌈0.95·n⌉-th smallest of n values; leave the list unchanged. Empty: ValueError."""
    # EXERCISE 1.6 (about 3 lines)
    raise NotImplementedError("exercise 1.6: p95")


def fit_line(batch_sizes, times):
    """Return the numbers (a, b) for which a + b·B fits the times best, by least squares."""
    # EXERCISE 1.7 (about 4 lines)
    raise NotImplementedError("exercise 1.7: fit_line")


def batch_for_share(a, b, share):
    """Return the batch size (not rounded) at which B / (a + b·B) reaches this share of its ceiling 1/b.

    The ceiling itself is never reached: raise ValueError for a share that is not between 0 and 1.
    """
    # EXERCISE 1.8 (about 3 lines)
    raise NotImplementedError("exercise 1.8: batch_for_share")


def pad(caches, room):
    """Join the dict caches of B requests into one dict with "keys", "values" and "lengths".

    Keys and values have the shape (layers, B, room, K, D): a request's own tokens come first, zeros fill the rest.
    `lengths` (B,) says how many tokens each holds. No request may hold more than `room`.
    """
    lengths = torch.tensor([length(cache) for cache in caches])
    padded = {"lengths": lengths}
    for place, name in enumerate(("keys", "values")):
        parts = [[cache[layer][place] for cache in caches] for layer in caches[0]]
        shape = (len(parts), len(caches), room, *parts[0][0].shape[1:])
        padded[name] = torch.zeros(shape)
        for layer, row in ((layer, row) for layer in range(len(parts)) for row in range(len(caches))):
            padded[name][layer, row, : lengths[row]] = parts[layer][row]
    return padded


@torch.inference_mode()
def decode_padded(model, padded, tokens):
    """Append one token to each of B requests of any length, without a loop over them; return the logits (B, V).

    `padded` comes from `pad`, and has room for one more token. It is changed in place: the keys and values of each new
    token are written at its request's own length, and `lengths` grow by one. A request attends to its own tokens, the new
    one included, and to none of the positions after them.
    """
    # EXERCISE 1.9 (about 18 lines)
    raise NotImplementedError("exercise 1.9: decode_padded")


@torch.inference_mode()
def prefill(model, cache, tokens):
    """Append all T tokens of a prompt to a request in one pass; return the logits (V,) for the token after the last one.

    `cache` may be empty or hold an earlier part of the prompt. Token t attends to what the cache held before, and to the
    new tokens up to itself, but to none that comes later.
    """
    # EXERCISE 1.10 (about 15 lines)
    raise NotImplementedError("exercise 1.10: prefill")
