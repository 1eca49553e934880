"""Seeds of graded workloads: a list on which the reference is known to pass (tests/repo/test_seeds.py)."""

import random

GRADED_SEEDS = tuple(range(100, 140))


def graded_seed(student_seed: int) -> int:
    """The workload seed of a student; seed 0 is that of everyone's own `make grade`."""
    if student_seed == 0:
        return GRADED_SEEDS[0]
    return random.Random(student_seed).choice(GRADED_SEEDS)
