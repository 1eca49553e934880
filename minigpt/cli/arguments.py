"""Shared by the arguments of all commands: checked numbers, writable files, mistakes reported in one line."""

import argparse
import math
import os
from pathlib import Path

from minigpt.cli.argparse_words import use_our_language
from minigpt.language import say


class Parser(argparse.ArgumentParser):
    """An ArgumentParser that reports mistakes as ValueErrors, like any other mistake of a user: one line, no usage text."""

    def __init__(self, *args, **kwargs):
        use_our_language()
        super().__init__(*args, **kwargs)

    def error(self, message: str):
        raise ValueError(say(en=f"{message} (see {self.prog} --help)", es=f"{message} (véase {self.prog} --help)"))


LEAST, MOST = 1e-9, 1e12  # of what is counted or measured here; beyond them lie slips, and sums that overflow
MOST_SLOTS = 1_024  # in one KV cache: over a GiB


def positive(text: str) -> float:
    """A finite number above 0."""
    value = _number(text, lambda value: value > 0, say(en="it must be positive", es="debe ser positivo"))
    if not LEAST <= value <= MOST:
        raise _wrong(text, say(en=f"it must lie between {LEAST:g} and {MOST:g}", es=f"debe estar entre {LEAST:g} y {MOST:g}"))
    return value


def at_least_zero(text: str) -> float:
    """A finite number from 0 on."""
    return _number(text, lambda value: 0 <= value <= MOST, say(en=f"it must be ≥ 0 (and ≤ {MOST:g})",
                                                               es=f"debe ser ≥ 0 (y ≤ {MOST:g})"))


def count(text: str) -> int:
    """A whole number from 1 on."""
    return whole(1)(text)


def slots(text: str) -> int:
    """How many requests one server may hold: each has a slot in its KV cache."""
    return whole(1, MOST_SLOTS)(text)


def whole(least: int | None = None, most: int | None = None):
    """The type of whole numbers within bounds."""

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise _wrong(text, say(en="it must be a whole number", es="debe ser un número entero")) from None
        if least is not None and value < least:
            positive_words = say(en="it must be positive", es="debe ser positivo")
            raise _wrong(text, positive_words if least == 1 else f"≥ {least}")
        if most is not None and value > most:
            raise _wrong(text, f"≤ {most}")
        return value

    return read


def new_file(text: str) -> Path:
    """A path that can be written to, checked before anything is computed for it. Nothing is created yet."""
    path = Path(text)
    if path.is_dir():
        raise _wrong(text, say(en="that is a folder: name a file", es="es una carpeta: indica un archivo"))
    if path.exists():
        if not os.access(path, os.W_OK):
            raise _wrong(text, say(en="that file cannot be written", es="ese archivo no se puede escribir"))
        return path
    _check_place(path.absolute().parent, text)
    return path


def new_folder(text: str) -> Path:
    """A folder that files can be written into, there already or to be made: looked at before anything is computed."""
    path = Path(text)
    _check_place(path.absolute(), text)
    return path


def _check_place(folder: Path, text: str) -> None:
    """Refuse a folder that is none, cannot be made or cannot be written into."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        raise _wrong(text, say(en=f"nothing can be written in {folder}", es=f"no se puede escribir en {folder}"))


def write_text(path: Path, text: str) -> None:
    """Write a result, making its folder if needed; ValueError if the system refuses after all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ValueError(say(en=f"{path} was not written: {error.strerror}",
                             es=f"{path} no se escribió: {error.strerror}")) from None


def option(name: str) -> str:
    """An argument's name as the user writes it."""
    return "--" + name.replace("_", "-")


def refuse_idle(args: argparse.Namespace, others: str, names, reason: str) -> None:
    """Refuse options that would have no effect, a mistake that would go unnoticed. Their default must be None."""
    for name in names:
        value = getattr(args, name, None)
        if value is not None:
            raise ValueError(say(en=f"{option(name)} {value} does not go with {others}: ",
                                 es=f"{option(name)} {value} no va con {others}: ") + reason)


def _number(text: str, fits, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise _wrong(text, say(en="it must be a number", es="debe ser un número")) from None
    if not math.isfinite(value) or not fits(value):
        raise _wrong(text, what)
    return value


def _wrong(text: str, what: str) -> argparse.ArgumentTypeError:
    return argparse.ArgumentTypeError(f"{text}: {what}")
