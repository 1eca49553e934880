"""Slips written from the text alone, before looking at the checks, that once got full points; by lab."""

from tests.mutants.mutant import Mutant

EARLY = "    while running := collect_batch(server):\n        while running:"
INIT = """    def __init__(self, num_blocks, block_size):
        self.block_size = block_size
        self.free_blocks = list(range(num_blocks))  # ids, lowest first
"""
TABLES = "        self.tables = {}  # request id -> its blocks, in the order of its tokens\n"
LENGTHS = "        self.lengths = {}  # request id -> its tokens\n"
WEIGHTS = "return (scores.softmax(dim=-1) @"
COLLECT = "    while len(batch) < server.max_batch:\n"
REDUCTION = "        reductions.append(100 * (1 - p95_s(after) / p95_s(before)))\n"
FOUND = "        found = [(fleet.p95_s(lengths, rate_per_s, num_replicas, cap), cap) for cap in able]\n"

BY_LAB = {
    "01": (
        Mutant(
            name="attention a little too large", old="x = x + attend(q[0], keys, values) @ layer.attention_out",
            new="x = x + 1.0001 * attend(q[0], keys, values) @ layer.attention_out",
            check="1.3/equals_the_uncached_model", hint="wrong before the cache even matters",
        ),
        Mutant(
            name="padded: the caller's tokens used up", old="    lengths += 1\n", new="    lengths += 1\n    tokens.clear()\n",
            check="1.9/equal_lengths", hint="(`tokens` after the call)",
        ),
        Mutant(
            name="prefill: the caller's tokens used up", old="    return logits_of(model, x[-1:])[0]",
            new="    tokens.clear()\n    return logits_of(model, x[-1:])[0]", check="1.10/equals_the_uncached_model",
            hint="(`tokens` after the call)",
        ),
        Mutant(
            name="prefill: a mask for short prompts", old="    future = torch.arange(before + count) > positions[:, None]",
            new="    future = (torch.arange(before + count) > positions[:, None]) & (positions[:, None] < 32)",
            check="1.10/goes_on_with_a_filled_cache", hint="right with a shorter prompt",
        ),
        Mutant(
            name="attention: exp of the scores as they are", old=WEIGHTS,
            new="weights = scores.exp() / scores.exp().sum(dim=-1, keepdim=True)\n    return (weights @",
            check="1.2/weights", hint="subtract the head's own largest score",
        ),
        Mutant(
            name="attention: the largest score of all heads", old=WEIGHTS,
            new="weights = (scores - scores.max()).exp()\n    return (weights / weights.sum(dim=-1, keepdim=True) @",
            check="1.2/weights", hint="the head's own largest score",
        ),
        Mutant(
            name="attention: exp as a series", old=WEIGHTS,
            new="weights = sum(scores**n / float(math.factorial(n)) for n in range(12))\n"
            "    return (weights / weights.sum(dim=-1, keepdim=True) @",
            check="1.2/weights", hint="accurate only near 0",
        ),
    ),
    "02": (
        Mutant(
            name="the batch in the order of lengths", old="            break\n    return batch",
            new="            break\n    return sorted(batch, key=lambda request: request.max_tokens)",
            check="2.1/many_batches", hint="keep the order of the queue",
        ),
        Mutant(
            name="early: a loop that serves once", old=EARLY,
            new="    if early_batch_loop.__dict__.setdefault(\"served\", 0):\n        return\n    early_batch_loop.served = 1\n" + EARLY,
            check="2.7/answers_leave_at_once", hint="after other calls",
        ),
        Mutant(
            name="two that wait leave at once", old=COLLECT, new=COLLECT + """\
        if len(batch) > 1 and server.queue.empty() and server.clock.time() > batch[-1].arrival_time_s:
            break
""",
            check="2.1/deadline_runs_from_the_first_arrival", hint="already has two requests",
        ),
    ),
    "03": (
        Mutant(
            name="those that ended used up", old="    for request in finished:\n        in_flight.remove(request)",
            new="    while finished:\n        request = finished.pop(0)\n        in_flight.remove(request)",
            check="3.3/frees_the_slots", hint="(`finished` after the call)",
        ),
        Mutant(
            name="the caller's records sorted by request", old="    rng = random.Random(seed)\n",
            new="    rng = random.Random(seed)\n    static_records.sort(key=lambda record: record[\"request_id\"])\n",
            check="3.6/pairs_by_request",
        ),
        Mutant(
            name="grouped: those who come late never go in alone", old="if not in_flight or is_late or min(",
            new="if not in_flight or min(", check="3.8/waits_are_bounded", hint="admit the oldest waiting request on its own",
        ),
        Mutant(
            name="grouped: the patience of the newest", old="waiting[0].arrival_time_s", new="waiting[-1].arrival_time_s",
            check="3.8/waits_are_bounded", hint="counts from the oldest waiting request",
        ),
        Mutant(
            name="grouped: the last one is forgotten", old="while in_flight or waiting or not server.queue.closed:",
            new="while in_flight or not server.queue.closed:", check="3.8/a_scheduler_all_the_same",
            hint="count too when you decide whether the loop is over",
        ),
        Mutant(
            name="no answer under static: left out", old="for record in static_records]\n    reductions",
            new="for record in static_records if record[\"finish_s\"] is not None]\n    reductions",
            check="3.6/of_the_p95", hint="is not left out",
        ),
        Mutant(
            name="an infinite resample: left out", old=REDUCTION,
            new="        if p95_s(before) < math.inf:\n    " + REDUCTION, check="3.6/of_the_p95", outcome="crashed",
            hint="counts like any other",
        ),
    ),
    "04": (
        Mutant(
            name="a target met exactly is missed", old="if found and min(found)[0] <= p95_target_s:",
            new="if found and min(found)[0] < p95_target_s:", check="4.8/the_very_target", hint="≤, not <",
        ),
        Mutant(
            name="the cap of the smallest fleet for all", old=FOUND,
            new="        able = [cap for cap in able if num_replicas == fewest or cap == one]\n" + FOUND
            + "        one = min(found, default=(0, max_cap))[1] if num_replicas == fewest else one\n",
            check="4.8/lowest_p95", hint="cap is best for all fleets",
        ),
        Mutant(
            name="simulations kept, whatever the lengths are", old=FOUND,
            new="        kept = plan.__dict__.setdefault((rate_per_s, num_replicas), {})\n"
            "        for cap in able:\n"
            "            kept.setdefault(cap, fleet.p95_s(lengths, rate_per_s, num_replicas, cap))\n"
            "        found = [(kept[cap], cap) for cap in able]\n",
            check="4.8/lowest_p95", hint="after other calls",
        ),
    ),
    "05": (
        Mutant(
            name="one table for all managers", old=INIT + TABLES, new="    tables = {}\n\n" + INIT,
            check="5.1/takes_what_is_needed",
            hint="a new manager starts empty",
        ),
        Mutant(
            name="given loop: in flight not in line",
            old="    in_flight.sort(key=lambda request: place_in_line(request, server.aging_s))\n", new="",
            check="5.7/keeps_the_line", hint="on the loop as given",
        ),
        Mutant(
            name="given loop: refuses by the prompt alone",
            old="server.blocks.needed(request.num_prompt_tokens + request.max_tokens)",
            new="server.blocks.needed(request.num_prompt_tokens)", check="5.7/refused", hint="65 in request 4",
        ),
        Mutant(
            name="one dict of lengths for all managers", old=LENGTHS,
            new="        self.lengths = BlockManager.__dict__.get(\"shared\", {})\n        BlockManager.shared = self.lengths\n",
            check="5.1/conserved", outcome="crashed", hint="is shared by all objects",
        ),
        Mutant(
            name="one block size for all managers", old="        self.block_size = block_size\n",
            new="        BlockManager.block_size = block_size\n", check="5.1/conserved", hint="is shared by all objects",
        ),
    ),
    "06": (
        Mutant(
            name="keys of digits in a row", old="hash((key, *token_ids[start : start + block_size]))",
            new="hash((key, \"\".join(map(str, token_ids[start : start + block_size]))))", check="6.1/other_beginning",
            hint="look like 12 and 3",
        ),
        Mutant(
            name="keys of 16 bits", old="keys.append(key)", new="keys.append(key & 0xFFFF)", check="6.1/other_beginning",
            hint="Keep the whole hash",
        ),
        Mutant(
            name="one directory for all caches", old="        self.block_of = {}  #",
            new="        self.block_of = PrefixCache.__dict__.get(\"found\", {})\n        PrefixCache.found = self.block_of  #",
            check="6.2/counts_holders", hint="is shared by all objects",
        ),
        Mutant(
            name="shared and idle", old="            self.idle.pop(block, None)\n", new="", check="6.2/takes_out_of_idle",
            hint="is not idle",
        ),
        Mutant(
            name="the caller's keys used up", old="        for key in keys:\n            if key not",
            new="        while keys:\n            key = keys.pop(0)\n            if key not", check="6.2/shares_the_beginning",
            hint="(`keys` after the call)",
        ),
        Mutant(
            name="one line of idle blocks for all caches", old="        self.idle = {}  #",
            new="        self.idle = PrefixCache.__dict__.get(\"unused\", {})\n        PrefixCache.unused = self.idle  #",
            check="6.3/conserved", hint="is shared by all objects",
        ),
        Mutant(
            name="no copy that overlaps the ending", old="range(len(token_ids) - length - 1, -1, -1)",
            new="range(len(token_ids) - 2 * length, -1, -1)", check="6.4/what_followed", hint="may overlap the ending",
        ),
        Mutant(
            name="three tokens at most", old="range(longest, 0, -1)", new="range(min(longest, 3), 0, -1)",
            check="6.4/what_followed", hint="not always 3",
        ),
        Mutant(
            name="predictions rounded", old="return predicted.index(min(predicted))",
            new="return min(range(len(predicted)), key=lambda i: (round(predicted[i]), i))", check="6.6/shortest",
            hint="without rounding",
        ),
        Mutant(
            name="a counter of 0 is none", old="min(here) if here else self", new="min(here, default=0) or self",
            check="6.7/lifts", hint="may be 0",
        ),
        Mutant(
            name="one service for all counters", old="        self.service = {}  #",
            new="        self.service = TokenCounters.__dict__.get(\"counted\", {})\n        TokenCounters.counted = self.service  #",
            check="6.7/lifts", hint="is shared by all objects",
        ),
        Mutant(
            name="of equal divisions the last", old="max(range(1, num_machines), key=per_s)",
            new="max(range(num_machines - 1, 0, -1), key=per_s)", check="6.8/best_division", hint="fewer prefill machines",
        ),
    ),
}
