"""What a contained worker sees of the machine: an allow list, from which everything else is missing."""

import os
import sys
import sysconfig
from dataclasses import asdict, dataclass
from pathlib import Path, PurePath

QUOTA_BYTES = 256 * 2**20  # of all that a worker writes, in memory
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store")
SETTINGS = ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime")
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/sys/devices/system/cpu")
PYTHON_IN_A_PREFIX = {"bin", "lib", "lib64", "include", "share", "pyvenv.cfg"}


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What a worker finds, and where; everything from the machine is read-only."""

    mounts: tuple[tuple[str, str], ...]  # (path inside, path outside, or "" for a cover of nothing), parents first
    links: tuple[tuple[str, str], ...]  # symbolic links: (path inside, where to)
    home: str  # the folder in which the worker may write, at the same path inside and outside
    given: str  # the given code, seen at home/given
    copied: tuple[str, ...]  # files that the worker may also change: its own copies
    built_in: str  # an empty folder
    quota_bytes: int = QUOTA_BYTES

    def plain(self) -> dict:
        return asdict(self)


def python_folders() -> list[str]:
    """Where this interpreter's modules are, according to an interpreter started like the worker."""
    # Not sys.path: projects that are installed in place put their own folders there.
    places = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix]
    places += [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    return list(dict.fromkeys(place for place in places if os.path.isabs(place) and os.path.exists(place)))


def make_view(*, python: list[str], project: str, hidden: list[str], **places) -> View:
    """The view of one worker. `project` and the `hidden` folders are covered wherever they would be visible."""
    project = os.path.realpath(project)
    present = [path for path in (*SYSTEM, *SETTINGS, *DEVICES) if os.path.exists(path)]
    links = [(path, os.readlink(path)) for path in present if os.path.islink(path)]
    shown = [os.path.realpath(path) for path in (*present, *python)]
    mounts = {path: path for path in _outermost(shown, project)}
    covers = [project, *map(os.path.realpath, hidden)]
    if project in mounts:  # an environment made directly in the project's folder
        covers = [*covers[1:], *(str(one) for one in Path(project).iterdir() if one.name not in PYTHON_IN_A_PREFIX)]
    for path in covers:
        if path not in mounts and any(_is_within(path, place) for place in mounts):
            mounts[path] = ""
    links += _links_on_the_way(python, mounts)  # by which Python finds its folders
    parents_first = sorted(mounts.items(), key=lambda pair: len(PurePath(pair[0]).parts))
    return View(mounts=tuple(parents_first), links=tuple(links), **places)


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _outermost(paths: list[str], project: str) -> list[str]:
    """Without those that are visible anyway; but what is in the project's folder must be mounted above its cover."""
    unique = list(dict.fromkeys(paths))
    return [
        path for path in unique
        if not any(_is_within(path, other) and (path != other) and
                   not (_is_within(path, project) and not _is_within(other, project)) for other in unique)
    ]


def _links_on_the_way(places: list[str], mounts: dict) -> list[tuple[str, str]]:
    found = []
    for place in places:
        real = os.path.realpath(place)
        if real != place and real in mounts and not any(_is_within(place, path) for path in mounts):
            found.append((place, real))
    return found
