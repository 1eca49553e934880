"""Who may import whom: minigpt <- labs, solutions <- tests; inside minigpt downwards only, floor by floor."""

import ast
import re
import sys

from tests.tools.repo_files import ROOT, in_all, notebooks, python_files, read_cells, without_magic

OURS = {"minigpt", "labs", "solutions", "tests"}
# Run before anything is installed, so at their top they import only each other and the standard library.
BEFORE_INSTALLING = ("__init__", "__main__", "language", "paths", "environment/__init__", "environment/install",
                     "environment/layout", "environment/process", "environment/python_version", "environment/rerun",
                     "cli/__init__", "cli/argparse_words", "cli/arguments", "cli/setup", "cli/clean")
# The rooms of minigpt/ from the ground up. A room imports from the floors below it, never from its own or above.
FLOORS = (
    ("language",),
    ("paths",),
    ("llm",),
    ("runtime", "schedulers", "corpus", "environment"),
    ("analysis", "workloads", "notebook"),
    ("simulation",),
    ("plots", "lab"),
    ("studies", "extras"),
    ("cli",),
    ("__main__",),
)
FLOOR_OF = {room: number for number, floor in enumerate(FLOORS) for room in floor}
MOST_ROOMS = 25


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


@in_all(python_files("minigpt"))
def test_the_package_imports_nothing_that_is_built_on_it(path):
    assert packages(read(path)) & (OURS - {"minigpt"}) == set()


def room_of(parts):
    """Return the room of minigpt in which a module lies: its folder, or the module itself at the root."""
    return parts[0] if parts else "__init__"


def modules_imported(path):
    """Return the modules of minigpt that a file imports anywhere, as tuples of names below minigpt."""
    names = [name.split(".") for name in imported(ast.walk(read(path)))]
    return [tuple(rest) for first, *rest in names if first == "minigpt" and rest]


@in_all(python_files("minigpt"))
def test_a_room_imports_only_from_the_floors_below(path):
    parts = path.relative_to(ROOT / "minigpt").with_suffix("").parts
    own = room_of(parts)
    if own == "__init__":
        assert modules_imported(path) == [], "the map of the house imports nothing"
        return
    others = [name for name in modules_imported(path) if name[0] != own and name[0] in FLOOR_OF]
    wrong = [".".join(name) for name in others if FLOOR_OF[name[0]] >= FLOOR_OF[own]]
    assert wrong == [], f"{own} is on floor {FLOOR_OF[own]}: these are not below it"


def test_every_room_has_its_floor():
    folder = ROOT / "minigpt"
    rooms = {room_of(path.relative_to(folder).with_suffix("").parts) for path in python_files("minigpt")}
    assert rooms - {"__init__"} == set(FLOOR_OF)
    assert len(rooms) <= MOST_ROOMS


def test_the_map_names_every_room():
    text = ast.get_docstring(read(ROOT / "minigpt" / "__init__.py"))
    missing = [room for room in FLOOR_OF if not re.search(rf"^ +{room}(/|\.py) ", text, re.M)]
    assert missing == []


@in_all(python_files("labs", "solutions"))
def test_labs_and_solutions_import_the_package_and_what_is_installed(path):
    assert packages(read(path)) <= {"minigpt"} | installed() | sys.stdlib_module_names


@in_all(notebooks())
def test_notebooks_import_the_package_and_what_is_installed(path):
    code = "\n".join(without_magic(text) for kind, text in read_cells(path) if kind == "code")
    assert packages(ast.parse(code)) <= {"minigpt"} | installed() | sys.stdlib_module_names


@in_all([ROOT / "minigpt" / f"{name}.py" for name in BEFORE_INSTALLING])
def test_what_runs_before_installing_needs_nothing_installed(path):
    for name in imported(at_the_top(read(path))):
        first, *rest = name.split(".")
        if first == "minigpt":
            assert is_before_installing(rest), f"{name} may need something that is not installed yet"
        else:
            assert first in sys.stdlib_module_names


def is_before_installing(parts):
    """Say whether minigpt.a.b means one of those modules, or something in one."""
    names = {"/".join(parts), "/".join([*parts, "__init__"]), "/".join(parts[:-1]) or "__init__"}
    return bool(names & set(BEFORE_INSTALLING))


def test_the_rules_see_what_they_should():
    tree = ast.parse("import a.b\nfrom c import d\nif 1:\n    import e\n"
                     "def f():\n    import tests.x\nfrom . import g")
    assert packages(tree) == {"a", "c", "e", "tests", ""}
    assert imported(at_the_top(tree)) == {"a.b", "c.d", "e", "..g"}
    assert is_before_installing(["paths", "say"]) and not is_before_installing(["llm", "model", "MiniGPT"])
    assert {path.parent.name for path in python_files("minigpt")} >= {"minigpt", "cli"}
    assert room_of(("runtime", "paged", "server")) == "runtime"
