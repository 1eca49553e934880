"""Continuous batching: at every step, finished requests leave and waiting ones join (Orca, OSDI 2022).

Given code, like the static baseline: studies, claims and the fleet's exactness test run it.
"""

from minigpt.schedulers.static import take_token


def continuous_batch_loop(server) -> None:
    """Serve until the queue is closed and no request is in flight."""
    running: list = []
    while running or not server.queue.closed:
        if not running:
            running.append(server.queue.get())
        while len(running) < server.max_inflight and not server.queue.empty():
            running.append(server.queue.get_nowait())
        running = step(server, running)


def step(server, running: list) -> list:
    """Run one forward pass over all requests in flight; answer those that ended in it, return the others."""
    staying = []
    for request, token in zip(running, server.model.forward_one_step(running)):
        if take_token(request, token, server.model.eos_token_id):
            server.respond(request)
        else:
            staying.append(request)
    return staying
