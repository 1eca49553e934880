"""A worker's own view of the machine (Linux): anything not put into it does not exist for the code inside.

Own mount, process, IPC, network and host-name namespaces; for an ordinary user within a user namespace. The root folder is
one small tmpfs: every byte that the code writes counts against its size, and all of it is gone with the last process.
Runs in the worker's process, before any code of a student, with the standard library alone.
"""

import ctypes
import os
from pathlib import Path

NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET = (
    0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000,
)
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_NOATIME, MS_NODIRATIME, MS_BIND, MS_REC, MS_PRIVATE, MS_RELATIME = 0x400, 0x800, 0x1000, 0x4000, 0x40000, 0x200000
KEPT_BY_STATVFS = MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_NOATIME | MS_NODIRATIME
ST_RELATIME = 0x1000
MNT_DETACH = 2
MAX_FILES = 20_000  # in the tmpfs
OPEN_TO_ALL = ("tmp", "var/tmp", "dev/shm", "run/lock")


def _call(function: str, *args) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    plain = [os.fsencode(arg) if isinstance(arg, str) else arg for arg in args]
    if getattr(libc, function)(*plain) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), f"{function} {args[:2]}")


def _mount(source: str | None, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    _call("mount", source, target, kind, ctypes.c_ulong(flags), options)


def leave_the_others() -> None:
    """Move this process into namespaces of its own; its next child is the first process of the new process namespace."""
    user, group = os.geteuid(), os.getegid()
    flags = NEWNS | NEWPID | NEWIPC | NEWNET | NEWUTS
    if user == 0:
        _call("unshare", flags)
    else:
        _call("unshare", flags | NEWUSER)
        map_to_itself(user, group)
    _mount(None, "/", None, MS_REC | MS_PRIVATE)  # nothing of it is visible outside


def map_to_itself(user: int, group: int) -> None:
    """In a new user namespace: the same user, and no other."""
    Path("/proc/self/setgroups").write_text("deny", encoding="utf-8")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1", encoding="utf-8")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="utf-8")


def no_more_of_them() -> None:
    """Let nothing inside make further namespaces, in which it would have a root's rights."""
    user, group = os.geteuid(), os.getegid()
    try:
        if _owner_of_user_namespace() != user:  # root's way: the worker is in the machine's
            _call("unshare", NEWUSER)
            map_to_itself(user, group)
        Path("/proc/sys/user/max_user_namespaces").write_text("0", encoding="utf-8")
    except OSError:
        pass  # a process that may not do this may not make any: the probes check


def _owner_of_user_namespace() -> int | None:
    line = Path("/proc/self/uid_map").read_text(encoding="utf-8").split()
    return int(line[0]) if len(line) == 3 and line[2] == "1" else None


def build(view: dict) -> None:
    """Make the view (tests/grader/view.py) this process's root folder."""
    root = view["built_in"]
    files = {path: Path(path).read_bytes() for path in view["copied"]}
    _mount("tmpfs", root, "tmpfs", MS_NOSUID | MS_NODEV, f"size={view['quota_bytes']},nr_inodes={MAX_FILES},mode=0755")
    for target, source in view["links"]:
        _parent_of(root + target)
        os.symlink(source, root + target)
    for place in OPEN_TO_ALL:
        os.makedirs(f"{root}/{place}", exist_ok=True)
        os.chmod(f"{root}/{place}", 0o1777)
    for path, source in view["mounts"]:
        _bind(source, root + path) if source else _cover(root + path)
    os.makedirs(root + view["home"], exist_ok=True)
    _bind(view["given"], f"{root}{view['home']}/given")
    for path, data in files.items():
        Path(root + path).write_bytes(data)
    os.makedirs(f"{root}/proc", exist_ok=True)
    _mount("proc", f"{root}/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    os.chdir(root)
    _call("pivot_root", ".", ".")
    _call("umount2", ".", MNT_DETACH)
    os.chdir(view["home"])


def _parent_of(path: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)


def _bind(source: str, target: str) -> None:
    """Show a file or folder of the machine, for reading only."""
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        _parent_of(target)
        Path(target).touch()
    _mount(source, target, None, MS_BIND | MS_REC)
    for place in [target, *_mounted_below(target)]:
        known = os.statvfs(place).f_flag
        flags = known & KEPT_BY_STATVFS | (MS_RELATIME if known & ST_RELATIME else 0)  # a user may not take one back
        _mount(None, place, None, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | flags)


def _mounted_below(target: str) -> list[str]:
    lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    places = [line.split()[4].encode().decode("unicode_escape") for line in lines]
    return [place for place in places if place.startswith(os.path.realpath(target) + "/")]


def _cover(target: str) -> None:
    """Cover something visible with an empty file or folder."""
    if os.path.isdir(target):
        _mount("tmpfs", target, "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV, "size=4k,mode=0755")
    elif os.path.exists(target):
        _mount("/dev/null", target, None, MS_BIND)
