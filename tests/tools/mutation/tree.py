"""Changing one place of a syntax tree: every change is made in a copy."""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

Path = tuple  # of (field, index or None): the way from a function to one of its nodes


@dataclass(frozen=True, slots=True)
class Variant:
    """A function with one change in it."""

    operator: str  # what kind of change
    function: ast.FunctionDef
    before: tuple[ast.stmt, ...] = ()  # new statements of the module, above the function


def nodes(root: ast.AST, path: Path = ()) -> Iterator[tuple[Path, ast.AST]]:
    """Yield every node with its path, outermost first."""
    yield path, root
    for field, value in ast.iter_fields(root):
        if isinstance(value, ast.AST):
            yield from nodes(value, (*path, (field, None)))
        elif isinstance(value, list):
            for index, item in enumerate(value):
                if isinstance(item, ast.AST):
                    yield from nodes(item, (*path, (field, index)))


def with_node(root: ast.AST, path: Path, new: ast.AST) -> ast.AST:
    """Return a copy of `root` with another node at `path`."""
    changed = copy.deepcopy(root)
    owner = node_at(changed, path[:-1])
    field, index = path[-1]
    if index is None:
        setattr(owner, field, copy.deepcopy(new))
    else:
        getattr(owner, field)[index] = copy.deepcopy(new)
    return changed


def with_body(root: ast.AST, path: Path, field: str, statements: list[ast.stmt]) -> ast.AST:
    """Return a copy of `root` with other statements in one list of the node at `path`."""
    changed = copy.deepcopy(root)
    setattr(node_at(changed, path), field, copy.deepcopy(statements) or ([] if field == "orelse" else [ast.Pass()]))
    return changed


def node_at(root: ast.AST, path: Path) -> ast.AST:
    for field, index in path:
        value = getattr(root, field)
        root = value if index is None else value[index]
    return root


def same_but(node: ast.AST, **fields) -> ast.AST:
    """Return a copy of a node with other fields."""
    changed = copy.copy(node)
    for field, value in fields.items():
        setattr(changed, field, value)
    return changed


def expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def statements(text: str) -> list[ast.stmt]:
    return ast.parse(text).body
