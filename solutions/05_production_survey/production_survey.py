"""Lab 05, production survey: small versions of what production engines add to continuous batching.

The loop at the end of this file is given. In every step it asks your functions: which request is next, does it fit,
what does this step compute, and which request is preempted, and how, when memory runs out? `server` is described in
minigpt/runtime/paged/server.py.
"""

import heapq


class BlockManager:
    """Blocks of `block_size` tokens for many sequences: which blocks are free, and which sequence holds the others."""

    def __init__(self, num_blocks, block_size):
        self.block_size = block_size
        self.free_blocks = list(range(num_blocks))  # ids, lowest first
        self.tables = {}  # request id -> its blocks, in the order of its tokens
        self.lengths = {}  # request id -> its tokens

    def allocate(self, request_id, num_tokens):
        """Give a new sequence the blocks that `num_tokens` tokens take, and return True.

        If too few are free, change nothing and return False.
        """
        # BEGIN SOLUTION 5.1
        needed = -(-num_tokens // self.block_size)
        if needed > len(self.free_blocks):
            return False
        self.tables[request_id] = [heapq.heappop(self.free_blocks) for _ in range(needed)]
        self.lengths[request_id] = num_tokens
        return True
        # END SOLUTION

    def append(self, request_id):
        """Make room for one more token; take a new block only if the last one is full. Return True, or False as above."""
        # BEGIN SOLUTION 5.1
        table = self.tables[request_id]
        if self.lengths[request_id] == len(table) * self.block_size:
            if not self.free_blocks:
                return False
            table.append(heapq.heappop(self.free_blocks))
        self.lengths[request_id] += 1
        return True
        # END SOLUTION

    def free(self, request_id):
        """Free the blocks of a sequence that has left. If it holds none (or no longer holds any): ValueError."""
        # BEGIN SOLUTION 5.1
        if request_id not in self.tables:
            raise ValueError(f"request_id={request_id} holds no blocks: free each sequence once")
        for block in self.tables.pop(request_id):
            heapq.heappush(self.free_blocks, block)
        del self.lengths[request_id]
        # END SOLUTION

    def place(self, request_id, position):
        """Return where the token at `position` (from 0) of a sequence is: (block, offset in the block)."""
        # BEGIN SOLUTION 5.1
        return self.tables[request_id][position // self.block_size], position % self.block_size
        # END SOLUTION


def tokens_to_reserve(server, request, in_flight):
    """Return the number of tokens to reserve blocks for if `request` is admitted now; None if it has to wait.

    The rule is `server.admission`. "max" reserves the prompt and `max_tokens`. "profiled" reserves the prompt and the
    nearest-rank `server.profile_percent`-th percentile of `server.profile` (output lengths seen before), but at least
    `request.num_tokens`, and never more than "max". "watermark" reserves `request.num_tokens`: what it has now.

    Under every rule it has to wait if fewer than `server.reserve_blocks` blocks would stay free; if no request is in
    flight, no blocks need to stay free.
    """
    # BEGIN SOLUTION 5.2
    most = request.num_prompt_tokens + request.max_tokens
    if server.admission == "max":
        num_tokens = most
    elif server.admission == "profiled":
        rank = -(-len(server.profile) * server.profile_percent // 100)
        expected = request.num_prompt_tokens + sorted(server.profile)[rank - 1]
        num_tokens = min(max(expected, request.num_tokens), most)
    else:
        num_tokens = request.num_tokens
    kept = server.reserve_blocks if in_flight else 0
    return num_tokens if server.blocks.needed(num_tokens) + kept <= server.blocks.num_free else None
    # END SOLUTION


def plan_step(in_flight, token_budget):
    """Return what the next step computes: a list of (request, number of its next tokens).

    First comes one token for every request that has one token left to compute (`num_tokens` − `num_computed_tokens`):
    these are running, and no other request may hold them up. The rest of `token_budget` goes to the others, in the order
    of `in_flight`: each gets as much as it needs, or as much as is left. A budget of None is unlimited.
    """
    # BEGIN SOLUTION 5.3
    rest = {request: request.num_tokens - request.num_computed_tokens for request in in_flight}
    plan = [(request, 1) for request in in_flight if rest[request] == 1]
    left = sum(rest.values()) if token_budget is None else token_budget - len(plan)
    for request in in_flight:
        if rest[request] > 1 and left > 0:
            plan.append((request, min(rest[request], left)))
            left -= min(rest[request], left)
    return plan
    # END SOLUTION


def place_in_line(request, aging_s):
    """Return the key that orders the queue: a tuple (time in seconds, request id); the request with the smallest is next.

    A request has `arrival_time_s`, `priority` (0 is the most urgent) and `request_id`. Each `aging_s` seconds of waiting
    make up for one step of priority: a request of priority 1 goes before one of priority 0 if that one arrives more
    than `aging_s` later. Ties are broken by id.
    """
    # BEGIN SOLUTION 5.4
    return request.arrival_time_s + request.priority * aging_s, request.request_id
    # END SOLUTION


def preempt_last(server, in_flight):
    """Memory has run out: preempt the last in line, remove it from `in_flight` (changed in place), and return it.

    Its first `num_computed_tokens` tokens have keys and values. "recompute" drops them and costs one prefill of these
    tokens later: `server.cost["prefill_s"]`, plus `["prefill_token_s"]` per token. "swap" copies out the blocks that
    these tokens need (and no others), and copies them back in later: each time `["swap_block_s"]` per block, plus
    `["swap_token_s"]` for each of the `block_size` tokens it has room for. Take the cheaper way (recompute if they cost
    the same). The request keeps its tokens and will continue where it left off.
    """
    # BEGIN SOLUTION 5.5
    victim = max(in_flight, key=lambda request: place_in_line(request, server.aging_s))
    in_flight.remove(victim)
    cost, num_tokens = server.cost, victim.num_computed_tokens
    block_s = cost["swap_block_s"] + server.blocks.block_size * cost["swap_token_s"]
    swap_s = 2 * server.blocks.needed(num_tokens) * block_s
    recompute_s = cost["prefill_s"] + cost["prefill_token_s"] * num_tokens
    server.preempt(victim, "swap" if swap_s < recompute_s else "recompute")
    return victim
    # END SOLUTION


def survey():
    """Return what nine engines do, {engine: {question: answer}}, for the engines in minigpt/studies/engine_survey.py.

    "unit": what is scheduled as a whole, a "batch" of requests or a "step". "memory": what is reserved when a request
    is admitted: "max" (all it may ever need), an "estimate", what it needs "now", or "none" (no KV cache at all).
    "when_full": when KV memory is full, a new request "waits", a running one is preempted and continues later
    ("preempts"), or a running one is cut off for good ("ends"). "long_prompts": computed "whole", or in "chunks".
    """
    # BEGIN SOLUTION 5.6
    questions = ("unit", "memory", "when_full", "long_prompts")
    answers = {
        "Orca": ("step", "max", "waits", "whole"),
        "vLLM": ("step", "now", "preempts", "chunks"),
        "SGLang": ("step", "estimate", "preempts", "chunks"),
        "TGI": ("step", "max", "waits", "chunks"),
        "TensorRT-LLM": ("step", "max", "waits", "whole"),
        "transformers": ("step", "now", "preempts", "chunks"),
        "llama.cpp": ("step", "now", "ends", "chunks"),
        "TF Serving": ("batch", "none", "waits", "whole"),
        "my engine": ("step", "now", "preempts", "chunks"),
    }
    return {engine: dict(zip(questions, words)) for engine, words in answers.items()}
    # END SOLUTION


# -- given: the loop that calls your functions ----------------------------------------------------------------------


def take_arrivals(server, waiting, in_flight):
    """Move what has arrived to `waiting`; a request that the whole pool could not hold is refused at once."""
    arrived = [] if waiting or in_flight else [server.queue.get()]  # nothing to do: wait for the next arrival
    while not server.queue.empty():
        arrived.append(server.queue.get_nowait())
    for request in arrived:
        needed = server.blocks.needed(request.num_prompt_tokens + request.max_tokens)
        if needed > server.blocks.num_total:
            server.refuse(request, f"needs up to {needed} blocks, and the pool has {server.blocks.num_total}")
        else:
            waiting.append(request)


def admit(server, waiting, in_flight):
    """Admit requests in queue order while there is a free slot and enough memory; no request overtakes the first."""
    waiting.sort(key=lambda request: place_in_line(request, server.aging_s))
    while waiting and len(in_flight) < server.max_inflight:
        num_tokens = tokens_to_reserve(server, waiting[0], in_flight)
        if num_tokens is None or not server.blocks.reserve(waiting[0], num_tokens):
            break
        in_flight.append(waiting.pop(0))
    in_flight.sort(key=lambda request: place_in_line(request, server.aging_s))


def make_room(server, plan, waiting, in_flight):
    """Reserve the blocks for a step, first in line first, and preempt requests while there are too few.

    Return what is left of the plan.
    """
    for request, num_tokens in sorted(plan, key=lambda part: place_in_line(part[0], server.aging_s)):
        while request in in_flight and not server.blocks.reserve(request, request.num_computed_tokens + num_tokens):
            waiting.append(preempt_last(server, in_flight))
    return [part for part in plan if part[0] in in_flight]


def run_step(server, plan, in_flight):
    """Run one step, append the tokens to their requests, and answer those that have ended."""
    for (request, _), token in zip(plan, server.model.forward_chunks(plan)):
        if token is None:
            continue  # a piece of a prompt: its last token is not computed yet
        is_eos = token == server.model.eos_token_id
        if not is_eos:
            request.append(token)
        if is_eos or request.num_output_tokens == request.max_tokens:
            in_flight.remove(request)
            server.respond(request)


def production_loop(server):
    """Serve until the queue is closed and no request waits or runs."""
    waiting, in_flight = [], []
    while waiting or in_flight or not server.queue.closed:
        take_arrivals(server, waiting, in_flight)
        admit(server, waiting, in_flight)
        if in_flight:
            plan = plan_step(in_flight, server.token_budget)
            run_step(server, make_room(server, plan, waiting, in_flight), in_flight)
