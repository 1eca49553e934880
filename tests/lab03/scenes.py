"""Small workloads with answers that can be worked out by hand: one step is one millisecond."""

from minigpt.workloads.workload import WorkItem, Workload

MS = 1_000_000  # nanoseconds


def scene(*requests: tuple[float, int], name: str = "scene", ends_with_eos: bool = False) -> Workload:
    """A workload of (arrival in ms, answer length in tokens), with request ids 0, 1, 2 …

    An answer ends at its token limit, unless `ends_with_eos`: then the limit is far away and EOS takes a step more.
    """
    return Workload(
        name=name,
        items=tuple(
            WorkItem(
                request_id=i, prompt_token_ids=(97 + i % 26,), max_tokens=2 * length + 9 if ends_with_eos else length,
                arrival_ns=round(arrival_ms * MS), answer=tuple((i * 7 + k) % 200 for k in range(length)),
            )
            for i, (arrival_ms, length) in enumerate(requests)
        ),
    )


def finish_ms(log) -> dict[int, float]:
    """When each answer left, in milliseconds."""
    return {i: record.finish_ns / MS for i, record in log.requests.items() if record.finish_ns is not None}


def answers(log) -> dict[int, tuple[int, ...]]:
    """What each client got."""
    return {i: record.answer for i, record in log.requests.items() if record.answer is not None}


def scripted_answers(workload: Workload) -> dict[int, tuple[int, ...]]:
    """What each client should get."""
    return {item.request_id: item.answer for item in workload.items}


def record(request_id: int, arrival_s: float, finish_s: float | None, admitted_s: float | None = None) -> dict:
    """One request's record, as `RunLog.records` gives it."""
    return {"request_id": request_id, "arrival_s": arrival_s, "admitted_s": admitted_s, "finish_s": finish_s}


def lasting(*latencies: float) -> list[dict]:
    """Records of these latencies, in this order, each with its own arrival."""
    return [record(i, 10.0 * i, 10.0 * i + latency, 10.0 * i) for i, latency in enumerate(latencies)]
