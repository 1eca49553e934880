"""Mistakes of first readers of Lab 04 whose first message used to name something else: each is named by now."""

from tests.mutants.mutant import Mutant

RATE_AND_STAY = "return len(stays) / (end_s - start_s), sum(stays) / len(stays)"
STAYS = "stays = [math.inf if r[leave] is None else r[leave] - r[entry] for r in inside]"
WHO_ENTERS = "inside = [r for r in records if r[entry] is not None and start_s <= r[entry] < end_s]"
STAGE = "entry, leave = columns_of(stage)\n    inside = "
TAIL = "    area += inside * (end_s - now_s)\n"
WALK = """            area += inside * (min(time_s, end_s) - now_s)
            now_s = min(time_s, end_s)"""
APPLY = "        inside += change\n"
CHANGES = "changes += [(r[leave], -1) for r in records if r[leave] is not None]"
WINDOW = "start_s, end_s = arrivals[warm_up], arrivals[-1]"
LAW = "return sum(counts) / len(counts), rate, stay"
EXITS = 'max(r["finish_s"] for r in records if r["finish_s"] is not None)'

MUTANTS = (
    Mutant(
        name="W in milliseconds", old=RATE_AND_STAY, check="4.1/each_stage", hint="this W is in milliseconds",
        new="return len(stays) / (end_s - start_s), 1e3 * sum(stays) / len(stays)",
    ),
    Mutant(
        name="W before λ", old=RATE_AND_STAY, check="4.1/each_stage", hint="first λ, then W",
        new="return sum(stays) / len(stays), len(stays) / (end_s - start_s)",
    ),
    Mutant(
        name="a count for a rate", old=RATE_AND_STAY, check="4.1/each_stage", hint="this is the number of requests",
        new="return float(len(stays)), sum(stays) / len(stays)",
    ),
    Mutant(
        name="the sum of the stays", old=RATE_AND_STAY, check="4.1/each_stage", hint="this is the sum of the stays",
        new="return len(stays) / (end_s - start_s), sum(stays)",
    ),
    Mutant(
        name="the system at every stage", old=STAGE, check="4.1/each_stage", hint="of the whole system, whatever the stage",
        new='entry, leave = columns_of("system")\n    inside = ',
    ),
    Mutant(
        name="λ over the end of the window", old=RATE_AND_STAY, check="4.1/entries_of_the_window", hint="yours divides by `end_s`",
        new="return len(stays) / end_s, sum(stays) / len(stays)",
    ),
    Mutant(
        name="those that never left do not count", old=WHO_ENTERS, check="4.1/entries_of_the_window",
        hint="its stay is infinite: yours are left out",
        new=WHO_ENTERS.replace("r[entry] is not None", "r[entry] is not None and r[leave] is not None"),
    ),
    Mutant(
        name="those that leave later do not count", old=WHO_ENTERS, check="4.1/entries_of_the_window",
        hint="yours leaves out those that stay beyond", new=WHO_ENTERS.replace(
            "r[entry] is not None", "r[entry] is not None and r[leave] is not None and r[leave] <= end_s"),
    ),
    Mutant(
        name="stays cut at the end, and None not thought of", old=STAYS, check="4.1/nobody_enters",
        hint="in which some requests do enter", new='stays = [min(r[leave], end_s) - r[entry] for r in inside]',
    ),
    Mutant(
        name="the present moment runs past the window", old=WALK, check="4.2/identity", hint="leaves the window",
        new=WALK.replace("now_s = min(time_s, end_s)", "now_s = time_s"),
    ),
    Mutant(
        name="the area for its mean", old="return area / (end_s - start_s)", new="return area", check="4.2/average_over_time",
        hint="this is the area",
    ),
    Mutant(
        name="a change before its time", old=WALK + "\n" + APPLY, check="4.2/average_over_time",
        hint="then apply the change", new=WALK.replace("inside *", "(inside + change) *") + "\n" + APPLY,
    ),
    Mutant(
        name="nothing after the last change", old=TAIL, new="", check="4.2/identity",
        hint="the time from the last change to `end_s` is missing",
    ),
    Mutant(
        name="time after the window", old=WALK, check="4.2/identity", hint="time after `end_s` is counted as well",
        new=WALK.replace("min(time_s, end_s)", "time_s"),
    ),
    Mutant(
        name="None among the moments", old=CHANGES, check="4.2/identity", outcome="crashed",
        hint="it has no moment of leaving",
        new="changes += [(r[leave], -1) for r in records if r[entry] is not None]",
    ),
    Mutant(
        name="L as λ·W", old="    return area / (end_s - start_s)", check="4.2/identity", hint="this is λ·W",
        new="    rate, stay = rate_and_mean_stay(records, stage, start_s, end_s)\n    return rate * stay",
    ),
    Mutant(
        name="a window from 0 s", old=WINDOW, new="start_s, end_s = 0.0, arrivals[-1]", check="4.3/instants",
        hint="not at 0 s",
    ),
    Mutant(
        name="a window to the last exit", old=WINDOW, new=f"start_s, end_s = arrivals[warm_up], {EXITS}", check="4.3/instants",
        hint="not with the last exit",
    ),
    Mutant(
        name="L of what is in flight", old='number_inside(records, "system"', new='number_inside(records, "in_flight"',
        check="4.3/instants", hint="counts only what is in flight",
    ),
    Mutant(
        name="counted from 1", old=WINDOW, new="start_s, end_s = arrivals[warm_up - 1], arrivals[-1]", check="4.3/instants",
        hint="not `arrivals[warm_up - 1]`",
    ),
    Mutant(
        name="warm-up as seconds", old=WINDOW, new="start_s, end_s = float(warm_up), arrivals[-1]", check="4.3/instants",
        outcome="crashed", hint="not of seconds",
    ),
    Mutant(
        name="L as λ·W of the window", old=LAW, new="return rate * stay, rate, stay", check="4.3/instants",
        hint="this L is λ·W itself",
    ),
    Mutant(
        name="the context of B requests", old='cost["per_context_token_ns"] * entering', check="4.4/context",
        hint="not B times", new='cost["per_context_token_ns"] * in_flight',
    ),
    Mutant(
        name="the costs at the top of the file", old="    mean_steps = sum(", new="    cost = COST\n    mean_steps = sum(",
        check="4.4/decode", hint="from the argument `cost`",
    ),
    Mutant(
        name="L times λ", old="return mean_inside / all_shares / rate_per_s", check="4.5/alone", hint="this is L·λ",
        new="return mean_inside / all_shares * rate_per_s",
    ),
    Mutant(
        name="shares that do not add up to 1", old="return mean_inside / all_shares / rate_per_s", check="4.5/alone",
        hint="divide Σ n·share(n) by the sum", new="return mean_inside / rate_per_s",
    ),
    Mutant(
        name="a ladder without end at the capacity", old="if rate_per_s >= speeds[-1]:", new="if rate_per_s > speeds[-1]:",
        check="4.5/beyond_capacity", outcome="timed_out", hint="the shares never get smaller",
    ),
    Mutant(
        name="KiB", old='* model["bytes_per_element"]', new='* model["bytes_per_element"] / 1024', check="4.6/keys_and_values",
        hint="these are KiB",
    ),
    Mutant(
        name="bits", old='* model["bytes_per_element"]', new='* model["bytes_per_element"] * 8', check="4.6/keys_and_values",
        hint="these are bits",
    ),
    Mutant(
        name="more in flight than fit, however patient the clients", old="if cap <= max_cap}", new="if cap <= 64}",
        check="4.8/keeps_up", hint="does not fit into a replica's memory",
    ),
    Mutant(
        name="cap before replicas", old="return num_replicas, min(found)[1]", new="return min(found)[1], num_replicas",
        check="4.8/meets_its_p95", hint="the other way round",
    ),
)
