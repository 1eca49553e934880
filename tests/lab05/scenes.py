"""Small workloads with a block pool, worked out by hand, and what must hold of every run."""

from minigpt.workloads.workload import WorkItem, Workload

MS = 1_000_000  # nanoseconds


def scene(*requests: tuple, name: str = "scene", max_tokens: int | None = None) -> Workload:
    """A workload of (arrival in ms, prompt tokens, answer tokens[, priority]), with request ids 0, 1, 2 …

    An answer ends at its token limit; with `max_tokens` that is the limit, and EOS ends the answer before it.
    """
    items = []
    for i, (arrival_ms, prompt, length, *priority) in enumerate(requests):
        items.append(WorkItem(
            request_id=i, prompt_token_ids=tuple((i * 11 + k) % 200 for k in range(prompt)),
            max_tokens=max_tokens or length, arrival_ns=round(arrival_ms * MS),
            answer=tuple((i * 7 + k) % 200 for k in range(length)), priority=priority[0] if priority else 0,
        ))
    return Workload(name=name, items=tuple(items))


def answers(log) -> dict[int, tuple[int, ...]]:
    """What each client got."""
    return {i: record.answer for i, record in log.requests.items() if record.answer is not None}


def accounting_fault(log) -> str | None:
    """Replay every block event of a run: what is wrong with the accounts, or None.

    A block is taken only while it is free, given back only by its holder, and in the end all are free: so free and
    used blocks add up to the pool at every step.
    """
    holder: dict[int, int] = {}
    for event in log.block_events:
        for block in event.taken:
            if block in holder or not 0 <= block < log.num_blocks:
                return f"block {block} was given to request {event.request_id} while request {holder.get(block)} held it"
            holder[block] = event.request_id
        for block in event.freed:
            if holder.pop(block, None) != event.request_id:
                return f"block {block} was freed by request {event.request_id}, which did not hold it"
    return f"blocks never freed: {sorted(holder)}" if holder else None


def ends(log) -> dict[int, int]:
    """How often each request ended: answered or refused."""
    return {
        item.request_id: (log.requests[item.request_id].finish_ns is not None) + (item.request_id in log.refusals)
        for item in log.workload.items
    }
