"""Which files the repository's checks look at, always found by pattern."""

import json
import re
import subprocess
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import pytest

from minigpt.paths import repository_root

ROOT = repository_root()
# Only where there is no git (a downloaded archive): what .gitignore would have left out.
LEFT_OUT = {".git", ".venv", ".venv-engines", ".venv-ray", "__pycache__", ".pytest_cache", ".ruff_cache", ".hypothesis",
            ".ipynb_checkpoints", "results"}


def for_each(paths: Sequence[Path]) -> Callable:
    """Make a test of each path, and none without paths: pytest would report an empty set as skipped."""
    if not paths:
        return lambda test: None
    return pytest.mark.parametrize("path", paths, ids=[path.relative_to(ROOT).as_posix() for path in paths])


def in_all(paths: Sequence[Path]) -> Callable:
    """Make one test of a check of a path: it looks at all of them and lists those that fail. Without paths, no test."""

    def decorate(check: Callable) -> Callable | None:
        def look_at_all():
            failed = []
            for path in paths:
                try:
                    check(path)
                except AssertionError as error:
                    failed.append(f"{path.relative_to(ROOT).as_posix()}: {error}")
            assert not failed, "\n\n".join(failed)

        look_at_all.__name__, look_at_all.__doc__ = check.__name__, check.__doc__
        return look_at_all if paths else None

    return decorate


@cache
def source_files() -> tuple[Path, ...]:
    """Return the files that are tracked or about to be, without what git ignores."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
        names = {name for name in listed.decode("utf-8").split("\0") if name}
        paths = [ROOT / name for name in names]
    except (OSError, subprocess.CalledProcessError):
        paths = [path for path in ROOT.rglob("*") if not LEFT_OUT & set(path.relative_to(ROOT).parts)]
    return tuple(sorted(path for path in paths if path.is_file()))  # without those deleted and not yet staged


def python_files(*folders: str) -> list[Path]:
    """Return the Python sources below these folders of the repository."""
    return [path for path in source_files()
            if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in folders]


def notebooks() -> list[Path]:
    """Return every notebook of the labs, in both languages; those without a number are students' copies."""
    return sorted(ROOT.glob("labs/*/[0-9][0-9]_*.ipynb"))


def pairs(paths: Sequence[Path]) -> list[Path]:
    """Return the English one of each file that also exists in Spanish (`name.es.suffix`)."""
    return [path for path in paths if not path.stem.endswith(".es") and spanish_twin(path).is_file()]


def spanish_twin(path: Path) -> Path:
    return path.with_name(f"{path.stem}.es{path.suffix}")


def documents() -> list[Path]:
    """Return the Markdown pages for readers that exist in both languages, the English one of each."""
    return pairs([path for path in source_files() if path.suffix == ".md"])


def read_cells(path: Path) -> list[tuple[str, str]]:
    """Return (type, text) of each cell of a notebook."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return [(cell["cell_type"], "".join(cell["source"])) for cell in notebook["cells"]]


def without_magic(code: str) -> str:
    """A code cell's Python: the one magic in use, %%needs, may stand in its first line and hands exceptions on."""
    return re.sub(r"\A%%needs .*\n", "\n", code)
