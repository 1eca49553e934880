"""A student's copy of a notebook: made once, renewed while it is unchanged, kept ever after."""

import json

import pytest

from minigpt.notebook.saved_notebook import clean, to_bytes
from minigpt.notebook.student_copies import ensure_student_notebooks
from minigpt.paths import notebook_file, student_notebook


def notebook(*codes):
    cells = [{"cell_type": "code", "execution_count": None, "id": f"c{n}", "metadata": {}, "outputs": [],
              "source": [code]} for n, code in enumerate(codes)]
    return clean(to_bytes({"cells": cells, "metadata": {"minigpt": {"lab": "02_x"}}, "nbformat": 4,
                           "nbformat_minor": 5}))


def edit(path, change):
    data = json.loads(path.read_bytes())
    change(data)
    path.write_bytes(to_bytes(data))


def run_and_save(data):
    """What JupyterLab does to a notebook that is run and saved."""
    for cell in data["cells"]:
        cell |= {"execution_count": 7, "outputs": [{"output_type": "stream", "name": "stdout", "text": ["é"]}]}
        cell["metadata"] = {"editable": True, "tags": []}
    data["metadata"] |= {"widgets": {"state": {}}, "language_info": {"name": "python", "version": "3.12.1"},
                         "kernelspec": {"display_name": "Python 3 (ipykernel)", "name": "python3"}}


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "mi año"
    (root / "labs" / "02_x").mkdir(parents=True)
    for language in ("en", "es"):
        notebook_file(lab_of(root), language).write_bytes(notebook("a = None"))
    return root


def lab_of(root):
    return root / "labs" / "02_x"


def copies(root):
    return [student_notebook(lab_of(root), language) for language in ("en", "es")]


def test_copies_are_made_once_and_have_short_names(root):
    assert ensure_student_notebooks(root) == (copies(root), [])
    assert [path.name for path in copies(root)] == ["lab02.ipynb", "lab02.es.ipynb"]
    assert ensure_student_notebooks(root) == ([], [])
    assert json.loads(copies(root)[0].read_bytes())["cells"] == json.loads(notebook("a = None"))["cells"]


def test_a_copy_that_was_only_run_follows_a_newer_text(root):
    ensure_student_notebooks(root)
    edit(copies(root)[0], run_and_save)
    assert ensure_student_notebooks(root) == ([], []), "with the old text, its outputs stay"
    assert b"execution_count\": 7" in copies(root)[0].read_bytes()
    notebook_file(lab_of(root), "en").write_bytes(notebook("b = None"))
    assert ensure_student_notebooks(root) == (copies(root)[:1], [])
    assert b"b = None" in copies(root)[0].read_bytes()


def test_a_copy_that_the_student_changed_is_kept_and_named(root):
    ensure_student_notebooks(root)
    copy = copies(root)[0]
    edit(copy, lambda data: data["cells"][0].update(source=["a = 40"]))
    mine = copy.read_bytes()
    assert ensure_student_notebooks(root) == ([], []), "no newer text, no word"
    notebook_file(lab_of(root), "en").write_bytes(notebook("b = None"))
    assert ensure_student_notebooks(root) == ([], [copy])
    assert copy.read_bytes() == mine
    copy.rename(copy.with_name("mine.ipynb"))  # the way out that is said
    assert ensure_student_notebooks(root) == ([copy], [])


@pytest.mark.parametrize("text", ["", "not json", "[]", "{}", '{"metadata": {}}', '{"metadata": {"minigpt": 3}}'])
def test_what_is_no_copy_of_ours_is_never_touched(root, text):
    copies(root)[0].write_text(text, encoding="utf-8")
    assert ensure_student_notebooks(root) == (copies(root)[1:], copies(root)[:1])
    assert copies(root)[0].read_text(encoding="utf-8") == text


def test_an_original_that_was_run_and_saved_is_the_same_text(root):
    ensure_student_notebooks(root)
    edit(notebook_file(lab_of(root), "en"), run_and_save)
    assert ensure_student_notebooks(root) == ([], [])
    copies(root)[0].unlink()
    ensure_student_notebooks(root)
    assert b"execution_count\": 7" not in copies(root)[0].read_bytes()
