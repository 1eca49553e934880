"""Lectures made from the notebooks: what they show, how long they take, and that their figures are real ones."""

import html
import shutil
from html.parser import HTMLParser

import pytest

from minigpt.paths import list_labs, notebook_file
from tests.tools import slides
from tests.tools.build import list_built_labs, notebook_source
from tests.tools.notebook import parse_source
from tests.tools.repo_files import ROOT

LABS = list_built_labs(ROOT)
SOURCE = """%% en
# Lab 09 · Trial

Begin.
%% es
# Laboratorio 09 · Prueba

Empieza.
%% en
## 9.1 What falls?

Guess b.
%% es
## 9.1 ¿Qué baja?

Adivina b.
%% code
import base64
from minigpt import plots
from minigpt.lab import reveal
%% code
plots.bars(["a", "b"], [1.0, 2.0], "ms")
reveal(None, 2.0, "b")
%% en
It was b.
%% es
Fue b.
%% code
lab.check("9.1")
%% en
## 9.2 Nothing to see

Words.
%% es
## 9.2 Nada que ver

Palabras.
%% en
## What you can say now

- b
%% es
## Lo que ya puedes decir

- b
"""


def cells_of(lab):
    return parse_source(notebook_source(lab).read_text(encoding="utf-8"))


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name[:2])
def test_a_lecture_takes_ten_to_fifteen_minutes_and_ends_with_what_one_can_say(lab):
    cells = cells_of(lab)
    chosen = slides.slides_of(cells)
    assert 10 <= slides.minutes(cells, chosen) <= 15
    assert all(slide.figures for slide in chosen[1:-1]) and len(chosen) >= 6
    assert cells[chosen[0].question].en.startswith(f"# Lab {lab.name[:2]}") and cells[chosen[-1].question].en.startswith("## What you")
    shown = [index for slide in chosen for index in (slide.question, *slide.figures, *slide.script)]
    assert len(set(shown)) == len(shown) and not any(cells[index].exercise_id for index in shown)
    assert [slide.question for slide in chosen] == sorted(slide.question for slide in chosen)


def test_a_lab_without_a_choice_shows_what_there_is_time_for():
    cells = parse_source(SOURCE)
    assert [slide.question for slide in slides.slides_of(cells)] == [0, 1, 7]
    long = parse_source(SOURCE.replace("It was b.", "word " * 3000))
    assert [slide.question for slide in slides.slides_of(long)] == [0, 7]


class Page(HTMLParser):
    """Sections, pictures with their alternative texts, and whether every tag is closed."""

    def __init__(self, text):
        super().__init__()
        self.sections, self.alts, self.open = 0, [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.sections += tag == "section"
        self.alts += [dict(attributes).get("alt")] if tag == "img" else []
        self.open += [] if tag in ("meta", "img", "br", "link") else [tag]
        assert tag not in ("script", "link"), "a page that needs nothing but itself"

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.slow
def test_a_lecture_holds_the_figures_of_a_real_run(tmp_path, monkeypatch):
    lab = tmp_path / "labs" / "09_trial"
    lab.mkdir(parents=True)
    shutil.copyfile(next(iter(list_labs())) / "exercises.toml", lab / "exercises.toml")
    (lab.parent / "notebook.md").write_text(SOURCE, encoding="utf-8")
    for language in ("en", "es"):
        notebook_file(lab, language).write_text(slides_notebook(SOURCE, language), encoding="utf-8")
    monkeypatch.setattr(slides, "notebook_source", lambda lab: lab.parent / "notebook.md")
    for language, heading, said in (("en", "What falls?", "It was b."), ("es", "¿Qué baja?", "Fue b.")):
        text = html.unescape(slides.write_lecture(lab, language).read_text(encoding="utf-8"))
        page = Page(text)
        assert page.open == [] and page.sections == 3 and page.alts and all(page.alts)
        assert heading in text and said in text and "no guess" not in text and "predicción)" not in text and "¶" not in text


def slides_notebook(source, language):
    from tests.tools.notebook import build_one

    return build_one(parse_source(source), "09_trial", language, {})
