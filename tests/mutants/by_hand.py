"""Slips written by hand from the exercises' texts, whose first message used to leave open what is wrong; by lab."""

from tests.mutants.mutant import Mutant

P95 = "sorted(values)[math.ceil(len(values) * 95 / 100) - 1]"
LATENCY = "latencies[math.ceil(len(latencies) * 95 / 100) - 1]"
RANKS = "math.ceil(percent * len(latencies) / 100) for"
PROFILE = "sorted(server.profile)[rank - 1]"

WEIGHTS = "(scores.softmax(dim=-1) @ values"
HEADS = ".reshape(-1)  # (K, H/K, D), then"
HALVES = """        x = x + attend(q[0], keys, values) @ layer.attention_out
        x = layer.feed_forward(x, model.config.norm_eps)"""
SHARE = "return share / (1 - share) * a / b"
LEAVE = "        in_flight.remove(request)\n        server.respond(request)\n    # END SOLUTION\n"
MORE = """        try:
            batch.append(server.queue.get(deadline_s - server.clock.time()))
        except queue.Empty:
            break
"""
COLLECT = f"""        batch = [server.queue.get()]
    except queue.Empty:
        return []
    deadline_s = batch[0].arrival_time_s + server.max_wait_s
    while len(batch) < server.max_batch:
{MORE}    return batch
"""
ONE_TRY = """        batch = [server.queue.get()]
        deadline_s = batch[0].arrival_time_s + server.max_wait_s
        while len(batch) < server.max_batch:
            batch.append(server.queue.get(deadline_s - server.clock.time()))
        return batch
    except queue.Empty:
        return []
"""
LIMIT = "request.num_output_tokens == request.max_tokens:\n                running.remove(request)\n    # END"
DUE = "return request.arrival_time_s + request.priority * aging_s, request.request_id"
RUN = """            if token != server.model.eos_token_id:
                request.append(token)
            if token == server.model.eos_token_id or request.num_output_tokens == request.max_tokens:
                running.remove(request)
    # END SOLUTION


def static_batch_loop"""
GROUP = "            in_flight += waiting[:free]\n            del waiting[:free]\n"
STAYS = "stays = [math.inf if r[leave] is None else r[leave] - r[entry] for r in inside]"
MEANS = "\n    return len(stays) / (end_s - start_s), sum(stays) / len(stays)"
PARTS = """        if rest[request] > 1 and left > 0:
            plan.append((request, min(rest[request], left)))
            left -= min(rest[request], left)
"""
HERE = "        here = [self.service[other] for other, number in self.num_waiting.items() if number]\n"
LIFT = """        if not self.num_waiting.get(client):
            floor = min(here) if here else self.service.get(self.last_to_leave, 0)
            self.service[client] = max(self.service.get(client, 0), floor)
"""
COUNT = "        self.num_waiting[client] = self.num_waiting.get(client, 0) + 1\n"
WARM_UP = """    for function in candidates.values():
        for _ in range(warmup):
            function()
    times = {name: [] for name in candidates}
    for _ in range(repeats):
"""
SLOPE = "b = above / sum((size - mean_size) ** 2 for size in batch_sizes)"
FUTURE = "future = torch.arange(before + count) > positions[:, None]"
HIDE = "scores.masked_fill(future, -math.inf)"
LAST = "return logits_of(model, x[-1:])[0]"

