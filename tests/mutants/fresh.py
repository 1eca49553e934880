"""Slips written from the text alone, before looking at the checks, that once got full points; by lab."""

from tests.mutants.mutant import Mutant

EARLY = "    while running := collect_batch(server):\n        while running:"
INIT = """    def __init__(self, num_blocks, block_size):
        self.block_size = block_size
        self.free_blocks = list(range(num_blocks))  # ids, lowest first
"""
TABLES = "        self.tables = {}  # request id -> its blocks, in the order of its tokens\n"

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
    ),
    "04": (
        Mutant(
            name="a target met exactly is missed", old="if found and min(found)[0] <= p95_target_s:",
            new="if found and min(found)[0] < p95_target_s:", check="4.8/the_very_target", hint="≤, not <",
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
            check="5.7/keeps_the_line", hint="from the loop as it was given",
        ),
        Mutant(
            name="given loop: refuses by the prompt alone",
            old="server.blocks.needed(request.num_prompt_tokens + request.max_tokens)",
            new="server.blocks.needed(request.num_prompt_tokens)", check="5.7/refused", hint="65 in request 4",
        ),
    ),
}
