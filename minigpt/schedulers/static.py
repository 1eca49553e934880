"""Static batching: collect a batch, run it until its longest member ends, answer all of it at once.

The baseline of all comparisons. It is given code, so that no measurement depends on an exercise.
"""

import queue


def static_batch_loop(server) -> None:
    """Serve batch after batch until the queue is closed."""
    while batch := next_batch(server):
        run_to_the_longest(server.model, batch)
        for request in batch:
            server.respond(request)


def next_batch(server) -> list:
    """Return up to `max_batch` requests; wait for more until `max_wait_s` after the first one's arrival."""
    batch = []
    while len(batch) < server.max_batch:
        timeout_s = batch[0].arrival_time_s + server.max_wait_s - server.clock.time() if batch else None
        try:
            batch.append(server.queue.get(timeout_s))
        except queue.Empty:
            break
    return batch


def run_to_the_longest(model, batch: list) -> None:
    """Step the whole batch until its last member has ended; finished rows are still computed."""
    ended = [False] * len(batch)
    while not all(ended):
        for row, token in enumerate(model.forward_one_step(batch)):
            if not ended[row]:
                ended[row] = take_token(batch[row], token, model.eos_token_id)


def take_token(request, token: int, eos_token_id: int) -> bool:
    """Append a token to its request, unless it is EOS; return whether the request has ended."""
    if token == eos_token_id:
        return True
    request.append(token)
    return request.num_output_tokens == request.max_tokens
