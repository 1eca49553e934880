"""Lab 04, Little's law and capacity: what you can know about a server before you buy it.

`records` is what `log.records()` returns: a list of dicts, one per request, with `request_id`, `arrival_s` (scheduled),
`admitted_s` (taken from the queue) and `finish_s` (answered); the last two are None if that did not happen.

`lengths` is a list of pairs, one per request seen earlier: (prompt tokens, steps). A step gives one token; an EOS at
the end of the answer takes one more step. `cost` holds the coefficients of a step, in nanoseconds: see `COST`.
"""

import math
from dataclasses import asdict

from minigpt.analysis.littles_law import columns_of, number_inside, sample_times
from minigpt.runtime.clock import StepCost
from minigpt.simulation import fleet

COST = asdict(StepCost())  # step_overhead_ns (a), per_sequence_ns (b), prefill_overhead_ns, per_prefill_token_ns, …
CAPS = (1, 2, 4, 8, 16, 32, 64, 128)  # in-flight caps worth trying


def rate_and_mean_stay(records, stage, start_s, end_s):
    """Return λ and W of a stage in a window: the requests that enter per second, and their mean stay in seconds.

    Count the requests that enter at start_s ≤ t < end_s, and the whole stay of each, even if it ends after `end_s`; a
    request that never left has an infinite stay. `columns_of(stage)` returns the names of the two columns, entry and
    exit; a request whose entry is None never entered. If no request enters there is no mean stay: ValueError.
    """
    # BEGIN SOLUTION 4.1
    entry, leave = columns_of(stage)
    inside = [r for r in records if r[entry] is not None and start_s <= r[entry] < end_s]
    if not inside:
        raise ValueError(f"no request enters from start_s={start_s} to end_s={end_s}: no mean stay; widen the window")
    stays = [math.inf if r[leave] is None else r[leave] - r[entry] for r in inside]
    return len(stays) / (end_s - start_s), sum(stays) / len(stays)
    # END SOLUTION


def mean_number(records, stage, start_s, end_s):
    """Return L: how many requests are in the stage on average over the time from `start_s` to `end_s`.

    Walk through the moments at which a request enters or leaves, and add up (number inside) · (time until the next
    one). Only what lies in the window counts; a request that never left is inside to the end.
    """
    # BEGIN SOLUTION 4.2
    entry, leave = columns_of(stage)
    changes = [(r[entry], 1) for r in records if r[entry] is not None]
    changes += [(r[leave], -1) for r in records if r[leave] is not None]
    area, inside, now_s = 0.0, 0, start_s
    for time_s, change in sorted(changes):
        if time_s > now_s:
            area += inside * (min(time_s, end_s) - now_s)
            now_s = min(time_s, end_s)
        inside += change
    area += inside * (end_s - now_s)
    return area / (end_s - start_s)
    # END SOLUTION


def sample_the_law(records, warm_up, every_s):
    """Return L, λ and W of the whole system in a window, with L sampled from the log as an observer with a watch would.

    The window runs from the arrival of request number `warm_up` (in order of arrival, from 0) to the last arrival.
    L is the mean number inside at instants that do not depend on what the server does: `sample_times` returns them, one
    every `every_s`, and `number_inside` counts. λ and W are those of the same window.
    """
    # BEGIN SOLUTION 4.3
    arrivals = sorted(record["arrival_s"] for record in records)
    start_s, end_s = arrivals[warm_up], arrivals[-1]
    counts = number_inside(records, "system", sample_times(start_s, end_s, every_s))
    rate, stay = rate_and_mean_stay(records, "system", start_s, end_s)
    return sum(counts) / len(counts), rate, stay
    # END SOLUTION


def throughput_per_s(lengths, in_flight, cost):
    """Return how many requests per second a continuous server completes while `in_flight` requests run all the time.

    A request stays for a number of steps, so in an average step in_flight / (mean steps) requests leave, and as many
    enter. The others share one decode pass. Divide the number that leave in a step by the time that the step takes.
    """
    # BEGIN SOLUTION 4.4
    mean_steps = sum(steps for _, steps in lengths) / len(lengths)
    mean_prompt = sum(prompt for prompt, _ in lengths) / len(lengths)
    # Step k = 2 … n of a request attends to its prompt and the k − 1 tokens after it.
    attended = sum((n - 1) * prompt + n * (n - 1) / 2 for prompt, n in lengths) / len(lengths)
    entering = in_flight / mean_steps
    decode_ns = cost["step_overhead_ns"] + cost["per_sequence_ns"] * (in_flight - entering)
    decode_ns += cost["per_context_token_ns"] * entering * attended
    with_prefill = 1 - (1 - 1 / mean_steps) ** in_flight  # share of the steps in which at least one enters
    prefill_ns = cost["prefill_overhead_ns"] * with_prefill + cost["per_prefill_token_ns"] * entering * mean_prompt
    return entering / (decode_ns + prefill_ns) * 1e9
    # END SOLUTION


