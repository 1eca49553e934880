"""``python -m minigpt test-all [PYTEST'S OPTIONS]``: all tests, with the slow ones."""

from minigpt.cli.test import run_pytest


def main(argv: list[str]) -> int:
    """Run every test and return pytest's status."""
    return run_pytest(argv, [])
