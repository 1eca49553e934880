"""What the tests of mutants share."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import pytest

from tests.tools.mutation import warm


@pytest.fixture(scope="session")
def warm_process():
    """A process in which graders stay warm."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context, initializer=warm.prepare_process) as pool:
        yield pool
