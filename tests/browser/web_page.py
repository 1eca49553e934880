"""The built page in Chromium: a server below a sub-path, no way to any other host, and what a test does there."""

import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from minigpt import paths
from minigpt.extras.browser.serve import server_of
from minigpt.notebook.exercises import load_exercises
from tests.tools.skeleton import find_regions, stub

SUB_PATH = "a/page/of/ours"
READY_S, CHECK_S = 240, 240  # limits for what hangs: a busy machine makes everything ten times as slow


@contextmanager
def served(folder: Path):
    """The page's address; `folder` holds it below SUB_PATH."""
    with server_of(folder, 0) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/{SUB_PATH}/"
        finally:
            server.shutdown()


@dataclass(slots=True, kw_only=True)
class WebPage:
    """One tab with the page."""

    page: object  # Playwright's
    address: str
    problems: list[str] = field(default_factory=list)  # what the console said, and what was asked of other hosts

    def watch(self) -> None:
        """From here on note errors, and let nothing out to other hosts."""
        self.page.on("console", lambda told: told.type in ("error", "warning") and self.problems.append(told.text))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.context.route(lambda url: not url.startswith((self.address, "blob:")), lambda route: self._refuse(route))

    def _refuse(self, route) -> None:
        self.problems.append(f"asked for {route.request.url}")
        route.abort()

    def open(self, lab: str = "02", language: str = "en", exercise: str = "") -> None:
        """Open a lab and wait for its Python."""
        self.page.goto("about:blank")  # a new hash alone would not reload it
        self.page.goto(f"{self.address}#lab={lab}&lang={language}&exercise={exercise}")
        self.wait_until("ready")

    def wait_until(self, state: str) -> None:
        self.page.wait_for_selector(f"#state[data-state={state}]", timeout=1e3 * READY_S)

    def write(self, text: str) -> None:
        """Put a text in the place of what is in the editor."""
        self.page.click(".cm-content")
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(text)

    def check(self, exercise: str) -> dict[str, str]:
        """Click on an exercise and on Check: the outcome of each check by its id."""
        self.page.click(f"#exercises button:text('{exercise}')")
        self.page.click("#check")
        self.page.wait_for_selector(f".report[data-exercise='{exercise}'], #results .bad", timeout=1e3 * CHECK_S)
        lines = self.page.query_selector_all("#results [data-check]")
        return {line.get_attribute("data-check"): line.get_attribute("data-outcome") for line in lines}

    def results(self) -> str:
        return self.page.inner_text("#results")

    def kept_file(self, lab: str) -> str:
        """What the browser has kept of a lab's file."""
        return self.page.evaluate("lab => JSON.parse(localStorage.getItem(`minigpt.file.${lab}`))", lab)

    def figures(self) -> dict[str, float | None]:
        """The figures below the two timelines, unrounded."""
        return self.page.evaluate("""() => Object.fromEntries([...document.querySelectorAll('[data-figure]')].map(node => [
            node.dataset.figure, node.dataset.value === 'null' || !node.dataset.value ? null : Number(node.dataset.value)]))""")

    def move(self, slider: str, value: float) -> dict[str, float | None]:
        """Move a slider, and wait for the pictures that follow."""
        self.page.evaluate("""([name, value]) => {
            const slider = document.getElementById(`slide-${name}`);
            document.getElementById('compare').firstChild.dataset.old = 'yes';
            slider.value = value;
            slider.dispatchEvent(new Event('input'));
        }""", [slider, value])
        self.page.wait_for_function("() => !document.getElementById('compare').firstChild.dataset.old", timeout=1e3 * CHECK_S)
        return self.figures()


def solved_up_to(lab: str, last: str) -> str:
    """A lab's file as a student has it who has solved the exercises up to `last`; later ones are stubs."""
    folder = paths.resolve_lab(lab)
    text, exercises = paths.solution_file(folder).read_text(encoding="utf-8"), load_exercises(folder)
    ids = [exercise.id for exercise in exercises]
    lines = text.split("\n")
    for region in reversed(find_regions(text)):
        is_later = region.kind == "SOLUTION" and ids.index(region.exercise_id) > ids.index(last)
        lines[region.first - 1 : region.last] = stub(region, lines, exercises) if is_later else lines[region.first : region.last - 1]
    return "\n".join(lines)
