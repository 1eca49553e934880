"""Dynamic batching with preferred sizes, as Triton's classic batcher does it for models whose answer is one call.

A batch is formed when the server is free: at once if a preferred number of requests is waiting, else from those that
come within a window (NVIDIA, Triton documentation: Batchers, 2025). Then the batch runs as a whole. Its size adapts to
the queue, whereas Lab 02's server, like TensorFlow Serving's batcher, waits for a full batch or its deadline; but it is
still a batch, and a short answer waits for the longest.
"""

import queue

PREFERRED_SIZES = (4, 8)


def dynamic_batch_loop(server) -> None:
    """Serve batch after batch until the queue is closed."""
    while batch := form_batch(server):
        running = list(batch)
        while running:
            for request, token in zip(batch, server.model.forward_one_step(batch)):
                if request not in running:
                    continue
                is_eos = token == server.model.eos_token_id
                if not is_eos:
                    request.append(token)
                if is_eos or request.num_output_tokens == request.max_tokens:
                    running.remove(request)
        for request in batch:
            server.respond(request)


def form_batch(server) -> list:
    """A preferred number of requests if that many wait, else those that come within `server.max_wait_s`."""
    try:
        batch = [server.queue.get()]
    except queue.Empty:
        return []
    deadline_s = batch[0].arrival_time_s + server.max_wait_s
    sizes = [size for size in PREFERRED_SIZES if size <= server.max_batch]
    while len(batch) < server.max_batch:
        if not server.queue.empty():
            batch.append(server.queue.get_nowait())
            continue
        if len(batch) in sizes:
            break
        try:
            batch.append(server.queue.get(deadline_s - server.clock.time()))
        except queue.Empty:
            break
    return batch