BY_LAB = {
    "01": (
        Mutant(
            name="stacked, not joined", old="torch.cat([keys, k]), torch.cat([values, v])", outcome="crashed",
            new="torch.stack([keys, k]), torch.stack([values, v])", check="1.1/in_order", hint="`torch.stack` makes a new axis",
        ),
        Mutant(name="weights over the heads", old=WEIGHTS, new=WEIGHTS.replace("-1", "0"), check="1.2/weights",
               hint="the softmax runs over the heads"),
        Mutant(name="heads joined in turn", old=HEADS, new=".transpose(0, 1)" + HEADS, check="1.2/groups",
               hint="joined in another order"),
        Mutant(
            name="feed-forward before attention", old=HALVES, check="1.3/equals_the_uncached_model",
            hint="before attention has been added", new="\n".join(reversed(HALVES.split("\n"))),
        ),
        Mutant(
            name="attention without its row", old=HALVES, check="1.3/equals_the_uncached_model", outcome="crashed",
            hint="two shapes in this line do not fit", new=HALVES.replace("x = x + attend", "x = attend"),
        ),
        Mutant(
            name="x added twice", old=HALVES, check="1.3/equals_the_uncached_model", hint="x is added twice",
            new=HALVES.replace("x = layer", "x = x + layer"),
        ),
        Mutant(name="B on both sides", old=SHARE, new="return share * a / b", check="1.8/share_of_the_ceiling",
               hint="B is on both sides"),
        Mutant(name="a wrong sign", old=SHARE, new=SHARE.replace("1 -", "1 +"), check="1.8/share_of_the_ceiling",
               hint="a sign is wrong"),
        Mutant(
            name="a row without its axis", old="k[row : row + 1], v[row : row + 1]", new="k[row], v[row]",
            check="1.4/nobody_sees_a_neighbour", outcome="crashed", hint="k[i] loses an axis",
        ),
        Mutant(
            name="the warm-up called in the rounds", old=WARM_UP, check="1.5/warm_up", hint="not taken from them",
            new=WARM_UP[WARM_UP.index("    times") :].replace("range(repeats)", "range(repeats - warmup)"), outcome="crashed",
        ),
        Mutant(
            name="a covariance over a pvariance", old=SLOPE, new="b = above / (len(times) - 1) / statistics.pvariance(batch_sizes)",
            check="1.7/exact_line", hint="one by n and the other by n − 1",
        ),
        Mutant(
            name="sizes and times without their means", old=SLOPE, check="1.7/exact_line", hint="subtract the means first",
            new="b = sum(s * t for s, t in zip(batch_sizes, times)) / sum(s * s for s in batch_sizes)",
        ),
        Mutant(
            name="a slope over the times", old=SLOPE, new="b = above / sum((time - mean_time) ** 2 for time in times)",
            check="1.7/exact_line", hint="divided by the squares of the times",
        ),
        Mutant(
            name="a through the first point", old="return mean_time - b * mean_size, b", check="1.7/least_squares",
            new="return times[0] - b * batch_sizes[0], b", hint="b is right, a is not",
        ),
        Mutant(
            name="prefill: a mask from 0", old=FUTURE, new=FUTURE.replace("positions[", "torch.arange(count)["),
            check="1.10/goes_on_with_a_filled_cache", hint="the mask counts from 0",
        ),
        Mutant(name="prefill: hidden by a 0", old=HIDE, new="scores.masked_fill(future, 0.0)",
               check="1.10/equals_the_uncached_model", hint="a score of 0 still has a weight"),
        Mutant(
            name="prefill: hidden after the softmax", old=HIDE + ".softmax(dim=-1)",
            new="scores.softmax(dim=-1).masked_fill(future, 0.0)", check="1.10/equals_the_uncached_model",
            hint="no longer add up to 1",
        ),
        Mutant(
            name="prefill: tokens in order for each head", old="attended.permute(2, 0, 1, 3).reshape(count, -1)",
            new="attended.reshape(count, -1)", check="1.10/equals_the_uncached_model", hint="joined in the wrong order",
        ),
        Mutant(name="prefill: the first row", old=LAST, new="return logits_of(model, x)[0]",
               check="1.10/equals_the_uncached_model", hint="the logits of the first token"),
        Mutant(name="prefill: all rows", old=LAST, new="return logits_of(model, x)", check="1.10/equals_the_uncached_model",
               hint="one row of shape (V,)"),
        Mutant(
            name="an index rounded down", old=P95, new="sorted(values)[int(0.95 * len(values))]", check="1.6/nearest_rank",
            hint="one too high whenever 0.95·n is a whole number",
        ),
        Mutant(
            name="the rank as an index", old=P95, new="sorted(values)[math.ceil(0.95 * len(values))]",
            check="1.6/nearest_rank", outcome="crashed", hint="The −1 is missing",
        ),
    ),
    "02": (
        Mutant(
            name="ranks of n − 1", old=RANKS, new="round(percent / 100 * (len(latencies) - 1)) + 1 for",
            check="2.4/nearest_rank", hint="computed from n − 1",
        ),
        Mutant(name="useful rows for held ones", old="(num_rows - num_useful) / num_slots", new="num_useful / num_slots",
               check="2.5/counts_slots", hint="held slots are rows − useful rows"),
        Mutant(name="rows for empty slots", old="(num_slots - num_rows) / num_slots", new="num_rows / num_slots",
               check="2.5/counts_slots", hint="empty slots are slots − rows"),
        Mutant(
            name="one try around everything", old=COLLECT, new=ONE_TRY, check="2.1/waits_for_company",
            hint="one `try` around everything",
        ),
        Mutant(
            name="one taken too many", old=COLLECT, check="2.1/keeps_to_max_batch", hint="the first one included",
            new=COLLECT.replace("return batch", "return batch[: server.max_batch]").replace("< server", "<= server"),
        ),
        Mutant(
            name="a wait anew for each", old=MORE, new=MORE.replace("deadline_s - server.clock.time()", "server.max_wait_s"),
            check="2.1/waits_for_company", hint="not for max_wait_s again",
        ),
        Mutant(
            name="a token before max_tokens", old=LIMIT, new=LIMIT.replace("== request.max_tokens", ">= request.max_tokens - 1"),
            check="2.2/own_tokens", hint="one step too early",
        ),
        Mutant(
            name="a limit for prompt and answer", old=LIMIT, new=LIMIT.replace("num_output_tokens ==", "num_tokens >="),
            check="2.2/own_tokens", hint="the longer the prompt, the shorter",
        ),
        Mutant(
            name="the limit looked at before the token", old=RUN, check="2.2/all_rows_in_every_step", hint="one step too late",
            new="""            if token == server.model.eos_token_id or request.num_output_tokens == request.max_tokens:
                running.remove(request)
            else:
                request.append(token)
    # END SOLUTION


def static_batch_loop""",
        ),
    ),
    "03": (
        Mutant(
            name="a rank rounded down", old=LATENCY, new="latencies[int(0.95 * len(latencies)) - 1]",
            check="3.5/nearest_rank", hint="rounded down (int or //)",
        ),
        Mutant(
            name="all of them leave", old=LEAVE, new="        server.respond(request)\n    in_flight.clear()\n    # END SOLUTION\n",
            check="3.3/frees_the_slots", hint="all requests were removed",
        ),
        Mutant(
            name="more than max_tokens", old="num_output_tokens == request.max_tokens:\n            finished",
            new="num_output_tokens > request.max_tokens:\n            finished", check="3.2/ends_at_the_limit",
            hint="one step too late",
        ),
        Mutant(
            name="a token before max_tokens", old="num_output_tokens == request.max_tokens:\n            finished",
            new="num_output_tokens + 1 == request.max_tokens:\n            finished", check="3.2/ends_at_the_limit",
            hint="one step too early",
        ),
        Mutant(
            name="prompt and answer equal to max_tokens", old="num_output_tokens == request.max_tokens:\n            finished",
            new="num_tokens == request.max_tokens:\n            finished", check="3.2/ends_at_the_limit",
            hint="the longer the prompt, the shorter",
        ),
        Mutant(
            name="a limit for prompt and answer", old="num_output_tokens == request.max_tokens:\n            finished",
            new="num_tokens >= request.max_tokens:\n            finished", check="3.2/ends_at_the_limit",
            hint="the longer the prompt, the shorter",
        ),
        Mutant(
            name="groups: a condition for a number", old=GROUP, new=GROUP.replace("free", "is_late"), outcome="crashed",
            check="3.8/a_scheduler_all_the_same", hint="a condition that is False",
        ),
        Mutant(
            name="groups: admitted and still waiting", old=GROUP, new=GROUP.split("\n")[0] + "\n", outcome="crashed",
            check="3.8/a_scheduler_all_the_same", hint="in flight twice",
        ),
    ),
    "04": (
        Mutant(
            name="a walk from 0", old="inside, now_s = 0.0, 0, start_s", new="inside, now_s = 0.0, 0, 0.0", check="4.2/identity",
            hint="the time before `start_s`",
        ),
        Mutant(
            name="the mean of the stays that have ended", old=STAYS + MEANS, check="4.1/entries_of_the_window",
            new="stays = [r[leave] - r[entry] for r in inside if r[leave] is not None]" + MEANS.replace("len(stays) / (", "len(inside) / ("),
            hint="the mean of those stays that have ended",
        ),
        Mutant(
            name="a stay of 0 for those inside", old=STAYS, check="4.1/entries_of_the_window",
            new="stays = [0 if r[leave] is None else r[leave] - r[entry] for r in inside]", hint="the mean of those stays that have ended",
        ),
        Mutant(
            name="a stay to the window's end", old=STAYS, check="4.1/entries_of_the_window",
            new="stays = [(end_s if r[leave] is None else r[leave]) - r[entry] for r in inside]", hint="not one up to `end_s`",
        ),
        Mutant(
            name="a replica alone with its share", old="fleet.p95_s(lengths, rate_per_s, num_replicas, cap), cap)",
            new="fleet.p95_s(lengths, rate_per_s / num_replicas, 1, cap), cap)", check="4.8/no_replica_to_spare",
            hint="if one replica is simulated alone",
        ),
    ),
    "05": (
        Mutant(
            name="one block more", old="needed = -(-num_tokens // self.block_size)", check="5.1/takes_what_is_needed",
            new="needed = num_tokens // self.block_size + 1", hint="one block too many where nothing is left over",
        ),
        Mutant(
            name="the rank of a profile as an index", old=PROFILE, new="sorted(server.profile)[rank]", check="5.2/profiled",
            outcome="crashed", hint="The −1 is missing",
        ),
        Mutant(
            name="whole prompts or none", old=PARTS, check="5.3/chunks", hint="does not fit whole",
            new="""        if 1 < rest[request] <= left:
            plan.append((request, rest[request]))
            left -= rest[request]
""",
        ),
        Mutant(name="the same rest for each", old=PARTS, new=PARTS.replace("            left -= min(rest[request], left)\n", ""),
               check="5.3/chunks", hint="subtract from it"),
        Mutant(name="prompts by size", old="    for request in in_flight:\n        if rest", check="5.3/chunks",
               new="    for request in sorted(in_flight, key=rest.get):\n        if rest", hint="served by their size"),
        Mutant(
            name="a priority divided by aging_s", old=DUE, new=DUE.replace("*", "/"), check="5.4/in_order_of_arrival",
            outcome="crashed", hint="multiply the priority by it",
        ),
        Mutant(
            name="a priority divided unless aging_s is 0", old=DUE, check="5.4/aging", hint="multiply the priority by it",
            new=DUE.replace("* aging_s", "/ aging_s if aging_s else request.arrival_time_s"),
        ),
        Mutant(
            name="a priority as seconds", old=DUE, new=DUE.replace("priority * aging_s", "priority * bool(aging_s)"),
            check="5.4/aging", hint="adds the priority itself",
        ),
        Mutant(
            name="aging_s without the priority", old=DUE, new=DUE.replace("request.priority * ", ""),
            check="5.4/urgent_first", hint="whatever the priority",
        ),
        Mutant(name="one prompt a step", old=PARTS, new=PARTS + "            break\n", check="5.3/chunks",
               hint="only one prompt is served"),
    ),
    "06": (
        Mutant(
            name="counted before it is looked for", old=HERE + LIFT + COUNT, check="6.7/lifts",
            new=COUNT + "        self.service.setdefault(client, 0)\n" + HERE + LIFT, hint="before you count its new request",
        ),
        Mutant(
            name="its own counter among those that wait", old=HERE, check="6.7/lifts", hint="is not among them",
            new=HERE.replace("if number]", "if number or other == client]"),
        ),
    ),
}
