"""A lab's file is read and run in the same way by the grader, a notebook and every command."""

import dataclasses
import random

import pytest

from minigpt.notebook.live_code import CodeError, LiveModule
from minigpt.schedulers import lab_file
from tests.grader.judge import read_source
from tests.grader.outcomes import CheckFailed
from tests.grader.session import student_of

ANNOTATED = '''
from __future__ import annotations
import dataclasses

@dataclasses.dataclass
class Slot:
    number: int
    taken: dataclasses.KW_ONLY
    by: str = "nobody"

def answer():
    @dataclasses.dataclass
    class Inner:
        seats: list[Slot]
    return len(dataclasses.fields(Inner([]))), Slot(3).by
'''
CODE = "import random\n\ndef answer():\n    return random.Random(1).randint(0, 9), '{}'\n"
LUCKY = random.Random(1).randint(0, 9)


@pytest.fixture(autouse=True)
def in_english(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")


def by_all(file):
    """What `answer()` gives to each of those who load a file."""
    student = student_of(file)
    try:
        assert read_source(file) == lab_file.read(file)
        return [lab_file.load(file).answer(), LiveModule(file).answer(), student.call("answer")]
    finally:
        student.worker.close()


def refused_by_all(file) -> set[str]:
    """What each of them says."""
    said = set()
    for load, kind in ((lab_file.load, lab_file.LabFileError), (lambda path: LiveModule(path).answer, CodeError)):
        with pytest.raises(kind) as caught:
            load(file)
        said.add(str(caught.value))
    with pytest.raises(CheckFailed) as caught:
        read_source(file)
    assert caught.value.outcome == "import_error"
    return said | {str(caught.value.got)}


@pytest.mark.parametrize("data", [
    b"\xef\xbb\xbf" + CODE.format("¡año!").encode(),
    ("# -*- coding: latin-1 -*-\n" + CODE.format("¡año!")).encode("latin-1"),
    ("#!/usr/bin/env python\n# vim: set fileencoding=cp1252 :\n" + CODE.format("¡año!")).encode("cp1252"),
    CODE.format("¡año!").replace("\n", "\r\n").encode(),
], ids=["byte-order mark", "latin-1", "cp1252", "line ends of Windows"])
def test_a_file_is_decoded_as_python_does_it(tmp_path, data):
    file = tmp_path / "lab.py"
    file.write_bytes(data)
    assert by_all(file) == [(LUCKY, "¡año!")] * 3


@pytest.mark.parametrize("name", ["math.py", "random.py", "queue.py", "dataclasses.py", "my lab (1)", "minigpt.py"])
def test_its_name_hides_no_module(tmp_path, name):
    file = tmp_path / name
    file.write_text(CODE.format(name) + "import math, queue, dataclasses, minigpt\nassert math.pi and queue.Empty\n",
                    encoding="utf-8")
    assert by_all(file) == [(LUCKY, name)] * 3
    assert random.Random and dataclasses.fields


def test_annotations_as_texts_find_their_names(tmp_path):
    file = tmp_path / "lab.py"
    file.write_text(ANNOTATED, encoding="utf-8")
    assert by_all(file) == [(1, "nobody")] * 3


@pytest.mark.parametrize("data", [
    CODE.format("¡año!").encode("latin-1"), CODE.format("año").encode("utf-16"), CODE.encode("utf-16-le"),
    b"# coding: no-such-code\n" + CODE.encode(), b"\xef\xbb\xbf# coding: latin-1\n", b"# coding: rot13\n",
], ids=["latin-1", "utf-16", "utf-16 without its mark", "unknown", "mark and latin-1", "no text"])
def test_what_is_not_utf8_is_refused_with_the_way_out(tmp_path, data):
    file = tmp_path / "lab.py"
    file.write_bytes(data)
    (said,) = refused_by_all(file)
    assert said.startswith("lab.py is not in UTF-8") and said.endswith("save it as UTF-8")


@pytest.mark.parametrize("line", ["import helper", "from helper import x", "def f():\n    import helper.part as h",
                                  "from . import helper", "from .helper import x"])
def test_a_file_next_to_it_is_refused_by_all_in_the_same_words(tmp_path, line):
    (tmp_path / "helper.py").write_text("x = 1\n", encoding="utf-8")
    file = tmp_path / "lab.py"
    file.write_text(f"{line}\n\ndef answer():\n    return 1\n", encoding="utf-8")
    (said,) = refused_by_all(file)
    assert "import helper. A lab is one file: if helper.py is yours, copy" in said


def test_where_it_is_handed_in_alone_the_same_is_said(tmp_path):
    file = tmp_path / "lab.py"
    file.write_text("\nimport helper\n", encoding="utf-8")
    student = student_of(file)
    with pytest.raises(CheckFailed) as caught:
        student.call("answer")
    student.worker.close()
    assert caught.value.outcome == "import_error"
    assert "A lab is one file: if helper.py is yours" in str(caught.value.got) and "line 2" in str(caught.value.got)


def test_modules_of_two_files_of_one_name_are_two(tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "lab.py").write_text(ANNOTATED, encoding="utf-8")
    one, two = (lab_file.load(tmp_path / folder / "lab.py") for folder in ("one", "two"))
    assert one.Slot is not two.Slot and one.__name__ != two.__name__ and one.answer() == two.answer()


@pytest.mark.parametrize("language, wanted", [("en", "exercise 3.4: loop"), ("es", "ejercicio 3.4: loop")])
def test_a_stub_of_the_other_language_is_named_in_the_readers(monkeypatch, language, wanted):
    monkeypatch.setenv("MINIGPT_LANG", language)
    for stub in ("exercise 3.4: loop", "ejercicio 3.4: loop"):
        assert lab_file.unwritten(NotImplementedError(stub)) == wanted
    assert lab_file.unwritten(NotImplementedError("later")) == "later"
