"""The labs in the page, as a student meets them: written, checked, stopped, reloaded, offline, and heard."""

import re
from collections.abc import Iterator

import pytest

from minigpt import paths
from minigpt.extras.browser import figures, npm
from minigpt.notebook.exercises import load_exercises
from tests.browser.conftest import LAPTOP
from tests.browser.web_page import SUB_PATH, WebPage, served, solved_up_to
from tests.mutants.test_in_page import comparable, in_the_process
from tests.mutants.test_mutants import mutants_of
from tests.tools import web
from tests.tools.repo_files import ROOT
from tests.tools.web_texts import LABS

pytestmark = pytest.mark.xdist_group("page")  # one process builds it
PHOTOGRAPHS = ROOT / "results" / "browser"
PHONE = {"width": 390, "height": 844}
STEP = "for request, token in zip(in_flight, "


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("web")
    web.build(folder / SUB_PATH)
    with served(folder) as address:
        yield address


@pytest.fixture
def tab(chromium, address) -> Iterator[WebPage]:
    """A new visitor's tab; whatever the console says or another host is asked for fails the test."""
    context = chromium.new_context(viewport=LAPTOP, color_scheme="light")
    context.set_default_timeout(120_000)
    tab = WebPage(page=context.new_page(), address=address)
    tab.watch()
    yield tab
    context.close()
    assert tab.problems == []


def exercises_of(lab: str) -> list:
    return list(load_exercises(paths.resolve_lab(lab)))


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("lab", LABS)
def test_the_reference_exercise_by_exercise(lab, language, tab):
    tab.open(lab, language)
    for exercise in exercises_of(lab):
        tab.write(solved_up_to(lab, exercise.id))
        outcomes = tab.check(exercise.id)
        assert outcomes and set(outcomes.values()) == {"passed"}, tab.results()
    marked = tab.page.locator("#exercises .passed").count()
    assert marked == len(exercises_of(lab))
    tab.page.screenshot(path=str(PHOTOGRAPHS / f"web-{lab}-{language}.png"), full_page=True)


@pytest.mark.parametrize("lab, name, language", [
    ("02", "deadline restarted by each arrival", "en"), ("02", "EOS stored", "es"), ("03", "asks until somebody comes", "en"),
])
def test_a_wrong_solution_is_told_its_hint(lab, name, language, tab):
    mutant = next(each for each in mutants_of(lab) if each.name == name)
    tab.open(lab, language)
    tab.write(mutant.source(lab))
    outcomes = tab.check(mutant.check.split("/")[0])
    assert outcomes[mutant.check] == mutant.outcome
    hint = tab.page.inner_text(f"[data-check='{mutant.check}'] .hint")
    assert hint and (language != "en" or mutant.hint in hint)


def test_hints_are_given_one_by_one(tab):
    tab.open("02", "es", "2.2")
    for number in (1, 2, 3, 3):
        tab.page.click("#hint")
        assert f"Pista {number} de 3" in tab.results()


def test_a_loop_without_end_in_python_is_ended_with_its_line(tab):
    text = solved_up_to("03", "3.4").replace(STEP, "while True:\n        pass\n    " + STEP)
    line = text[: text.index("while True")].count("\n") + 1
    tab.open("03")
    tab.write(text)
    assert set(tab.check("3.2").values()) == {"timed_out"}
    found = re.search(r"\(line (\d+)\)", tab.results())
    assert abs(int(found[1]) - line) <= 1 and "does its loop ever end?" in tab.results()
    tab.wait_until("ready")
    assert set(tab.check("3.1").values()) == {"passed"}


def test_a_loop_without_end_in_c_costs_an_interpreter_and_no_more(tab):
    text = solved_up_to("03", "3.4").replace(STEP, "sum(iter(int, 1))\n    " + STEP)
    tab.open("03")
    tab.write(text)
    assert set(tab.check("3.2").values()) == {"timed_out"}
    assert "does its loop ever end?" in tab.results()
    tab.wait_until("ready")
    assert set(tab.check("3.1").values()) == {"passed"}
    assert tab.kept_file("03") == text


def test_stop_ends_what_runs_at_once(tab):
    tab.open("03")
    tab.write(solved_up_to("03", "3.4").replace(STEP, "sum(iter(int, 1))\n    " + STEP))
    tab.page.click("#exercises button:text('3.2')")
    tab.page.click("#check")
    tab.page.click("#stop:not(:disabled)")
    tab.page.wait_for_selector("#state[data-state=restarting]")
    tab.wait_until("ready")
    assert "Stopped" in tab.results()


def test_what_ends_python_is_told_and_survived(tab):
    tab.open("03")
    tab.write(solved_up_to("03", "3.4").replace(STEP, "import os; os._exit(0)\n    " + STEP))
    assert set(tab.check("3.2").values()) == {"process_ended"}
    assert set(tab.check("3.1").values()) == {"passed"}


def test_the_file_is_there_after_a_reload_and_can_leave_and_come_back(tab, tmp_path):
    text = solved_up_to("02", "2.1") + "\n# mía\n"
    tab.open("02", "es")
    tab.write(text)
    tab.page.reload()
    tab.wait_until("ready")
    assert tab.kept_file("02") == text
    with tab.page.expect_download() as waiting:
        tab.page.click("#download")
    assert waiting.value.suggested_filename == "static_batching.py"
    waiting.value.save_as(tmp_path / "mine.py")
    assert (tmp_path / "mine.py").read_text(encoding="utf-8") == text
    (tmp_path / "mine.py").write_text(text + "# otra\n", encoding="utf-8")
    tab.page.set_input_files("#load", tmp_path / "mine.py")
    tab.page.wait_for_function("() => localStorage.getItem('minigpt.file.02').includes('otra')")
    assert set(tab.check("2.1").values()) == {"passed"}


