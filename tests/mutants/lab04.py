"""Wrong bookkeeping and wrong plans, each with a mistake that students are bound to make."""

from tests.mutants import by_hand, first_message, fresh, lab04_first_message
from tests.mutants.mutant import Mutant

WHO_ENTERS = "inside = [r for r in records if r[entry] is not None and start_s <= r[entry] < end_s]"
NOBODY = """    if not inside:
        raise ValueError(f"no request enters from start_s={start_s} to end_s={end_s}: no mean stay; widen the window")
"""
STAYS = "stays = [math.inf if r[leave] is None else r[leave] - r[entry] for r in inside]"
RATE_AND_STAY = "return len(stays) / (end_s - start_s), sum(stays) / len(stays)"
CHANGES = "changes = [(r[entry], 1) for r in records if r[entry] is not None]"
WALK = """        if time_s > now_s:
            area += inside * (min(time_s, end_s) - now_s)
            now_s = min(time_s, end_s)"""
SAMPLES = """counts = number_inside(records, "system", sample_times(start_s, end_s, every_s))"""
LAW_RATE = """rate, stay = rate_and_mean_stay(records, "system", start_s, end_s)"""
WITH_PREFILL = "with_prefill = 1 - (1 - 1 / mean_steps) ** in_flight"
ROW_COST = """cost["per_sequence_ns"] * (in_flight - entering)"""
CONTEXT_COST = """    decode_ns += cost["per_context_token_ns"] * entering * attended\n"""
ATTENDED = "attended = sum((n - 1) * prompt + n * (n - 1) / 2 for prompt, n in lengths) / len(lengths)"
CLIMB = "    while n <= cap or share > 1e-9 * all_shares:"
SPEED = "speeds[min(n, cap) - 1]"
TIME = "return mean_inside / all_shares / rate_per_s"
UNSTABLE = """    if rate_per_s >= speeds[-1]:
        return math.inf"""
SIMULATED = "(fleet.p95_s(lengths, rate_per_s, num_replicas, cap), cap)"
SIZES = "for num_replicas in range(fewest, 10 * fewest + 10):"
NEVER_BUSY = """    if never_busy > p95_target_s:
        raise ValueError(f"p95_target_s={p95_target_s}: even alone a request takes {never_busy:.4f} s; aim higher")"""

