"""`python -m minigpt grade-all FOLDER --out RESULTS [--lab NN]`: grade a class.

Like the checks, this lives under tests/, which nothing in minigpt imports: it runs in a process of its own.
"""

import os
import sys

from minigpt.environment.process import run_child
from minigpt.paths import repository_root


def main(argv: list[str]) -> int:
    """Run it in the repository; the folders are relative to where the user is."""
    command = [sys.executable, "-m", "tests.grader.grade_all", *argv]
    return run_child(command, cwd=repository_root(), extra={"MINIGPT_CALLED_FROM": os.getcwd()})