def expected_figures(settings: figures.Settings) -> dict:
    runs = {policy: figures.given_run(policy, settings) for policy in ("static", "continuous")}
    found = figures.comparison(**runs)
    return {f"{policy}.{name}": value for policy in runs for name, value in found[policy]["figures"].items()
            if name != "num_unfinished"}


def test_each_slider_shows_the_figures_of_the_process(tab):
    tab.open("02")
    settings = {"load": 0.7, "spread": 4, "cap": 8, "max_wait_ms": 5}
    assert tab.figures() == expected_figures(figures.Settings(**settings))
    for name, value in (("load", 0.3), ("spread", 1), ("cap", 3), ("max_wait_ms", 40), ("load", 0.95), ("spread", 0)):
        settings[name] = value
        assert tab.move(name, value) == expected_figures(figures.Settings(**settings)), settings


def test_run_shows_the_students_own_loop(tab):
    tab.open("03")
    tab.write(solved_up_to("03", "3.4") + "\nprint('hola')\n")
    tab.page.click("#run")
    tab.page.wait_for_selector("#results .good")
    assert "hola" in tab.results()
    tab.page.wait_for_selector(".continuous h3:text('(yours)')")
    assert tab.figures() == expected_figures(figures.Settings())
    slider = tab.page.locator("#scene input")
    slider.focus()
    slider.press("Home")
    for _ in range(3):
        slider.press("ArrowRight")
    assert tab.page.inner_text("#scene .step") == "Step 3 of 30: decodes A, B · answers A"


def test_it_works_offline_after_the_first_visit(tab):
    tab.open("02")
    assert tab.page.evaluate("() => navigator.serviceWorker.ready.then(found => found.active.scriptURL)") == f"{tab.address}sw.js"
    tab.page.context.set_offline(True)
    try:
        tab.open("03", "es")
        tab.write(solved_up_to("03", "3.1"))
        assert set(tab.check("3.1").values()) == {"passed"}
    finally:
        tab.page.context.set_offline(False)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", ["laptop", "phone"])
def test_nothing_keeps_anybody_out(tab, theme, size):
    if size == "phone":
        tab.page.set_viewport_size(PHONE)
    tab.open("02", "en", "2.3")
    if tab.page.evaluate("() => document.documentElement.dataset.theme") != theme:
        tab.page.click("#theme")
    tab.write(mutants_of("02")[0].source("02"))
    tab.check("2.1")
    tab.page.evaluate(npm.files_of(npm.AXE)[npm.AXE.module].decode("utf-8"))
    found = tab.page.evaluate("() => axe.run()")
    serious = [(each["id"], [node["html"][:120] for node in each["nodes"]]) for each in found["violations"]
               if each["impact"] in ("serious", "critical")]
    tab.page.screenshot(path=str(PHOTOGRAPHS / f"web-{size}-{theme}.png"), full_page=True)
    assert serious == []
    assert tab.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), "wider than the screen"


def test_every_control_is_reached_by_the_keyboard(tab):
    tab.open("02")
    reached = set()
    for _ in range(40):
        tab.page.keyboard.press("Tab")
        if tab.page.evaluate("() => document.activeElement.closest('.cm-editor') !== null"):
            tab.page.keyboard.press("Escape")
        reached.add(tab.page.evaluate("() => document.activeElement.id"))
    assert {"language", "theme", "download", "load", "reset", "run", "check", "check-all", "hint", "own", "slide-load"} <= reached


ASK = """async ([lab, only, text]) => {
    const { Python } = await import('./python.js');
    window.python ??= new Python(() => {});
    return await window.python.ask('check', { lab, only, text, language: 'en' });
}"""


@pytest.mark.parametrize("language, name", [("en", "page.png"), ("es", "page.es.png")])
def test_the_readmes_picture(language, name, tab):
    """Its copy in labs/figures is taken from results/browser by hand, when the page looks otherwise."""
    tab.page.set_viewport_size({"width": 1366, "height": 1060})
    tab.open("03", language)
    tab.page.screenshot(path=str(PHOTOGRAPHS / name))
    assert tab.page.locator("#compare svg").count() == 2
    assert (ROOT / "labs" / "figures" / name).is_file()


@pytest.mark.slow
@pytest.mark.parametrize("lab", ["02", "03"])
def test_every_wrong_solution_gets_the_graders_report(lab, tab, monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    tab.page.goto(f"{tab.address}#lab={lab}&lang=en")
    different = []
    for mutant in mutants_of(lab):
        found = tab.page.evaluate(ASK, [lab, mutant.check.split("/")[0], mutant.source(lab)])["checks"]
        if comparable(found, mutant) != comparable(in_the_process(lab, mutant), mutant):
            different.append(mutant.name)
    assert different == []


@pytest.fixture(autouse=True)
def folder_of_photographs():
    PHOTOGRAPHS.mkdir(parents=True, exist_ok=True)
