"""What is taken from a submission, and what is refused."""

import os
import stat
import sys
import zipfile
from pathlib import Path

import pytest

from minigpt import paths
from tests.grader.leftovers import remove_tree
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


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders")
@pytest.mark.parametrize("name", ["a.zip", "a.py"])
def test_only_folders_and_ordinary_files_are_opened(name, tmp_path):
    os.mkfifo(tmp_path / name)
    (one,) = find_submissions(tmp_path)
    with pytest.raises(Refused, match="ordinary|normal"):
        text_of(one, LAB)
    assert labs_of(one) == []


METHODS = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]


@pytest.mark.parametrize("method", METHODS)
def test_a_damaged_zip_is_refused_with_a_reason_wherever_the_damage_is(method, tmp_path):
    text = "".join(f"line {number} of {number ** 5}\n" for number in range(200))
    with zipfile.ZipFile(tmp_path / "z.zip", "w", method) as archive:
        archive.writestr(WANTED, text)
    whole = (tmp_path / "z.zip").read_bytes()
    refused = 0
    for place in range(0, len(whole), 7):
        (tmp_path / "z.zip").write_bytes(whole[:place] + bytes([whole[place] ^ 0x5A]) + whole[place + 1 :])
        try:
            text_of(Submission("z", tmp_path / "z.zip"), LAB)
        except Refused as error:
            refused += 1
            assert len(str(error)) > 15
    assert refused > 50
    for length in range(0, len(whole), 97):
        (tmp_path / "z.zip").write_bytes(whole[:length])
        with pytest.raises(Refused):
            text_of(Submission("z", tmp_path / "z.zip"), LAB)


def test_each_submission_has_a_name_that_no_other_has(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "class.csv").mkdir()
    for name in ("a.zip", "a.zip.py", "A.PY", "b.py", "B.zip", "x" * 250 + ".py"):
        (tmp_path / name).write_text("")
    found = find_submissions(tmp_path, taken=("class.csv", ".grading"))
    names = {one.path.name: one.name for one in found}
    folded = [name.casefold() for name in names.values()]
    assert len(set(folded)) == len(found) == 8 and "class.csv" not in folded
    assert {names["a"], names["a.zip"]} == {"a", "a.zip"} and names["a.zip.py"] == "a.zip.py"
    assert names["b.py"] == "b.py" and max(map(len, names.values())) < 230
    named = {one.path.name for one in found if one.note}
    assert named == set(names) - {"a"}, "whose name is not what one would expect is told so"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names are Unicode")
def test_any_name_that_the_system_can_hold(tmp_path):
    for name in (b"Mu\xf1oz.py", b"Mu\xf1oz", b"new\nline.zip", b"\x1b[31m.py", "\u202egnp.py".encode()):
        path = Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), name)))
        path.mkdir() if b"." not in name else path.write_bytes(b"x = 1\n")
    found = find_submissions(tmp_path)
    assert len({one.name for one in found}) == 5
    for one in found:
        try:
            assert text_of(one, LAB) == b"x = 1\n"
        except Refused as error:
            str(error).encode()


def test_a_folder_without_end_is_looked_through(tmp_path):
    place = tmp_path / "deep"
    place.mkdir()
    (place / WANTED).write_text("found")
    back = os.getcwd()
    os.chdir(place)
    try:
        for _ in range(1_500):
            os.mkdir("d")
            os.chdir("d")
    finally:
        os.chdir(back)
    found = text_of(Submission("deep", place), LAB)
    assert remove_tree(place) == []  # pytest itself could not clear it away
    assert found == b"found"
