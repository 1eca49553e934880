"""Wrong solutions made by machine (tests/tools/mutation): the tool works, and the checks let hardly any of them through."""

import ast
import subprocess
import sys

import pytest

from minigpt import paths
from tests.tools.mutation import equivalent, expressions, lines
from tests.tools.mutation.mutations import mutations

ROOT = paths.repository_root()
LEAST_PER_EXERCISE = 40


@pytest.fixture(scope="module")
def made():
    return [one for lab in paths.list_labs() for one in mutations(lab)]


def changed(text: str) -> dict[str, set[str]]:
    """All variants of a function by operator, as text."""
    function = ast.parse(text).body[0]
    names = [arg.arg for arg in function.args.args]
    found: dict[str, set[str]] = {}
    for make in (lambda: expressions.variants(function, {"names": names, "strings": []}), lambda: lines.variants(function)):
        for variant in make():
            text = ast.unparse(ast.fix_missing_locations(variant.function))
            found.setdefault(variant.operator, set()).add(text.split("\n", 1)[1].strip())
    return found


def test_each_operator_changes_one_place():
    found = changed("def f(a, b):\n    return -(-a // b)\n")
    assert found["rounded down"] == {"return a // b"}
    assert found["rounded to the nearest"] == {"return round(a / b)"}
    found = changed("def f(a, b):\n    if a < b:\n        raise ValueError(a)\n    return sorted(a)[0]\n")
    assert {text.split("\n")[0] for text in found["comparison"]} == {"if a <= b:", "if a > b:"}
    assert "return sorted(a)[0]" in found["statement dropped"]
    assert any("(a.sort() or a)[0]" in text for text in found["sorted in place"])
    assert any("a.clear()" in text for text in found["argument changed"])
    found = changed("def f(a, b):\n    kept = []\n    for x in a:\n        kept.append(x)\n    return kept\n")
    assert any("kept" in text.split("\n")[0] or "kept = _KEPT['x']" in text for text in found["state at module level"])
    assert any(text.startswith("for x in a") for text in found["mutable default"])


def test_there_are_enough_of_them_and_none_is_there_twice(made):
    exercises = {one.exercise for one in made}
    assert len(made) >= LEAST_PER_EXERCISE * len(exercises)
    assert len({(one.lab, one.source) for one in made}) == len(made)
    assert {one.lab for one in made} == {lab.name[:2] for lab in paths.list_labs()}


def test_every_equivalent_is_one_that_is_made(made):
    forgotten = [entry for entry in equivalent.load() if not any(entry.is_about(one) for one in made)]
    assert forgotten == [], "the reference has changed under these: remove them, or write them anew"


def run(*arguments: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "tests.tools.mutation", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=7_200)


def test_a_sample_is_graded():
    done = run("--only", "5.4", "--sample", "8", "--jobs", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "8 of 8" in done.stderr or "8 de 8" in done.stderr
    assert done.stdout.splitlines()[-1].split()[:2] == ["8", "0"]


@pytest.mark.slow
def test_hardly_any_survives():
    done = run()
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
