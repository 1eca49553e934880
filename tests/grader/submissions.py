"""What students hand in: folders, zips and single files, looked at with suspicion. Nothing is unpacked to disk."""

import os
import stat
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from minigpt import paths
from minigpt.language import say
from tests.grader.plugin import MAX_SOURCE_BYTES

MAX_ZIP_BYTES, MAX_UNPACKED_BYTES, MAX_MEMBERS = 50 * 2**20, 200 * 2**20, 5_000
LEFT_OUT = {"__MACOSX", "__pycache__", ".git", ".ipynb_checkpoints"}
NOT_THE_WORK = ("conftest.py", "setup.py", "skeleton.py", "skeleton.es.py", "sitecustomize.py")


class Refused(Exception):
    """A submission that is not looked into; the text says why, in the reader's language."""


@dataclass(frozen=True, slots=True)
class Submission:
    """One entry of the class's folder, under the name that it has in the results."""

    name: str
    path: Path


def find_submissions(folder: Path) -> list[Submission]:
    """All folders, zips and .py files of a folder, in the order of their names."""
    found = sorted(
        path for path in folder.iterdir()
        if not path.name.startswith(".") and path.name not in LEFT_OUT
        and (path.is_symlink() or path.is_dir() or path.suffix.lower() in (".zip", ".py"))
    )  # fmt: skip
    short = [path.stem if path.suffix.lower() in (".zip", ".py") and not path.is_dir() else path.name for path in found]
    folded = [name.casefold() for name in short]  # two names may be one to the system
    return [
        Submission(name if folded.count(name.casefold()) == 1 else path.name, path) for name, path in zip(short, found)
    ]


def labs_of(submission: Submission) -> list[Path]:
    """The labs whose file is in a submission, by its name."""
    try:
        names = {PurePosixPath(name).name for name in _files(submission.path)}
    except Refused:
        return []
    return [lab for lab in paths.list_labs() if paths.student_file(lab).name in names]


def text_of(submission: Submission, lab: Path) -> bytes:
    """The student's file for a lab. Raises Refused."""
    files = _files(submission.path)
    wanted = paths.student_file(lab).name
    named = [name for name in files if PurePosixPath(name).name == wanted]
    others = [name for name in files if not _is_no_work(PurePosixPath(name).name)]
    chosen = named or (others if len(others) == 1 else [])
    if not chosen:
        raise Refused(say(en=f"there is no {wanted} in it", es=f"no contiene {wanted}"))
    # The one nearest to the top: a copy in some backup folder lies deeper.
    return files[min(chosen, key=lambda name: (len(PurePosixPath(name).parts), name))]()


def _is_no_work(name: str) -> bool:
    return name in NOT_THE_WORK or name.startswith(("test_", "."))


def _files(path: Path) -> dict:
    """Every .py file by its name, with a function that reads it."""
    if path.is_symlink():
        raise Refused(say(en="it is a symbolic link", es="es un enlace simbólico"))
    if path.is_dir():
        return _files_of_folder(path)
    if path.suffix.lower() == ".py":
        return {path.name: lambda: _read(path)}
    return _files_of_zip(path)


def _files_of_folder(folder: Path) -> dict:
    found = {}
    for place, folders, names in os.walk(folder, followlinks=False):
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT and not name.startswith("."))
        for name in sorted(names):
            path = Path(place, name)
            if path.suffix == ".py":
                found[path.relative_to(folder).as_posix()] = lambda path=path: _read(path)
        if len(found) > MAX_MEMBERS:
            raise Refused(say(en="it holds too many files", es="contiene demasiados archivos"))
    return found


def _read(path: Path) -> bytes:
    # Not followed, so that a link to a neighbour's work, or a pipe, is never read.
    try:
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        raise Refused(say(en=f"{path.name} is a link or cannot be read",
                          es=f"{path.name} es un enlace o no se puede leer")) from None  # fmt: skip
    with open(number, "rb") as file:
        if path.is_symlink() or not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise Refused(say(en=f"{path.name} is no ordinary file", es=f"{path.name} no es un archivo normal"))
        return _bounded(file, path.name)


def _bounded(file, name: str) -> bytes:
    data = file.read(MAX_SOURCE_BYTES + 1)
    if len(data) > MAX_SOURCE_BYTES:
        raise Refused(say(en=f"{name} is larger than {MAX_SOURCE_BYTES:,} bytes",
                          es=f"{name} ocupa más de {MAX_SOURCE_BYTES:,} bytes"))  # fmt: skip
    return data


def _files_of_zip(path: Path) -> dict:
    if path.stat().st_size > MAX_ZIP_BYTES:
        raise Refused(say(en="the zip is too large", es="el zip es demasiado grande"))
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        raise Refused(say(en="the zip cannot be read", es="el zip no se puede leer")) from None
    if len(members) > MAX_MEMBERS or sum(member.file_size for member in members) > MAX_UNPACKED_BYTES:
        raise Refused(say(en="the zip would unpack to too much", es="el zip ocuparía demasiado al descomprimirlo"))
    found = {}
    for member in members:
        name = PurePosixPath(member.filename.replace("\\", "/"))
        if name.is_absolute() or ".." in name.parts or ":" in name.parts[0:1]:
            raise Refused(say(en="the zip points outside of itself", es="el zip apunta fuera de sí mismo"))
        if stat.S_ISLNK(member.external_attr >> 16):
            raise Refused(say(en="the zip holds a symbolic link", es="el zip contiene un enlace simbólico"))
        if name.suffix == ".py" and not LEFT_OUT & set(name.parts):
            found[name.as_posix()] = lambda member=member: _read_member(path, member)
    return found


def _read_member(path: Path, member: zipfile.ZipInfo) -> bytes:
    try:
        with zipfile.ZipFile(path) as archive, archive.open(member) as file:
            return _bounded(file, PurePosixPath(member.filename).name)  # what it says of its size need not be true
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError, NotImplementedError, EOFError):
        raise Refused(say(en="the zip cannot be read", es="el zip no se puede leer")) from None
