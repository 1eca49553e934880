"""Slips of whole statements: dropped, twice, in another order, in or out of a loop; state that outlives the call."""

import ast
import builtins
import copy
from collections.abc import Iterator

from tests.tools.mutation.tree import Variant, nodes, same_but, statements, with_body, with_node

LISTS = ("body", "orelse", "finalbody")
LOOPS = (ast.For, ast.While)
WALKERS = {"len", "sorted", "list", "set", "sum", "max", "min", "zip", "enumerate", "any", "all"}
EFFECTS = {"get", "get_nowait", "pop", "heappop", "forward_one_step", "forward_chunks", "choices"}


def variants(function: ast.FunctionDef) -> Iterator[Variant]:
    """Yield the function with each slip in each of its statements."""
    for path, node in nodes(function):
        for field in LISTS:
            body = getattr(node, field, None)
            if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                first = 1 if node is function and ast.get_docstring(function) else 0
                for operator, new in _other_bodies(body, first, in_loop=isinstance(node, LOOPS)):
                    yield Variant(operator, with_body(function, path, field, new))
        if isinstance(node, ast.If) and node.orelse:
            yield Variant("branches swapped", with_node(function, path, same_but(node, body=node.orelse, orelse=node.body)))
        for operator, new in _other_statement(node):
            yield Variant(operator, with_node(function, path, new))
    yield from _kept_state(function)
    yield from _changed_arguments(function)


def _other_bodies(body: list, first: int, in_loop: bool) -> Iterator[tuple[str, list]]:
    for i in range(first, len(body)):
        before, here, after = body[:i], body[i], body[i + 1 :]
        yield "statement dropped", [*before, *after]
        if _has_effect(here):
            yield "statement twice", [*before, here, here, *after]
        if after and not _are_independent(here, after[0]):
            yield "statements swapped", [*before, after[0], here, *after[1:]]
        if isinstance(here, ast.If) and not here.orelse:
            yield "condition forgotten", [*before, *here.body, *after]
        if isinstance(here, LOOPS):
            yield from _in_and_out(before, here, after)
    if in_loop:
        yield "leaves the loop early", [*body, ast.Break()]
        yield "leaves the loop early", [ast.Break(), *body]


def _has_effect(statement: ast.stmt) -> bool:
    """Whether doing it twice may differ from doing it once, as far as its form tells."""
    if isinstance(statement, ast.While):  # after it its condition is false, unless it was left in the middle
        return any(isinstance(node, (ast.Break, ast.Return)) for node in ast.walk(statement))
    if isinstance(statement, (ast.Expr, ast.AugAssign, ast.For)):
        return True
    func = statement.value.func if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call) else None
    is_own = isinstance(func, ast.Name) and func.id not in vars(builtins)
    return is_own or isinstance(func, ast.Attribute) and func.attr in EFFECTS


def _are_independent(one: ast.stmt, other: ast.stmt) -> bool:
    """Whether two assignments may stand in either order, as far as their form tells."""
    if not (isinstance(one, ast.Assign) and isinstance(other, ast.Assign)):
        return False
    stored = [[node for node in ast.walk(line) if isinstance(getattr(node, "ctx", None), ast.Store)] for line in (one, other)]
    first, second = ({ast.unparse(node) for node in nodes} for nodes in stored)
    read = [{ast.unparse(node) for node in ast.walk(line.value)} for line in (one, other)]
    return not (first & read[1] or second & read[0] or first & second)


def _in_and_out(before: list, loop: ast.stmt, after: list) -> Iterator[tuple[str, list]]:
    if len(loop.body) > 1:
        yield "last one out of the loop", [*before, same_but(loop, body=loop.body[:-1]), loop.body[-1], *after]
        yield "first one out of the loop", [*before, loop.body[0], same_but(loop, body=loop.body[1:]), *after]
    if after:
        yield "next one into the loop", [*before, same_but(loop, body=[*loop.body, after[0]]), *after[1:]]
    if before and isinstance(before[-1], ast.Assign):
        yield "start value in the loop", [*before[:-1], same_but(loop, body=[before[-1], *loop.body]), *after]


def _other_statement(node: ast.AST) -> Iterator[tuple[str, ast.stmt]]:
    if isinstance(node, ast.Return) and node.value is not None:
        yield "nothing returned", ast.Return(None)
        if not isinstance(node.value, (ast.Tuple, ast.Constant)):
            yield "returned in a list", ast.Return(ast.List([node.value], ast.Load()))
        if isinstance(node.value, ast.Tuple):
            yield "one returned", ast.Return(node.value.elts[0])
    elif isinstance(node, ast.Raise) and node.exc is not None:
        yield "returned instead of raised", ast.Return(ast.Constant(None))
        yield "another exception", ast.parse("raise RuntimeError('no')").body[0]
    elif isinstance(node, ast.Break):
        yield "goes on", ast.Continue()
        yield "goes on", ast.Pass()
    elif isinstance(node, ast.Continue):
        yield "breaks off", ast.Break()
    elif isinstance(node, ast.ExceptHandler) and isinstance(node.type, ast.Attribute):
        yield "another exception", same_but(node, type=ast.Name("KeyError", ast.Load()))


