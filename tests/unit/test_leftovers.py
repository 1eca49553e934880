"""What a worker wrote is removed, whatever it did to it."""

import ctypes
import os
import sys

import pytest

from tests.grader import leftovers
from tests.grader.leftovers import remove_tree


def test_folders_deeper_than_a_path_can_name(tmp_path):
    top = tmp_path / "top"
    top.mkdir()
    back = os.getcwd()
    os.chdir(top)
    try:
        for _ in range(3_000):
            os.mkdir("d" * 50)
            os.chdir("d" * 50)
        open("at the end", "w", encoding="utf-8").close()
    finally:
        os.chdir(back)
    assert remove_tree(top) == [] and list(tmp_path.iterdir()) == []


def test_closed_folders_and_odd_names(tmp_path):
    top = tmp_path / "top"
    (top / "a" / "b").mkdir(parents=True)
    (top / "a" / "b" / "file").write_text("")
    (top / "a" / "b").chmod(0)
    (top / "a").chmod(0)
    if sys.platform == "linux":
        open(os.path.join(os.fsencode(top), b"\xff\xfe \n"), "w", encoding="utf-8").close()
    assert remove_tree(top) == [] and list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_links_are_removed_and_not_followed(tmp_path):
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").write_text("mine")
    (tmp_path / "top").mkdir()
    os.symlink(kept, tmp_path / "top" / "link")
    os.symlink("nowhere", tmp_path / "top" / "dangling")
    assert remove_tree(tmp_path / "top") == []
    assert (kept / "file").read_text() == "mine"


def test_what_stays_is_said(tmp_path, monkeypatch):
    (tmp_path / "top").mkdir()
    monkeypatch.setattr(leftovers.os, "rmdir", lambda path: (_ for _ in ()).throw(PermissionError(path)))
    assert remove_tree(tmp_path / "top") == ["top"]
    assert remove_tree(tmp_path / "not there") == []


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root can be somebody else")
def test_shared_memory_of_a_user_is_removed():
    user, libc = 600_999_999, ctypes.CDLL(None)
    child = os.fork()
    if child == 0:
        os.setresuid(user, user, user)
        made = [libc.shmget(0, 4096, 0o1600), libc.semget(0, 1, 0o1600), libc.msgget(0, 0o1600)]
        os._exit(0 if min(made) >= 0 else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert [len(leftovers.ids_of(kind, user)) for kind in ("shm", "sem", "msg")] == [1, 1, 1]
    assert leftovers.remove_shared_memory_of(user) == []
    assert [leftovers.ids_of(kind, user) for kind in ("shm", "sem", "msg")] == [[], [], []]
