"""Markdown pages taken apart: links, anchors, command blocks."""

import re
import shlex
from dataclasses import dataclass

FENCE = re.compile(r"(?:^<!-- not run: (?P<reason>[^\n]+?) -->\n+)?^```(?P<language>\w*)\n(?P<code>.*?)^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)[^)]*\)|<(https?://[^>\s]+)>")
HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)
CODE_SPAN = re.compile(r"(`+).+?\1", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """Commands of a page, and why no test runs them ("" if one does)."""

    commands: str
    not_run: str


def blocks(text: str) -> list[Block]:
    """Return the shell blocks of a page. A comment right before one, <!-- not run: WHY -->, says that no test runs it."""
    return [Block(found["code"], found["reason"] or "") for found in FENCE.finditer(text) if found["language"] in ("bash", "sh")]


def links(text: str) -> list[str]:
    """Return the targets of a page's links and pictures; what stands in code is none."""
    bare = CODE_SPAN.sub("`", FENCE.sub("", text))
    return [first or second for first, second in LINK.findall(bare)]


def anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings, as GitHub and JupyterLab's neighbours make them."""
    made: list[str] = []
    for heading in HEADING.findall(FENCE.sub("", text)):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", words).strip().replace(" ", "-")
        made.append(f"{slug}-{made.count(slug)}" if slug in made else slug)
    return set(made)


def command_lines(code: str) -> list[list[str]]:
    """Return the commands of a block, each as its words; a line that ends in a backslash goes on in the next."""
    joined = re.sub(r"\\\n\s*", " ", code)
    # A variable set for one command is not its name.
    found = [shlex.split(line, comments=True) for line in joined.splitlines()]
    return [words[next((i for i, word in enumerate(words) if "=" not in word), 0):] for words in found if words]
