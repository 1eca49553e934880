"""Labs and their files are found by pattern, and a student's file is never overwritten."""

import pytest

from minigpt import paths


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A repository with two labs, things that are not labs, and a path with a space and accents."""
    monkeypatch.setenv("MINIGPT_LANG", "en")
    root = tmp_path / "mi clase ñandú"
    for name in ("02_static_batching", "01_amortized_forward", "notes", "1_short", "__pycache__"):
        (root / "labs" / name).mkdir(parents=True)
    (root / "labs" / "03_a_file").write_text("not a folder", encoding="utf-8")
    for name, text in (("skeleton.py", "# año\r\n"), ("skeleton.es.py", "# español\r\n")):
        (root / "labs" / "02_static_batching" / name).write_bytes(text.encode())
    return root


def test_the_root_is_the_folder_that_holds_the_package():
    assert (paths.repository_root() / "minigpt" / "paths.py").samefile(paths.__file__)


def test_labs_are_listed_in_order(root):
    assert [lab.name for lab in paths.list_labs(root)] == ["01_amortized_forward", "02_static_batching"]


def test_no_labs_folder_means_no_labs(tmp_path):
    assert paths.list_labs(tmp_path) == []


@pytest.mark.parametrize("text", ["2", "02", 2, " 02 ", "02_static_batching"])
def test_a_lab_is_resolved_from_its_number_or_name(root, text):
    assert paths.resolve_lab(text, root) == root / "labs" / "02_static_batching"


@pytest.mark.parametrize("text", [
    "07", "0", "-2", "2.0", "002", "02_static", "../labs/02_static_batching", "²"])
def test_an_unknown_lab_lists_those_there_are(root, text):
    with pytest.raises(ValueError, match="01_amortized_forward, 02_static_batching") as caught:
        paths.resolve_lab(text, root)
    assert repr(text) in str(caught.value)


def test_no_lab_named_asks_for_one(root, monkeypatch):
    with pytest.raises(ValueError, match="which lab.*LAB=02.*01_amortized_forward"):
        paths.resolve_lab("", root)
    monkeypatch.setenv("MINIGPT_LANG", "es")
    with pytest.raises(ValueError, match="qué laboratorio"):
        paths.resolve_lab("", root)


def test_a_labs_files_are_named_after_it(root):
    lab = paths.resolve_lab("2", root)
    assert paths.student_file(lab) == lab / "static_batching.py"
    assert paths.skeleton_file(lab) == lab / "skeleton.py"
    assert paths.skeleton_file(lab, "es") == lab / "skeleton.es.py"
    assert paths.notebook_file(lab, "en") == lab / "02_static_batching.ipynb"
    assert paths.notebook_file(lab, "es") == lab / "02_static_batching.es.ipynb"
    assert paths.solution_file(lab) == root / "solutions" / "02_static_batching" / "static_batching.py"


def test_the_students_copy_is_made_once_byte_for_byte_and_then_left_alone(root):
    lab = paths.resolve_lab("2", root)
    assert paths.ensure_student_files(root) == [lab / "static_batching.py"]
    assert paths.student_file(lab).read_bytes() == "# año\r\n".encode()
    assert sorted(path.name for path in lab.iterdir()) == ["skeleton.es.py", "skeleton.py", "static_batching.py"]

    paths.student_file(lab).write_text("my work", encoding="utf-8")
    assert paths.ensure_student_files(root) == []
    assert paths.student_file(lab).read_text(encoding="utf-8") == "my work"


def test_the_students_copy_is_made_in_the_language_and_stays_in_it(root, monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "es")
    lab = paths.resolve_lab("2", root)
    assert paths.ensure_student_file(lab)
    assert paths.student_file(lab).read_bytes() == "# español\r\n".encode()
    monkeypatch.setenv("MINIGPT_LANG", "en")
    assert not paths.ensure_student_file(lab)
    assert paths.student_file(lab).read_bytes() == "# español\r\n".encode()


def test_without_a_skeleton_no_copy_is_made(root):
    lab = paths.resolve_lab("1", root)
    assert not paths.ensure_student_file(lab)
    assert list(lab.iterdir()) == []
