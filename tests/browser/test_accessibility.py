"""axe looks at every page that this project builds: no violation of WCAG A and AA."""

from html import escape

import pytest
from nbconvert.filters.markdown import markdown2html

from minigpt.paths import resolve_lab
from tests.grader.class_page import write_page
from tests.grader.similarity import Pair
from tests.tools import slides
from tests.tools.build import notebook_source
from tests.tools.notebook import parse_source
from tests.tools.repo_files import ROOT, documents, spanish_twin

RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}
# A reader's own renderer chooses the colours of Markdown; the grey of ours is not it.
MARKDOWN = [page for english in documents() for page in (english, spanish_twin(english))]


def violations(page, text: str, folder) -> list[str]:
    """Open a page and let axe judge it."""
    from axe_playwright_python.sync_playwright import Axe

    file = folder / "page.html"
    file.write_text(text, encoding="utf-8")
    page.goto(file.as_uri())
    found = Axe().run(page, options=RULES).response["violations"]
    return [f"{one['id']}: {one['help']}: {node['html'][:100]}" for one in found for node in one["nodes"][:3]]


@pytest.mark.parametrize("path", MARKDOWN, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_pages(page, path, tmp_path):
    language = "es" if path.stem.endswith(".es") else "en"
    body = markdown2html(path.read_text(encoding="utf-8"))
    head = f'<!DOCTYPE html><html lang="{language}"><head><meta charset="utf-8"><title>{escape(path.name)}</title></head>'
    assert violations(page, f"{head}<body><main>{body}</main></body></html>", tmp_path) == []


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_class_page(page, tmp_path, monkeypatch, language):
    monkeypatch.setenv("MINIGPT_LANG", language)
    check = {"id": "3.1/x", "exercise": "3.1", "title": "t", "outcome": "wrong", "got": "g", "hint": "h"}
    reports = [{"lab": "03", "submission": name, "folder": f"{name}/lab03", "score": 1, "max_score": 5, "checks": [check],
                "exercises": [{"id": "3.1", "points": 1, "max_points": 2}, {"id": "3.2", "points": 0, "max_points": 3}],
                "measurements": {"p95_reduction_percent": value}, "note": ""} for name, value in (("ada", 41.0), ("bob", 52.0))]
    write_page(tmp_path / "class.html", reports, {"03": [Pair("ada/lab03", "bob/lab03", 80.0, 90.0)]})
    assert violations(page, (tmp_path / "class.html").read_text(encoding="utf-8"), tmp_path) == []


def test_the_live_page(page, tmp_path):
    text = (ROOT / "minigpt" / "extras" / "server" / "live_page.html").read_text(encoding="utf-8")
    assert violations(page, text, tmp_path) == []


@pytest.mark.parametrize("language", ["en", "es"])
def test_a_lecture(page, tmp_path, language):
    lab = resolve_lab("03")
    cells = parse_source(notebook_source(lab).read_text(encoding="utf-8"))
    chosen = slides.slides_of(cells)
    picture = {"data": {"image/png": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==",
                        "text/plain": "two bars"}}
    outputs = {index: [picture] for slide in chosen for index in slide.figures}
    assert violations(page, slides.page(lab, language, cells, chosen, outputs), tmp_path) == []


def test_axe_sees_what_is_wrong(page, tmp_path):
    text = '<!DOCTYPE html><html><head><title>t</title></head><body><main><img src="a.png"></main></body></html>'
    found = violations(page, text, tmp_path)
    assert any("image-alt" in one for one in found) and any("html-has-lang" in one for one in found)
