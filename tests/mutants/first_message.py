"""Slips drawn at random, machine-made and written, whose first message used to name something else; by lab."""

from tests.mutants.mutant import Mutant

STORE = "    cache[layer] = (k, v)\n"
JOIN = "        k, v = torch.cat([keys, k]), torch.cat([values, v])\n"
SHARE = """    if not 0 < share < 1:
        raise ValueError(f"share={share}: give a number between 0 and 1, such as 0.9")
    return share / (1 - share) * a / b"""
WAIT = "batch.append(server.queue.get(deadline_s - server.clock.time()))\n        except queue.Empty:"
ENDS = """                running.remove(request)
    # END SOLUTION


def static_batch_loop"""
STEP = """    for request, token in zip(in_flight, server.model.forward_one_step(in_flight)):
        is_eos = token == server.model.eos_token_id
        if not is_eos:
            request.append(token)
"""
SKIP = """            if request not in running:
                continue
"""
TURN = """        finished = decode_one_step(server, in_flight)
        retire(server, in_flight, finished)"""
TOP = """    in_flight = []
    while in_flight or not server.queue.closed:
        if not in_flight:
            in_flight.append(server.queue.get())
        admit(server, in_flight)
"""
STAYS = "stays = [math.inf if r[leave] is None else r[leave] - r[entry] for r in inside]"
INSIDE = "area, inside, now_s = 0.0, 0, start_s"
CONTEXT = 'cost["per_context_token_ns"] * entering * attended'
COMPUTE = 'compute_ns = cost["prefill_overhead_ns"] + cost["per_prefill_token_ns"] * prompt'
SWAP = "swap_s = 2 * server.blocks.needed(num_tokens) * block_s"
DECODE = 'cost["step_overhead_ns"] / in_flight + cost["per_sequence_ns"])'

