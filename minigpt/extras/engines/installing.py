"""The engines' own environment, .venv-engines: 1.5 GB that a student's .venv does not have to carry."""

import hashlib
import os
import sys
from pathlib import Path

from minigpt.environment import run_child
from minigpt.language import say
from minigpt.paths import repository_root

REQUIREMENTS = Path(__file__).parent.parent / "requirements-engines.txt"


def folder() -> Path:
    return repository_root() / ".venv-engines"


def engines_python() -> Path:
    """The environment's interpreter, whether it exists or not."""
    return folder().joinpath(*(("Scripts", "python.exe") if sys.platform == "win32" else ("bin", "python")))


def is_installed() -> bool:
    """Whether the environment was finished for today's requirements."""
    stamp = folder() / "minigpt-engines.stamp"
    return engines_python().is_file() and stamp.is_file() and stamp.read_text(encoding="utf-8") == fingerprint()


def fingerprint() -> str:
    return hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()


def how_to_install() -> str:
    """One line for whoever has not got it."""
    return say(en="the other engines are not installed: make engines (1.5 GB, in .venv-engines)",
               es="los otros motores no están instalados: make engines (1.5 GB, en .venv-engines)")


def install() -> int:
    """Make the environment and install into it; an exit status. Every step can be run again."""
    print(say(en="Installing the engines into .venv-engines (1.5 GB) ...",
              es="Instalando los motores en .venv-engines (1.5 GB) ..."), flush=True)  # fmt: skip
    status = 0 if engines_python().is_file() else run_child([sys.executable, "-m", "venv", folder()])
    index = os.environ.get("TORCH_INDEX")
    if status == 0 and index:
        lines = REQUIREMENTS.read_text(encoding="utf-8").splitlines()
        status = pip("--index-url", index, next(line for line in lines if line.startswith("torch=")))
    status = status or pip("-r", REQUIREMENTS)
    if status == 0:
        (folder() / "minigpt-engines.stamp").write_text(fingerprint(), encoding="utf-8")
    return status


def pip(*arguments) -> int:
    command = [engines_python(), "-m", "pip", "install", "--disable-pip-version-check", *arguments]
    return run_child(command, cwd=repository_root(), extra={"PIP_USER": "0"})
