"""``python -m minigpt build [--check]``: make skeletons and notebooks again from their sources."""

import sys

from minigpt import environment
from minigpt.paths import repository_root


def main(argv: list[str]) -> int:
    """Run the builders in a process of their own: they belong to `tests`, which the package never imports."""
    return environment.run_child([sys.executable, "-m", "tests.tools.build", *argv], cwd=repository_root())
