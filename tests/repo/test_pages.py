"""Links, anchors and commands on every page lead somewhere."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from minigpt.__main__ import COMMANDS
from tests.tools.notebook import parse_source
from tests.tools.pages import anchors, blocks, command_lines, links
from tests.tools.repo_files import ROOT, source_files

# The answers of the labs are pages too, but their cells are read below.
PAGES = [path for path in source_files() if path.suffix == ".md" and path.name != "notebook.md"]
NAMES = {command.name for command in COMMANDS} | {"help"}
TRACKED = {path.relative_to(ROOT).as_posix() for path in source_files()}
FOLDERS = {parent.as_posix() for name in TRACKED for parent in Path(name).parents}


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def slip_of(target: str, page: Path) -> str:
    """Say what is wrong with a link; empty if nothing is."""
    parts = urlsplit(target)
    if parts.scheme or target.startswith("//"):
        well_formed = parts.scheme in ("http", "https") and re.fullmatch(r"([\w-]+\.)+[a-z]{2,}", parts.hostname or "")
        return "" if well_formed else "no web address"
    place = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    name = place.relative_to(ROOT).as_posix() if place.is_relative_to(ROOT) else ".."
    if name not in TRACKED | FOLDERS:
        return "no such file in the repository"
    return "" if not parts.fragment or unquote(parts.fragment) in anchors(read(place)) else "no such heading there"


def test_links_and_anchors_lead_somewhere():
    slips = [f"{page.relative_to(ROOT)}: {target}: {slip}" for page in PAGES for target in links(read(page))
             if (slip := slip_of(target, page))]
    assert slips == [], "\n".join(slips)


def test_links_of_notebooks_are_web_addresses():
    slips = [f"{source.relative_to(ROOT)}: {target}" for source in sorted(ROOT.glob("solutions/*/notebook.md"))
             for cell in parse_source(read(source)) if not cell.is_code for text in (cell.en, cell.es)
             for target in links(text) if not target.startswith("https://") or slip_of(target, source)]
    assert slips == [], "a student's copy lies elsewhere: " + "\n".join(slips)


def test_a_broken_link_is_seen():
    page = ROOT / "README.md"
    broken = ("labs/NOWHERE.md", "#no-such-heading", "https://nowhere", "labs/CLAIMS.md#nor-this", "../outside.md", "ftp://example.org")
    assert all(slip_of(target, page) for target in broken)
    assert not any(slip_of(target, page) for target in ("labs/CLAIMS.md", "#start", "labs", "https://example.org/a#b"))
    assert anchors("# A `b` (c), d!\n## A b c d\n") == {"a-b-c-d", "a-b-c-d-1"}
    assert links("[a](b.md) ![c](d.png) `[no](link.md)` <https://e.org>") == ["b.md", "d.png", "https://e.org"]


def unknown(words: list[str]) -> str:
    """Say which command of ours a line names that does not exist; empty if all do."""
    if words[0] == "make":
        targets = set(re.findall(r"^([a-z-]+):", read(ROOT / "Makefile"), re.MULTILINE))
        asked = [word for word in words[1:] if "=" not in word]
        return "" if asked and set(asked) <= targets else f"no target {asked}"
    if "minigpt" in words and words[words.index("minigpt") - 1] == "-m":
        name = words[words.index("minigpt") + 1]
        return "" if name in NAMES else f"no command {name}"
    return ""


def test_commands_in_blocks_exist():
    lines = [(page, words) for page in PAGES for block in blocks(read(page)) for words in command_lines(block.commands)]
    assert len(lines) > 60
    slips = [f"{page.relative_to(ROOT)}: {' '.join(words)}: {slip}" for page, words in lines if (slip := unknown(words))]
    assert slips == [], "\n".join(slips)
    assert unknown(["make", "nothing"]) and unknown(["python", "-m", "minigpt", "nothing"])


def test_commands_in_sentences_exist():
    slips = []
    for page in PAGES:
        for words in re.findall(r"`((?:make|(?:python|py)3? -m minigpt) [a-z][^`]*)`", read(page)):
            slips += [f"{page.relative_to(ROOT)}: {words}: {slip}" for line in command_lines(words) if (slip := unknown(line))]
    assert slips == [], "\n".join(slips)


def test_paths_in_code_exist():
    """A path of ours in backticks is there, but for what students and commands make."""
    made = re.compile(r"…|\*|NN|\.venv|results/|labs/\w+/[a-z_]+\.py$|start\.md|/0[67]_|lab07")
    slips = [f"{page.relative_to(ROOT)}: {name}" for page in PAGES if page.name != "CHANGELOG.md"
             for name in re.findall(r"`((?:labs|minigpt|solutions|tests)/[^\s`{}=]+)`", read(page))
             if not made.search(name) and name.rstrip("/") not in TRACKED | FOLDERS]
    assert slips == [], "\n".join(slips)
