"""One compute thread, decided before torch loads.

Two threads gain a little on a quiet machine and lose by a factor of hundreds next to a busy neighbour, because
each matrix product waits for the slowest thread. Every measurement of the labs therefore uses one.
"""

import os

VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


def use_threads(num_threads=1):
    """Set the number of compute threads of this process and its children; call it before importing torch."""
    for name in VARIABLES:
        os.environ[name] = str(num_threads)


def torch_threads(num_threads=1):
    """Set torch's own thread count, which the variables alone do not change once torch is loaded."""
    import torch

    use_threads(num_threads)
    torch.set_num_threads(num_threads)
