"""What is said of a lab's length is what its exercises add up to, and some time for reading and running."""

import pytest

from minigpt.notebook.exercises import load_exercises
from tests.tools.repo_files import ROOT, read_cells

READING = 25  # minutes for 2,000 to 3,000 words at 200 a minute, and for some 30 cells of code
LABS = sorted((ROOT / "labs").glob("0[1-6]_*"))


def exercise_minutes(lab):
    return sum(exercise.minutes for exercise in load_exercises(lab) if not exercise.is_stretch)


def test_there_are_six_labs():
    assert len(LABS) == 6


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
@pytest.mark.parametrize("readme", ["README.md", "README.es.md"])
def test_the_readme_adds_up(readme, lab):
    rows = (ROOT / readme).read_text(encoding="utf-8").splitlines()
    [row] = [row.split("|") for row in rows if row.startswith(f"| {lab.name[:2]} ")]
    minutes = exercise_minutes(lab)
    assert [int(cell) for cell in row[2:4]] == [minutes, minutes + READING]


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
@pytest.mark.parametrize("ending, words", [
    (".ipynb", "{} minutes of exercises, about {} in all"), (".es.ipynb", "{} minutos de ejercicios, unos {} en total"),
])
def test_the_first_cell_adds_up(ending, words, lab):
    _, text = read_cells(lab / f"{lab.name}{ending}")[0]
    minutes = exercise_minutes(lab)
    assert words.format(minutes, minutes + READING) in text
