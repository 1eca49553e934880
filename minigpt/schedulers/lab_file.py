"""A lab's file, read and run in the same way everywhere: by the grader, notebooks, replay, serve and arena.

    text = read(path)          as Python decodes it: byte-order mark, "# coding:" line, else UTF-8
    module = run(text, path)   a new module, whatever the file's name and whatever was loaded before
    module = load(path)        both

A lab is one file. Files next to it are not loaded, neither here nor when it is graded.
"""

import ast
import io
import re
import sys
import tokenize
import types
import zlib
from pathlib import Path

from minigpt.language import say

STUB = re.compile(r"^(exercise|ejercicio) (\d+\.\d+)")


class LabFileError(ValueError):
    """A file that cannot be used as a lab's; the message says why, and the way out."""


def load(path: Path):
    """Run a file of lab code and return a new module, even if it was loaded before."""
    return run(read(path), path)


def read(path: Path) -> str:
    """The text of a file of lab code."""
    if not path.is_file():
        raise LabFileError(say(
            en=f"{path} is missing: git restore brings back a reference, python -m minigpt reset your own file",
            es=f"{path} no está: git restore recupera una referencia; python -m minigpt reset, un archivo tuyo",
        ))
    return decode(path.read_bytes(), path.name)


def decode(data: bytes, name: str) -> str:
    """The text of a file's bytes, as Python decodes its sources, with line feeds alone."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except (SyntaxError, LookupError, UnicodeDecodeError):
        text = "\0"
    if "\0" in text:  # also UTF-16, if it happens to decode
        raise LabFileError(say(en=f"{name} is not in UTF-8 and does not name another encoding in its first line: "
                               "save it as UTF-8",
                               es=f"{name} no está en UTF-8 ni declara otra codificación en su primera línea: "
                               "guárdalo como UTF-8"))
    return io.StringIO(text, newline=None).read()


def run(text: str, path: Path):
    """Run the text of a file in a new module and return it."""
    refuse_neighbours(text, path)
    # Compiled from the given text: a cached .pyc can be stale when a file is saved twice within a second.
    code = compile(text, str(path), "exec", dont_inherit=True)
    module = types.ModuleType(module_name(path))
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # dataclasses look there for the names in their annotations
    try:
        exec(code, module.__dict__)
    except ModuleNotFoundError as error:
        missing = (error.name or "minigpt").split(".")[0]
        if missing != "minigpt":
            error.msg = f"{error.msg}. {a_lab_is_one_file(missing)}"
        raise
    return module


def module_name(path: Path) -> str:
    """A module name that shadows no other: a file may be called math.py, and a reference has the name of a student's file."""
    return f"{path.stem}_{zlib.crc32(str(path).encode('utf-8', 'surrogateescape')):08x}"


def refuse_neighbours(text: str, path: Path) -> None:
    """Raise LabFileError if the text imports a file next to it."""
    neighbours = {file.stem for file in path.parent.glob("*.py")} | {file.parent.name for file in path.parent.glob("*/__init__.py")}
    neighbours -= {path.stem, *sys.stdlib_module_names}
    if not neighbours:  # as where it is graded, time and again: reading the text would take longer than running it
        return
    for node in ast.walk(ast.parse(text, str(path))):
        for name in top_names(node):
            if name in neighbours:
                where = say(en=f"line {node.lineno}", es=f"línea {node.lineno}")
                raise LabFileError(f"{path.name}, {where}: import {name}. {a_lab_is_one_file(name)}")


def top_names(node: ast.AST) -> set[str]:
    """The first names of what a statement imports; those of relative imports, too."""
    if isinstance(node, ast.Import):
        return {alias.name.split(".")[0] for alias in node.names}
    if isinstance(node, ast.ImportFrom):
        return {node.module.split(".")[0]} if node.module else {alias.name for alias in node.names}
    return set()


def unwritten(stub: NotImplementedError) -> str:
    """What the stub of an exercise says of itself, in the reader's language: its file may have been made in the other."""
    return STUB.sub(say(en=r"exercise \2", es=r"ejercicio \2"), str(stub))


def a_lab_is_one_file(name: str) -> str:
    return say(en=f"A lab is one file: if {name}.py is yours, copy what you need from it into the lab's file",
               es=f"Un laboratorio es un solo archivo: si {name}.py es tuyo, copia en él lo que necesites")
