"""``python -m minigpt slides [LAB]``: a lecture of ten to fifteen minutes per lab, made from its notebook.

A slide is a section of the notebook that draws: its heading and question, the figures of a run with the reference, and the
notebook's own explanation as the lecturer's script. Nothing is written twice; exercises and optional sections are left out.
The page holds its figures and needs no network.
"""

import math
import os
import re
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from minigpt.cli.arguments import Parser
from minigpt.language import say
from minigpt.notebook.exercises import load_title
from minigpt.paths import notebook_file, repository_root, resolve_lab
from tests.tools.build import list_built_labs, notebook_source
from tests.tools.notebook import LANGUAGES, Cell, parse_source

WORDS_PER_MIN, FIGURE_MIN = 120, 0.4
MOST_MIN = 12.0  # without beginning and end
CELL_LIMIT_S = 600
# What a lecture shows of each lab: the scene, the figure that decides, what it depends on.
LECTURES = {
    "1": ("1.1", "1.2", "1.6", "1.7", "1.8", "1.9", "1.11"),
    "2": ("2.1", "2.4", "2.5", "2.7", "2.8"),
    "3": ("3.1", "3.4", "3.5", "3.7", "3.9"),
    "4": ("4.1", "4.7", "4.8", "4.10"),
    "5": ("5.1", "5.2", "5.3", "5.10"),
    "6": ("6.1", "6.2", "6.4", "6.5"),
}
BRIEF = {"3": 3, "4": 3, "6": 2}  # labs whose sections are long: of each this many figures, and what is said right after them
NO_GUESS = re.compile(r" \((you made no guess|no hiciste ninguna predicción)\)")
STYLE = """
body { font: 22px/1.45 system-ui, sans-serif; color: #222; margin: 0; scroll-snap-type: y proximity }
section { box-sizing: border-box; min-height: 100vh; padding: 4vh 6vw }
section { scroll-snap-align: start; break-after: page }
h1, h2 { font-size: 1.9em; line-height: 1.2; margin: 0 0 .5em }
img { max-width: 100%; max-height: 62vh; width: auto; height: auto; display: block; margin: auto }
details { font-size: .75em; color: #444; margin-top: 1em } summary { cursor: pointer } pre { font-size: .8em; white-space: pre-wrap }
"""


@dataclass(slots=True)
class Slide:
    """A section of the notebook: cells of its question, of its figures, and of what is said about them, by index."""

    question: int
    figures: list[int] = field(default_factory=list)
    script: list[int] = field(default_factory=list)


def sections_of(cells: tuple[Cell, ...]) -> list[Slide]:
    """Return every section of a notebook, figures or not; a cell of an exercise belongs to none."""
    found: list[Slide] = []
    for index, cell in enumerate(cells):
        if cell.is_code:
            if found and "plots." in cell.en:
                found[-1].figures.append(index)
        elif re.match(r"##? ", cell.en):
            found.append(Slide(index))
        elif found and not cell.exercise_id:
            found[-1].script.append(index)
    return found


def slides_of(cells: tuple[Cell, ...]) -> list[Slide]:
    """Return the lecture: the beginning, the sections of `LECTURES`, and the end."""
    first, *middle, last = sections_of(cells)
    numbers = {number_of(cells[slide.question].en): slide for slide in middle}
    lab = next(iter(numbers)).split(".")[0]
    chosen = [numbers[number] for number in LECTURES.get(lab, ())] or in_time(cells, [one for one in middle if one.figures])
    if lab in BRIEF:
        chosen = [shortened(slide, BRIEF[lab]) for slide in chosen]
    return [Slide(first.question), *chosen, last]


def shortened(slide: Slide, most_figures: int) -> Slide:
    """Return a slide with its first figures, and of the script the cell that follows each of them."""
    figures = slide.figures[:most_figures]
    following = [min([index for index in slide.script if index > figure], default=None) for figure in figures]
    return Slide(slide.question, figures, sorted({index for index in following if index is not None}))


def number_of(heading: str) -> str:
    return heading.split()[1]


def in_time(cells: tuple[Cell, ...], slides: list[Slide]) -> list[Slide]:
    """Return the first slides, for a lab without a choice of sections."""
    return [slide for place, slide in enumerate(slides) if minutes(cells, slides[:place + 1]) <= MOST_MIN]


def minutes(cells: tuple[Cell, ...], slides: list[Slide]) -> float:
    """Return how long slides take to speak, in the wordier language."""
    words = [sum(len(getattr(cells[index], language).split()) for slide in slides for index in (slide.question, *slide.script))
             for language in LANGUAGES]
    return max(words) / WORDS_PER_MIN + FIGURE_MIN * sum(len(slide.figures) for slide in slides)


