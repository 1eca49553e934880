"""All machine-made mutants of a lab: each function of the reference that a student writes, with one change."""

import ast
import difflib
from dataclasses import dataclass
from pathlib import Path

from minigpt import paths
from tests.tools.mutation import expressions, lines
from tests.tools.mutation.tree import Variant, same_but
from tests.tools.skeleton import find_regions


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """One wrong (or equivalent) solution."""

    lab: str  # "03"
    exercise: str  # "3.2"
    operator: str
    removed: str  # the changed lines, as `ast.unparse` writes them
    added: str
    source: str  # the whole file

    @property
    def diff(self) -> str:
        old = [f"- {line}" for line in self.removed.splitlines()]
        return "\n".join([*old, *(f"+ {line}" for line in self.added.splitlines())])


def mutations(lab: Path) -> list[Mutation]:
    """All mutants of a lab, each source once, in the order of the reference."""
    text = paths.solution_file(lab).read_text(encoding="utf-8")
    module = ast.parse(text)
    pieces = [ast.unparse(node) for node in module.body]
    seen = {"\n".join(pieces)}
    found = []
    for exercise, function in _asked(text, module):
        before = _code(function)
        for variant in _variants(function):
            source = _source(module, pieces, function, variant)
            if source not in seen and _is_python(variant.function):
                seen.add(source)
                removed, added = _changed_lines(before, variant)
                found.append(Mutation(lab=lab.name[:2], exercise=exercise, operator=variant.operator, removed=removed,
                                      added=added, source=source))
    return found


def _asked(text: str, module: ast.Module) -> list[tuple[str, ast.FunctionDef]]:
    """The functions and methods that hold a marked region, with its exercise."""
    functions = [node for node in ast.walk(module) if isinstance(node, ast.FunctionDef)]
    asked = []
    for region in find_regions(text):
        around = [node for node in functions if node.lineno <= region.first <= region.last <= node.end_lineno + 1]
        if region.kind == "SOLUTION" and around:
            asked.append((region.exercise_id, around[-1]))
    return asked


def _variants(function: ast.FunctionDef):
    others = {"names": _variables(function), "strings": _strings(function)}
    yield from expressions.variants(function, others)
    yield from lines.variants(function)


def _variables(function: ast.FunctionDef) -> list[str]:
    """Arguments and local variables, in order of appearance."""
    stored = [node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    return list(dict.fromkeys([arg.arg for arg in function.args.args if arg.arg != "self"] + stored))


def _strings(function: ast.FunctionDef) -> list[str]:
    """Words among the constants; messages and the docstring are none."""
    words = [node.value for node in ast.walk(function) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return [word for word in dict.fromkeys(words) if word.isidentifier()]


def _source(module: ast.Module, pieces: list[str], function: ast.FunctionDef, variant: Variant) -> str:
    """The file with the variant in the function's place."""
    text = []
    for node, piece in zip(module.body, pieces):
        new = _changed(node, function, variant)
        if new is not node:
            lines = [ast.unparse(ast.fix_missing_locations(line)) for line in (*variant.before, new)]
            piece = "\n".join(lines)
        text.append(piece)
    return "\n".join(text)


def _changed(node: ast.stmt, function: ast.FunctionDef, variant: Variant) -> ast.stmt:
    """A statement of the module, with the variant if it is, or holds, the function."""
    if node is function:
        return variant.function
    if isinstance(node, ast.ClassDef) and function in node.body:
        return same_but(node, body=[variant.function if method is function else method for method in node.body])
    return node


def _is_python(function: ast.FunctionDef) -> bool:
    """Whether it compiles: `return` may have left its function, or `break` its loop."""
    try:
        compile(ast.Module([function], []), "mutant", "exec")
    except (SyntaxError, TypeError, ValueError):
        return False
    return True


def _changed_lines(before: list[str], variant: Variant) -> tuple[str, str]:
    """The lines that went and those that came."""
    after = [line for node in variant.before for line in ast.unparse(node).splitlines()]
    changes = [line for line in difflib.ndiff(before, [*after, *_code(variant.function)]) if line[0] in "+-"]
    removed, added = ("\n".join(line[2:] for line in changes if line[0] == sign) for sign in "-+")
    return removed, added


def _code(function: ast.FunctionDef) -> list[str]:
    """A function's lines without its docstring."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    return ast.unparse(ast.fix_missing_locations(same_but(function, body=body or [ast.Pass()]))).splitlines()
