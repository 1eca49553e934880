"""From rounds to rows: medians of the rounds, ratios within a round, answers compared with ours."""

import math
from dataclasses import asdict, dataclass
from statistics import median

from minigpt.analysis.metrics import percentile
from minigpt.extras.engines.compare import Difference, differences
from minigpt.extras.engines.interface import Served
from minigpt.extras.engines.rounds import Runs


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One engine's figures; all None if it did not run, and `reason` says why."""

    name: str
    label: str
    reason: str = ""
    is_absent: bool = False
    tokens_per_s: float | None = None  # tokens that were asked for
    tokens_per_cpu_s: float | None = None  # by processor time, which other programs affect little; None: a server
    times_ours: float | None = None  # our tokens/s over this engine's, the median ratio of all rounds
    e2e_p50_ms: float | None = None
    e2e_p95_ms: float | None = None
    ttft_p50_ms: float | None = None  # None: the engine does not show it
    ttft_p95_ms: float | None = None
    start_up_s: float | None = None
    num_same: int | None = None  # answers equal to ours, in the worst round
    num_answers: int | None = None
    differences: tuple[Difference, ...] = ()  # of the worst round
    rounds_tokens_per_s: tuple[float, ...] = ()


def rows(model, items, all_runs: list[Runs]) -> list[Row]:
    """The table's rows; the first engine is ours."""
    ours = all_runs[0]
    return [row(model, items, ours, runs) for runs in all_runs]


def row(model, items, ours: Runs, runs: Runs) -> Row:
    """One engine's row."""
    head = {"name": runs.engine.name, "label": runs.engine.label, "reason": runs.reason, "is_absent": runs.is_absent}
    if not runs.rounds or runs.reason:
        return Row(**head)
    speeds = tuple(speed(items, served) for served in runs.rounds)
    # If ours failed, there is nothing to compare with.
    pairs = list(zip(ours.rounds, runs.rounds, strict=False))
    ratios = [speed(items, mine) / speed(items, theirs) for mine, theirs in pairs]
    e2e_s = [[one.finish_s for one in served] for served in runs.rounds]
    ttft_s = [[one.first_s for one in served if one.first_s is not None] for served in runs.rounds]
    found = [differences(model, items, mine, theirs) for mine, theirs in pairs]
    worst = max(found, key=len, default=None)
    num_tokens = sum(item.max_tokens for item in items)
    return Row(
        **head, tokens_per_cpu_s=None if runs.engine.is_server else num_tokens / median(runs.cpu_s),
        tokens_per_s=median(speeds), rounds_tokens_per_s=speeds, start_up_s=median(runs.start_up_s),
        times_ours=median(ratios) if ratios else None,
        e2e_p50_ms=middle_ms(e2e_s, 50), e2e_p95_ms=middle_ms(e2e_s, 95),
        ttft_p50_ms=middle_ms(ttft_s, 50), ttft_p95_ms=middle_ms(ttft_s, 95), num_answers=len(items),
        num_same=None if worst is None else len(items) - len(worst), differences=tuple(worst or ()),
    )


def speed(items, served: list[Served]) -> float:
    """Tokens per second from the start to the last answer."""
    return sum(item.max_tokens for item in items) / max(one.finish_s for one in served)


def middle_ms(rounds: list[list[float]], percent: float) -> float | None:
    """The median over the rounds of a percentile, in milliseconds; None without values."""
    if not all(rounds):
        return None
    return 1e3 * median(percentile(values, percent) for values in rounds)


def as_data(row: Row) -> dict:
    """A row for JSON, which has no nan."""
    data = asdict(row)
    for one in data["differences"]:
        one["gap"] = None if math.isnan(one["gap"]) else one["gap"]
    return data


def from_data(data: dict) -> Row:
    """A row from JSON."""
    found = [
        Difference(request_id=one["request_id"], position=one["position"],
                   gap=math.nan if one["gap"] is None else one["gap"])
        for one in data["differences"]
    ]
    return Row(**{**data, "differences": tuple(found), "rounds_tokens_per_s": tuple(data["rounds_tokens_per_s"])})
