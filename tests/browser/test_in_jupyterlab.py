"""Each notebook in JupyterLab as a student meets it, with everything written: it runs, and what it shows is there."""

import re

import pytest

from minigpt.paths import list_labs, student_notebook
from tests.browser.notebook_page import Cell, open_notebook, photograph, run_all, run_one, save, set_theme
from tests.browser.server import git
from tests.tools.repo_files import ROOT, for_each, notebooks

PHOTOGRAPHS = ROOT / "results" / "browser"
LEAST_WIDTH_PX, LEAST_COLOURS = 200, 16
FIGURE = re.compile(r"^(?!def ).*\bplots\.[a-z_]+\(", re.MULTILINE)
CHECK = re.compile(r"""^lab\.check\(["']([0-9]+\.[0-9]+)["']\)""", re.MULTILINE)
GREETING = {"en": "· English ·", "es": "· español ·"}
POINTS = {"en": "points", "es": "puntos"}
PASSED_WORD = {"en": "passed", "es": "superada"}  # of a check in the report


def language_of(path):
    return "es" if path.stem.endswith(".es") else "en"


def code_cells(cells):
    return [cell for cell in cells if cell.kind == "code"]


# for_each comes last, so on top: where there is no notebook it makes no test at all.
@for_each(notebooks())
def test_a_notebook_runs_in_the_browser(path, lab, page):
    language = language_of(path)
    copy = student_notebook(lab.folder / "labs" / path.parent.name, language)
    open_notebook(page, lab.url(f"{path.parent.name}/{copy.name}"))
    try:
        cells = run_all(page)
        save(page)
    finally:
        photograph(page, path.stem, PHOTOGRAPHS)
    if language == "en":  # the figures are the same in both
        set_theme(page, "JupyterLab Dark")
        photograph(page, f"{path.stem}-dark", PHOTOGRAPHS)
        set_theme(page, "JupyterLab Light")
    problems = [*what_did_not_run(cells), *what_figures_lack(cells), *what_checks_lack(cells, language)]
    first = next(cell.shown for cell in code_cells(cells) if cell.shown)
    if GREETING[language] not in first:
        problems.append(f"the first output is not in the notebook's language: {first[:200]!r}")
    if changed := git(lab.folder, "status", "--porcelain"):
        problems.append(f"running and saving changed what git looks at: {changed}")
    assert problems == []


def what_did_not_run(cells):
    """Cells that have not run, failed, or wrote to the red box."""
    for place, cell in enumerate(cells):
        if cell.kind == "code" and cell.count is None:
            yield f"cell {place} has not run: {cell.source[:80]!r}"
        for output in cell.outputs:
            if output["kind"] == "error" or output["name"] == "stderr":
                yield f"cell {place}: {output['name']}: {output['text'][:400]}"
        if re.search(r"Error (displaying|rendering|creating)|model not found|Loading widget", cell.shown):
            yield f"cell {place}: a widget is not shown: {cell.shown[:200]!r}"


def what_figures_lack(cells):
    """Figures that are missing, too small, blank, or cut off at the right edge of a laptop's screen."""
    for place, cell in enumerate(cells):
        promised = sum("image/png" in output["types"] for output in cell.outputs)
        if cell.kind == "code" and FIGURE.search(cell.source):
            promised = max(promised, 1)
        if len(cell.images) < promised:
            yield f"cell {place}: {len(cell.images)} of {promised} figures are there: {cell.source[:80]!r}"
        for image in cell.images:
            if image["width"] < LEAST_WIDTH_PX or image["colours"] < LEAST_COLOURS:
                yield f"cell {place}: a figure is blank or too small: {image}"
            if image["overflow"] > 1:
                yield f"cell {place}: a figure is cut off by {image['overflow']:.0f} px"


def what_checks_lack(cells, language):
    """Checks that do not show their table."""
    found = [(match[1], cell) for cell in code_cells(cells) if (match := CHECK.search(cell.source))]
    if not found:
        yield "no cell calls lab.check"
    for exercise, cell in found:
        row = rf"^{re.escape(exercise)} .*\b{POINTS[language]}$"
        if not re.search(row, cell.shown, re.MULTILINE) or PASSED_WORD[language] not in cell.shown:
            yield f"lab.check({exercise!r}) shows no table, or a failure: {cell.shown[:300]!r}"


