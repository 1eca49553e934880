"""One bilingual source becomes two notebooks, and the same ones each time."""

import json

import pytest

from minigpt.notebook.exercises import load_exercises
from tests.tools import build
from tests.tools.notebook import build_notebooks, heading, parse_source
from tests.tools.sample import NOTEBOOK, SKELETON, write_sample


@pytest.fixture
def lab(tmp_path, monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    return write_sample(tmp_path)


@pytest.fixture
def texts(lab):
    return build_notebooks(NOTEBOOK, lab.name, load_exercises(lab), {"3.1": 4, "3.2": 1})


def cells(text):
    return [(cell["cell_type"], "".join(cell["source"])) for cell in json.loads(text)["cells"]]


def test_code_is_shared_and_prose_is_not(texts):
    english, spanish = cells(texts["en"]), cells(texts["es"])
    assert len(english) == len(spanish) == 6
    assert english[0] == ("markdown", "# Turns\nTwo requests share a batch of 2.5 rows.")
    assert spanish[0] == ("markdown", "# Turnos\nDos peticiones comparten un lote de 2,5 filas.")
    assert english[1] == spanish[1] == ("code", "guess = None")


def test_texts_and_comments_of_code_come_in_one_language():
    source = """%% code needs 3.1
guess = None  # a number || un número
plot({say(en="¡a!", es="¡á!"): "# || no comment"}, say(
    en=f"{guess} ms", es=f"{say(en=1, es=2)} ms"), 5)
print(say(en="one "
             "two", es="uno"))
x = say(en="one "
           "two", es="uno")"""
    cell = parse_source(source)[0]
    assert cell.en == """%%needs 3.1
guess = None  # a number
plot({"¡a!": "# || no comment"}, f"{guess} ms", 5)
print("one "
             "two")
x = ("one "
           "two")"""
    assert cell.es == """%%needs 3.1
guess = None  # un número
plot({"¡á!": "# || no comment"}, f"{2} ms", 5)
print("uno")
x = "uno\""""


def test_headings_come_from_the_exercises(texts):
    assert cells(texts["en"])[2][1] == (
        "### Exercise 3.1 · `admit` (about 4 lines, 10 minutes) · `turns.py`\n\nOldest first.")
    assert cells(texts["es"])[2][1] == (
        "### Ejercicio 3.1 · `admit` (unas 4 líneas, 10 minutos) · `turns.py`\n\nPrimero la más antigua.")
    assert cells(texts["en"])[5][1].startswith("### Exercise 3.3 · Faster than before (5 minutes)\n")
    assert cells(texts["es"])[5][1].startswith("### Ejercicio 3.3 · Más rápido que antes (5 minutos)\n")


def test_one_is_singular(lab):
    step = load_exercises(lab)[1]
    assert "(about 1 line, 1 minute)" in heading(step, "en", 1, "turns.py")
    assert "(alrededor de 1 línea, 1 minuto)" in heading(step, "es", 1, "turns.py")


def test_a_notebook_is_as_jupyterlab_would_save_it(texts):
    for language, text in texts.items():
        notebook = json.loads(text)
        assert text == json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
        assert notebook["metadata"]["minigpt"] == {"lab": "03_turns", "language": language}
        assert notebook["metadata"]["kernelspec"]["name"] == "python3"
        assert notebook["metadata"]["language_info"] == {"name": "python"}
        code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
        ids = [cell["id"] for cell in notebook["cells"]]
        assert len(set(ids)) == len(ids)


def test_it_is_the_same_at_each_run(lab, texts):
    assert build_notebooks(NOTEBOOK, lab.name, load_exercises(lab), {"3.1": 4, "3.2": 1}) == texts


@pytest.mark.parametrize("source, message", [
    ("", "line 1: no cell begins"),
    ("prose\n%% code\n1", "line 1: no cell begins before 'prose'"),
    ("%% en\nA\n%% code\n1", "line 1: an en cell without its es twin"),
    ("%% code\n1\n2  # English only", "line 1: the cell that begins here: '# English only' is not in both languages"),
    ("%% en\nA\n%% es\nB\n%% code\nsay(en='A')", "line 5: the cell that begins here: say(en='A') is not in both"),
    ("%% code needs 3.1\n1  # English ||", "line 1: the cell that begins here: '# English ||' is not in both languages"),
    ("%% code\n1\n%% en\nA", "line 3: an en cell without its es twin"),
    ("%% en\nA\n%% en\nB\n%% es\nC", "line 1: an en cell without its es twin"),
    ("%% es\nA", "line 1: an es cell without its en twin"),
    ("%% en\nA\n%% es\nB\n%% es\nC", "line 5: an es cell without its en twin"),
    ("%% exercise 3.1 en\nA\n%% es\nB", "line 1: an en cell without its es twin; write '%% exercise 3.1 es'"),
    ("%% exercise 3.1 en\nA\n%% exercise 3.2 es\nB", "line 1: an en cell without its es twin"),
    ("%% en\nA\n%% exercise 3.1 es\nB", "line 1: an en cell without its es twin"),
    ("%% en\n\n%% es\nB", "line 1: the cell '%% en' is empty"),
    ("%% code\n1\n%%time\n2", "line 3: '%%time' begins no cell"),
    ("%% code\n1\n%% fr\n2", "line 3: '%% fr' begins no cell"),
    ("%%en\nA\n%%es\nB", "line 1: '%%en' begins no cell"),
    ("%% exercise 3.1 code\n1", "line 1: '%% exercise 3.1 code' begins no cell"),
])
def test_a_faulty_source_is_refused_with_its_line(source, message):
    with pytest.raises(ValueError) as caught:
        parse_source(source)
    assert message in str(caught.value)


@pytest.mark.parametrize("old, new", [("exercise 3.2", "exercise 3.7"), ("exercise 3.2", "exercise 3.1")])
def test_each_exercise_is_asked_once(lab, old, new):
    with pytest.raises(ValueError, match=r"exercises\.toml has \['3\.1', '3\.2', '3\.3'\]"):
        build_notebooks(NOTEBOOK.replace(old, new), lab.name, load_exercises(lab), {})


def test_the_build_writes_what_its_check_then_finds_in_step(lab, tmp_path, capsys):
    assert build.build_all(tmp_path, check=True) == 1
    names = {"labs/03_turns/skeleton.py", "labs/03_turns/skeleton.es.py", "labs/03_turns/03_turns.ipynb", "labs/03_turns/03_turns.es.ipynb"}
    assert {line.split(": ")[1] for line in capsys.readouterr().out.splitlines()} == names
    assert not (lab / "skeleton.py").exists()
    assert build.build_all(tmp_path, check=False) == 0
    assert (lab / "skeleton.py").read_bytes() == SKELETON.encode()
    assert build.build_all(tmp_path, check=True) == 0
    (lab / "skeleton.py").write_text(SKELETON + "# edited\n", encoding="utf-8")
    assert build.build_all(tmp_path, check=True) == 1
    assert {path.name for path in lab.iterdir()} == {
        "exercises.toml", "skeleton.py", "skeleton.es.py", "03_turns.ipynb", "03_turns.es.ipynb"}


def test_a_faulty_lab_is_named_and_the_others_are_built(lab, tmp_path, capsys):
    broken = tmp_path / "solutions" / "02_broken"
    broken.mkdir()
    (broken / "broken.py").write_text("", encoding="utf-8")
    assert build.build_all(tmp_path, check=False) == 2
    assert "02_broken" in capsys.readouterr().err
    assert (lab / "skeleton.py").exists()


def test_a_generated_file_without_a_source_is_reported(lab, tmp_path, capsys):
    build.build_all(tmp_path, check=False)
    build.notebook_source(lab).unlink()
    assert build.build_all(tmp_path, check=True) == 1
    assert "labs/03_turns/03_turns.es.ipynb" in capsys.readouterr().out
    assert (lab / "03_turns.ipynb").exists()


def test_a_repository_without_labs_is_in_step(tmp_path):
    assert build.build_all(tmp_path, check=True) == 0
