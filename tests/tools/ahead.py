"""Slow processes started ahead of the tests that wait for them: as many at once as there are cores."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager


@contextmanager
def started_ahead(session, parameters: tuple[str, ...], work: Callable) -> Iterator[Callable]:
    """Yield `result(*values)`, which waits for `work(*values)`; each is done once.

    The work of every selected test that has these `parameters` is started at once. A session that ends early does not
    wait for what it does not need. In one of several test processes (pytest-xdist) nothing is started ahead: the others
    keep the cores busy, and each would start the work of all.
    """
    pool, started = ThreadPoolExecutor(os.cpu_count() or 1), {}

    def start(*values) -> Future:
        if values not in started:
            started[values] = pool.submit(work, *values)
        return started[values]

    for item in [] if "PYTEST_XDIST_WORKER" in os.environ else session.items:
        given = item.callspec.params if hasattr(item, "callspec") else {}
        if set(parameters) <= set(given):
            start(*(given[name] for name in parameters))
    try:
        yield lambda *values: start(*values).result()
    finally:
        pool.shutdown(cancel_futures=True)
