"""The engines' own environment, .venv-engines: 1.5 GB that a student's .venv does not have to carry."""

from pathlib import Path

from minigpt.extras.own_environment import OwnEnvironment
from minigpt.language import say

REQUIREMENTS = Path(__file__).parent.parent / "requirements-engines.txt"
ENVIRONMENT = OwnEnvironment(name="engines", requirements=REQUIREMENTS, size="1.5 GB")


def engines_python() -> Path:
    """The environment's interpreter, whether it exists or not."""
    return ENVIRONMENT.python


def is_installed() -> bool:
    """Whether the environment was finished for the current requirements."""
    return ENVIRONMENT.is_installed


def how_to_install() -> str:
    """One line for users who have not installed it."""
    return say(en="the other engines are not installed: make engines (1.5 GB, in .venv-engines)",
               es="los otros motores no están instalados: make engines (1.5 GB, en .venv-engines)")


def install() -> int:
    """Make the environment and install into it; an exit status. Every step can be run again."""
    return ENVIRONMENT.install()
