"""`python -m minigpt ray-test [PYTEST'S OPTIONS]`: the tests of Ray Serve, on two emulated machines."""

import sys

from minigpt.cli.ray import in_ray_environment, own_token
from minigpt.environment.process import run_child
from minigpt.paths import repository_root


def main(argv: list[str]) -> int:
    """Run tests/extras/test_ray_serve.py, which no other command collects, in the environment that has Ray."""

    def here() -> int:
        command = [sys.executable, "-m", "pytest", "tests/extras/test_ray_serve.py", *argv]
        return run_child(command, cwd=repository_root(), extra={"MINIGPT_RAY": "1", **own_token()})

    return in_ray_environment(["ray-test", *argv], here)