def mean_time_in_system_s(lengths, rate_per_s, cap, cost):
    """Return the mean time from arrival to answer, predicted from the ladder; math.inf if the server cannot keep up.

    With n requests in the system the server completes throughput_per_s(min(n, cap)): those beyond the cap wait. The
    system climbs from n − 1 to n (at `rate_per_s`) as often as it comes down again. That gives the share of the time
    with n inside. The shares give the mean L, and Little's law turns L into W.
    """
    # BEGIN SOLUTION 4.5
    speeds = [throughput_per_s(lengths, n, cost) for n in range(1, cap + 1)]
    if rate_per_s >= speeds[-1]:
        return math.inf
    n, share, all_shares, mean_inside = 0, 1.0, 1.0, 0.0
    while n <= cap or share > 1e-9 * all_shares:
        n += 1
        share *= rate_per_s / speeds[min(n, cap) - 1]
        all_shares += share
        mean_inside += n * share
    return mean_inside / all_shares / rate_per_s
    # END SOLUTION


def kv_bytes_per_token(model):
    """Return the number of bytes that the KV cache keeps for one token of one sequence.

    `model` is a dict with num_layers, num_heads (query heads), num_kv_heads, head_size and bytes_per_element.
    """
    # BEGIN SOLUTION 4.6
    keys_and_values = 2 * model["num_kv_heads"] * model["head_size"]
    return model["num_layers"] * keys_and_values * model["bytes_per_element"]
    # END SOLUTION


def sequences_that_fit(budget_bytes, model, lengths, way, block_size):
    """Return how many sequences fit into `budget_bytes` of memory, taken in order until one does not fit.

    `lengths` are their final lengths in tokens. `way` says how much room, in tokens, each one gets: "maximum", the
    model's whole `context`; "exact", its length; "blocks", whole blocks of `block_size` tokens.
    """
    # BEGIN SOLUTION 4.7
    places = budget_bytes // kv_bytes_per_token(model)
    for count, length in enumerate(lengths):
        blocks = -(-length // block_size)  # rounded up
        places -= {"maximum": model["context"], "exact": length, "blocks": blocks * block_size}[way]
        if places < 0:
            return count
    return len(lengths)
    # END SOLUTION


def plan(rate_per_s, p95_target_s, lengths, max_cap):
    """Return the smallest fleet whose p95 meets the target: (number of replicas, in-flight cap of each).

    Of the caps worth trying (`CAPS` and `max_cap` itself), choose the one with the lowest p95, but none above
    `max_cap`: more would not fit into a replica's memory. `fleet.p95_s(lengths, rate_per_s, num_replicas, cap)`
    simulates a fleet. It keeps up only if rate_per_s / num_replicas is below what one replica completes: leave out caps
    at which it does not. If no fleet can meet the target: ValueError.
    """
    # BEGIN SOLUTION 4.8
    never_busy = fleet.p95_s(lengths, 0.01, 1, 1)
    if never_busy > p95_target_s:
        raise ValueError(f"p95_target_s={p95_target_s}: even alone a request takes {never_busy:.4f} s; aim higher")
    caps = {cap: throughput_per_s(lengths, cap, COST) for cap in (*CAPS, max_cap) if cap <= max_cap}
    fewest = math.ceil(rate_per_s / max(caps.values()))
    for num_replicas in range(fewest, 10 * fewest + 10):
        able = [cap for cap, capacity in caps.items() if rate_per_s / num_replicas < capacity]
        found = [(fleet.p95_s(lengths, rate_per_s, num_replicas, cap), cap) for cap in able]
        if found and min(found)[0] <= p95_target_s:
            return num_replicas, min(found)[1]
    raise ValueError(f"p95_target_s={p95_target_s}: {num_replicas} replicas do not meet it; aim higher")
    # END SOLUTION