MUTANTS = (
    Mutant(
        name="W without the queue", old="entry, leave = columns_of(stage)\n    inside = ", check="4.1/each_stage",
        new="""entry, leave = columns_of("in_flight" if stage == "system" else stage)\n    inside = """,
        hint="the queue plus what is in flight",
    ),
    Mutant(
        name="λ of all requests over the window's length", old=RATE_AND_STAY, check="4.1/entries_of_the_window",
        new="return len(records) / (end_s - start_s), sum(stays) / len(stays)", hint="by the length of that same window",
    ),
    Mutant(
        name="λ counted by those that leave in the window", old=WHO_ENTERS, check="4.1/entries_of_the_window",
        new="inside = [r for r in records if r[entry] is not None and start_s <= (r[leave] or math.inf) < end_s]",
        hint="count the requests that enter",
    ),
    Mutant(
        name="W of finished requests only", old=STAYS, check="4.1/unfinished", hint="its stay is infinite",
        new="stays = [r[leave] - r[entry] for r in inside if r[leave] is not None] or [0.0]",
    ),
    Mutant(
        name="λ and W of nobody are 0", old=NOBODY, new="    if not inside:\n        return 0.0, 0.0\n",
        check="4.1/nobody_enters", hint="would look like a very fast server",
    ),
    Mutant(
        name="W of nobody divides by 0", old=NOBODY, new="", check="4.1/nobody_enters", outcome="crashed",
        hint="none enters, so there is no mean",
    ),
    Mutant(
        name="mean over events, not over time", old="    return area / (end_s - start_s)",
        check="4.2/average_over_time", hint="by how long it lasts", new="""    counts, inside = [], 0
    for _, change in sorted(changes):
        inside += change
        counts.append(inside)
    return sum(counts) / len(counts)""",
    ),
    Mutant(
        name="changes out of order", old="in sorted(changes):", new="in changes:", check="4.2/identity",
        hint="in order of time",
    ),
    Mutant(
        name="a window that begins empty", old=CHANGES, check="4.2/window", hint="is inside when it opens",
        new="changes = [(r[entry], 1) for r in records if r[entry] is not None and r[entry] >= start_s]",
    ),
    Mutant(
        name="unfinished requests dropped from L", old=CHANGES, check="4.2/never_left", hint="until the window closes",
        new="changes = [(r[entry], 1) for r in records if r[entry] is not None and r[leave] is not None]",
    ),
    Mutant(
        name="L sampled as answers leave", old=SAMPLES, check="4.3/instants", hint="the server decides when you look",
        new="""counts = number_inside(records, "system", [
        record["finish_s"] - 1e-9 for record in records if start_s <= record["finish_s"] < end_s])""",
    ),
    Mutant(
        name="L sampled right after answers have left", old=SAMPLES, check="4.3/instants", hint="just after a request leaves",
        new="""counts = number_inside(records, "system", [
        record["finish_s"] for record in records if start_s <= record["finish_s"] < end_s])""",
    ),
    Mutant(
        name="L of the server's own log", old=SAMPLES, check="4.3/instants", hint="have one source",
        new="counts = [mean_number(records, 'system', start_s, end_s)]",
    ),
    Mutant(
        name="λ and W of the whole run, L of the window", old=LAW_RATE, check="4.3/same_window", outcome="crashed",
        hint="to the last arrival", new="""rate, stay = rate_and_mean_stay(
        records, "system", 0.0, max(record["finish_s"] for record in records))""",
    ),
    Mutant(
        name="the law without the queue", old=LAW_RATE, check="4.3/law_holds", hint="include the time in the queue",
        new=LAW_RATE.replace("system", "in_flight"),
    ),
    Mutant(
        name="a step costs the same for one and for many", old=ROW_COST, new="""cost["per_sequence_ns"]""",
        check="4.4/decode", hint="a + b",
    ),
    Mutant(
        name="one answer a step, whatever its length", old="entering = in_flight / mean_steps",
        new="entering = in_flight / 16", check="4.4/decode", hint="requests end",
    ),
    Mutant(
        name="requests a nanosecond", old="(decode_ns + prefill_ns) * 1e9", new="(decode_ns + prefill_ns)",
        check="4.4/decode", hint="are in nanoseconds",
    ),
    Mutant(
        name="capacity without prefill", old="entering / (decode_ns + prefill_ns)", new="entering / decode_ns",
        check="4.4/prefill", hint="brings its prompt tokens",
    ),
    Mutant(
        name="capacity without context", old=CONTEXT_COST, new="", check="4.4/context",
        hint="cost['per_context_token_ns'] does not count",
    ),
    Mutant(
        name="context of the prompt alone", old="(n - 1) * prompt + n * (n - 1) / 2", new="(n - 1) * prompt",
        check="4.4/context", hint="the answer is missing from the context",
    ),
    Mutant(
        name="context of the mean length", old=ATTENDED, check="4.4/context", hint="long requests are in flight more",
        new="attended = (mean_steps - 1) * (mean_prompt + mean_steps / 2)",
    ),
    Mutant(
        name="context as the mean of each request's", old=ATTENDED, check="4.4/context", hint="take the mean",
        new="attended = (mean_steps - 1) * sum(prompt + n / 2 for prompt, n in lengths) / len(lengths)",
    ),
    Mutant(
        name="a prefill pass for each request", old=WITH_PREFILL, new="with_prefill = entering",
        check="4.4/within_5_percent", hint="share one prefill pass",
    ),
    Mutant(
        name="L returned as W", old=TIME, new="return mean_inside / all_shares", check="4.5/alone", hint="Little's law",
    ),
    Mutant(
        name="a ladder that ends at the cap", old=CLIMB, new="    while n < cap:", check="4.5/within_10_percent",
        hint="requests above the cap wait",
    ),
    Mutant(
        name="a ladder that ends at three times the cap", old=CLIMB, new="    while n < 3 * cap:",
        check="4.5/within_10_percent", hint="a billionth of the sum",
    ),
    Mutant(
        name="time in flight only", old="mean_inside += n * share", new="mean_inside += min(n, cap) * share",
        check="4.5/within_10_percent", hint="they count as well",
    ),
    Mutant(
        name="capacity that ignores the cap", old="for n in range(1, cap + 1)]",
        new="for n in range(1, 129)]\n    cap = 128", check="4.5/beyond_capacity", hint="but there are only 4",
    ),
    Mutant(
        name="an unstable server predicted all the same", old=UNSTABLE, new="    cap = min(cap, 10_000)",
        check="4.5/beyond_capacity", hint="the queue grows",
    ),
    Mutant(
        name="K without V", old="2 * model[", new="model[", check="4.6/keys_and_values", hint="a key and a value",
    ),
    Mutant(
        name="numbers instead of bytes", old=""" * model["bytes_per_element"]""", new="", check="4.6/keys_and_values",
        hint="bytes_per_element",
    ),
    Mutant(
        name="query heads counted", old="num_kv_heads\"] *", new="num_heads\"] *", check="4.6/kv_heads",
        hint="only keys and values are kept",
    ),
    Mutant(
        name="the maximum is the longest so far", old=""""maximum": model["context"]""",
        new=""""maximum": max(lengths)""", check="4.7/maximum", hint="the model's whole context",
    ),
    Mutant(
        name="counts the one that does not fit", old="            return count\n", new="            return count + 1\n",
        check="4.7/exact", hint="exactly one too many",
    ),
    Mutant(
        name="blocks rounded down", old="-(-length // block_size)", new="length // block_size", check="4.7/blocks",
        hint="A partly filled block",
    ),
    Mutant(
        name="a planner that plans for the mean", old=SIMULATED, check="4.8/meets_its_p95", hint="not just the average request",
        new="(mean_time_in_system_s(lengths, rate_per_s / num_replicas, cap, COST), cap)",
    ),
    Mutant(
        name="a planner that only keeps up", old="            return num_replicas, min(found)[1]",
        new="            pass\n        return num_replicas, max_cap", check="4.8/meets_its_p95",
        hint="must meet the target",
    ),
    Mutant(
        name="one replica too many", old="return num_replicas, min(found)[1]",
        new="return num_replicas + 1, min(found)[1]", check="4.8/no_replica_to_spare",
        hint="the last one is not needed",
    ),
    Mutant(
        name="always the largest cap", old="return num_replicas, min(found)[1]", new="return num_replicas, max_cap",
        check="4.8/lowest_p95", hint="each new prompt stops all the others",
    ),
    Mutant(
        name="the first cap that meets the target", old="return num_replicas, min(found)[1]",
        new="return num_replicas, min(cap for p95, cap in found if p95 <= p95_target_s)",
        check="4.8/lowest_p95", hint="nor the first cap that meets",
    ),
    Mutant(
        name="a cap beyond the memory", old="if cap <= max_cap}", new="if cap <= 64}", check="4.8/keeps_to_max_cap",
        hint="does not fit into a replica's memory",
    ),
    Mutant(
        name="promises what no fleet can do", old=NEVER_BUSY, check="4.8/out_of_reach", hint="among requests that run alone",
        new="    p95_target_s = max(p95_target_s, 1.2 * never_busy)",
    ),
    # -- what one scene, a tolerance or one call lets through --------------------------------------------------------
    Mutant(
        name="stays cut at the end of the window", old=STAYS, check="4.1/entries_of_the_window", hint="cut at `end_s`",
        new="stays = [math.inf if r[leave] is None else min(r[leave], end_s) - r[entry] for r in inside]",
    ),
    Mutant(
        name="entries at the window's end counted", old=WHO_ENTERS, new=WHO_ENTERS.replace("< end_s", "<= end_s"),
        check="4.1/entries_of_the_window", hint="belongs to the next window",
    ),
    Mutant(
        name="an entry at 0 s is no entry", old=WHO_ENTERS, new=WHO_ENTERS.replace("r[entry] is not None", "r[entry]"),
        check="4.1/entries_of_the_window", hint="0.0 s is a time like any other",
    ),
    Mutant(
        name="stops at the first record beyond the window", old=WHO_ENTERS, check="4.1/entries_of_the_window",
        hint="do not stop at the first request", new="""beyond = [r[entry] is not None and r[entry] >= end_s for r in records] + [True]
    records = records[: beyond.index(True)]
    """ + WHO_ENTERS,
    ),
    Mutant(
        name="infinity written into the records", old="    entry, leave = columns_of(stage)\n    inside = ",
        new="""    entry, leave = columns_of(stage)
    for record in records:
        record[leave] = math.inf if record[leave] is None else record[leave]
    inside = """, check="4.1/entries_of_the_window", hint="`records` after the call",
    ),
    Mutant(
        name="records of earlier calls counted again", old="    entry, leave = columns_of(stage)\n    inside = ",
        new="""    kept = rate_and_mean_stay.__dict__.setdefault("kept", [])
    kept.extend(records)
    records = kept
    entry, leave = columns_of(stage)
    inside = """, check="4.1/entries_of_the_window", hint="a default argument such as",
    ),
    Mutant(
        name="moments as a set", old="in sorted(changes):", new="in sorted(set(changes)):", check="4.2/identity",
        hint="a set or a dict of moments keeps only one",
    ),
    Mutant(
        name="an entry at 0 s is nobody's", old=CHANGES, new=CHANGES.replace("r[entry] is not None", "r[entry]"),
        check="4.2/identity", hint="0.0 s is a time like any other",
    ),
    Mutant(
        name="an empty log is an error", old=CHANGES, new=CHANGES + "\n    first = min(changes)", check="4.2/identity",
        hint="If no request is ever inside, the mean is 0",
    ),
    Mutant(
        name="warm-up in the log's order", old="sorted(record[\"arrival_s\"] for record in records)",
        new="[record[\"arrival_s\"] for record in records]", check="4.3/same_window", hint="in order of arrival, but the log",
    ),
    Mutant(
        name="sorts the caller's log", old="    arrivals = sorted(", check="4.3/same_window", hint="`records` after the call",
        new="    records.sort(key=lambda record: record['arrival_s'])\n    arrivals = sorted(",
    ),
    Mutant(
        name="a step more than the mean", old="entering = in_flight / mean_steps", check="4.4/decode",
        new="entering = in_flight / (mean_steps + 1)", hint="not n̄ + 1",
    ),
    Mutant(
        name="rows for those that enter", old=ROW_COST, new="""cost["per_sequence_ns"] * in_flight""", check="4.4/decode",
        hint="not B",
    ),
    Mutant(
        name="mean of the steps rounded down", old="mean_steps = sum(steps for _, steps in lengths) / len(lengths)",
        new="mean_steps = sum(steps for _, steps in lengths) // len(lengths)", check="4.4/decode", hint="the mean of the steps",
    ),
    Mutant(
        name="a prefill pass in every step", old=WITH_PREFILL, new="with_prefill = 1 or in_flight", check="4.4/prefill",
        hint="not every step has a prefill pass",
    ),
    Mutant(
        name="a decode step for the first token", old=ATTENDED, new=ATTENDED.replace("(n - 1) * prompt", "n * prompt"),
        check="4.4/context", hint="has n − 1 decode steps",
    ),
    Mutant(
        name="context of one token too many", old=ATTENDED, new=ATTENDED.replace("n * (n - 1) / 2", "(n - 1) * (n + 2) / 2"),
        check="4.4/context", hint="k − 1 more tokens, not k",
    ),
    Mutant(
        name="speeds kept by the number in flight", old="    return entering / (decode_ns", check="4.4/within_5_percent",
        hint="a default argument such as",
        new="""    kept = throughput_per_s.__dict__.setdefault("kept", {})
    if in_flight in kept:
        return kept[in_flight]
    kept[in_flight] = entering / (decode_ns + prefill_ns) * 1e9
    return entering / (decode_ns""",
    ),
    Mutant(
        name="a mean at the capacity itself", old=UNSTABLE, new=UNSTABLE.replace(">=", ">").replace(
            "        return math.inf", "        return math.inf\n    if rate_per_s == speeds[-1]:\n        return 1 / speeds[0]"),
        check="4.5/beyond_capacity", hint="Only a lower rate has a finite mean",
    ),
    Mutant(
        name="no mean above 99 %", old=UNSTABLE, new=UNSTABLE.replace(">= ", ">= 0.99 * "), check="4.5/beyond_capacity",
        hint="but it exists",
    ),
    Mutant(
        name="a ladder of a thousand rungs", old=CLIMB, new="    while n < 1_000:", check="4.5/beyond_capacity",
        hint="thousands of rungs",
    ),
    Mutant(
        name="the empty server left out", old="0, 1.0, 1.0, 0.0", new="0, 1.0, 0.0, 0.0", check="4.5/within_10_percent",
        hint="the empty server",
    ),
    Mutant(
        name="a full house at every rung", old=SPEED, new="speeds[cap - 1]", check="4.5/within_10_percent",
        hint="not speed(cap)",
    ),
    Mutant(
        name="one layer", old="""model["num_layers"] * keys_and_values""", new="keys_and_values",
        check="4.6/keys_and_values", hint="this is one layer",
    ),
    Mutant(
        name="sizes kept by the number of layers", old="    keys_and_values = ", check="4.6/kv_heads",
        hint="a default argument such as", new="""    kept = kv_bytes_per_token.__dict__
    if "kept" in kept:
        return kept["kept"]
    kept["kept"] = 2 * model["num_kv_heads"] * model["head_size"] * model["num_layers"] * model["bytes_per_element"]
    keys_and_values = """,
    ),
    Mutant(
        name="goes on after the one that does not fit", old="    for count, length in enumerate(lengths):\n",
        check="4.7/exact", hint="those after it have to wait", new="""    fit = 0
    for length in lengths:
        blocks = -(-length // block_size)
        needed = {"maximum": model["context"], "exact": length, "blocks": blocks * block_size}[way]
        if needed <= places:
            places, fit = places - needed, fit + 1
    return fit
    for count, length in enumerate(lengths):
""",
    ),
    Mutant(
        name="a full memory does not count", old="        if places < 0:", new="        if places <= 0:", check="4.7/exact",
        hint="fills the memory to the last place",
    ),
    Mutant(
        name="a part of a token is a place", old="places = budget_bytes // kv_bytes_per_token(model)", check="4.7/exact",
        new="places = -(-budget_bytes // kv_bytes_per_token(model))", hint="is not a token place",
    ),
    Mutant(
        name="blocks of 16, always", old="        blocks = ", new="        block_size = 16\n        blocks = ", check="4.7/blocks",
        hint="not always 16",
    ),
    Mutant(
        name="a plan that cannot keep up", old="cap: throughput_per_s(", new="cap: 1e9 * throughput_per_s(",
        check="4.8/keeps_up", hint="only because it ends",
    ),
    Mutant(
        name="no more than ten replicas", old=SIZES, new="for num_replicas in range(min(fewest, 10), 11):",
        check="4.8/keeps_up", hint="no fixed limit on the number of replicas",
    ),
    Mutant(
        name="loses the lengths", old="    never_busy = ", new="    lengths, given = list(lengths), lengths\n    given.clear()\n    never_busy = ",
        check="4.8/meets_its_p95", hint="`lengths` after the call",
    ),
    *fresh.BY_LAB["04"],
    *first_message.BY_LAB["04"],
    *by_hand.BY_LAB["04"],
    *lab04_first_message.MUTANTS,
)
