"""What a text claims holds on every seed and machine: the first of a sweep is a quick test, the others are slow ones."""

import pytest


def sweep(names: str, values, **options):
    """Like `pytest.mark.parametrize`, with the mark `slow` on every value but the first."""
    first, *others = (value if isinstance(value, tuple) else (value,) for value in values)
    return pytest.mark.parametrize(names, [pytest.param(*first), *(pytest.param(*each, marks=pytest.mark.slow) for each in others)],
                                   **options)
