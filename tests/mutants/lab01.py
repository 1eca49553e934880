"""Wrong caches, wrong steps and wrong measurements, each with a mistake that students are bound to make."""

from tests.mutants import by_hand, first_message, fresh, lab01_first_message, lab01_values
from tests.mutants.mutant import Mutant

JOIN = "        k, v = torch.cat([keys, k]), torch.cat([values, v])"
STORE = """    cache[layer] = (k, v)
    return k, v"""
REMEMBER = f"""    if layer in cache:
        keys, values = cache[layer]
{JOIN}
{STORE}"""
SCORES = "scores = grouped @ keys.permute(1, 2, 0) / math.sqrt(head_size)  # (K, H/K, S)"
GROUPED = "grouped = q.view(num_kv_heads, -1, head_size)  # (K, H/K, D)"
GATHER = "return (scores.softmax(dim=-1) @ values.transpose(0, 1)).reshape(-1)  # (K, H/K, D), then (H·D,)"
POSITION = "    positions = torch.tensor([length(cache)])\n"
PROJECT_ONE = "        q, k, v = project(model, layer, x, positions)  # (1, H, D), (1, K, D), (1, K, D)\n"
REMEMBER_ONE = "        keys, values = remember(cache, index, k, v)\n        x = x + attend(q[0], keys, values) @ layer.attention_out"
FEED_ONE = REMEMBER_ONE + "\n        x = layer.feed_forward(x, model.config.norm_eps)"
ROW_ONE = """    x = model.embedding[torch.tensor([token])]  # (1, E)
    for index, layer in enumerate(model.layers):
""" + PROJECT_ONE
ROWS_OUT = """        x = x + torch.stack(attended) @ layer.attention_out
        x = layer.feed_forward(x, model.config.norm_eps)
    return logits_of(model, x)"""
POSITIONS = "positions = torch.tensor([length(cache) for cache in caches])  # (B,): each request has its own"
REMEMBER_ROW = "keys, values = remember(cache, index, k[row : row + 1], v[row : row + 1])"
ATTEND_ROW = "attended.append(attend(q[row], keys, values))"
ROWS = f"""        for row, cache in enumerate(caches):
            {REMEMBER_ROW}
            {ATTEND_ROW}"""
PADDED_START = """    lengths, rows = padded["lengths"], torch.arange(len(tokens))  # (B,) each
"""
HIDDEN = "hidden = torch.arange(longest) > lengths[:, None]"
PADDED_PROJECT = "q, k, v = project(model, layer, x, lengths)"
PADDED_WRITE = """        padded["keys"][index][rows, lengths] = k
"""
PADDED_GROUPED = "grouped = q.view(len(tokens), num_kv_heads, -1, head_size)"
MASKED = "weights = scores.masked_fill(hidden[:, None, None], -math.inf).softmax(dim=-1)"
PADDED_GROW = "    lengths += 1\n"
PREFILL_MASK = "weights = scores.masked_fill(future, -math.inf).softmax(dim=-1)"
PREFILL_AT = "positions = torch.arange(before, before + count)"

