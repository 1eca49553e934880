"""The exact law of a bootstrapped p95 reduction, so that an interval can be judged however its pairs were drawn.

A resample draws d pairs of the n with replacement. Its p95 is at most `a` if no more than k = d − ⌈0.95·d⌉ draws lie
above `a`; so for both halves together the probability is a sum over how many draws lie above one, the other, or both.
That gives the probability of every reduction that can occur, and from it what the r-th smallest of m reductions can be.
"""

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate


@dataclass(frozen=True, slots=True)
class Law:
    """The reductions that one resample can have, in rising order, and the probability of being no larger than each."""

    values: tuple[float, ...]
    shares: tuple[float, ...]

    def place(self, value: float) -> int | None:
        """Which of the values this is; None if no resample can have it."""
        near = bisect_left(self.values, value - 1e-9 * max(1.0, abs(value)))
        is_one = near < len(self.values) and math.isclose(self.values[near], value, rel_tol=1e-9, abs_tol=1e-9)
        return near if is_one else None

    def middle(self, place: int) -> float:
        """The middle of a value's own part of the probability."""
        return (self.shares[place] + (self.shares[place - 1] if place else 0.0)) / 2


@lru_cache(maxsize=64)
def reduction_law(pairs: tuple[tuple[float, float], ...], num_draws: int | None = None, percent: int = 95) -> Law:
    """The law for pairs of (static, continuous) latency; a resample draws `num_draws` of them (default: all)."""
    num_draws = num_draws or len(pairs)
    most_above = num_draws - math.ceil(percent * num_draws / 100)
    static, continuous = (sorted({pair[half] for pair in pairs}) for half in (0, 1))
    joint = {
        (a, c): _no_more_above(pairs, a, c, num_draws, most_above) for a in static for c in continuous
    }  # P(p95 static ≤ a and p95 continuous ≤ c)
    found: dict[float, float] = defaultdict(float)
    for i, a in enumerate(static):
        for j, c in enumerate(continuous):
            left, below = (static[i - 1] if i else None), (continuous[j - 1] if j else None)
            both = joint.get((left, below), 0.0)
            found[100 * (1 - c / a)] += joint[a, c] - joint.get((left, c), 0.0) - joint.get((a, below), 0.0) + both
    values = sorted(value for value, share in found.items() if share > 1e-15)
    return Law(tuple(values), tuple(accumulate(found[value] for value in values)))


def _no_more_above(pairs, a: float, c: float, num_draws: int, most: int) -> float:
    """The probability that at most `most` draws lie above `a`, and as few above `c` (in their halves)."""
    size = len(pairs)
    both = sum(s > a and x > c for s, x in pairs) / size
    first = sum(s > a for s, x in pairs) / size - both
    second = sum(x > c for s, x in pairs) / size - both
    rest = 1 - both - first - second
    total = 0.0
    for i in range(most + 1):
        for j in range(most - i + 1):
            for k in range(most - i + 1):
                left = num_draws - i - j - k
                if left >= 0:
                    ways = math.comb(num_draws, i) * math.comb(num_draws - i, j) * math.comb(num_draws - i - j, k)
                    total += ways * both**i * first**j * second**k * max(rest, 0.0) ** left
    return total


def ranks_of(low: tuple[int, int], high: tuple[int, int]) -> Callable[[int], tuple[int, int]]:
    """The nearest ranks of two shares, from 1, as a function of how many values there are."""
    return lambda number: tuple(-(-number * share[0] // share[1]) for share in (low, high))


RANKS = ranks_of((1, 40), (39, 40))  # 0.025 and 0.975


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One interval that came back, and what it was drawn from."""

    pairs: tuple[tuple[float, float], ...]
    num_resamples: int
    interval: tuple[float, float]


def surprise(
    seen: list[Seen], *, ranks: Callable = RANKS, draws: Callable = lambda size: size, percent: int = 95
) -> float:
    """By how many standard deviations the ends of these intervals lie off what is due; infinite if none can be it.

    Compares each end's place in the law, summed over all intervals. The sum is about normal, so a right answer is off
    by more than 5 about once in a million. `ranks`, `draws` and `percent` describe what a wrong one would do.
    """
    return max(_surprise(seen, end, ranks, draws, percent) for end in (0, 1))


def _surprise(seen: list[Seen], end: int, ranks: Callable, draws: Callable, percent: int) -> float:
    off = variance = 0.0
    for one in seen:
        law = reduction_law(one.pairs, draws(len(one.pairs)), percent)
        place = law.place(one.interval[end])
        if place is None:
            return math.inf
        mean, spread = expected_middle(law, one.num_resamples, ranks(one.num_resamples)[end])
        off, variance = off + law.middle(place) - mean, variance + spread
    return abs(off) / math.sqrt(variance) if variance > 1e-18 else (math.inf if abs(off) > 1e-9 else 0.0)


@lru_cache(maxsize=256)
def expected_middle(law: Law, number: int, which: int) -> tuple[float, float]:
    """Mean and variance of `middle` of the `which`-th smallest of `number` draws."""
    shares = [_rank_is_at_most(number, which, min(share, 1.0)) for share in law.shares]
    weights = [share - (shares[i - 1] if i else 0.0) for i, share in enumerate(shares)]
    middles = [law.middle(i) for i in range(len(shares))]
    mean = sum(weight * middle for weight, middle in zip(weights, middles, strict=True))
    return mean, sum(weight * (middle - mean) ** 2 for weight, middle in zip(weights, middles, strict=True))


def _rank_is_at_most(number: int, which: int, share: float) -> float:
    """The probability that at least `which` of `number` draws have a property of probability `share`."""
    if which > number - which:  # the shorter sum: fewer than the rest lack it
        return _binomial_at_most(number, number - which, 1 - share)
    return 1 - _binomial_at_most(number, which - 1, share)


def _binomial_at_most(number: int, most: int, share: float) -> float:
    if share <= 0 or most >= number:
        return 1.0
    if share >= 1:
        return 0.0
    logs = (math.lgamma(number + 1) - math.lgamma(k + 1) - math.lgamma(number - k + 1)
            + k * math.log(share) + (number - k) * math.log1p(-share) for k in range(most + 1))
    return min(1.0, math.fsum(map(math.exp, logs)))