@for_each(notebooks()[:1])
def test_one_of_our_originals_is_saved_as_it_was(path, lab, page):
    open_notebook(page, lab.url(path.relative_to(ROOT / "labs").as_posix()))
    run_one(page, 1)
    save(page)
    assert page.evaluate("() => window.jupyterapp.shell.currentWidget.content.widgets[1].model.outputs.length") > 0
    assert (lab.folder / path.relative_to(ROOT)).read_bytes() == path.read_bytes()
    assert git(lab.folder, "status", "--porcelain") == ""


def test_the_first_page_is_the_first_labs_notebook(lab, page):
    first = list_labs(lab.folder)[0]
    open_notebook(page, lab.url())
    # Tabs that an earlier test left open come back first.
    page.wait_for_function("path => window.jupyterapp.shell.currentWidget?.context?.path === path",
                           arg=f"{first.name}/{student_notebook(first, 'en').name}")
    page.wait_for_timeout(2000)  # a question (about Jupyter's news, say) would come now
    assert page.locator(".jp-toast-button, .Toastify__toast").count() == 0
    listed = page.locator(".jp-DirListing-item").all_inner_texts()
    assert any(first.name.split("_", 1)[1] in text for text in listed)
    assert not [text for text in listed if re.match(r"[0-9]{2}_.*ipynb|skeleton|exercises", text.strip())]
    page.screenshot(path=str(PHOTOGRAPHS / "first-page.png"))


def test_the_start_page_leads_to_every_lab(lab, page):
    page.goto(lab.url("start.md"))
    links = page.locator(".jp-MarkdownViewer td a")
    links.first.wait_for()
    page.screenshot(path=str(PHOTOGRAPHS / "start-page.png"))
    texts = links.all_inner_texts()
    labs = [path for path in list_labs(lab.folder) if student_notebook(path, "es").exists()]
    assert len(texts) == 3 * len(labs)
    links.nth(1).click()
    page.wait_for_function("() => window.jupyterapp.shell.currentWidget?.context?.path.endsWith('.es.ipynb')")


def cell(source="x", count=1, outputs=(), shown="", images=()):
    return Cell(kind="code", source=source, count=count, outputs=list(outputs), shown=shown, images=list(images))


def output(kind="stream", name="stdout", text="", types=()):
    return {"kind": kind, "name": name, "text": text, "types": list(types)}


FINE = {"width": 1728, "height": 400, "colours": 900, "overflow": 0}
PICTURE = output("display_data", types=["image/png", "text/plain"])


def test_the_rules_see_what_they_should():
    assert list(what_did_not_run([cell(), cell(outputs=[output()])])) == []
    for bad in (cell(count=None), cell(outputs=[output("error", "ZeroDivisionError")]),
                cell(outputs=[output(name="stderr")]), cell(shown="Error displaying widget: model not found")):
        assert len(list(what_did_not_run([bad]))) == 1
    good = [cell("plots.bars(a)", outputs=[PICTURE], images=[FINE]), cell("plots.COLOURS")]
    assert list(what_figures_lack(good)) == []
    for bad in (cell("%%needs 3.1\nplots.bars(a)"), cell(outputs=[PICTURE]), cell(images=[{**FINE, "colours": 2}]),
                cell(images=[{**FINE, "width": 20}]), cell(images=[{**FINE, "overflow": 30}])):
        assert len(list(what_figures_lack([bad]))) == 1
    table = "3.1 admit      4 of 4 points\n  passed    fills every slot\n"
    assert list(what_checks_lack([cell('a = 1\nlab.check("3.1")', shown=table)], "en")) == []
    for bad, language in ((cell('lab.check("3.1")', shown=table), "es"), (cell('lab.check("3.2")', shown=table), "en"),
                          (cell('lab.check("3.1")', shown=table.replace("passed", "wrong")), "en"), (cell(), "en")):
        assert len(list(what_checks_lack([bad], language))) == 1


@pytest.fixture(autouse=True)
def folder_of_photographs():
    PHOTOGRAPHS.mkdir(parents=True, exist_ok=True)
