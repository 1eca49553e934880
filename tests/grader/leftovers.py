"""Removing what a worker wrote, however it is protected, and reporting what could not be removed."""

import ctypes
import os
import sys
from pathlib import Path

OPEN_FOLDERS = ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run/lock")  # where all users may write
REMOVE = 0  # IPC_RMID


def remove_tree(top: Path) -> list[str]:
    """Remove a folder with all its contents; return the names of what stayed.

    Folders may be unreadable, or nested deeper than a path can name: each one found is moved up next to the top and
    emptied in its turn, so that no path gets long and nothing recurses.
    """
    waiting, stayed, number = [top], [], 0
    while waiting:
        folder = waiting.pop()
        try:
            folder.chmod(0o700)
            with os.scandir(folder) as entries:
                for entry in list(entries):
                    if not entry.is_dir(follow_symlinks=False):
                        os.unlink(entry.path)
                        continue
                    number += 1
                    os.chmod(entry.path, 0o700)  # a folder that is moved must be writable
                    waiting.append(Path(os.path.realpath(top)).with_name(f"{top.name}.{number}"))
                    os.rename(entry.path, waiting[-1])
            os.rmdir(folder)
        except FileNotFoundError:
            pass
        except OSError:
            stayed.append(folder.name)
    return stayed


def remove_files_of(user: int) -> list[str]:
    """Remove what a worker's own user left in the folders that are open to all users; return what stayed."""
    stayed = []
    for folder in map(Path, OPEN_FOLDERS):
        for path in folder.iterdir() if folder.is_dir() else ():
            try:
                if path.lstat().st_uid != user:
                    continue
                if path.is_dir() and not path.is_symlink():
                    stayed += remove_tree(path)
                else:
                    path.unlink()
            except FileNotFoundError:
                pass
            except OSError:
                stayed.append(str(path))
    return stayed


def remove_shared_memory_of(user: int) -> list[str]:
    """The same for System V objects: shared memory, semaphores, message queues (Linux)."""
    if sys.platform != "linux":
        return []
    libc, stayed = ctypes.CDLL(None), []
    for kind, remove in (("shm", libc.shmctl), ("sem", lambda i, *_: libc.semctl(i, 0, REMOVE)), ("msg", libc.msgctl)):
        for number in ids_of(kind, user):
            if remove(number, REMOVE, None) != 0:
                stayed.append(f"{kind} {number}")
    return stayed


def ids_of(kind: str, user: int) -> list[int]:
    """The System V objects of one kind that a user owns."""
    try:
        head, *lines = Path(f"/proc/sysvipc/{kind}").read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return []
    names = head.split()
    rows = [dict(zip(names, line.split())) for line in lines]
    number = names[1] if len(names) > 1 else ""  # shmid, semid, msqid
    return [int(row[number]) for row in rows if str(user) in (row["uid"], row["cuid"])]
