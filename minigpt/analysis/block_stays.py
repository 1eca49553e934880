"""Who held which block of the KV memory from when to when, read from the log of a run."""

from minigpt.runtime.paged.run_log import PagedRunLog


def holdings(log: PagedRunLog) -> list[tuple[int, int, int, int]]:
    """(block, request, from, to) in nanoseconds of every stay of a request in a block."""
    since: dict[int, tuple[int, int]] = {}
    stays = []
    for event in log.block_events:
        since.update({block: (event.request_id, event.time_ns) for block in event.taken})
        stays += [(block, *since.pop(block), event.time_ns) for block in event.freed]
    return stays + [(block, request_id, start, log.end_ns) for block, (request_id, start) in since.items()]
