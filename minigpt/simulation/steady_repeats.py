"""Measurements on this machine's processor, repeated while its speed is steady.

A processor's speed drifts while one measures. So the static server's capacity is measured before and after each repeat:
the first sets the repeat's arrivals, and a repeat during which the two differ too much is done again.
"""

from collections.abc import Callable, Iterator
from typing import TypeVar

from minigpt.runtime.clock import NS
from minigpt.runtime.interleave import in_turns
from minigpt.simulation.run import replay
from minigpt.workloads.workload import workload

Result = TypeVar("Result")

NUM_CALIBRATION = 32  # requests of each of two servers
MAX_DRIFT = 1.25  # capacity after a repeat over capacity before it, the larger over the smaller
SPARE_TRIES = 4  # of all repeats together; once they are spent, every repeat is taken


def capacity_on_this_machine(seed: int = 0, max_batch: int = 8) -> float:
    """Return the requests per second of processor time that the static server completes of a burst of the tutor's.

    Two such servers take turns, as the servers of a pair do: each finds the processor's caches as the other left them.
    """
    burst = workload("mixed", arrivals="burst", num_requests=NUM_CALIBRATION, seed=seed)

    def serve(clock):
        return replay("static", burst, clock=clock, impl="given", max_batch=max_batch)

    return 2 * NUM_CALIBRATION * NS / sum(log.end_ns for log in in_turns(serve, serve))


def steady_repeats(measure: Callable[[float], Result], num_repeats: int) -> Iterator[Result]:
    """Yield `measure(capacity)`, the static server's requests per second, for each steady repeat."""
    capacity_on_this_machine()  # warm-up
    before, spare_tries = capacity_on_this_machine(), SPARE_TRIES
    while num_repeats:
        result = measure(before)
        after = capacity_on_this_machine()
        drift, before = max(before / after, after / before), after
        if drift > MAX_DRIFT and spare_tries:
            spare_tries -= 1
            continue
        num_repeats -= 1
        yield result
