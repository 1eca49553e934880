"""Distributions of output lengths, in tokens, drawn with the standard library's generator: same seed, same lengths."""

import math
import random
from collections.abc import Callable

Sampler = Callable[[random.Random], int]


def constant(tokens: float) -> Sampler:
    """Every answer has the same length."""
    return lambda rng: int(tokens)


def uniform(low: float, high: float) -> Sampler:
    """Every length from `low` to `high` is equally likely."""
    return lambda rng: rng.randint(int(low), int(high))


def two_point(short: float, long: float, long_share: float) -> Sampler:
    """Short answers, and a share of long ones."""
    return lambda rng: int(long if rng.random() < long_share else short)


def exponential(mean: float, cap: float) -> Sampler:
    """Exponential lengths, redrawn until they lie in 1 … cap (the Anyscale benchmark's way, 2023)."""

    def sample(rng: random.Random) -> int:
        while not 1 <= (length := round(rng.expovariate(1 / mean))) <= cap:
            pass
        return length

    return sample


def lognormal(median: float, sigma: float, cap: float) -> Sampler:
    """Lognormal lengths, cut to 1 … cap: production answers look much like this."""
    return lambda rng: min(max(round(rng.lognormvariate(math.log(median), sigma)), 1), int(cap))


# Each with the defaults of its parameters, in the order in which a command line gives them.
DISTRIBUTIONS: dict[str, tuple[Callable[..., Sampler], tuple[float, ...]]] = {
    "constant": (constant, (16,)),
    "uniform": (uniform, (1, 63)),
    "two_point": (two_point, (3, 30, 0.5)),
    "exponential": (exponential, (16, 128)),
    "lognormal": (lognormal, (12, 0.8, 128)),
}

# Whether parameters give lengths of at least 1, and an exponential does not have to be redrawn for ever.
FITS: dict[str, Callable[..., bool]] = {
    "constant": lambda tokens: tokens >= 1,
    "uniform": lambda low, high: 1 <= int(low) <= int(high),
    "two_point": lambda short, long, long_share: min(short, long) >= 1 >= long_share,
    "exponential": lambda mean, cap: cap >= 1 and math.exp(-0.5 / mean) - math.exp(-(cap + 0.5) / mean) > 0.01,
    "lognormal": lambda median, sigma, cap: cap >= 1,
}


def parse_lengths(text: str) -> Sampler:
    """A distribution from `name` or `name:parameter,…`, such as `two_point:3,30,0.5`.

    Raises ValueError naming the parts that are wrong and what is allowed.
    """
    name, _, rest = text.partition(":")
    if name not in DISTRIBUTIONS:
        raise ValueError(f"lengths={text!r}: choose one of {', '.join(DISTRIBUTIONS)}")
    make, defaults = DISTRIBUTIONS[name]
    try:
        values = [float(part) for part in rest.split(",")] if rest else []
    except ValueError:
        raise ValueError(f"lengths={text!r}: after the colon come numbers, such as {_example(name)}") from None
    if len(values) > len(defaults):
        raise ValueError(f"lengths={text!r}: {name} takes at most {len(defaults)} numbers, such as {_example(name)}")
    parameters = [*values, *defaults[len(values) :]]
    if not all(map(math.isfinite, parameters)) or parameters[0] <= 0 or min(parameters) < 0:
        raise ValueError(f"lengths={text!r}: lengths are positive, such as {_example(name)}")
    if not FITS[name](*parameters):
        raise ValueError(f"lengths={text!r}: no length of at least 1 can be drawn; choose some such as {_example(name)}")
    return make(*parameters)


def _example(name: str) -> str:
    return f"{name}:{','.join(f'{value:g}' for value in DISTRIBUTIONS[name][1])}"
