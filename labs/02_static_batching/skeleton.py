"""Lab 02, static batching: collect a batch, run it until its longest member is done, send all its answers at once.

The loop waits for a batch to form, runs steps of the whole batch until its last member has ended, and then answers.
`server` is described in minigpt/runtime/server.py.
"""

import math
import queue


def collect_batch(server):
    """Return the next batch, a list of up to `server.max_batch` requests; an empty list if the queue is closed.

    Wait as long as necessary for the first request. The wait for further requests ends `server.max_wait_s` after the
    first one arrived (not after this function was called), or as soon as the batch is full. Oldest first.
    """
    # EXERCISE 2.1 (about 11 lines)
    raise NotImplementedError("exercise 2.1: collect_batch")


def run_full_inference(server, batch):
    """Run steps of the whole batch until its longest member has ended; rows that have ended are still computed.

    Every step passes all of `batch` to `server.model.forward_one_step`. A request ends with EOS, which is not an output
    token, or when it has `max_tokens` output tokens; append nothing to it after that. This function sends no answers.
    """
    # EXERCISE 2.2 (about 9 lines)
    raise NotImplementedError("exercise 2.2: run_full_inference")


def static_batch_loop(server):
    """Serve batch after batch until the queue is closed; send a batch's answers together, once all its requests have ended."""
    # EXERCISE 2.3 (about 4 lines)
    raise NotImplementedError("exercise 2.3: static_batch_loop")


def latency_report(records):
    """Return the latencies that clients saw: a dict with `p50_s`, `p95_s`, `p99_s`, `max_s` and `num_unanswered`.

    `records` is a list of dicts, one per request, with `request_id`, `arrival_s` (scheduled), `admitted_s` (taken from
    the queue) and `finish_s` (answered); the last two are None for a request that did not get that far. Latency counts
    from the scheduled arrival; without an answer it is infinite. Percentiles are nearest-rank: the ⌈p/100·n⌉-th smallest.
    If there are no records: ValueError.
    """
    # EXERCISE 2.4 (about 8 lines)
    raise NotImplementedError("exercise 2.4: latency_report")


def wasted_slot_share(steps, max_batch):
    """Return the shares of a run's slots that produced no token: a dict of two shares from 0 to 1, `held` and `empty`.

    `steps` is a list of dicts, one per step, with `rows` (all rows computed in it) and `useful_rows` (those of requests
    that had not ended before it). A step offers `max_batch` slots, whether they are filled or not. A held slot is a row
    computed for a request that had ended; an empty slot adds no row. There is at least one step.
    """
    # EXERCISE 2.5 (about 4 lines)
    raise NotImplementedError("exercise 2.5: wasted_slot_share")


def early_batch_loop(server):
    """Serve batch after batch like `static_batch_loop`, with both improvements: drop ended rows, and answer early.

    Each step passes the requests that have not ended, and a request is answered in the step in which it ends.
    The next batch is collected when the last member has ended: no request joins a running batch.
    """
    # EXERCISE 2.7 (about 8 lines)
    raise NotImplementedError("exercise 2.7: early_batch_loop")
