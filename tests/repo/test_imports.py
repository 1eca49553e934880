"""Who may import whom: minigpt <- labs, solutions <- tests, and nothing points back."""

import ast
import re
import sys

from tests.tools.repo_files import ROOT, for_each, notebooks, python_files, read_cells, without_magic

OURS = {"minigpt", "labs", "solutions", "tests"}
# Run before anything is installed, so at their top they import only each other and the standard library.
BEFORE_INSTALLING = ("__init__", "__main__", "environment", "language", "paths",
                     "commands/__init__", "commands/setup", "commands/clean")


def imported(nodes):
    """Return the dotted names of everything these nodes import; ``from a import b`` counts as a.b."""
    names = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            prefix = "." * node.level + (node.module or "")
            names |= {f"{prefix}.{alias.name}" for alias in node.names}
    return names


def packages(tree):
    """Return the first names of all imports, wherever they stand."""
    return {name.split(".")[0] for name in imported(ast.walk(tree))}


def at_the_top(node):
    """Yield the nodes that run when the file is imported: all but those in functions."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield child
            yield from at_the_top(child)


def read(path):
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def installed():
    """Return the packages of requirements.txt: what a student's machine certainly has."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return {re.split(r"[^\w-]", line)[0].replace("-", "_") for line in lines if line and line[0] not in "#-"}


@for_each(python_files("minigpt"))
def test_the_package_imports_nothing_that_is_built_on_it(path):
    assert packages(read(path)) & (OURS - {"minigpt"}) == set()


@for_each(python_files("labs", "solutions"))
def test_labs_and_solutions_import_the_package_and_what_is_installed(path):
    assert packages(read(path)) <= {"minigpt"} | installed() | sys.stdlib_module_names


@for_each(notebooks())
def test_notebooks_import_the_package_and_what_is_installed(path):
    code = "\n".join(without_magic(text) for kind, text in read_cells(path) if kind == "code")
    assert packages(ast.parse(code)) <= {"minigpt"} | installed() | sys.stdlib_module_names


@for_each([ROOT / "minigpt" / f"{name}.py" for name in BEFORE_INSTALLING])
def test_what_runs_before_installing_needs_nothing_installed(path):
    for name in imported(at_the_top(read(path))):
        first, *rest = name.split(".")
        if first == "minigpt":
            assert is_before_installing(rest), f"{name} may need something that is not installed yet"
        else:
            assert first in sys.stdlib_module_names


def is_before_installing(parts):
    """Say whether minigpt.a.b means one of those modules, or something in one."""
    names = {"/".join(parts), "/".join(parts[:-1]) or "__init__"}
    return bool(names & set(BEFORE_INSTALLING))


def test_the_rules_see_what_they_should():
    tree = ast.parse("import a.b\nfrom c import d\nif 1:\n    import e\n"
                     "def f():\n    import tests.x\nfrom . import g")
    assert packages(tree) == {"a", "c", "e", "tests", ""}
    assert imported(at_the_top(tree)) == {"a.b", "c.d", "e", "..g"}
    assert is_before_installing(["paths", "say"]) and not is_before_installing(["model", "Model"])
    assert {path.parent.name for path in python_files("minigpt")} >= {"minigpt", "commands"}