BY_LAB = {
    "01": (
        Mutant(name="nothing is stored", old=STORE, new="", check="1.1/in_order", hint="still empty after the call"),
        Mutant(
            name="only the newest are stored", old=JOIN + STORE, check="1.1/in_order", hint="only the tokens of the last call",
            new="        cache[layer] = (k, v)\n        return torch.cat([keys, k]), torch.cat([values, v])\n" + STORE,
        ),
        Mutant(
            name="the sum of two readings", old="append(clock() - start)", new="append(clock() + start)",
            check="1.5/times_each_call", hint="the second reading minus the first",
        ),
        Mutant(
            name="computed before it is refused", old=SHARE, check="1.8/never_all_of_it", outcome="crashed",
            hint="before anything is computed",
            new="    size = share / (1 - share) * a / b\n" + SHARE.replace("share / (1 - share) * a / b", "size"),
        ),
        Mutant(
            name="padded: lengths grow first", old='    lengths, rows = padded["lengths"], torch',
            new='    padded["lengths"] += 1\n    lengths, rows = padded["lengths"], torch', check="1.9/equal_lengths",
            hint="the lengths grow too early",
        ),
        Mutant(
            name="padded: a position too far", old="project(model, layer, x, lengths)", new="project(model, layer, x, lengths + 1)",
            check="1.9/equal_lengths", hint="positions are used before the lengths grow",
        ),
        Mutant(
            name="padded: no root", old="keys.permute(0, 2, 3, 1) / math.sqrt(head_size)", new="keys.permute(0, 2, 3, 1)",
            check="1.9/equal_lengths", hint="not divided by √D",
        ),
        Mutant(
            name="padded: attention in the place of x", old="x = x + attended.reshape(len(tokens), -1)",
            new="x = attended.reshape(len(tokens), -1)", check="1.9/equal_lengths", hint="it does not replace x",
        ),
    ),
    "02": (
        Mutant(
            name="another exception is caught", old=WAIT, new=WAIT.replace("queue.Empty", "KeyError"),
            check="2.1/when_the_queue_closes", outcome="crashed", hint="queue.Empty is how `get`",
        ),
        Mutant(
            name="the wait left at the last arrival", old="server.queue.get(deadline_s - server.clock.time())",
            new="server.queue.get(deadline_s - batch[-1].arrival_time_s)", check="2.1/deadline_runs_from_the_first_arrival",
            hint="not minus the last arrival",
        ),
        Mutant(
            name="a break when one has ended", old=ENDS, new=ENDS.replace("(request)\n", "(request)\n                break\n"),
            check="2.2/own_tokens", hint="did not get the last token",
        ),
        Mutant(
            name="a list for a token", old=SKIP, check="2.2/own_tokens", hint="append one token",
            new=SKIP + "            token = token if token == server.model.eos_token_id else [token]\n",
        ),
        Mutant(
            name="the rows of the largest step", old='num_rows = sum(step["rows"] for', new='num_rows = max(step["rows"] for',
            check="2.5/counts_slots", hint="a share is never negative",
        ),
    ),
    "03": (
        Mutant(
            name="the method, not what it returns", old="in_flight.append(server.queue.get_nowait())",
            new="in_flight.append(server.queue.get_nowait)", check="3.1/fills_every_free_slot", hint="with the parentheses",
        ),
        Mutant(
            name="all tokens for one", old=STEP, new="    tokens = server.model.forward_one_step(in_flight)\n"
            + STEP.replace("server.model.forward_one_step(in_flight)", "tokens").replace("(token)", "(tokens)"),
            check="3.2/each_gets_its_own_token", hint="append one token",
        ),
        Mutant(
            name="a token of 0 for none", old=STEP, new=STEP.replace("not is_eos", "token and not is_eos"),
            check="3.2/each_gets_its_own_token", hint="0 is a token like any other",
        ),
        Mutant(
            name="retired a step later", old=TOP + TURN, check="3.4/the_scene_of_the_lab", outcome="crashed",
            hint="retire comes too late",
            new=TOP.replace("in_flight = []", "in_flight, finished = [], []") + "\n".join(reversed(TURN.split("\n"))),
        ),
    ),
    "04": (
        Mutant(
            name="only those that enter and leave in the window", old=STAYS, check="4.1/each_stage",
            hint="more than one mistake gives just this",
            new="stays = [r[leave] - r[entry] for r in inside if r[leave] is not None and r[leave] < end_s]",
        ),
        Mutant(name="who leaves comes again", old="(r[leave], -1)", new="(r[leave], 1)", check="4.2/average_over_time",
               hint="each entry is +1, each exit −1"),
        Mutant(name="from −1 on", old=INSIDE, new=INSIDE.replace("0.0, 0", "0.0, -1"), check="4.2/average_over_time",
               hint="exactly one too few"),
        Mutant(name="from 1 on", old=INSIDE, new=INSIDE.replace("0.0, 0", "0.0, 1"), check="4.2/average_over_time",
               hint="exactly one too many"),
        Mutant(name="the prompt once", old=CONTEXT, new=CONTEXT.replace("attended", "mean_prompt"), check="4.4/context",
               hint="counts the prompt once per request"),
        Mutant(
            name="no answer in the context", old=CONTEXT, new=CONTEXT.replace("attended", "(mean_steps - 1) * mean_prompt"),
            check="4.4/context", hint="the answer is missing from the context",
        ),
        Mutant(
            name="no prompt in the context", old="(n - 1) * prompt + n * (n - 1) / 2", new="n * (n - 1) / 2",
            check="4.4/context", hint="the prompt is missing from the context",
        ),
        Mutant(
            name="b in the place of the overhead", old='cost["prefill_overhead_ns"] * with_prefill',
            new='cost["per_sequence_ns"] * with_prefill', check="4.4/prefill",
            hint="cost['prefill_overhead_ns'] does not count",
        ),
        Mutant(
            name="a in the place of the overhead", old='cost["prefill_overhead_ns"] * with_prefill',
            new='cost["step_overhead_ns"] * with_prefill', check="4.4/prefill",
            hint="cost['step_overhead_ns'] stands where cost['prefill_overhead_ns'] belongs",
        ),
        Mutant(
            name="every cap must meet the target", old="if found and min(found)[0] <= p95_target_s:",
            new="if found and max(found)[0] <= p95_target_s:", check="4.8/keeps_to_max_cap", hint="as soon as its best cap",
        ),
    ),
    "05": (
        Mutant(
            name="the output so far counts twice", old="expected = request.num_prompt_tokens + sorted",
            new="expected = request.num_tokens + sorted", check="5.2/profiled", hint="they would count twice",
        ),
        Mutant(
            name="blocks of tokens without K and V", old=SWAP, new=SWAP.replace("(num_tokens)", "(victim.num_tokens)"),
            check="5.5/cheaper_way", hint="only the blocks of num_computed_tokens are copied",
        ),
        Mutant(
            name="recomputed to the last token", old='cost["prefill_token_s"] * num_tokens',
            new='cost["prefill_token_s"] * victim.num_tokens', check="5.5/cheaper_way",
            hint="only num_computed_tokens are computed again",
        ),
    ),
    "06": (
        Mutant(
            name="the holders of the next block", old="elif self.num_holders[block] == 0:",
            new="elif self.num_holders[block + 1] == 0:", check="6.3/until_the_last_leaves",
            hint="a block that another sequence still holds",
        ),
        Mutant(
            name="begins with num_tokens", old="range(longest, 0, -1)", new="range(num_tokens, 0, -1)",
            check="6.4/what_followed", hint="that is how many to guess",
        ),
        Mutant(
            name="a decode step for a token", old=COMPUTE, new=COMPUTE.replace("per_prefill_token_ns", "step_overhead_ns"),
            check="6.8/best_division", hint="cost['step_overhead_ns'] stands where cost['per_prefill_token_ns'] belongs",
        ),
        Mutant(
            name="requests per nanosecond, cut", old="num_prefill / max(compute_ns, send_ns)",
            new="num_prefill // max(compute_ns, send_ns)", check="6.8/best_division", hint="divide with /, not //",
        ),
        Mutant(
            name="the last replica is never least", old="least = fewest(range(len(in_flight)))",
            new="least = fewest(range(len(in_flight) - 1))", check="6.9/least", hint="one replica is never chosen",
        ),
        Mutant(
            name="no rows in a decode step", old=DECODE, new=DECODE.replace(' + cost["per_sequence_ns"]', ""),
            check="6.8/best_division", hint="cost['per_sequence_ns'] is missing",
        ),
    ),
}
