"""What is taken from a submission, and what is refused."""

import os
import stat
import zipfile

import pytest

from minigpt import paths
from tests.grader.submissions import Refused, Submission, find_submissions, labs_of, text_of

LAB = paths.resolve_lab("03")
WANTED = "continuous_batching.py"


def zipped(path, **members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name.replace("__", "/"), text)
    return Submission(path.stem, path)


def test_every_kind_is_found_under_its_name(tmp_path):
    (tmp_path / "José Ñ").mkdir()
    (tmp_path / "ana.py").write_text("")
    zipped(tmp_path / "ana.zip", a="")
    zipped(tmp_path / "María de la O.zip", a="")
    (tmp_path / "list.csv").write_text("")
    (tmp_path / ".hidden").mkdir()
    names = [one.name for one in find_submissions(tmp_path)]
    assert names == ["José Ñ", "María de la O", "ana.py", "ana.zip"]


def test_the_file_is_found_by_its_name_or_because_it_is_alone(tmp_path):
    folder = tmp_path / "one"
    (folder / "old").mkdir(parents=True)
    (folder / "old" / WANTED).write_text("old")
    (folder / WANTED).write_text("new")
    (folder / "conftest.py").write_text("")
    assert text_of(Submission("one", folder), LAB) == b"new"
    assert [lab.name[:2] for lab in labs_of(Submission("one", folder))] == ["03"]
    single = tmp_path / "my answer.py"
    single.write_text("mine")
    assert text_of(Submission("x", single), LAB) == b"mine"
    assert text_of(zipped(tmp_path / "z.zip", **{f"año/{WANTED}": "packed", "test_mine.py": ""}), LAB) == b"packed"


def test_links_are_not_followed(tmp_path):
    secret = tmp_path / "secret.py"
    secret.write_text("a neighbour's")
    folder = tmp_path / "one"
    folder.mkdir()
    os.symlink(secret, folder / WANTED)
    os.symlink(folder, tmp_path / "two")
    os.symlink(tmp_path, folder / "up", target_is_directory=True)
    for submission in (Submission("one", folder), Submission("two", tmp_path / "two")):
        with pytest.raises(Refused):
            text_of(submission, LAB)


def test_a_pipe_does_not_hold_the_run_up(tmp_path):
    folder = tmp_path / "one"
    folder.mkdir()
    os.mkfifo(folder / WANTED)
    with pytest.raises(Refused):
        text_of(Submission("one", folder), LAB)


@pytest.mark.parametrize("name", [f"../{WANTED}", f"/tmp/{WANTED}", f"a/../../{WANTED}", f"..\\{WANTED}"])
def test_a_zip_that_points_outside_is_refused(name, tmp_path):
    submission = zipped(tmp_path / "z.zip", **{name: "", WANTED: "good"})
    with pytest.raises(Refused):
        text_of(submission, LAB)


def test_a_zip_with_a_link_is_refused(tmp_path):
    link = zipfile.ZipInfo(WANTED)
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(Refused):
        text_of(Submission("z", tmp_path / "z.zip"), LAB)


def test_zip_bombs_and_broken_zips_are_refused(tmp_path):
    bomb = zipped(tmp_path / "bomb.zip", **{WANTED: "#" * 10_000_000})
    many = zipped(tmp_path / "many.zip", **{f"{i}.py": "" for i in range(6_000)})
    (tmp_path / "broken.zip").write_bytes(b"PK\3\4 not a zip")
    for submission in (bomb, many, Submission("broken", tmp_path / "broken.zip")):
        with pytest.raises(Refused):
            text_of(submission, LAB)


def test_nothing_to_grade_is_said(tmp_path):
    (tmp_path / "one").mkdir()
    with pytest.raises(Refused, match=WANTED):
        text_of(Submission("one", tmp_path / "one"), LAB)
