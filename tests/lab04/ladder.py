"""The ladder of states, with its upper end in closed form."""

import math


def mean_time_s(
    speeds: list[float], rate_per_s: float, *, last: int | None = None, first_share: float = 1.0, queue_counts=True,
    is_mean=True,
) -> float:
    """W of a ladder that comes down from n at `speeds[n - 1]`, and from beyond their number at the last of them.

    A slip ends the ladder at rung `last`, counts something other than 1 for the empty server, leaves out those that wait, or
    takes the sum of n·share(n) for its mean.
    """
    if rate_per_s >= speeds[-1]:
        return math.inf
    share, all_shares, inside = 1.0, first_share, 0.0
    for n, speed in enumerate(speeds, start=1):
        share *= rate_per_s / speed
        all_shares += share
        inside += n * share
    if last is None:  # beyond the cap each share is `ratio` times the one before: Σ ratio^k and Σ k·ratio^k
        ratio = rate_per_s / speeds[-1]
        above = share * ratio / (1 - ratio)
        all_shares += above
        inside += above * (len(speeds) + queue_counts / (1 - ratio))
    return inside / (all_shares if is_mean else 1.0) / rate_per_s