def outputs_of(lab: Path, language: str, last: int) -> dict[int, list]:
    """Run a lab's notebook with the reference as far as the lecture goes, and return each cell's outputs."""
    import nbformat  # here: these take seconds that other tests need not wait
    from nbclient import NotebookClient

    notebook = nbformat.read(notebook_file(lab, language), as_version=4)
    notebook.cells = notebook.cells[:last + 1]
    for cell in notebook.cells:
        if cell.cell_type == "code" and re.match(r"lab\.check\(", cell.source):
            cell.source = ""  # grades an exercise, and draws nothing
    NotebookClient(notebook, timeout=CELL_LIMIT_S, resources={"metadata": {"path": str(lab)}}).execute(env=environment(language))
    return {index: cell.get("outputs", []) for index, cell in enumerate(notebook.cells)}


def environment(language: str) -> dict[str, str]:
    """Return the variables with which a kernel runs the reference, in a language."""
    root = str(repository_root())
    return {**os.environ, "MINIGPT_IMPL": "solution", "MINIGPT_LANG": language, "MINIGPT_ENV": "current", "PYTHONPATH": root}


def page(lab: Path, language: str, cells: tuple[Cell, ...], slides: list[Slide], outputs: dict[int, list]) -> str:
    """Return the lecture as one HTML page."""
    title = escape(getattr(load_title(lab), language))
    script = "Script" if language == "en" else "Guion"
    body = [section(language, cells, slide, outputs, script) for slide in slides]
    return (f'<!DOCTYPE html>\n<html lang="{language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            f"<title>{title}</title><style>{STYLE}</style></head>\n<body><main>\n" + "\n".join(body) + "\n</main></body></html>\n")


def section(language: str, cells: tuple[Cell, ...], slide: Slide, outputs: dict[int, list], script: str) -> str:
    """Return one slide; what is said about a figure unfolds below it."""
    parts = [html_of(getattr(cells[slide.question], language))]
    parts += [figure(output) for index in slide.figures for output in outputs.get(index, [])]
    said = "".join(html_of(getattr(cells[index], language)) for index in slide.script)
    if said:
        parts.append(said if not slide.figures else f"<details><summary>{script}</summary>{said}</details>")
    return f"<section>{''.join(parts)}</section>"


def html_of(text: str) -> str:
    """Return a cell's prose without the sign that the converter puts behind each heading."""
    from nbconvert.filters.markdown import markdown2html

    return re.sub(r'<a class="anchor-link".*?</a>', "", markdown2html(text))


def figure(output: dict) -> str:
    """Return an output's picture with its text for those who do not see it, or what was printed."""
    data = output.get("data", {})
    if "text/html" in data and "<img" in data["text/html"]:
        return data["text/html"]  # as the notebook shows it: with `alt`, at its size
    if "image/png" in data:
        return f'<img alt="{escape(data.get("text/plain", ""))}" src="data:image/png;base64,{data["image/png"]}">'
    text = output.get("text", "") if output.get("name") == "stdout" else ""
    text = NO_GUESS.sub("", text)  # a lecture asks its audience
    return f"<pre>{escape(text)}</pre>" if text.strip() else ""


def write_lecture(lab: Path, language: str) -> Path:
    """Write a lab's lecture in a language, into the lab's folder."""
    cells = parse_source(notebook_source(lab).read_text(encoding="utf-8"))
    slides = slides_of(cells)
    last = max(index for slide in slides for index in slide.figures)
    target = lab / ("slides.html" if language == "en" else "slides.es.html")
    target.write_text(page(lab, language, cells, slides, outputs_of(lab, language, last)), encoding="utf-8")
    return target


def main(argv: list[str]) -> int:
    """The command."""
    parser = Parser(prog="python -m minigpt slides", description=say(
        en="Make a lecture of each lab from its notebook, with the figures of a run on this machine: labs/NN_…/slides.html.",
        es="Crea una clase de cada laboratorio a partir de su cuaderno, con las figuras de una ejecución en esta máquina: "
        "labs/NN_…/slides.es.html."))
    parser.add_argument("lab", nargs="?", default="", help=say(en="its number; all without it", es="su número; sin él, todos"))
    options = parser.parse_args(argv)
    for lab in [resolve_lab(options.lab)] if options.lab else list_built_labs(repository_root()):
        long = math.ceil(minutes(cells := parse_source(notebook_source(lab).read_text(encoding="utf-8")), slides_of(cells)))
        for language in LANGUAGES:
            name = write_lecture(lab, language).relative_to(repository_root()).as_posix()
            print(say(en=f"{name}: about {long} minutes", es=f"{name}: unos {long} minutos"), flush=True)
    return 0
