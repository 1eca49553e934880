"""Pages that a screen reader can read: headed tables, described pictures, headings in order, links that say where they lead.

In a browser axe looks at the built pages as well (tests/browser/test_accessibility.py).
"""

import re

import pytest

from minigpt.plots import colours
from tests.tools.notebook import parse_source
from tests.tools.pages import FENCE
from tests.tools.repo_files import ROOT, source_files

PAGES = [path for path in source_files() if path.suffix == ".md" and path.name != "notebook.md"]
SOURCES = sorted(ROOT.glob("solutions/*/notebook.md"))
TABLE = re.compile(r"^(\|.*\|) *\n\|(?: *:?-+:? *\|)+ *$", re.MULTILINE)
SAYS_NOTHING = re.compile(r"\[(here|this|link|click here|aquí|este|enlace|https?://[^\]]*)\]\(", re.IGNORECASE)


def slips_of(text: str, is_page: bool = True) -> list[str]:
    """Say what in a Markdown text a screen reader stumbles over."""
    text = FENCE.sub("", text)
    found = [f"a column without a head: {head}" for head in TABLE.findall(text) if any(not cell.strip() for cell in head.strip("|").split("|"))]
    found += [f"a table without a head: {line}" for line in re.findall(r"(?<=\n\n)(\|[^\n]*\|)\n(?!\|[ :|-]+\|)", text)]
    found += ["a picture without words" for alt in re.findall(r"!\[([^\]]*)\]\(", text) if len(alt.split()) < 3]
    found += [f"a link that does not say where it leads: {word}" for word in SAYS_NOTHING.findall(text)]
    levels = [len(marks) for marks in re.findall(r"^(#{1,6}) ", text, re.MULTILINE)]
    found += [f"heading {after} right after {before}" for before, after in zip(levels, levels[1:], strict=False) if after > before + 1]
    return found + (["no single title"] if is_page and levels.count(1) != 1 else [])


def test_pages_are_readable_aloud():
    slips = [f"{path.relative_to(ROOT)}: {slip}" for path in PAGES for slip in slips_of(path.read_text(encoding="utf-8"))]
    assert slips == [], "\n".join(slips)


def test_notebooks_are_readable_aloud():
    for source in SOURCES:
        cells = parse_source(source.read_text(encoding="utf-8"))
        for language in ("en", "es"):
            prose = "\n\n".join(getattr(cell, language) for cell in cells if not cell.is_code)
            assert slips_of(prose, is_page=False) == [], f"{source.relative_to(ROOT)}, {language}"


@pytest.mark.parametrize("text", [
    "| | a |\n|---|---|\n| b | c |", "x\n\n| a | b |\n| c | d |\n", "![](a.png)", "see [here](b.md)", "## a\n\n#### b",
])
def test_a_stumbling_block_is_seen(text):
    assert slips_of(text, is_page=False)


def test_neighbouring_states_differ_in_lightness_or_hatching_and_not_in_colour_alone():
    def lightness(code: str) -> float:
        red, green, blue = (int(code[start:start + 2], 16) / 255 for start in (1, 3, 5))
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    for first, second in (("useful", "prefill"), ("useful", "empty"), ("queue", "forming"), ("queue", "useful")):
        assert abs(lightness(colours.COLOURS[first]) - lightness(colours.COLOURS[second])) > 0.1, (first, second)
