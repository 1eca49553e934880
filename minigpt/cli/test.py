"""``python -m minigpt test [PYTEST'S OPTIONS]``: the tests that every change has to pass, on all cores.

``python -m minigpt test-all`` also runs those with the mark ``slow``: whole-lab grades of all wrong solutions, every
notebook in both languages, all hostile submissions, machine-made mutants, sweeps over seeds: more than an hour.
"""

import os
import sys

from minigpt.environment import process
from minigpt.paths import repository_root

# Two more than there are cores, since many tests wait for other processes; not more, since each collects all tests and
# loads torch.
NUM_PROCESSES = min((os.cpu_count() or 1) + 2, 6)
OF_ITS_OWN = ("-n", "--pdb", "-x", "--collect-only", "--co")  # options that call for a single process


def main(argv: list[str]) -> int:
    """Run pytest in a process of its own and return its status."""
    return run_pytest(argv, ["-m", "not slow"])


def run_pytest(argv: list[str], selection: list[str], *, num_processes: int = NUM_PROCESSES, **variables: str) -> int:
    """Run the selected tests, several at once unless the options say otherwise.

    Tests that share an expensive result are in one group, and so in one process.
    """
    given = any(option.startswith(OF_ITS_OWN) for option in argv)
    spread = [] if given else ["-n", str(num_processes), "--dist", "loadgroup"]
    # nbval takes a second to load in each process; the tests that run notebooks call it themselves.
    command = [sys.executable, "-m", "pytest", "-p", "no:nbval", *spread, *selection, *argv]
    # Compiled files are kept, whatever the caller's environment says: hundreds of processes read the same modules.
    return process.run_child(command, cwd=repository_root(), extra={"PYTHONDONTWRITEBYTECODE": "", **variables})
