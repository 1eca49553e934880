"""Who has had how much: the service of clients over time, who was overtaken how often, read from a run's log."""

from collections.abc import Mapping
from dataclasses import dataclass

from minigpt.analysis.slots import slot_spans
from minigpt.runtime.run_log import RunLog


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """The state at the end of a step."""

    time_ns: int
    service: Mapping[str, float]  # client -> weighted tokens computed for it so far
    waiting: frozenset[str]  # clients with a request that has arrived and not begun


def first_steps(log: RunLog) -> dict[int, int]:
    """When each request's first step began, in nanoseconds."""
    return {span.request_id: span.start_ns for span in slot_spans(log)}


def times_overtaken(log: RunLog) -> dict[int, int]:
    """For each request, how many that arrived after it were computed before it; ties in arrival are in order of id."""
    order = {i: place for place, i in enumerate(dict.fromkeys(i for step in log.steps for i in step.request_ids))}
    records = sorted(log.requests, key=lambda i: (log.requests[i].arrival_ns, i))
    last = len(order)
    return {
        i: sum(order.get(later, last) < order.get(i, last) for later in records[place + 1 :])
        for place, i in enumerate(records)
    }


def service_over_time(
    log: RunLog, client_of: Mapping[int, str], *, prompt_weight: float = 1, output_weight: float = 2
) -> list[Moment]:
    """The service of every client at the end of every step: its prompts, and its output tokens, by their weights."""
    began, service = first_steps(log), dict.fromkeys(sorted(set(client_of.values())), 0.0)
    tokens_at: dict[int, list[int]] = {}
    for i, record in log.requests.items():
        for time_ns in record.token_times_ns:
            tokens_at.setdefault(time_ns, []).append(i)
    moments = []
    for step in log.steps:
        for i in step.request_ids:
            if began[i] == step.start_ns:
                service[client_of[i]] += prompt_weight * len(log.requests[i].item.prompt_token_ids)
        for i in tokens_at.get(step.end_ns, ()):
            service[client_of[i]] += output_weight
        moments.append(Moment(time_ns=step.end_ns, service=dict(service), waiting=_waiting(log, client_of, began, step)))
    return moments


def _waiting(log: RunLog, client_of: Mapping[int, str], began: Mapping[int, int], step) -> frozenset[str]:
    """Clients who waited all through a step."""
    return frozenset(client_of[i] for i, record in log.requests.items()
                     if record.arrival_ns <= step.start_ns and began.get(i, step.end_ns) >= step.end_ns)


def largest_difference(moments: list[Moment], one: str, other: str) -> float:
    """The most by which two clients' service differed over a time in which both had requests waiting."""
    worst, low, high, is_open = 0.0, 0.0, 0.0, False
    for before, now in zip(moments, moments[1:]):
        if not {one, other} <= now.waiting:
            is_open = False
            continue
        if not is_open:
            low = high = before.service[one] - before.service[other]
            is_open = True
        gap = now.service[one] - now.service[other]
        low, high = min(low, gap), max(high, gap)
        worst = max(worst, high - low)
    return worst
