"""Files stay small and clean enough to be read and pulled."""

import ast
import json

from tests.tools.repo_files import ROOT, in_all, python_files, source_files

MOST_LINES = {"minigpt": 350, "labs": 350, "solutions": 350, "tests": 400}
TABLES = ("words_", "grammar_")  # a language's words and rules: long, but nothing to follow
MOST_TABLE_LINES = 600
MOST_FUNCTION_LINES = 60
MOST_BYTES = 8_000_000
TEXT = {".py", ".md", ".toml", ".ipynb", ".yml", ".txt", ".json"}


@in_all(python_files(*MOST_LINES))
def test_a_python_file_holds_one_idea(path):
    text = path.read_text(encoding="utf-8")
    is_table = path.name.startswith(TABLES)
    most = MOST_TABLE_LINES if is_table else MOST_LINES[path.relative_to(ROOT).parts[0]]
    assert text.count("\n") <= most, f"over {most} lines: split it"
    nodes = list(ast.walk(ast.parse(text)))
    functions = [node for node in nodes if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    long = [node.name for node in functions if node.end_lineno - node.lineno >= MOST_FUNCTION_LINES]
    assert long == [], f"functions over {MOST_FUNCTION_LINES} lines: split them"
    stars = [node.lineno for node in nodes if isinstance(node, ast.ImportFrom) and node.names[0].name == "*"]
    assert stars == [], "import the names that are used"


@in_all([path for path in source_files() if path.suffix == ".ipynb"])
def test_notebooks_are_kept_without_outputs(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    run = [index for index, cell in enumerate(cells) if cell.get("outputs") or cell.get("execution_count")]
    assert run == [], "these cells were run and saved; restore the file with: python -m minigpt build"


def test_no_file_is_large():
    large = [path.relative_to(ROOT).as_posix() for path in source_files() if path.stat().st_size > MOST_BYTES]
    assert large == []


def test_texts_are_utf8():
    for path in source_files():
        if path.suffix in TEXT:
            path.read_text(encoding="utf-8")  # the error names the byte, pytest the path
