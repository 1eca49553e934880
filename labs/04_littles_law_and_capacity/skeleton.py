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
    # EXERCISE 4.1 (about 6 lines)
    raise NotImplementedError("exercise 4.1: rate_and_mean_stay")


def mean_number(records, stage, start_s, end_s):
    """Return L: how many requests are in the stage on average over the time from `start_s` to `end_s`.

    Walk through the moments at which a request enters or leaves, and add up (number inside) · (time until the next
    one). Only what lies in the window counts; a request that never left is inside to the end.
    """
    # EXERCISE 4.2 (about 11 lines)
    raise NotImplementedError("exercise 4.2: mean_number")


def sample_the_law(records, warm_up, every_s):
    """Return L, λ and W of the whole system in a window, with L sampled from the log as an observer with a watch would.

    The window runs from the arrival of request number `warm_up` (in order of arrival, from 0) to the last arrival.
    L is the mean number inside at instants that do not depend on what the server does: `sample_times` returns them, one
    every `every_s`, and `number_inside` counts. λ and W are those of the same window.
    """
    # EXERCISE 4.3 (about 5 lines)
    raise NotImplementedError("exercise 4.3: sample_the_law")


def throughput_per_s(lengths, in_flight, cost):
    """Return how many requests per second a continuous server completes while `in_flight` requests run all the time.

    A request stays for a number of steps, so in an average step in_flight / (mean steps) requests leave, and as many
    enter. The others share one decode pass. Divide the number that leave in a step by the time that the step takes.
    """
    # EXERCISE 4.4 (about 9 lines)
    raise NotImplementedError("exercise 4.4: throughput_per_s")


def mean_time_in_system_s(lengths, rate_per_s, cap, cost):
    """Return the mean time from arrival to answer, predicted from the ladder; math.inf if the server cannot keep up.

    With n requests in the system the server completes throughput_per_s(min(n, cap)): those beyond the cap wait. The
    system climbs from n − 1 to n (at `rate_per_s`) as often as it comes down again. That gives the share of the time
    with n inside. The shares give the mean L, and Little's law turns L into W.
    """
    # EXERCISE 4.5 (about 10 lines)
    raise NotImplementedError("exercise 4.5: mean_time_in_system_s")


def kv_bytes_per_token(model):
    """Return the number of bytes that the KV cache keeps for one token of one sequence.

    `model` is a dict with num_layers, num_heads (query heads), num_kv_heads, head_size and bytes_per_element.
    """
    # EXERCISE 4.6 (about 2 lines)
    raise NotImplementedError("exercise 4.6: kv_bytes_per_token")


def sequences_that_fit(budget_bytes, model, lengths, way, block_size):
    """Return how many sequences fit into `budget_bytes` of memory, taken in order until one does not fit.

    `lengths` are their final lengths in tokens. `way` says how much room, in tokens, each one gets: "maximum", the
    model's whole `context`; "exact", its length; "blocks", whole blocks of `block_size` tokens.
    """
    # EXERCISE 4.7 (about 7 lines)
    raise NotImplementedError("exercise 4.7: sequences_that_fit")


def plan(rate_per_s, p95_target_s, lengths, max_cap):
    """Return the smallest fleet whose p95 meets the target: (number of replicas, in-flight cap of each).

    Of the caps worth trying (`CAPS` and `max_cap` itself), choose the one with the lowest p95, but none above
    `max_cap`: more would not fit into a replica's memory. `fleet.p95_s(lengths, rate_per_s, num_replicas, cap)`
    simulates a fleet. It keeps up only if rate_per_s / num_replicas is below what one replica completes: leave out caps
    at which it does not. If no fleet can meet the target: ValueError.
    """
    # EXERCISE 4.8 (about 11 lines)
    raise NotImplementedError("exercise 4.8: plan")
