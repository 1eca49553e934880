"""What a load run measured, computed by `minigpt.analysis.metrics`.

The replies become a `RunLog`, so that a percentile over HTTP is computed by the same code as in an in-process replay.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from minigpt.analysis import metrics
from minigpt.extras.load.completion_stream import Reply
from minigpt.language import say
from minigpt.runtime.clock import NS
from minigpt.runtime.run_log import RequestLog, RunLog
from minigpt.workloads.workload import WorkItem, Workload

# The token ids are not known to the client; their number is in the server's `usage`.
UNKNOWN_TOKEN = 0
NOT_SEEN = ("slot_use_percent", "num_steps")  # what only the server knows
# A schedule is kept if 95 of 100 requests leave within these of their time.
LATE_MS = 5.0
LATE_SHARE = 0.05  # of the p95 of TTFT, the shortest time that is reported


@dataclass(frozen=True, slots=True, kw_only=True)
class Lateness:
    """How late requests left the client: a delay of the client itself, or of its connection."""

    p95_ms: float | None
    max_ms: float | None
    kept: bool  # whether the schedule was kept


def run_log(workload: Workload, replies: Sequence[Reply], end_ns: int) -> RunLog:
    """The replies as a log. An answered request has as many tokens as its `usage` says."""
    log = RunLog(workload=workload, clock="wall", streams=True, max_batch=0, max_inflight=0)
    for item, reply in zip(workload.items, replies, strict=True):
        log.requests[item.request_id] = RequestLog(
            item=item, arrival_ns=item.arrival_ns, token_ids=[UNKNOWN_TOKEN] * (reply.num_tokens or 0),
            token_times_ns=list(reply.piece_times_ns), finish_ns=reply.finish_ns,
        )
    return log.closed_at(end_ns)


def summarize(log: RunLog, replies: Sequence[Reply], e2e_target_s: float) -> metrics.Summary:
    """The replay's figures; tokens/s is None if a server did not say how many tokens it sent."""
    summary = metrics.summarize(log, e2e_target_s)
    return replace(summary, tokens_per_s=None) if num_without_usage(replies) else summary


def num_without_usage(replies: Sequence[Reply]) -> int:
    """Answers whose server did not say how many tokens they have."""
    return sum(reply.finish_ns is not None and reply.num_tokens is None for reply in replies)


def num_in_pieces(replies: Sequence[Reply]) -> int:
    """Answers that came in fewer or more pieces than they have tokens: gaps between pieces are not gaps of tokens."""
    # One piece has no gaps, so a whole answer needs no note.
    return sum(
        reply.num_tokens is not None and reply.num_tokens != len(reply.piece_times_ns) > 1 for reply in replies
    )


def lateness(workload: Workload, replies: Sequence[Reply], ttft_p95_ms: float | None) -> Lateness:
    """How well the client kept its own schedule."""
    late_ms = [
        (reply.sent_ns - item.arrival_ns) / NS * 1e3
        for item, reply in zip(workload.items, replies, strict=True)
        if reply.sent_ns is not None
    ]
    if not late_ms:
        return Lateness(p95_ms=None, max_ms=None, kept=True)
    p95_ms = metrics.percentile(late_ms, 95)
    # If requests fail, the TTFT is infinite: that does not excuse being late.
    slack_ms = LATE_SHARE * ttft_p95_ms if ttft_p95_ms is not None and math.isfinite(ttft_p95_ms) else 0.0
    return Lateness(p95_ms=p95_ms, max_ms=max(late_ms), kept=p95_ms <= max(LATE_MS, slack_ms))


def failures(replies: Sequence[Reply]) -> dict[str, int]:
    """How many requests failed, by reason."""
    return dict(Counter(reply.failure for reply in replies if reply.failure).most_common())


def notes(replies: Sequence[Reply], late: Lateness) -> list[str]:
    """One line for each thing that a reader of the table must know."""
    lines = []
    if late.p95_ms is not None:
        p95, most = f"{late.p95_ms:.1f} ms", f"{late.max_ms:.1f} ms"
        lines.append(say(
            en=f"requests left {p95} after their schedule (p95; at most {most})",
            es=f"las peticiones salieron {p95} después de lo programado (p95; máximo, {most})",
        ))
    if not late.kept:
        lines.append(say(en="the client could not keep its schedule: part of these latencies is its own delay. "
                         "Run it on a machine with a free core, or lower the rate",
                         es="el cliente no pudo cumplir lo programado: parte de estas latencias es suya. "
                         "Ejecútalo en una máquina con un núcleo libre, o baja la tasa"))
    for failure, count in failures(replies).items():
        example = next(reply.detail for reply in replies if reply.failure == failure)
        lines.append(say(en=f"{count} failed: {failure} ({example})", es=f"{count} fallaron: {failure} ({example})"))
    if num_without_usage(replies):
        count = num_without_usage(replies)
        lines.append(say(en=f"{count} answers came without usage: tokens/s is not known",
                         es=f"{count} respuestas llegaron sin usage: no se conocen los tokens/s"))
    if num_in_pieces(replies):
        count = num_in_pieces(replies)
        lines.append(say(
            en=f"{count} answers came in fewer or more pieces than tokens: their ITL is between pieces",
            es=f"{count} respuestas llegaron en menos o más trozos que tokens: su ITL es entre trozos",
        ))
    return lines


def record(summary: metrics.Summary, replies: Sequence[Reply], log: RunLog, late: Lateness) -> dict:
    """All of it as plain data."""
    figures = {name: value for name, value in asdict(summary).items() if name not in NOT_SEEN}
    return {
        **figures, "failures": failures(replies), "num_without_usage": num_without_usage(replies),
        "lateness_p95_ms": late.p95_ms, "lateness_max_ms": late.max_ms, "schedule_kept": late.kept,
        "requests": [_request(item, reply) for item, reply in zip(log.workload.items, replies, strict=True)],
    }


def _request(item: WorkItem, reply: Reply) -> dict:
    first = reply.piece_times_ns[0] if reply.piece_times_ns else None
    times = {"arrival_s": item.arrival_ns, "sent_s": reply.sent_ns, "first_token_s": first, "finish_s": reply.finish_ns}
    return {
        "request_id": item.request_id,
        **{name: None if time is None else time / NS for name, time in times.items()},
        "num_output_tokens": reply.num_tokens, "num_pieces": len(reply.piece_times_ns), "failure": reply.failure,
    }
