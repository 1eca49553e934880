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
    # BEGIN SOLUTION 2.1
    try:
        batch = [server.queue.get()]
    except queue.Empty:
        return []
    deadline_s = batch[0].arrival_time_s + server.max_wait_s
    while len(batch) < server.max_batch:
        try:
            batch.append(server.queue.get(deadline_s - server.clock.time()))
        except queue.Empty:
            break
    return batch
    # END SOLUTION


def run_full_inference(server, batch):
    """Run steps of the whole batch until its longest member has ended; rows that have ended are still computed.

    Every step passes all of `batch` to `server.model.forward_one_step`. A request ends with EOS, which is not an output
    token, or when it has `max_tokens` output tokens; append nothing to it after that. This function sends no answers.
    """
    # BEGIN SOLUTION 2.2
    running = set(batch)
    while running:
        for request, token in zip(batch, server.model.forward_one_step(batch)):
            if request not in running:
                continue
            if token != server.model.eos_token_id:
                request.append(token)
            if token == server.model.eos_token_id or request.num_output_tokens == request.max_tokens:
                running.remove(request)
    # END SOLUTION


def static_batch_loop(server):
    """Serve batch after batch until the queue is closed; send a batch's answers together, once all its requests have ended."""
    # BEGIN SOLUTION 2.3
    while batch := collect_batch(server):
        run_full_inference(server, batch)
        for request in batch:
            server.respond(request)
    # END SOLUTION


def latency_report(records):
    """Return the latencies that clients saw: a dict with `p50_s`, `p95_s`, `p99_s`, `max_s` and `num_unanswered`.

    `records` is a list of dicts, one per request, with `request_id`, `arrival_s` (scheduled), `admitted_s` (taken from
    the queue) and `finish_s` (answered); the last two are None for a request that did not get that far. Latency counts
    from the scheduled arrival; without an answer it is infinite. Percentiles are nearest-rank: the ⌈p/100·n⌉-th smallest.
    If there are no records: ValueError.
    """
    # BEGIN SOLUTION 2.4
    if not records:
        raise ValueError("records is empty: there is no latency to report")
    latencies = sorted(
        math.inf if record["finish_s"] is None else record["finish_s"] - record["arrival_s"] for record in records
    )
    ranks = {percent: math.ceil(percent * len(latencies) / 100) for percent in (50, 95, 99)}
    report = {f"p{percent}_s": latencies[rank - 1] for percent, rank in ranks.items()}
    return {**report, "max_s": latencies[-1], "num_unanswered": latencies.count(math.inf)}
    # END SOLUTION


def wasted_slot_share(steps, max_batch):
    """Return the shares of a run's slots that produced no token: a dict of two shares from 0 to 1, `held` and `empty`.

    `steps` is a list of dicts, one per step, with `rows` (all rows computed in it) and `useful_rows` (those of requests
    that had not ended before it). A step offers `max_batch` slots, whether they are filled or not. A held slot is a row
    computed for a request that had ended; an empty slot adds no row. There is at least one step.
    """
    # BEGIN SOLUTION 2.5
    num_slots = max_batch * len(steps)
    num_rows = sum(step["rows"] for step in steps)
    num_useful = sum(step["useful_rows"] for step in steps)
    return {"held": (num_rows - num_useful) / num_slots, "empty": (num_slots - num_rows) / num_slots}
    # END SOLUTION


def early_batch_loop(server):
    """Serve batch after batch like `static_batch_loop`, with both improvements: drop ended rows, and answer early.

    Each step passes the requests that have not ended, and a request is answered in the step in which it ends.
    The next batch is collected when the last member has ended: no request joins a running batch.
    """
    # BEGIN SOLUTION 2.7
    while running := collect_batch(server):
        while running:
            for request, token in zip(list(running), server.model.forward_one_step(running)):
                if token != server.model.eos_token_id:
                    request.append(token)
                if token == server.model.eos_token_id or request.num_output_tokens == request.max_tokens:
                    running.remove(request)
                    server.respond(request)
    # END SOLUTION
