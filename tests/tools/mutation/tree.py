"""Changing one place of a syntax tree, which stays as it was: the result shares with it whatever is unchanged."""

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
    """Return `root` with another node at `path`: new nodes along the way, all others shared."""
    (field, index), *rest = path
    value = getattr(root, field)
    here = new if not rest else with_node(value if index is None else value[index], tuple(rest), new)
    return same_but(root, **{field: here if index is None else [*value[:index], here, *value[index + 1 :]]})


def with_body(root: ast.AST, path: Path, field: str, statements: list[ast.stmt]) -> ast.AST:
    """Return `root` with other statements in one list of the node at `path`; other nodes are shared."""
    owner = same_but(node_at(root, path), **{field: statements or ([] if field == "orelse" else [ast.Pass()])})
    return with_node(root, path, owner) if path else owner


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
