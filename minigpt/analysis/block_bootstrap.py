"""A bootstrap for requests that share a queue: neighbours are drawn together.

The plain bootstrap (`metrics.bootstrap_interval`) draws requests one by one, as if they were independent. But if one
request waits long, so do those next to it, and an interval that ignores this is too narrow. Drawing whole blocks
of neighbours keeps what they share (Künsch, 1989; in a circle: Politis and Romano, 1992).
"""

import random
from collections.abc import Sequence

from minigpt.analysis.metrics import percentile, reduction_percent


def block_interval(
    before_s: Sequence[float], after_s: Sequence[float], *, block: int = 10, num_resamples: int = 500, seed: int = 0
) -> tuple[float, float]:
    """A 95 % interval of the p95 reduction in per cent, by drawing blocks of neighbours, in pairs.

    `before_s[i]` and `after_s[i]` are latencies of the same request, in the order of arrival. The last block of a
    resample is cut where it is full; a block that starts near the end goes on at the beginning.
    """
    count = len(before_s)
    if count != len(after_s):
        raise ValueError(f"before_s has {count} latencies and after_s {len(after_s)}: pair the same requests")
    if not 1 <= block <= count:
        raise ValueError(f"block={block}: choose 1 to {count}, the number of requests")
    rng, reductions = random.Random(seed), []
    for _ in range(num_resamples):
        starts = rng.choices(range(count), k=-(-count // block))
        places = [(start + step) % count for start in starts for step in range(block)][:count]
        before, after = ([run[place] for place in places] for run in (before_s, after_s))
        reductions.append(reduction_percent(percentile(before, 95), percentile(after, 95)))
    return percentile(reductions, 2.5), percentile(reductions, 97.5)
