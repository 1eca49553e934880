"""Identifiers are the field's words: the private ones that stood for them do not come back."""

import ast
import re

from tests.tools.repo_files import ROOT, python_files

PRIVATE = re.compile(r"seat|ticket|desk|(?<![a-z])li(fe|ves)(?![a-z])", re.IGNORECASE)


def identifiers(tree):
    """Yield every name that a file defines or uses."""
    for node in ast.walk(tree):
        for field in ("id", "attr", "name", "arg", "asname"):
            if isinstance(name := getattr(node, field, None), str):
                yield name


def test_no_private_word_is_an_identifier():
    found = {f"{path.relative_to(ROOT)}: {name}" for path in python_files("minigpt", "solutions", "tests")
             for name in identifiers(ast.parse(path.read_text(encoding="utf-8"))) if PRIVATE.search(name)}
    assert sorted(found) == []


def test_the_rule_sees_what_it_should():
    assert all(PRIVATE.search(name) for name in ("num_seats", "Ticket", "run_desk", "life_of", "lives"))
    assert not any(PRIVATE.search(name) for name in ("lifespan", "live_engine", "slot", "delivered"))
