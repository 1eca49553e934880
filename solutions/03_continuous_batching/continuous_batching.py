"""Lab 03, continuous batching: schedule single steps, not whole requests.

The loop holds the requests that are in flight. In every step it fills free slots from the queue, runs one forward
pass, and lets requests that have ended leave at once. `server` is described in minigpt/runtime/server.py.
"""

import math
import queue  # queue.Empty is what `get_nowait` raises when no request waits; `empty()` lets you check first
import random


def admit(server, in_flight):
    """Fill the free slots of `in_flight` (a list, changed in place) from the queue, oldest request first.

    Never have more than `server.max_inflight` requests in flight, and never wait here: running requests lose time while
    you do.
    """
    # BEGIN SOLUTION 3.1
    while len(in_flight) < server.max_inflight and not server.queue.empty():
        in_flight.append(server.queue.get_nowait())
    # END SOLUTION


def decode_one_step(server, in_flight):
    """Run one forward pass over all requests in flight; return the list of those that ended in it.

    Append each request's token to it, unless the token is EOS, which is not an output token. A request has ended when
    its token is `server.model.eos_token_id`, or when it has `max_tokens` output tokens.
    """
    # BEGIN SOLUTION 3.2
    finished = []
    for request, token in zip(in_flight, server.model.forward_one_step(in_flight)):
        is_eos = token == server.model.eos_token_id
        if not is_eos:
            request.append(token)
        if is_eos or request.num_output_tokens == request.max_tokens:
            finished.append(request)
    return finished
    # END SOLUTION


def retire(server, in_flight, finished):
    """Remove the `finished` requests from `in_flight` (changed in place) and answer them, in this same step."""
    # BEGIN SOLUTION 3.3
    for request in finished:
        in_flight.remove(request)
        server.respond(request)
    # END SOLUTION


def continuous_batch_loop(server):
    """Serve until the queue is closed and no request is in flight: admit, decode one step, retire, repeat.

    If no request is in flight there is nothing to compute: wait as long as necessary for the next arrival.
    """
    # BEGIN SOLUTION 3.4
    in_flight = []
    while in_flight or not server.queue.closed:
        if not in_flight:
            in_flight.append(server.queue.get())
        admit(server, in_flight)
        finished = decode_one_step(server, in_flight)
        retire(server, in_flight, finished)
    # END SOLUTION


def p95_s(records):
    """Return the nearest-rank p95 of end-to-end latency, in seconds: the ⌈0.95·n⌉-th smallest.

    `records` is a list of dicts, one per request, with `request_id`, `arrival_s` (scheduled), `admitted_s` (taken from
    the queue) and `finish_s` (answered); the last two are None for a request that did not get that far. Latency counts
    from the scheduled arrival; without an answer it is infinite. If there are no records: ValueError.
    """
    # BEGIN SOLUTION 3.5
    if not records:
        raise ValueError("records is empty: the p95 of nothing is not defined")
    latencies = sorted(
        math.inf if record["finish_s"] is None else record["finish_s"] - record["arrival_s"] for record in records
    )
    return latencies[math.ceil(len(latencies) * 95 / 100) - 1]
    # END SOLUTION


def reduction_interval(static_records, continuous_records, num_resamples, seed):
    """Return a 95 % bootstrap interval (low, high) for the p95 reduction, in per cent.

    The two lists hold the same requests, in any order: pair them by `request_id`. A resample draws as many pairs as
    there are, with replacement, and computes 100·(1 − p95 continuous / p95 static). Low and high are the 2.5th and
    97.5th nearest-rank percentiles of `num_resamples` such reductions, drawn with `random.Random(seed)`.
    """
    # BEGIN SOLUTION 3.6
    rng = random.Random(seed)
    continuous = {record["request_id"]: record for record in continuous_records}
    pairs = [(record, continuous[record["request_id"]]) for record in static_records]
    reductions = []
    for _ in range(num_resamples):
        before, after = zip(*rng.choices(pairs, k=len(pairs)))
        reductions.append(100 * (1 - p95_s(after) / p95_s(before)))
    reductions.sort()
    low, high = (math.ceil(num_resamples * share) - 1 for share in (0.025, 0.975))
    return reductions[low], reductions[high]
    # END SOLUTION


def grouped_batch_loop(server):
    """Serve continuously, but let newcomers share a prefill pass: admit several together or, after a while, one alone.

    A prefill pass has a fixed cost, so two prompts cost less in one step than in two. While a request is in flight, new
    ones wait until a group of them can be admitted, but none waits longer than a limit; with no request in flight,
    waiting is pointless. Admit the oldest first, and never have more than `server.max_inflight` in flight. Choose the
    size of the group and the limit yourself.
    """
    # BEGIN SOLUTION 3.8
    group, patience_s = 2, 0.010
    waiting, in_flight = [], []
    while in_flight or waiting or not server.queue.closed:
        if not in_flight and not waiting:
            waiting.append(server.queue.get())
        while not server.queue.empty():
            waiting.append(server.queue.get_nowait())
        free = server.max_inflight - len(in_flight)
        is_late = waiting and server.clock.time() - waiting[0].arrival_time_s >= patience_s
        if not in_flight or is_late or min(free, len(waiting)) >= group:
            in_flight += waiting[:free]
            del waiting[:free]
        retire(server, in_flight, decode_one_step(server, in_flight))
    # END SOLUTION
