"""What really contains a worker, measured in it before it loads a student's file: each probe tries what must fail.

The names are those of `containment.ROWS`. Standard library only.
"""

import ctypes
import os
import socket
import sys

CLONE_NEWUSER = 0x10000000


def measure(facts: dict, sandbox) -> dict[str, bool]:
    """For each row, whether it holds. `facts` come from the checking side (`containment.facts`)."""
    apart = _namespaces_apart(facts["namespaces"])
    return {
        "reference": not any(map(can_see, facts["unseen"])),
        "reading": not _can_open(facts["canary"], os.O_RDONLY),
        "changing": not _can_open(facts["canary"], os.O_WRONLY),
        "ending": not _can_signal(facts["parent"]),
        "descendants": "pid" in apart or (sandbox.orphans_are_found and sandbox.own_user is not None),
        "processes": "nproc" in sandbox.limits,
        "file_size": "fsize" in sandbox.limits,
        "written": _space_bytes(os.getcwd()) <= facts["quota_bytes"],
        "leftovers": {"mnt", "ipc"} <= apart,
        "network": not _has_network() and ("net" in apart or _is_alone_on_its_network()),
        "rights": not _can_have_roots_rights(),
    }


def can_see(path: str) -> bool:
    """Whether a file can be read, or a folder holds anything."""
    try:
        if os.path.isdir(path):
            return bool(os.listdir(path))
        with open(path, "rb") as file:
            return bool(file.read(1))
    except OSError:
        return False


def namespace_numbers() -> dict[str, int]:
    """Which of each kind of namespace this process is in (Linux)."""
    try:
        return {name: os.stat(f"/proc/self/ns/{name}").st_ino for name in ("mnt", "pid", "ipc", "net")}
    except OSError:
        return {}


def _namespaces_apart(theirs: dict[str, int]) -> set[str]:
    return {name for name, number in namespace_numbers().items() if theirs.get(name) not in (None, number)}


def _can_open(path: str, how: int) -> bool:
    try:
        os.close(os.open(path, how))
    except OSError:
        return False
    return True


def _can_signal(process: int) -> bool:
    if sys.platform == "win32":
        return True  # a process with the user's rights may
    try:
        os.kill(process, 0)
    except OSError:
        return False
    return True


def _space_bytes(folder: str) -> float:
    if not hasattr(os, "statvfs"):
        return float("inf")
    found = os.statvfs(folder)
    return found.f_blocks * found.f_frsize


def _has_network() -> bool:
    """Whether there is a route to the outside; nothing is sent."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
            line.connect(("192.0.2.1", 9))  # an address reserved for examples
    except OSError:
        return False
    return True


def _is_alone_on_its_network() -> bool:
    """Whether there is only the loopback, as in a container without a network."""
    try:
        return {name for _, name in socket.if_nameindex()} <= {"lo"}
    except (AttributeError, OSError):
        return False


def _can_have_roots_rights() -> bool:
    """Whether it can get a new user namespace, in which it would be root; or it is root already."""
    if not hasattr(os, "fork"):
        return False
    if os.geteuid() == 0:
        return True
    child = os.fork()
    if child == 0:
        os._exit(0 if sys.platform == "linux" and ctypes.CDLL(None).unshare(CLONE_NEWUSER) == 0 else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
