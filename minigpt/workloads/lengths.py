"""Distributions of output lengths, in tokens, drawn with the standard library's generator: same seed, same lengths."""

import math
import random
from collections.abc import Callable

from minigpt.language import say

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


# Each with the defaults of its parameters, in the order of the command line.
DISTRIBUTIONS: dict[str, tuple[Callable[..., Sampler], tuple[float, ...]]] = {
    "constant": (constant, (16,)),
    "uniform": (uniform, (1, 63)),
    "two_point": (two_point, (3, 30, 0.5)),
    "exponential": (exponential, (16, 128)),
    "lognormal": (lognormal, (12, 0.8, 128)),
}

# Whether parameters give lengths of at least 1, and an exponential need not be redrawn forever.
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


def in_words(text: str) -> str:
    """A workload's or distribution's name as figures show it; any other text is left as it is.

    >>> in_words("uniform:1,63")
    '1 to 63'
    """
    name, _, rest = text.partition(":")
    parts = rest.split(",")
    words = {
        ("mixed", 1): lambda share: say(en="tutor's mix", es="mezcla del tutor") if not share else text,
        ("documents", 1): lambda _: say(en="documents", es="documentos"),
        ("constant", 1): lambda tokens: say(en=f"all {tokens}", es=f"todas de {tokens}"),
        ("uniform", 2): lambda low, high: say(en=f"{low} to {high}", es=f"de {low} a {high}"),
        ("two_point", 3): lambda short, long, share: say(en=f"{short} or {long}", es=f"{short} o {long}"),
        ("exponential", 2): lambda mean, _: say(en=f"exponential, mean {mean}", es=f"exponencial, media {mean}"),
        ("lognormal", 3): lambda median, *_: say(en=f"lognormal, median {median}", es=f"lognormal, mediana {median}"),
    }
    known = words.get((name, len(parts)))
    return known(*parts) if known else text


def _example(name: str) -> str:
    return f"{name}:{','.join(f'{value:g}' for value in DISTRIBUTIONS[name][1])}"
