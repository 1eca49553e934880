"""The batches of a run, read from its log."""


def batches(log) -> list[tuple[set[int], int, int]]:
    """Each batch as its requests, the start of its first step and the end of the last step that one of them needed.

    A request belongs to the batch of the first step that computes it; times are in nanoseconds.
    """
    batch_of: dict[int, int] = {}
    found: list[list] = []
    for step in log.steps:
        new = {request_id for request_id in step.request_ids if request_id not in batch_of}
        if new:
            batch_of.update(dict.fromkeys(new, len(found)))
            found.append([new, step.start_ns, step.end_ns])
        for request_id in step.useful_ids:
            found[batch_of[request_id]][2] = step.end_ns
    return [tuple(batch) for batch in found]


def answered_early(log) -> list[int]:
    """Requests whose answers left before the longest member of their batch had ended."""
    return [
        request_id
        for members, _, end_ns in batches(log)
        for request_id in sorted(members)
        if (finish_ns := log.requests[request_id].finish_ns) is not None and finish_ns < end_ns
    ]
