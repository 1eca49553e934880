"""The checking side of `fleet.p95_s`: it simulates what a worker asks for, after looking at every argument.

The simulation stays here, since it contains answers to exercises: its mean, its capacity, its percentile.
"""

from functools import lru_cache

from minigpt.language import say
from minigpt.simulation import fleet
from tests.grader import channel

MOST_LENGTHS, MOST_TOKENS = 20_000, 1_000_000
MOST = {"num_replicas": 10_000, "cap": 1_000_000, "num_requests": 50_000}
# Per call: requests times the replicas examined when each one arrives. Some 45 s of a laptop's processor time;
# a sensible search takes a hundredth of it.
MOST_WORK = 400_000_000
WORK_PER_REQUEST = 60  # in replicas examined


class FleetHost:
    """Answers one call's questions."""

    def __init__(self):
        self._work = 0

    def answer(self, what, args) -> dict:
        """The reply to one question; a mistake becomes an error that is raised in the worker."""
        try:
            if what != "fleet.p95_s":
                raise ValueError(f"{what}: this call was given no server")
            return {"value": self._p95_s(*(channel.unpack(arg) for arg in args))}
        except TimeoutError as error:
            return {"error": ["TimeoutError", str(error)]}
        except (TypeError, ValueError, OverflowError, channel.ChannelError) as error:
            return {"error": ["ValueError", str(error)[:300]]}

    def _p95_s(self, lengths, rate_per_s, num_replicas, cap, num_requests, seed) -> float:
        for name, value in {"num_replicas": num_replicas, "cap": cap, "num_requests": num_requests}.items():
            if type(value) is not int or not 1 <= value <= MOST[name]:
                raise ValueError(say(en=f"{name}={value!r}: give a whole number from 1 to {MOST[name]:,}",
                                     es=f"{name}={value!r}: indica un número entero de 1 a {MOST[name]:,}"))
        if type(rate_per_s) not in (int, float) or not 0 < rate_per_s < 1e9 or type(seed) is not int:
            got = f"rate_per_s={rate_per_s!r}, seed={seed!r}"
            raise ValueError(say(en=f"{got}: give a positive rate and a whole seed",
                                 es=f"{got}: indica una tasa positiva y una semilla entera"))
        self._work += num_requests * (WORK_PER_REQUEST + num_replicas)
        if self._work > MOST_WORK:
            raise TimeoutError(say(en="fleet.p95_s was called for far more simulations than a search needs",
                                   es="se pidieron a fleet.p95_s muchas más simulaciones de las que necesita una búsqueda"))
        return _simulated(_pairs(lengths), rate_per_s, num_replicas, cap, num_requests, seed)


def _pairs(lengths) -> tuple:
    is_list = isinstance(lengths, list) and 1 <= len(lengths) <= MOST_LENGTHS
    if not is_list or not all(_is_pair(pair) for pair in lengths):
        raise ValueError(say(en="lengths: give a list of pairs (prompt tokens, steps) of whole numbers from 1 on",
                             es="lengths: indica una lista de pares (tokens del prompt, pasos) de enteros desde 1"))
    return tuple(map(tuple, lengths))


def _is_pair(pair) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and all(type(n) is int and 1 <= n <= MOST_TOKENS for n in pair)


@lru_cache(maxsize=256)
def _simulated(lengths: tuple, rate_per_s: float, num_replicas: int, cap: int, num_requests: int, seed: int) -> float:
    return fleet.p95_s(list(lengths), rate_per_s, num_replicas, cap, num_requests=num_requests, seed=seed)
