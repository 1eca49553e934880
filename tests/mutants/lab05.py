"""Wrong answers to Lab 05, each with a mistake that students are bound to make."""

from tests.mutants import by_hand, first_message, fresh
from tests.mutants.mutant import Mutant

TAKE = "self.tables[request_id] = [heapq.heappop(self.free_blocks) for _ in range(needed)]"
FITS = """        if needed > len(self.free_blocks):
            return False
"""
FULL = "if self.lengths[request_id] == len(table) * self.block_size:"
NO_SUCH = """        if request_id not in self.tables:
            raise ValueError(f"request_id={request_id} holds no blocks: free each sequence once")
"""
BACK = """        for block in self.tables.pop(request_id):
            heapq.heappush(self.free_blocks, block)
"""
PLACE = "return self.tables[request_id][position // self.block_size], position % self.block_size"
PROFILED = "num_tokens = min(max(expected, request.num_tokens), most)"
RETURN_IF_FITS = "return num_tokens if server.blocks.needed(num_tokens) + kept <= server.blocks.num_free else None"
DECODES = "plan = [(request, 1) for request in in_flight if rest[request] == 1]"
BUDGET = "left = sum(rest.values()) if token_budget is None else token_budget - len(plan)"
CHUNKS = """        if rest[request] > 1 and left > 0:
            plan.append((request, min(rest[request], left)))
            left -= min(rest[request], left)"""
DUE = "return request.arrival_time_s + request.priority * aging_s, request.request_id"
VICTIM = "victim = max(in_flight, key=lambda request: place_in_line(request, server.aging_s))"
PREEMPT = 'server.preempt(victim, "swap" if swap_s < recompute_s else "recompute")'
SWAP_S = "swap_s = 2 * server.blocks.needed(num_tokens) * block_s"

