"""An environment of its own for one of the extras: gigabytes that a student's .venv does not have to carry."""

import hashlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from minigpt.environment.process import run_child
from minigpt.language import say
from minigpt.paths import repository_root


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnEnvironment:
    """The folder `.venv-NAME` at the repository's root, and what belongs in it."""

    name: str
    requirements: Path
    size: str  # installed, as shown to the user
    has_package: bool = False  # minigpt itself is installed in place, for processes that other programs start

    @property
    def folder(self) -> Path:
        return repository_root() / f".venv-{self.name}"

    @property
    def python(self) -> Path:
        """The environment's interpreter, whether it exists or not."""
        return self.folder.joinpath(*(("Scripts", "python.exe") if sys.platform == "win32" else ("bin", "python")))

    @property
    def is_installed(self) -> bool:
        """Whether the environment was finished for the current requirements."""
        return self.python.is_file() and self._stamp.is_file() and self._stamp.read_text("utf-8") == self.fingerprint

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(self.requirements.read_bytes()).hexdigest()

    def install(self) -> int:
        """Make the environment and install into it; an exit status. Every step can be run again."""
        print(say(en=f"Installing into .venv-{self.name} ({self.size}) ...",
                  es=f"Instalando en .venv-{self.name} ({self.size}) ..."), flush=True)
        status = 0 if self.python.is_file() else run_child([sys.executable, "-m", "venv", self.folder])
        index = os.environ.get("TORCH_INDEX")
        if status == 0 and index:
            lines = self.requirements.read_text(encoding="utf-8").splitlines()
            status = self._pip("--index-url", index, next(line for line in lines if line.startswith("torch=")))
        status = status or self._pip("-r", self.requirements)
        if self.has_package:
            status = status or self._pip("--no-deps", "--no-build-isolation", "-e", ".")
        if status == 0:
            self._stamp.write_text(self.fingerprint, encoding="utf-8")
        return status

    @property
    def _stamp(self) -> Path:
        return self.folder / f"minigpt-{self.name}.stamp"

    def _pip(self, *arguments) -> int:
        command = [self.python, "-m", "pip", "install", "--disable-pip-version-check", *arguments]
        return run_child(command, cwd=repository_root(), extra={"PIP_USER": "0"})
