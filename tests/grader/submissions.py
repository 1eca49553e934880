"""What students hand in: folders, zips and single files, treated as untrusted. Nothing is unpacked to disk."""

import hashlib
import os
import stat
import unicodedata
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from minigpt import paths
from minigpt.language import say
from tests.grader.judge import MAX_SOURCE_BYTES
from tests.grader.report import shown

MAX_ZIP_BYTES, MAX_UNPACKED_BYTES, MAX_MEMBERS = 50 * 2**20, 200 * 2**20, 5_000
MAX_DEPTH, MAX_ENTRIES = 30, 50_000  # of a folder that is looked through
MAX_NAME_BYTES = 200
LEFT_OUT = {"__MACOSX", "__pycache__", ".git", ".ipynb_checkpoints"}
NOT_THE_WORK = ("conftest.py", "setup.py", "skeleton.py", "skeleton.es.py", "sitecustomize.py")
SUFFIXES = (".zip", ".py")


class Refused(Exception):
    """A submission that is not examined; the text says why, in the reader's language."""


@dataclass(frozen=True, slots=True)
class Submission:
    """One entry of the class's folder, under the name that it has in the results."""

    name: str
    path: Path
    note: str = ""  # why it does not have the name that one would expect


def find_submissions(folder: Path, taken: tuple[str, ...] = ()) -> list[Submission]:
    """All folders, zips and .py files of a folder, in the order of their names; `taken` are names of the results' own."""
    found = sorted(
        path for path in folder.iterdir()
        if not path.name.startswith(".") and path.name not in LEFT_OUT
        and (path.is_symlink() or path.is_dir() or path.suffix.lower() in SUFFIXES)
    )
    names = _own_names(found, taken)
    return [Submission(names[path], path, _why_named_so(path, names[path])) for path in found]


def _own_names(found: list[Path], taken: tuple[str, ...]) -> dict[Path, str]:
    """A unique name for each, even on a system that ignores case or how accents are encoded."""
    names = {path: _short_name(path) for path in found}
    for _ in found:  # a name that becomes longer may meet another
        counts = [_folded(name) for name in names.values()]
        shared = [path for path, name in names.items() if counts.count(_folded(name)) > 1 and name != path.name]
        if not shared:
            break
        names |= {path: path.name for path in shared}
    used = set(map(_folded, taken))
    for path, name in names.items():
        number, wanted = 1, _fitting(name)
        while _folded(wanted) in used:
            number += 1
            wanted = f"{_fitting(name)} ({number})"
        names[path] = wanted
        used.add(_folded(wanted))
    return names


def _short_name(path: Path) -> str:
    return path.stem if path.suffix.lower() in SUFFIXES and not path.is_dir() else path.name


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _fitting(name: str) -> str:
    """A name that leaves room for what is added to it."""
    data = os.fsencode(name)
    if len(data) <= MAX_NAME_BYTES:
        return name
    return data[:MAX_NAME_BYTES].decode("utf-8", "ignore") + "… " + hashlib.sha256(data).hexdigest()[:8]


def _why_named_so(path: Path, name: str) -> str:
    if name == _short_name(path):
        return ""
    return say(en=f"{shown(path.name)}: graded as {shown(name)}, since another one has the same short name",
               es=f"{shown(path.name)}: se califica como {shown(name)}, pues su nombre corto no es solo suyo")


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
        raise Refused(say(en=f"it does not contain {wanted}", es=f"no contiene {wanted}"))
    # The one nearest to the top: a copy in some backup folder is deeper.
    return files[min(chosen, key=lambda name: (len(PurePosixPath(name).parts), name))]()


def _is_no_work(name: str) -> bool:
    return name in NOT_THE_WORK or name.startswith(("test_", "."))


def _files(path: Path) -> dict:
    """Every .py file by its name, with a function that reads it. Only folders and ordinary files are opened."""
    try:
        kind = path.lstat().st_mode
    except OSError:
        raise Refused(say(en="it cannot be read", es="no se puede leer")) from None
    if stat.S_ISLNK(kind):
        raise Refused(say(en="it is a symbolic link", es="es un enlace simbólico"))
    if stat.S_ISDIR(kind):
        return _files_of_folder(path)
    if not stat.S_ISREG(kind):
        raise Refused(say(en="it is not an ordinary file", es="no es un archivo normal"))
    if path.suffix.lower() == ".py":
        return {path.name: lambda: _read(path)}
    return _files_of_zip(path)


def _files_of_folder(folder: Path) -> dict:
    found, waiting, seen = {}, [(folder, 0)], 0
    while waiting:
        place, depth = waiting.pop()
        for entry in _entries(place):
            seen += 1
            if entry.is_dir(follow_symlinks=False):
                is_wanted = entry.name not in LEFT_OUT and not entry.name.startswith(".")
                waiting += [(Path(entry.path), depth + 1)] if is_wanted and depth < MAX_DEPTH else []
            elif entry.name.endswith(".py"):
                path = Path(entry.path)
                found[path.relative_to(folder).as_posix()] = lambda path=path: _read(path)
        if len(found) > MAX_MEMBERS or seen > MAX_ENTRIES:
            raise Refused(say(en="it holds too many files", es="contiene demasiados archivos"))
    return found


def _entries(place: Path) -> list:
    try:
        with os.scandir(place) as entries:
            return list(entries)
    except OSError:
        raise Refused(say(en=f"the folder {shown(place.name)} cannot be read",
                          es=f"no se puede leer la carpeta {shown(place.name)}")) from None


def _read(path: Path) -> bytes:
    with _opened(path) as file:
        return _bounded(file, path.name)


def _opened(path: Path):
    """An ordinary file, for reading. Links (perhaps to a neighbour's work), pipes and devices are refused."""
    name = shown(path.name)
    try:
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
                         | getattr(os, "O_BINARY", 0))
    except OSError:
        raise Refused(say(en=f"{name} is a link or cannot be read", es=f"{name} es un enlace o no se puede leer")) from None
    file = open(number, "rb")
    if path.is_symlink() or not stat.S_ISREG(os.fstat(number).st_mode):
        file.close()
        raise Refused(say(en=f"{name} is not an ordinary file", es=f"{name} no es un archivo normal"))
    return file


def _bounded(file, name: str) -> bytes:
    data, name = file.read(MAX_SOURCE_BYTES + 1), shown(name)
    if len(data) > MAX_SOURCE_BYTES:
        raise Refused(say(en=f"{name} is larger than {MAX_SOURCE_BYTES:,} bytes",
                          es=f"{name} ocupa más de {MAX_SOURCE_BYTES:,} bytes"))
    return data


def _files_of_zip(path: Path) -> dict:
    with _opened(path) as file:
        if os.fstat(file.fileno()).st_size > MAX_ZIP_BYTES:
            raise Refused(say(en="the zip is too large", es="el zip es demasiado grande"))
        members = _of_zip(file, lambda archive: archive.infolist())
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
    def read(archive: zipfile.ZipFile) -> bytes:
        with archive.open(member) as unpacked:
            return _bounded(unpacked, PurePosixPath(member.filename).name)  # its stated size need not be true

    with _opened(path) as file:
        return _of_zip(file, read)


def _of_zip(file, work):
    try:
        with zipfile.ZipFile(file) as archive:
            return work(archive)
    except Refused:
        raise
    # Each kind of damage raises a different error (zlib's, LZMA's, struct's, of a character set, of a password, …).
    except Exception as error:
        reason = shown(f"{type(error).__name__}: {error}")
        raise Refused(say(en=f"the zip cannot be read ({reason})", es=f"el zip no se puede leer ({reason})")) from None
