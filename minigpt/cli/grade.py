"""`python -m minigpt grade NN`: run a lab's checks against a file.

The checks live under tests/, which nothing in minigpt imports: they run in a process of their own.
"""

import os
import sys

from minigpt.environment.process import INTERRUPTED, run_child
from minigpt.language import say
from minigpt.paths import repository_root


def main(argv: list[str]) -> int:
    command = [sys.executable, "-m", "tests.grader.grade", *argv]
    status = run_child(command, cwd=repository_root(), extra={"MINIGPT_CALLED_FROM": os.getcwd()})
    if status == INTERRUPTED:
        print(say(en="Interrupted: this is not a grade.", es="Interrumpido: esto no es una calificación."), file=sys.stderr)
    return status