MUTANTS = (
    Mutant(
        name="the cache written one place late", old=STORE, check="1.1/in_order", hint="including the newest",
        new="""    old = cache.get(layer, (k[:0], v[:0]))
    cache[layer] = (k, v)
    return old""",
    ),
    Mutant(
        name="only the newest token is kept", old=JOIN, new="        pass", check="1.1/in_order", hint="only the tokens of the last call",
    ),
    Mutant(
        name="new keys in front", old=JOIN, new="        k, v = torch.cat([k, keys]), torch.cat([v, values])",
        check="1.1/in_order", hint="oldest first",
    ),
    Mutant(
        name="K stored in the place of V", old=JOIN, new="        k, v = torch.cat([keys, k]), torch.cat([keys, k])",
        check="1.1/values_are_values", hint="is one of them kept twice",
    ),
    Mutant(
        name="one memory for all layers", old=REMEMBER, check="1.1/each_layer_in_its_dict", hint="number of the layer",
        new=REMEMBER.replace("layer in cache", "0 in cache").replace("cache[layer]", "cache[0]"),
    ),
    Mutant(
        name="a cache shared by all requests", old=REMEMBER, check="1.1/each_layer_in_its_dict", hint="a new request",
        new="    mine, cache = cache, remember.__dict__\n" + REMEMBER.replace("    return k, v", "    mine.update(cache)\n    return k, v"),
    ),
    Mutant(
        name="numbers of a head interleaved", old=GATHER, check="1.2/shape", hint="stay together",
        new="return (scores.softmax(dim=-1) @ values.transpose(0, 1)).reshape(-1, head_size).t().reshape(-1)",
    ),
    Mutant(
        name="heads left as a matrix", old=GATHER, check="1.2/shape", hint="one vector of 32",
        new="return (scores.softmax(dim=-1) @ values.transpose(0, 1)).reshape(-1, head_size)",
    ),
    Mutant(
        name="scores not divided by √D", old=SCORES, new="scores = grouped @ keys.permute(1, 2, 0)", check="1.2/weights",
        hint="divide the scores by √D",
    ),
    Mutant(
        name="softmax over the heads", old="scores.softmax(dim=-1)", new="scores.softmax(dim=1)", check="1.2/weights",
        hint="the softmax runs over the heads",
    ),
    Mutant(
        name="query heads dealt out in turn", old=GROUPED, check="1.2/groups", hint="assign them in turn",
        new="grouped = q.view(-1, num_kv_heads, head_size).transpose(0, 1)",
    ),
    Mutant(
        name="attends before it remembers", old=REMEMBER_ONE, check="1.3/equals_the_uncached_model",
        hint="remember the new K and V before attending", new="""        keys, values = cache.get(index, (k, v))
        remember(cache, index, k, v)
        x = x + attend(q[0], keys, values) @ layer.attention_out""",
    ),
    Mutant(
        name="what x held is thrown away", old=REMEMBER_ONE, check="1.3/equals_the_uncached_model", hint="it does not replace x",
        new=REMEMBER_ONE.replace("x = x + attend(q[0], keys, values)", "x = attend(q[0], keys, values)[None]"),
    ),
    Mutant(
        name="no feed-forward", old=FEED_ONE, new=REMEMBER_ONE, check="1.3/equals_the_uncached_model", hint="the feed-forward is missing",
    ),
    Mutant(
        # From an empty cache it could not be seen: only differences of positions count, and all are one too far.
        name="position asked for in every layer", old=PROJECT_ONE, check="1.3/goes_on_with_a_filled_cache",
        hint="read its length before that", new="        positions = torch.tensor([length(cache)])\n" + PROJECT_ONE,
    ),
    Mutant(
        name="position one late", old=POSITION, new="    positions = torch.tensor([length(cache) + 1])\n",
        check="1.3/goes_on_with_a_filled_cache", hint="the new one is at 9",
    ),
    Mutant(
        name="works on a copy of the cache", old=POSITION, new=POSITION + "    cache = dict(cache)\n",
        check="1.3/the_cache_grows_by_one", hint="not on a copy",
    ),
    Mutant(
        name="K and V swapped between requests", old=REMEMBER_ROW, check="1.4/nobody_sees_a_neighbour", hint="belongs to caches[i]",
        new="keys, values = remember(cache, index, k[-row - 1 :][:1], v[-row - 1 :][:1])",
    ),
    Mutant(
        name="query attends to a neighbour's cache", old=ATTEND_ROW, check="1.4/nobody_sees_a_neighbour",
        hint="both for remembering and for attending",
        new="attended.append(attend(q[row], *caches[row - 1].get(index, (keys, values))))",
    ),
    Mutant(
        name="positions shared across the batch", old=POSITIONS, check="1.4/lengths_may_differ", hint="the position of its own request",
        new="positions = torch.tensor([max(length(cache) for cache in caches)] * len(caches))",
    ),
    Mutant(
        name="padding attended to", old=ATTEND_ROW, check="1.4/lengths_may_differ", hint="not to as many as the longest request has",
        new="""padding = torch.zeros(int(positions.max()) + 1 - len(keys), *keys.shape[1:])
            attended.append(attend(q[row], torch.cat([keys, padding]), torch.cat([values, padding])))""",
    ),
    Mutant(
        name="one pass per request", old=POSITIONS, check="1.4/one_product_a_matrix", hint="all rows in one product",
        new="return torch.stack([decode_one(model, cache, token) for cache, token in zip(caches, tokens)])\n    positions = None",
    ),
    Mutant(
        name="a stale row after its place is reused", old=ATTEND_ROW, check="1.4/rows_change_hands",
        hint="takes the row of one that has left",
        new="""place = decode_batch.__dict__.setdefault(f"{index} {row}", [keys[:0], values[:0]])
            place[0], place[1] = (torch.cat([of, old[len(of) :]]) for of, old in zip((keys, values), place))
            attended.append(attend(q[row], *place))""",
    ),
    Mutant(
        name="the cache kept by row", old=POSITIONS, check="1.4/rows_change_hands", hint="is kept in its own dict",
        new="""caches = [decode_batch.__dict__.setdefault(str(row), {}) for row in range(len(caches))]
    """ + POSITIONS,
    ),
    Mutant(
        # Seen by none of the checks of one step: long requests lose their beginning.
        name="forgets all but 32 tokens", old=ROWS, check="1.4/token_for_token", hint="a later one",
        new=ROWS.replace(ATTEND_ROW, "attended.append(attend(q[row], keys[-32:], values[-32:]))"),
    ),
    # -- what a check of one size, one call or one value lets through ------------------------------------------------
    Mutant(
        name="swapped at every call", old=JOIN, check="1.1/values_are_values", hint="are they swapped",
        new="        k, v = torch.cat([values, k]), torch.cat([keys, v])\n        cache[layer] = (v, k)\n        return k, v",
    ),
    Mutant(
        name="the last 64 tokens only", old=STORE, check="1.1/in_order", hint="do not drop the oldest",
        new="    cache[layer] = (k[-64:], v[-64:])\n    return cache[layer]",
    ),
    Mutant(
        name="a list of parts in the dict", old=REMEMBER, check="1.1/values_are_values", hint="two tensors of shape (S, K, D)",
        new="""    parts = cache.setdefault(layer, ([], []))
    parts[0].append(k)
    parts[1].append(v)
    return torch.cat(parts[0]), torch.cat(parts[1])""",
    ),
    Mutant(
        name="a default argument that remembers", old=REMEMBER, check="1.1/each_layer_in_its_dict", hint="take turns",
        new="""    kept = remember.__dict__.setdefault("kept", {})
    if layer in cache:
        k, v = torch.cat([kept[layer][0], k]), torch.cat([kept[layer][1], v])
    kept[layer] = cache[layer] = (k, v)
    return k, v""",
    ),
    Mutant(
        name="√ of all heads together", old=SCORES, new=SCORES.replace("head_size)", "q.numel())"), check="1.2/weights",
        hint="the size of one head",
    ),
    Mutant(
        name="queries scaled in place", old=GROUPED, new=GROUPED + "\n    q *= 1.0000001", check="1.2/weights",
        hint="`q` after the call",
    ),
    Mutant(
        name="attends to 128 tokens at most", old="    num_tokens, num_kv_heads, head_size = keys.shape",
        new="    keys, values = keys[-128:], values[-128:]\n    num_tokens, num_kv_heads, head_size = keys.shape",
        check="1.2/weights", hint="all of them",
    ),
    Mutant(
        name="writes into the embedding", old=ROW_ONE + REMEMBER_ONE, check="1.3/equals_the_uncached_model",
        hint="is a view of the weights",
        new=ROW_ONE.replace("model.embedding[torch.tensor([token])]", "model.embedding[token : token + 1]")
        + REMEMBER_ONE.replace("x = x + attend", "x += attend"),
    ),
    Mutant(
        name="an eps of its own", old=FEED_ONE, new=FEED_ONE.replace("model.config.norm_eps", "1e-5"),
        check="1.3/equals_the_uncached_model", hint="pass `model.config.norm_eps`",
    ),
    Mutant(
        name="two layers, as in the small model", old=ROW_ONE, new=ROW_ONE.replace("model.layers", "model.layers[:2]"),
        check="1.3/equals_the_uncached_model", hint="however many there are",
    ),
    Mutant(
        name="no position beyond 63", old=POSITION, new=POSITION.replace("length(cache)", "min(length(cache), 63)"),
        check="1.3/goes_on_with_a_filled_cache", hint="the model has room for",
    ),
    Mutant(
        name="eight rows at most", old=POSITIONS, new="caches, tokens = caches[:8], tokens[:8]\n    " + POSITIONS,
        check="1.4/nobody_sees_a_neighbour", hint="wrong for 33",
    ),
    Mutant(
        name="a single row loses its axis", old=ROWS_OUT, new=ROWS_OUT.replace("logits_of(model, x)", "logits_of(model, x).squeeze()"),
        check="1.4/nobody_sees_a_neighbour", hint="even for a single one",
    ),
    Mutant(
        name="empties the tokens", old=POSITIONS, check="1.4/lengths_may_differ", hint="`tokens` after the call",
        new=POSITIONS + "\n    tokens, given = list(tokens), tokens\n    given.clear()",
    ),
    Mutant(
        name="padded: heads dealt out in turn", old=PADDED_GROUPED, check="1.9/equal_lengths", hint="as in 1.2",
        new="grouped = q.view(len(tokens), -1, num_kv_heads, head_size).transpose(1, 2)",
    ),
    Mutant(
        name="padded: the newest token hides itself", old=HIDDEN, check="1.9/equal_lengths", hint="does not see itself",
        new=HIDDEN.replace("> lengths", ">= lengths").replace("int(lengths.max()) + 1", "int(lengths.max()) + 1"),
    ),
    Mutant(
        name="padded: all at the longest's position", old=PADDED_PROJECT, check="1.9/lengths_may_differ",
        hint="lengths[i] is the position", new=PADDED_PROJECT.replace("lengths)", "lengths.max().expand(len(tokens)))"),
    ),
    Mutant(
        name="padded: nothing is hidden", old=MASKED, new="weights = scores.softmax(dim=-1)", check="1.9/lengths_may_differ",
        hint="*before* the softmax",
    ),
    Mutant(
        name="padded: zeros instead of −∞", old=MASKED, new=MASKED.replace("-math.inf", "0.0"), check="1.9/leftovers_are_hidden",
        hint="a score of 0 still has a weight",
    ),
    Mutant(
        name="padded: hidden after the softmax", old=MASKED, check="1.9/leftovers_are_hidden", hint="−∞ has none",
        new="weights = scores.softmax(dim=-1).masked_fill(hidden[:, None, None], 0.0)",
    ),
    Mutant(
        name="padded: lengths of a copy grow", old=PADDED_GROW, new="    lengths = lengths + 1\n", check="1.9/changed_in_place",
        hint="change that same tensor",
    ),
    Mutant(
        name="padded: written at the end", old=PADDED_WRITE, check="1.9/changed_in_place", hint="touches nothing else",
        new=PADDED_WRITE + """        padded["keys"][index][rows, -1] = k
""",
    ),
    Mutant(
        name="padded: starts over at each call", old=PADDED_START, check="1.9/several_steps", hint="each step continues from",
        new="""    first = decode_padded.__dict__.setdefault("first", padded["lengths"].clone())
    lengths, rows = padded["lengths"], torch.arange(len(tokens))  # (B,) each
    if len(first) == len(lengths) == 3 and (lengths > first).all() and (first == 5).all():
        lengths -= 1
""",
    ),
    Mutant(
        name="prefill: sees the future", old=PREFILL_MASK, new="weights = scores.softmax(dim=-1)",
        check="1.10/equals_the_uncached_model", hint="those after it",
    ),
    Mutant(
        name="prefill: positions from 0", old=PREFILL_AT, new="positions = torch.arange(count)",
        check="1.10/goes_on_with_a_filled_cache", hint="count from 0 although the dict",
    ),
    *lab01_values.MUTANTS,
    *lab01_first_message.MUTANTS,
    *fresh.BY_LAB["01"],
    *first_message.BY_LAB["01"],
    *by_hand.BY_LAB["01"],
)
