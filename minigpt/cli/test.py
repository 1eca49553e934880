"""``python -m minigpt test [PYTEST'S OPTIONS]``: run the repository's tests."""

import sys

from minigpt.environment import process
from minigpt.paths import repository_root


def main(argv: list[str]) -> int:
    """Run pytest in a process of its own and return its status."""
    return process.run_child([sys.executable, "-m", "pytest", *argv], cwd=repository_root())
