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
    # EXERCISE 3.1 (about 2 lines)
    raise NotImplementedError("exercise 3.1: admit")


def decode_one_step(server, in_flight):
    """Run one forward pass over all requests in flight; return the list of those that ended in it.

    Append each request's token to it, unless the token is EOS, which is not an output token. A request has ended when
    its token is `server.model.eos_token_id`, or when it has `max_tokens` output tokens.
    """
    # EXERCISE 3.2 (about 8 lines)
    raise NotImplementedError("exercise 3.2: decode_one_step")


def retire(server, in_flight, finished):
    """Remove the `finished` requests from `in_flight` (changed in place) and answer them, in this same step."""
    # EXERCISE 3.3 (about 3 lines)
    raise NotImplementedError("exercise 3.3: retire")


def continuous_batch_loop(server):
    """Serve until the queue is closed and no request is in flight: admit, decode one step, retire, repeat.

    If no request is in flight there is nothing to compute: wait as long as necessary for the next arrival.
    """
    # EXERCISE 3.4 (about 7 lines)
    raise NotImplementedError("exercise 3.4: continuous_batch_loop")


def p95_s(records):
    """Return the nearest-rank p95 of end-to-end latency, in seconds: the ⌈0.95·n⌉-th smallest.

    `records` is a list of dicts, one per request, with `request_id`, `arrival_s` (scheduled), `admitted_s` (taken from
    the queue) and `finish_s` (answered); the last two are None for a request that did not get that far. Latency counts
    from the scheduled arrival; without an answer it is infinite. If there are no records: ValueError.
    """
    # EXERCISE 3.5 (about 6 lines)
    raise NotImplementedError("exercise 3.5: p95_s")


def reduction_interval(static_records, continuous_records, num_resamples, seed):
    """Return a 95 % bootstrap interval (low, high) for the p95 reduction, in per cent.

    The two lists hold the same requests, in any order: pair them by `request_id`. A resample draws as many pairs as
    there are, with replacement, and computes 100·(1 − p95 continuous / p95 static). Low and high are the 2.5th and
    97.5th nearest-rank percentiles of `num_resamples` such reductions, drawn with `random.Random(seed)`.
    """
    # EXERCISE 3.6 (about 10 lines)
    raise NotImplementedError("exercise 3.6: reduction_interval")


def grouped_batch_loop(server):
    """Serve continuously, but let newcomers share a prefill pass: admit several together or, after a while, one alone.

    A prefill pass has a fixed cost, so two prompts cost less in one step than in two. While a request is in flight, new
    ones wait until a group of them can be admitted, but none waits longer than a limit; with no request in flight,
    waiting is pointless. Admit the oldest first, and never have more than `server.max_inflight` in flight. Choose the
    size of the group and the limit yourself.
    """
    # EXERCISE 3.8 (about 13 lines)
    raise NotImplementedError("exercise 3.8: grouped_batch_loop")
