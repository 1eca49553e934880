"""`python -m minigpt grade NN`: run a lab's checks against a file.

The checks live under tests/, which nothing in minigpt imports: they run in a process of their own.
"""

import sys

from minigpt.environment.process import run_child
from minigpt.paths import repository_root


def main(argv: list[str]) -> int:
    return run_child([sys.executable, "-m", "tests.grader.grade", *argv], cwd=repository_root())
