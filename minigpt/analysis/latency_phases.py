"""Where the time of a request went: in the queue, while its batch was formed, in its own steps, held to the end."""

import math
from dataclasses import dataclass

from minigpt.analysis import metrics
from minigpt.analysis.slots import slot_spans
from minigpt.runtime.clock import NS
from minigpt.runtime.run_log import RunLog

PARTS = ("queue", "forming", "useful", "held")  # in the order in which a request goes through them


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestPhases:
    """An answered request's way through the server. Times are in nanoseconds since the run began."""

    request_id: int
    arrival_ns: int
    admitted_ns: int  # taken from the queue: until here the server was busy
    start_ns: int  # its first step begins: until here its batch was being formed
    first_token_ns: int  # its first step ends
    ended_ns: int  # its last useful step ends: the answer is ready
    finish_ns: int  # the answer leaves: until here it was held

    @property
    def parts_ms(self) -> dict[str, float]:
        """The latency in milliseconds, by part."""
        marks = (self.arrival_ns, self.admitted_ns, self.start_ns, self.ended_ns, self.finish_ns)
        return {part: (end - start) / 1e6 for part, start, end in zip(PARTS, marks, marks[1:])}

    @property
    def latency_ms(self) -> float:
        return (self.finish_ns - self.arrival_ns) / 1e6


def request_phases(log: RunLog) -> list[RequestPhases]:
    """Every answered request of a run, in order of arrival."""
    found = [
        RequestPhases(
            request_id=span.request_id, arrival_ns=phases.arrival_ns, admitted_ns=phases.admitted_ns,
            start_ns=span.start_ns, first_token_ns=span.prefill_until_ns, ended_ns=span.useful_until_ns,
            finish_ns=phases.finish_ns,
        )
        for span in slot_spans(log)
        if (phases := log.requests[span.request_id]).finish_ns is not None
    ]
    return sorted(found, key=lambda phases: (phases.arrival_ns, phases.request_id))


def p95_built_up_ms(log: RunLog, order: tuple[str, ...]) -> dict[str, float]:
    """The p95 of a latency that counts the first part alone, then the second as well …; the last is the p95."""
    all_parts = [phases.parts_ms for phases in request_phases(log)]
    return {
        order[i]: metrics.percentile([sum(parts[part] for part in order[: i + 1]) for parts in all_parts], 95)
        for i in range(len(order))
    }


def ready_s(log: RunLog) -> list[float]:
    """Latencies in seconds if every answer had left in the step that ended it, and not with its batch.

    With open-loop arrivals that would have changed nothing else in the run, so it can be read from its log.
    """
    answered = [(phases.ended_ns - phases.arrival_ns) / NS for phases in request_phases(log)]
    return answered + [math.inf] * (len(log.requests) - len(answered))  # a miss stays a miss