# -- state that outlives a call ----------------------------------------------------------------------------------------


def _kept_state(function: ast.FunctionDef) -> Iterator[Variant]:
    """A result remembered from the first call on; a container that is made once; a count that goes on."""
    yield _remembering(function)
    for path, node in nodes(function):
        if isinstance(node, ast.Assign) and len(path) == 1 and isinstance(node.targets[0], ast.Name):
            name, value = node.targets[0].id, node.value
            if getattr(value, "elts", None) or getattr(value, "keys", None):
                continue  # a table that is only read: keeping it changes nothing
            rest = [line for line in function.body if line is not node]
            containers = (ast.List, ast.Dict, ast.Set, ast.DictComp, ast.ListComp)
            if isinstance(value, containers) and not _needs_locals(value):
                yield Variant("mutable default", _with_default(function, rest, name, value))
            if isinstance(value, (ast.Constant, ast.List, ast.Dict)) and not _needs_locals(value):
                changed = with_body(function, (), "body", rest)
                body = _docstring_and(changed, statements(f"{name} = _KEPT['x']"))
                body = [_noting(line, name) for line in body]
                kept = statements(f"_KEPT = {{'x': {ast.unparse(value)}}}")
                yield Variant("state at module level", with_body(changed, (), "body", body), tuple(kept))


def _with_default(function: ast.FunctionDef, body: list, name: str, value: ast.expr) -> ast.FunctionDef:
    given = function.args
    args = same_but(given, args=[*given.args, ast.arg(name)], defaults=[*given.defaults, value])
    return same_but(with_body(function, (), "body", body), args=args)


def _needs_locals(value: ast.expr) -> bool:
    return any(isinstance(node, ast.Name) for node in ast.walk(value))


class _Notes(ast.NodeTransformer):
    def __init__(self, name: str):
        self.note = statements(f"_KEPT['x'] = {name}")[0]

    def visit_Return(self, node):
        return [self.note, node]


def _noting(line: ast.stmt, name: str) -> ast.stmt:
    """The statement, with the variable noted at module level before every return in it."""
    changed = _Notes(name).visit(copy.deepcopy(line))
    return ast.If(ast.Constant(True), changed, []) if isinstance(changed, list) else changed


REMEMBER = """
def _first_answer(function):
    kept = []
    return lambda *args: (kept or kept.append(function(*args)) or kept)[0]
"""


def _remembering(function: ast.FunctionDef) -> Variant:
    """The first answer is kept, and given for every later question."""
    decorated = same_but(function, decorator_list=[ast.Name("_first_answer", ast.Load()), *function.decorator_list])
    return Variant("remembers its first answer", decorated, tuple(statements(REMEMBER)))


# -- the caller's things changed ---------------------------------------------------------------------------------------


def _changed_arguments(function: ast.FunctionDef) -> Iterator[Variant]:
    """Leave an argument sorted, turned round or emptied."""
    dicts = {node.value.id for node in ast.walk(function) if isinstance(node, ast.Attribute)
             and isinstance(node.value, ast.Name) and node.attr in ("items", "keys", "values")}
    for name in _iterated_arguments(function):
        for what in (f"{name}.clear()", *(() if name in dicts else (f"{name}.reverse()", f"{name}.append({name}[0])"))):
            text = f"if isinstance({name}, list) and {name}:\n    {what}"
            if what.endswith("clear()"):
                text = f"if isinstance({name}, (list, dict)):\n    {what}"
            body = [_Before(statements(text)).visit(copy.deepcopy(line)) for line in function.body]
            if not isinstance(function.body[-1], ast.Return):
                body += statements(text)
            flat = [line for part in body for line in (part if isinstance(part, list) else [part])]
            yield Variant("argument changed", with_body(function, (), "body", flat))


class _Before(ast.NodeTransformer):
    """Lines before every return; what is returned is computed first."""

    def __init__(self, lines: list[ast.stmt]):
        self.lines = lines

    def visit_Return(self, node):
        if node.value is None:
            return [*self.lines, node]
        return [ast.Assign([ast.Name("_result", ast.Store())], node.value, lineno=1), *self.lines,
                ast.Return(ast.Name("_result", ast.Load()))]


def _iterated_arguments(function: ast.FunctionDef) -> list[str]:
    """Arguments that are walked through, sorted or counted: lists, most likely."""
    walked = set()
    for node in ast.walk(function):
        if isinstance(node, (ast.For, ast.comprehension)) and isinstance(node.iter, ast.Name):
            walked.add(node.iter.id)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in WALKERS:
            if node.func.id not in ("min", "max") or len(node.args) == 1:  # min(n, cap) is of numbers
                walked |= {arg.id for arg in node.args if isinstance(arg, ast.Name)}
    return [arg.arg for arg in function.args.args if arg.arg in walked and arg.arg not in ("self", "server", "model")]


def _docstring_and(function: ast.FunctionDef, lines: list[ast.stmt]) -> list[ast.stmt]:
    split = 1 if ast.get_docstring(function) else 0
    return [*function.body[:split], *lines, *function.body[split:]]
