"""Cells are short and plain: one idea each, no word that makes a reader feel slow."""

import ast
import re

import pytest

from tests.tools.repo_files import ROOT, documents, in_all, notebooks, read_cells, spanish_twin, without_magic

MOST_WORDS, MOST_LINES = 80, 12
MOST_COLUMNS = 108  # as many as fit into a cell on a laptop's screen, next to the list of files
BELITTLING = re.compile(r"\b(simply|just|obviously|simplemente|obviamente)\b", re.IGNORECASE)
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def count_words(text):
    """Count the words of a prose cell, without headings and listings."""
    lines = [line for line in FENCED.sub("", text).split("\n") if not line.startswith("#")]
    return len([word for word in " ".join(lines).split() if re.search(r"\w", word)])


def too_long(kind, text):
    if kind == "markdown":
        return count_words(text) > MOST_WORDS
    lines = [line for line in text.split("\n") if line.strip()]
    return len(lines) > MOST_LINES or max(map(len, lines)) > MOST_COLUMNS


@in_all(notebooks())
def test_cells_are_short(path):
    cells = enumerate(read_cells(path))
    long = [f"cell {index} ({text[:40]!r}…)" for index, (kind, text) in cells if too_long(kind, text)]
    assert long == [], f"at most {MOST_WORDS} words, or {MOST_LINES} × {MOST_COLUMNS} of code, a cell"


@in_all(notebooks())
def test_code_is_plain_python(path):
    # A `!command` or a magic that fails does not fail its cell, and `input()` stops an unattended run.
    for index, (kind, text) in enumerate(read_cells(path)):
        if kind == "code":
            tree = ast.parse(without_magic(text), f"cell {index}")
            calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
            assert not [call for call in calls if isinstance(call, ast.Name) and call.id == "input"]


@in_all(notebooks())
def test_a_cell_needs_what_is_checked_above_it(path):
    checked, early = set(), []
    for index, (kind, text) in enumerate(read_cells(path)):
        if kind == "code" and (magic := re.match(r"%%needs ([0-9. ]+)\n", text)):
            early += [(index, exercise) for exercise in magic[1].split() if exercise not in checked]
        checked |= set(re.findall(r'lab\.check\("([0-9.]+)"\)', text))
    assert early == [], "such a cell would wait for a check that the reader has not come to yet"


@in_all([*notebooks(), *documents(), *map(spanish_twin, documents()), *ROOT.glob("labs/*/exercises.toml")])
def test_no_word_belittles_the_reader(path):
    lines = path.read_text(encoding="utf-8").split("\n")
    assert [f"line {number}: {line}" for number, line in enumerate(lines, 1) if BELITTLING.search(line)] == []


@pytest.mark.parametrize("kind, text, long", [
    ("markdown", "a " * 80, False), ("markdown", "a " * 81, True),
    ("markdown", "# a b\n" + "a " * 80, False), ("markdown", "a " * 80 + "\n```text\na b\n```", False),
    ("markdown", "a · " * 80, False),
    ("code", "a\n\n" * 12, False), ("code", "a\n" * 13, True),
    ("code", "a" * 108, False), ("code", "b\n" + "a" * 109, True),
])
def test_the_limits(kind, text, long):
    assert too_long(kind, text) is long
