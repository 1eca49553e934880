"""What the page says of each lab: the prose of its notebook up to each exercise, as HTML, with hints and skeleton.

One source for both: solutions/NN_…/notebook.md and labs/NN_…/exercises.toml.
"""

import os
from contextlib import contextmanager

import mistune

from minigpt import paths
from minigpt.extras.browser import figures, figures_04_05
from minigpt.notebook.exercises import Exercise, load_exercises, load_title
from tests.tools.build import notebook_source
from tests.tools.notebook import Cell, heading, parse_source
from tests.tools.skeleton import count_lines

LABS = ("02", "03", "04", "05")
SECTION = "## "
# Whose loop a lab's file holds, and its own picture next to the two timelines.
LOOPS = {"02": ("static", "scene"), "03": ("continuous", "scene"), "04": ("", "area"), "05": ("production", "blocks")}

to_html = mistune.create_markdown(escape=True, plugins=["table"])


def texts(language: str) -> dict:
    """All texts of a language, and the figures that are shown until Python is there."""
    with speaking(language):
        return {"labs": {lab: lab_texts(lab, language) for lab in LABS}, "first": first_figures()}


@contextmanager
def speaking(language: str):
    """Within this, messages are in a language."""
    before = os.environ.get("MINIGPT_LANG")
    os.environ["MINIGPT_LANG"] = language
    try:
        yield
    finally:
        os.environ.pop("MINIGPT_LANG") if before is None else os.environ.update(MINIGPT_LANG=before)


def first_figures() -> dict:
    """What the page's Python would answer to its first questions."""
    settings = figures.Settings()
    compared = figures.comparison(*(figures.given_run(policy, settings) for policy in ("static", "continuous")))
    scenes = {lab: figures.stepped(figures.given_scene(LOOPS[lab][0], lab), lab) for lab in figures.SCENES}
    return {"compare": compared, "scene": scenes, "area": figures_04_05.area(),
            "blocks": figures_04_05.block_map(figures_04_05.given_blocks())}


def lab_texts(number: str, language: str) -> dict:
    """One lab: title, file, skeleton and exercises."""
    lab = paths.resolve_lab(number)
    exercises = load_exercises(lab)
    before = texts_before(parse_source(notebook_source(lab).read_text(encoding="utf-8")), language)
    counts = count_lines(paths.solution_file(lab).read_text(encoding="utf-8"))
    file_name = f"{paths.lab_module(lab)}.py"
    policy, picture = LOOPS[number]
    return {
        "title": getattr(load_title(lab), language), "file": file_name, "policy": policy, "picture": picture,
        "skeleton": paths.skeleton_file(lab, language).read_text(encoding="utf-8"),
        "exercises": [exercise_texts(each, language, before[each.id], heading(each, language, counts.get(each.id, 0), file_name))
                      for each in exercises],
    }


def exercise_texts(exercise: Exercise, language: str, prose: list[str], title: str) -> dict:
    """One exercise: what leads to it, what is asked, and its hints."""
    *leading, task = prose
    return {
        "id": exercise.id, "title": getattr(exercise.titles, language), "function": exercise.function,
        "minutes": exercise.minutes, "stretch": exercise.is_stretch,
        "html": "".join(map(to_html, leading)), "task": to_html(f"{title}\n\n{task}"),
        "hints": [to_html(hint) for hint in getattr(exercise.all_hints, language)],
    }


def texts_before(cells: tuple[Cell, ...], language: str) -> dict[str, list[str]]:
    """For each exercise the prose of its section that leads to it, and its own text last."""
    found, section = {}, []
    for cell in cells:
        text = getattr(cell, language)
        if cell.is_code:
            continue
        if text.startswith(SECTION):
            section = []
        if cell.exercise_id:
            found[cell.exercise_id] = [*section, text]
            section = []
        else:
            section.append(text)
    return found
