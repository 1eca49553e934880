"""Continuous batching: at every step, those that have ended leave and those that wait come in (Orca, OSDI 2022).

Given code, like the static baseline: studies, claims and the fleet's exactness test run it.
"""

from minigpt.schedulers.static import take_token


def continuous_batch_loop(server) -> None:
    """Serve until the queue is closed and nobody is in flight."""
    running: list = []
    while running or not server.queue.closed:
        if not running:
            running.append(server.queue.get())
        while len(running) < server.max_inflight and not server.queue.empty():
            running.append(server.queue.get_nowait())
        running = step(server, running)


def step(server, running: list) -> list:
    """One forward pass over all that run; those that ended in it are answered, the others are returned."""
    staying = []
    for request, token in zip(running, server.model.forward_one_step(running)):
        if take_token(request, token, server.model.eos_token_id):
            server.respond(request)
        else:
            staying.append(request)
    return staying