MUTANTS = (
    Mutant(
        name="block count rounded down", old="needed = -(-num_tokens // self.block_size)",
        new="needed = max(1, num_tokens // self.block_size)", check="5.1/takes_what_is_needed", hint="round up",
    ),
    Mutant(
        name="always one block to spare", old="needed = -(-num_tokens // self.block_size)",
        new="needed = num_tokens // self.block_size + 1", check="5.1/takes_what_is_needed", hint="round up",
    ),
    Mutant(
        name="two blocks ahead, to be safe", old="needed = -(-num_tokens // self.block_size)",
        new="needed = -(-num_tokens // self.block_size) + 2", check="5.1/waste", hint="only the last block",
    ),
    Mutant(
        name="new block one token late", old=FULL, new="if self.lengths[request_id] > len(table) * self.block_size:",
        check="5.1/grows_when_full", hint="the 17th opens the second",
    ),
    Mutant(
        name="takes what there is, then says no", old=FITS, check="5.1/refuses_cleanly", hint="return False",
        new="""        if needed > len(self.free_blocks):
            self.tables[request_id] = [heapq.heappop(self.free_blocks) for _ in list(self.free_blocks)]
            return False
""",
    ),
    Mutant(
        name="a block never freed", old=BACK, check="5.1/conserved", hint="a block was never freed",
        new="""        for block in self.tables.pop(request_id)[:-1]:
            heapq.heappush(self.free_blocks, block)
""",
    ),
    Mutant(
        name="a block freed twice", old=BACK, check="5.1/conserved", hint="freed twice",
        new="""        for block in self.tables[request_id]:
            heapq.heappush(self.free_blocks, block)
        heapq.heappush(self.free_blocks, self.tables.pop(request_id)[0])
""",
    ),
    Mutant(
        name="a second free goes through", old=NO_SUCH, check="5.1/freed_once", hint="handed out twice",
        new="        if request_id not in self.tables:\n            return\n",
    ),
    Mutant(
        name="block table off by one block", old=PLACE, check="5.1/place", hint="second entry *of its table*",
        new="""table = self.tables[request_id]
        return table[min(-(-(position + 1) // self.block_size), len(table) - 1)], position % self.block_size""",
    ),
    Mutant(
        name="rows counted from the one before the first", old=PLACE, new=PLACE.replace("self.block_size]", "self.block_size - 1]"),
        check="5.1/place", hint="place counts rows from the table's beginning",
    ),
    Mutant(
        name="an appended token never counted", old="self.lengths[request_id] += 1", new="pass", check="5.1/grows_when_full",
        hint="no block for the 17th token",
    ),
    Mutant(
        name="the last prompt gets more than is left", old=CHUNKS, check="5.3/chunks", hint="more than the budget leaves",
        new="""        if rest[request] > 1 and left > 0:
            plan.append((request, rest[request]))
            left -= rest[request]""",
    ),
    Mutant(
        name="a block shared by two sequences", old="table.append(heapq.heappop(self.free_blocks))",
        new="table.append(self.free_blocks[0])", check="5.1/conserved", hint="taken but left",
    ),
    Mutant(
        name="max forgets the prompt", old="most = request.num_prompt_tokens + request.max_tokens",
        new="most = request.max_tokens", check="5.2/max", hint="prompt and max_tokens",
    ),
    Mutant(
        name="max counts the output twice", old="most = request.num_prompt_tokens + request.max_tokens",
        new="most = request.num_tokens + request.max_tokens", check="5.2/max", hint="count twice",
    ),
    Mutant(
        name="reserve kept under watermark only", old="kept = server.reserve_blocks if in_flight else 0",
        new='kept = server.reserve_blocks if in_flight and server.admission == "watermark" else 0',
        check="5.2/keeps_the_reserve", hint="under every rule of admission",
    ),
    Mutant(
        name="percentile index off by one", old="sorted(server.profile)[rank - 1]",
        new="sorted(server.profile)[min(rank, len(server.profile) - 1)]", check="5.2/profiled", hint="The −1 is missing",
    ),
    Mutant(
        name="mean for a percentile", old="sorted(server.profile)[rank - 1]",
        new="sum(server.profile) // len(server.profile)", check="5.2/profiled", hint="-th smallest",
    ),
    Mutant(
        name="a returning request reserved as if new", old=PROFILED, new="num_tokens = min(expected, most)",
        check="5.2/profiled", hint="never reserve less than it has",
    ),
    Mutant(
        name="watermark rule reserves the prompt only", old="        num_tokens = request.num_tokens\n",
        new="        num_tokens = request.num_prompt_tokens\n", check="5.2/watermark", hint="comes back with 25",
    ),
    Mutant(
        name="watermark ignored", old="kept = server.reserve_blocks if in_flight else 0", new="kept = 0",
        check="5.2/keeps_the_reserve", hint="*after* the admission",
    ),
    Mutant(
        name="reserve compared before the admission", old=RETURN_IF_FITS, check="5.2/keeps_the_reserve", hint="*after* the admission",
        new="return num_tokens if max(kept, server.blocks.needed(num_tokens)) <= server.blocks.num_free else None",
    ),
    Mutant(
        name="blocks compared with tokens", old=RETURN_IF_FITS, check="5.2/keeps_the_reserve", hint="is a number of blocks",
        new="return num_tokens if num_tokens + kept <= server.blocks.num_free * server.blocks.block_size else None",
    ),
    Mutant(
        name="watermark kept for nobody", old="kept = server.reserve_blocks if in_flight else 0",
        new="kept = server.reserve_blocks", check="5.2/alone", hint="wait forever",
    ),
    Mutant(
        name="prefill that starves decode", old=DECODES + "\n    " + BUDGET, check="5.3/decodes_first", hint="would starve them",
        new="""plan = []
    left = sum(rest.values()) if token_budget is None else token_budget
    for request in in_flight:
        if rest[request] > 1 and left > 0:
            plan.append((request, min(rest[request], left)))
            left -= min(rest[request], left)
    plan += [(request, 1) for request in in_flight if rest[request] == 1][: max(left, 0)]
    left = 0""",
    ),
    Mutant(
        name="decodes not counted in the budget", old="token_budget - len(plan)", new="token_budget",
        check="5.3/chunks", hint="have used 2 of it",
    ),
    Mutant(
        name="every prompt gets the whole budget", old="            left -= min(rest[request], "
                                                       "left)", new="            pass",
        check="5.3/chunks", hint="subtract from it",
    ),
    Mutant(
        name="the output of a preempted request not computed again",
        old="rest = {request: request.num_tokens - request.num_computed_tokens for request in in_flight}",
        new="""rest = {request: request.num_tokens - request.num_computed_tokens for request in in_flight}
    rest.update({r: r.num_prompt_tokens - r.num_computed_tokens for r in in_flight if rest[r] > 1})""",
        check="5.3/no_budget", hint="computes its output again",
    ),
    Mutant(
        name="parts of zero tokens", old="if rest[request] > 1 and left > 0:", new="if rest[request] > 1:",
        check="5.3/no_empty_parts", hint="leave them out of the plan",
    ),
    Mutant(
        name="latest first", old=DUE, new="return request.priority * aging_s - request.arrival_time_s, "
                                          "request.request_id",
        check="5.4/in_order_of_arrival", hint="first come, first served",
    ),
    Mutant(
        name="priority inversion", old=DUE,
        new="return request.arrival_time_s - request.priority * aging_s, request.request_id",
        check="5.4/urgent_first", hint="lower numbers are more urgent",
    ),
    Mutant(
        name="aging that never acts", old=DUE,
        new="return request.arrival_time_s + request.priority * (1e6 if aging_s else 0), request.request_id",
        check="5.4/aging", hint="could wait forever",
    ),
    Mutant(
        name="the first in line gives way", old=VICTIM, new=VICTIM.replace("max(", "min("), check="5.5/victim",
        hint="with the largest place_in_line",
    ),
    Mutant(
        name="the latest gives way, whatever its priority", old=VICTIM,
        new="victim = max(in_flight, key=lambda request: request.arrival_time_s)", check="5.5/victim",
        hint="reverse the priorities",
    ),
    Mutant(
        name="a preempted request that loses its tokens", old=PREEMPT, new=PREEMPT + "\n    "
                                                                                     "victim.output_token_ids.clear()",
        check="5.5/keeps_its_tokens", hint="goes on where it",
    ),
    Mutant(
        name="preempted without telling the server", old=PREEMPT, new="pass", check="5.5/keeps_its_tokens",
        hint="call server.preempt",
    ),
    Mutant(
        name="copies counted once", old=SWAP_S, new=SWAP_S.replace("2 * ", ""), check="5.5/cheaper_way", hint="out and in",
    ),
    Mutant(
        name="copies counted by token", old=SWAP_S, check="5.5/cheaper_way", hint="by whole blocks",
        new="swap_s = 2 * num_tokens / server.blocks.block_size * block_s",
    ),
    Mutant(
        name="always recompute", old=PREEMPT, new='server.preempt(victim, "recompute")', check="5.5/cheaper_way",
        hint="out and in",
    ),
    Mutant(
        name="a preempted request is forgotten", old="            waiting.append(preempt_last(server, in_flight))",
        new="            preempt_last(server, in_flight)", check="5.5/goes_on", hint="ends exactly once",
    ),
    Mutant(
        name="append counts the token that it refuses", check="5.1/refuses_cleanly", hint="must not count the token either",
        old="""            if not self.free_blocks:
                return False
            table.append""", new="""            if not self.free_blocks:
                self.lengths[request_id] += 1
                return False
            table.append""",
    ),
    Mutant(
        name="no append while the pool is empty", check="5.1/refuses_cleanly", hint="needs no new block",
        old="        table = self.tables[request_id]\n        if self.lengths",
        new="        if not self.free_blocks:\n            return False\n        table = self.tables[request_id]\n        if self.lengths",
    ),
    Mutant(
        name="the new block in front", old="table.append(heapq.heappop(self.free_blocks))",
        new="table.insert(0, heapq.heappop(self.free_blocks))", check="5.1/place", hint="K and V are never moved",
    ),
    Mutant(
        name="a refused sequence leaves its length", old="        if needed > len(self.free_blocks):\n",
        new="        self.lengths[request_id] = num_tokens\n        if needed > len(self.free_blocks):\n",
        check="5.1/refuses_cleanly", hint="leaves no trace",
    ),
    Mutant(
        name="lengths of those who left", old="        del self.lengths[request_id]\n", new="", check="5.1/conserved",
        hint="remove a sequence from lengths too",
    ),
    Mutant(
        name="blocks of 16, whatever is asked", old="needed = -(-num_tokens // self.block_size)",
        new="needed = -(-num_tokens // 16)", check="5.1/takes_what_is_needed", hint="not always 16",
    ),
    Mutant(
        name="rank to the nearest", old="rank = -(-len(server.profile) * server.profile_percent // 100)",
        new="rank = max(1, round(len(server.profile) * server.profile_percent / 100))", check="5.2/profiled",
        hint="rounded to the nearest integer",
    ),
    Mutant(
        name="the profile sorted in place", old="sorted(server.profile)[rank - 1]",
        new="(server.profile.sort() or server.profile)[rank - 1]", check="5.2/profiled", hint="sorted() makes a new list",
    ),
    Mutant(
        name="reserve once for each that runs", old="kept = server.reserve_blocks if in_flight else 0",
        new="kept = server.reserve_blocks * len(in_flight)", check="5.2/keeps_the_reserve", hint="the same with one request in flight",
    ),
    Mutant(
        name="alone, so no look at memory", old=RETURN_IF_FITS,
        new="if not in_flight:\n        return num_tokens\n    " + RETURN_IF_FITS, check="5.2/alone", hint="still does not fit",
    ),
    Mutant(
        name="a budget of 0 taken for None", old="if token_budget is None else", new="if not token_budget else",
        check="5.3/no_empty_parts", hint="test `is None`",
    ),
    Mutant(
        name="running requests cut to the budget", old=DECODES, new=DECODES + "[:token_budget]",
        check="5.3/decodes_first", hint="still gets its token",
    ),
    Mutant(
        name="prompts in order of arrival", old="    for request in in_flight:\n",
        new="    for request in sorted(in_flight, key=lambda request: request.arrival_time_s):\n", check="5.3/chunks",
        hint="in the order of in_flight",
    ),
    Mutant(
        name="a plan that counts as done", old="            left -= min(rest[request], left)",
        new="            left -= min(rest[request], left)\n            request.num_computed_tokens += plan[-1][1]",
        check="5.3/no_budget", hint="a plan changes nothing",
    ),
    Mutant(
        name="two classes only", old=DUE, new=DUE.replace("request.priority", "min(request.priority, 1)"),
        check="5.4/aging", hint="more than two classes",
    ),
    Mutant(
        name="ties without the id", old=DUE, new=DUE.replace("request.request_id", "0"), check="5.4/in_order_of_arrival",
        hint="in order of id",
    ),
    Mutant(
        name="a victim that stays in the list", old="    in_flight.remove(victim)\n", new="", check="5.5/victim",
        hint="take it out of the list",
    ),
    Mutant(
        name="a victim that is not returned", old="    return victim\n", new="", check="5.5/victim",
        hint="return the request itself",
    ),
    Mutant(
        name="swap at equal cost", old=PREEMPT, new=PREEMPT.replace("<", "<="), check="5.5/cheaper_way",
        hint="if the costs are equal, recompute",
    ),
    Mutant(
        name="reserved blocks copied as well", old=SWAP_S, new=SWAP_S.replace("needed(num_tokens)", "held(victim)"),
        check="5.5/cheaper_way", hint="only reserved hold nothing",
    ),
    Mutant(
        name="small ones overtake", check="5.7/keeps_the_line", hint="no request overtakes the first in line",
        old="""        if num_tokens is None or not server.blocks.reserve(waiting[0], num_tokens):
            break
""", new="""        if num_tokens is None or not server.blocks.reserve(waiting[0], num_tokens):
            for request in waiting[1:]:
                num_tokens = tokens_to_reserve(server, request, in_flight)
                if num_tokens is not None and server.blocks.reserve(request, num_tokens):
                    waiting.remove(request)
                    in_flight.append(request)
                    break
            break
""",
    ),
    Mutant(
        name="one admitted a step", old="    while waiting and len(in_flight) < server.max_inflight:\n",
        new="    for _ in range(1 if waiting and len(in_flight) < server.max_inflight else 0):\n",
        check="5.7/keeps_the_line", hint="admit while there is a slot",
    ),
    Mutant(
        name="everything is a batch", old='"Orca": ("step",', new='"Orca": ("batch",', check="5.6/unit", hint="OSDI 2022",
    ),
    Mutant(
        name="all engines reserve as needed", old='"TensorRT-LLM": ("step", "max",', new='"TensorRT-LLM": ("step", '
                                                                                         '"now",',
        check="5.6/memory", hint="TorchLlmArgs",
    ),
    Mutant(
        name="an engine left out", old='        "SGLang": ("step", "estimate", "preempts", "chunks"),\n', new="",
        check="5.6/memory", hint="each engine of the table",
    ),
    Mutant(
        name="nobody preempts", old='"SGLang": ("step", "estimate", "preempts",', new='"SGLang": ("step", "estimate", '
                                                                                      '"waits",',
        check="5.6/when_full", hint="never preempts",
    ),
    Mutant(
        name="chunks from the start", old='"Orca": ("step", "max", "waits", "whole"),',
        new='"Orca": ("step", "max", "waits", "chunks"),', check="5.6/long_prompts", hint="several steps",
    ),
    Mutant(
        name="what an engine can do counts, not its default", old='"TensorRT-LLM": ("step", "max", "waits", "whole"),',
        new='"TensorRT-LLM": ("step", "max", "waits", "chunks"),', check="5.6/long_prompts", hint="no setting changed",
    ),
    Mutant(
        name="cut off is taken for preempted", old='"llama.cpp": ("step", "now", "ends",',
        new='"llama.cpp": ("step", "now", "preempts",', check="5.6/when_full", hint="an ended one never does",
    ),
    Mutant(
        name="one prompt may exceed the budget", old=CHUNKS, check="5.7/gaps_fall", hint="keep to the budget",
        new="""        if rest[request] > 1 and left > 0:
            plan.append((request, rest[request]))
            left -= rest[request]""",
    ),
    Mutant(
        name="decodes every other step under prompts", old=DECODES, check="5.7/nobody_is_starved_by_prompts",
        hint="while a running request had to wait", new="""plan = [(request, 1) for request in in_flight if rest[request] == 1]
    if any(count > 1 for count in rest.values()):
        plan = [(request, 1) for request, _ in plan if request.num_tokens % 2 or request.request_id % 2 == 0]""",
    ),
    Mutant(
        name="the line is not asked", old="    waiting.sort(key=lambda request: place_in_line(request, "
                                          "server.aging_s))\n", new="",
        check="5.7/interactive_p95_falls", hint="should not queue behind",
    ),
    Mutant(
        name="strict priorities in the queue",
        old="    waiting.sort(key=lambda request: place_in_line(request, server.aging_s))\n",
        new="    waiting.sort(key=lambda request: (request.priority, request.arrival_time_s))\n",
        check="5.7/bounded_wait", hint="make up for priority",
    ),
    Mutant(
        name="a token lost at the end of a prompt", old="    for (request, _), token in zip(plan, "
                                                        "server.model.forward_chunks(plan)):",
        new="""    for (request, size), token in zip(plan, server.model.forward_chunks(plan)):
        if size > 24 and token is not None:
            token = token - token % 2""",
        check="5.7/answers_are_unchanged", hint="a token was lost",
    ),
    Mutant(
        name="a request that ended is not answered", old="            server.respond(request)",
        new="            if request.request_id != 7:\n                server.respond(request)", check="5.7/conserved",
        hint="did every request that ended",
    ),
    Mutant(
        name="what never fits is served all the same", old="        if needed > "
                                                           "server.blocks.num_total:", new="        if False:",
        check="5.7/refused", outcome="crashed",
    ),
    *fresh.BY_LAB["05"],
    *first_message.BY_LAB["05"],
    *by_hand.BY_LAB["05"],
)
