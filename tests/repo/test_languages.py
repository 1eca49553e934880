"""English and Spanish say the same: notebooks, exercises, pages."""

import re

from minigpt.notebook.exercises import load_exercises, load_title
from tests.tools.cell_code import texts_of, without_texts
from tests.tools.repo_files import ROOT, documents, in_all, notebooks, pairs, read_cells, spanish_twin, without_magic
from tests.tools.twins import differences

NOTEBOOKS = pairs(notebooks())
EXERCISES = sorted(ROOT.glob("labs/*/exercises.toml"))


def test_each_notebook_is_there_in_both_languages():
    english = {path for path in notebooks() if not path.stem.endswith(".es")}
    assert {spanish_twin(path) for path in english} == set(notebooks()) - english


@in_all(NOTEBOOKS)
def test_notebooks_agree_cell_by_cell(path):
    english, spanish = read_cells(path), read_cells(spanish_twin(path))
    assert [kind for kind, _ in english] == [kind for kind, _ in spanish]
    slips = []
    for index, ((kind, ours), (_, theirs)) in enumerate(zip(english, spanish, strict=True)):
        if kind == "code":
            ours, theirs = map(without_magic, (ours, theirs))
            assert without_texts(ours) == without_texts(theirs), f"the code of cell {index} differs"
            for en, es in zip(texts_of(ours), texts_of(theirs), strict=True):
                slips += [f"cell {index} ({en[:30]!r}…): {slip}" for slip in differences(en, es) if en != es]
            continue
        assert ours.strip() and theirs.strip(), f"cell {index} is empty in one language"
        slips += [f"cell {index} ({ours[:30]!r}…): {slip}" for slip in differences(ours, theirs)]
    assert slips == [], "\n".join(slips)


@in_all(NOTEBOOKS)
def test_each_exercise_has_its_check(path):
    code = "\n".join(text for kind, text in read_cells(path) if kind == "code")
    checked = re.findall(r"""lab\.check\(["']([0-9.]+)["']""", code)
    assert checked == [exercise.id for exercise in load_exercises(path.parent)]


@in_all(EXERCISES)
def test_exercises_agree(path):
    texts = [load_title(path.parent)]
    for exercise in load_exercises(path.parent):
        texts += [exercise.titles, exercise.all_hints]
    slips = []
    for text in texts:
        both = [(text.en, text.es)] if isinstance(text.en, str) else zip(text.en, text.es, strict=True)
        slips += [f"{ours!r}: {slip}" for ours, theirs in both for slip in differences(ours, theirs)]
    assert slips == [], "\n".join(slips)


@in_all(documents())
def test_pages_agree(path):
    slips = differences(path.read_text(encoding="utf-8"), spanish_twin(path).read_text(encoding="utf-8"))
    assert slips == [], "\n".join(slips)
