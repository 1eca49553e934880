"""The copy of the given code that a worker gets: what the exercises of its lab may use, and what the worker itself needs.

The package holds answers to exercises: percentiles, the given loops, the simulations. So a lab's exercises.toml names
the modules that its exercises may use (`given`); only these are copied, with what they import.
"""

import ast
import importlib.util
import shutil
from collections.abc import Iterable
from pathlib import Path

PACKAGE = "minigpt"
FOR_THE_WORKER = ("minigpt.language", "minigpt.runtime.errors", "minigpt.runtime.request", "minigpt.schedulers.lab_file")
FOR_TENSORS = ("minigpt.llm.checkpoint_io", "minigpt.llm.tutor")
DATA_FOR_TENSORS = "checkpoint"
# Modules whose functions are answered by the checking side; these files stand for them in the worker.
REMOTE = {"minigpt.simulation.fleet": Path(__file__).with_name("remote_fleet.py")}


def modules_for(root: Path, given: Iterable[str], *, needs_torch: bool = False) -> list[str]:
    """The modules of a worker's copy, by name and in order; packages are among them."""
    wanted = [*FOR_THE_WORKER, *(FOR_TENSORS if needs_torch else ()), *given]
    found: set[str] = set()
    while wanted:
        name = wanted.pop()
        if name not in found:
            found.add(name)
            wanted += [name.rpartition(".")[0]] if "." in name else []
            wanted += imported_by(root, name)
    return sorted(found)


def imported_by(root: Path, name: str) -> set[str]:
    """The modules of the package that a module imports anywhere, except those imported for types only."""
    if name in REMOTE:
        return set()
    tree = ast.parse(file_of(root, name).read_text(encoding="utf-8"))
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {each for each in names if each.split(".")[0] == PACKAGE and file_of(root, each).is_file()}


def file_of(root: Path, name: str) -> Path:
    """The file of a module; for an unknown name, a file that does not exist."""
    path = root.joinpath(*name.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def copy(root: Path, target: Path, modules: Iterable[str], *, needs_torch: bool = False) -> None:
    """Make the copy below `target`."""
    for name in modules:
        source = file_of(root, name)
        place = target / source.relative_to(root)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(REMOTE.get(name, source), place)
        _copy_compiled(source, place, is_own=name not in REMOTE)
    if needs_torch:
        shutil.copytree(root / PACKAGE / DATA_FOR_TENSORS, target / PACKAGE / DATA_FOR_TENSORS)


def _copy_compiled(source: Path, place: Path, *, is_own: bool) -> None:
    """Copy a module with its compiled file, so that nothing is compiled again: both keep their times."""
    compiled = Path(importlib.util.cache_from_source(str(source)))
    if is_own and compiled.is_file():
        (place.parent / "__pycache__").mkdir(exist_ok=True)
        shutil.copy2(compiled, place.parent / "__pycache__" / compiled.name)
