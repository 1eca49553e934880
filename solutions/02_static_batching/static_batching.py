"""Lab 02, static batching: collect a batch, run it to its longest member, answer all of it at once."""

import queue


def collect_batch(server):
    """The next batch: up to `server.max_batch` requests, waiting at most `server.max_wait_s` for company.

    The first request is waited for as long as it takes. The wait for the others runs from the moment at which the
    first one arrived, not from when this function began to look. Oldest first; an empty list if the queue is closed.
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
    """Step the whole batch until its longest member has ended; finished rows are computed along.

    Every step passes all of the batch to `server.model.forward_one_step`. A request ends with EOS, which is no output
    token, or when it has `max_tokens` output tokens; nothing is appended to it after that.
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
    """Serve batch after batch until the queue is closed; the answers of a batch leave together, when it has ended."""
    # BEGIN SOLUTION 2.3
    while batch := collect_batch(server):
        run_full_inference(server, batch)
        for request in batch:
            server.respond(request)
    # END SOLUTION
