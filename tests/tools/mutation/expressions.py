"""Slips inside an expression: what a node could have been instead."""

import ast
from collections.abc import Iterator

from tests.tools.mutation.tree import Variant, expression, nodes, same_but, with_node

COMPARED = {
    ast.Lt: (ast.LtE, ast.Gt), ast.LtE: (ast.Lt, ast.GtE), ast.Gt: (ast.GtE, ast.Lt), ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq, ast.GtE), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
}
COMPUTED = {
    ast.Add: (ast.Sub,), ast.Sub: (ast.Add,), ast.Mult: (ast.Div, ast.Add), ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Div, ast.Mult, ast.Mod), ast.Mod: (ast.FloorDiv,), ast.Pow: (ast.Mult,), ast.MatMult: (),
}
# Words of the given code that are taken for one another.
MIXED_UP = (
    ("max_batch", "max_inflight"),
    ("num_tokens", "num_prompt_tokens", "num_output_tokens", "num_computed_tokens", "max_tokens"),
    ("num_free", "num_total"),
    ("num_heads", "num_kv_heads"),
    ("get", "get_nowait"),
    ("choices", "sample"),
    ("mean", "median"),
    ("ceil", "floor"),
    ("transpose", "reshape"),
    ("cat", "stack"),
    ("append", "appendleft"),
    ("attention_norm", "attention_out"),
)
SYMMETRIC = ("max", "min", "transpose")
ORDERS = ("order reversed", "order by value")
ANY_ORDER = ("sum", "min", "max", "sorted", "set", "any", "all")
MIXED_UP_FUNCTIONS = (("min", "max"), ("any", "all"), ("sum", "max", "min"), ("zip", "product"), ("sorted", "list"))


def variants(function: ast.FunctionDef, others: dict[str, list]) -> Iterator[Variant]:
    """Yield the function with each slip in each of its expressions.

    `others` holds the words that stand elsewhere in it: "names" (variables), "strings".
    """
    unordered = _unordered(function)
    raised = [path for path, node in nodes(function) if isinstance(node, ast.Raise)]
    for path, node in nodes(function):
        if not path or path[0][0] != "body" or _is_docstring(function, path) or _is_inside(path, raised):
            continue
        for operator, new in _instead(node, others):
            if operator in ORDERS and id(node) in unordered:
                continue
            if path[-1][1] is None or not isinstance(new, ast.stmt):
                yield Variant(operator, with_node(function, path, new))


def _is_inside(path, outer: list) -> bool:
    """Whether it lies within one of these: what an exception says is free."""
    return any(path[: len(each)] == each and len(path) > len(each) for each in outer)


def _unordered(function: ast.FunctionDef) -> set[int]:
    """Ids of the comprehensions whose order has no effect: of a sum, say, or of a dict."""
    found = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ANY_ORDER:
            found |= {id(part) for arg in node.args for part in getattr(arg, "generators", ())}
        elif isinstance(node, (ast.DictComp, ast.SetComp)):
            found |= {id(part) for part in node.generators}
    return found


def _is_docstring(function: ast.FunctionDef, path) -> bool:
    return path[0] == ("body", 0) and isinstance(function.body[0], ast.Expr) and isinstance(
        function.body[0].value, ast.Constant)


def _instead(node: ast.AST, others: dict[str, list]) -> Iterator[tuple[str, ast.AST]]:
    makers = {
        ast.Compare: _compare, ast.Constant: _constant, ast.BinOp: _binary, ast.UnaryOp: _unary, ast.BoolOp: _boolean,
        ast.IfExp: _choice, ast.Subscript: _subscript, ast.Slice: _slice, ast.Attribute: _attribute, ast.Call: _call,
        ast.Name: _name, ast.comprehension: _comprehension, ast.If: _condition, ast.While: _condition,
        ast.For: _loop, ast.Tuple: _tuple, ast.Assign: _assigned, ast.AugAssign: _augmented,
    }
    if type(node) in makers:
        yield from makers[type(node)](node, others)


def _compare(node, others):
    for i, operation in enumerate(node.ops):
        for new in COMPARED.get(type(operation), ()):
            yield "comparison", same_but(node, ops=[*node.ops[:i], new(), *node.ops[i + 1 :]])
    for i in range(len(node.ops)):
        if isinstance(node.ops[i], (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq)):
            right = node.comparators[i]
            for sign in (ast.Add, ast.Sub):
                off = ast.BinOp(right, sign(), ast.Constant(1))
                yield "off by one", same_but(node, comparators=[*node.comparators[:i], off, *node.comparators[i + 1 :]])
    if len(node.ops) == 2:  # a < b < c: one bound forgotten
        yield "bound dropped", ast.Compare(node.left, node.ops[:1], node.comparators[:1])
        yield "bound dropped", ast.Compare(node.comparators[0], node.ops[1:], node.comparators[1:])


def _constant(node, others):
    value = node.value
    if isinstance(value, bool):
        yield "constant", ast.Constant(not value)
    elif isinstance(value, int):
        for new in dict.fromkeys((value + 1, value - 1, 0, 2 * value)):
            if new != value:
                yield "constant", ast.Constant(new)
    elif isinstance(value, float):
        for new in dict.fromkeys((value * 2, value / 2, value + 1, 1 - value)):
            if new != value:
                yield "constant", ast.Constant(new)
    elif isinstance(value, str):
        words = others["strings"]
        if value in words:  # the next three: a table of many words would make a mutant of each pair
            here = words.index(value)
            for new in dict.fromkeys((words * 2)[here + 1 : here + 4]):
                if new != value:
                    yield "another word", ast.Constant(new)


def _binary(node, others):
    for new in COMPUTED.get(type(node.op), ()):
        yield "arithmetic", same_but(node, op=new())
    yield "term dropped", node.left
    yield "term dropped", node.right
    if isinstance(node.op, (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod)):
        yield "sides swapped", same_but(node, left=node.right, right=node.left)
    if isinstance(node.op, ast.Div):
        for name in ("round", "int"):
            yield "rounded", ast.Call(ast.Name(name, ast.Load()), [node], [])


def _unary(node, others):
    if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.BinOp) and isinstance(node.operand.op, ast.FloorDiv):
        division = node.operand  # -(-a // b) rounds up
        yield from _not_rounded_up(division.left.operand if isinstance(division.left, ast.UnaryOp) else division.left,
                                   division.right)
    yield ("not dropped" if isinstance(node.op, ast.Not) else "sign dropped"), node.operand


def _not_rounded_up(above, below):
    down = ast.BinOp(above, ast.FloorDiv(), below)
    yield "rounded down", down
    yield "always one more", ast.BinOp(down, ast.Add(), ast.Constant(1))
    yield "rounded to the nearest", ast.Call(ast.Name("round", ast.Load()), [ast.BinOp(above, ast.Div(), below)], [])


def _boolean(node, others):
    yield "and or", same_but(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
    for i in range(len(node.values)):
        rest = node.values[:i] + node.values[i + 1 :]
        yield "condition dropped", rest[0] if len(rest) == 1 else same_but(node, values=rest)


def _choice(node, others):
    yield "branch dropped", node.body
    yield "branch dropped", node.orelse
    yield "branches swapped", same_but(node, body=node.orelse, orelse=node.body)


def _subscript(node, others):
    if isinstance(node.slice, ast.Slice) or (isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)):
        return
    if isinstance(node.slice, ast.Tuple):
        return
    if not isinstance(node.slice, ast.Constant):  # else "constant" makes them
        for sign in (ast.Add, ast.Sub):
            yield "index", same_but(node, slice=ast.BinOp(node.slice, sign(), ast.Constant(1)))
    for place in (0, -1):
        yield "first or last", same_but(node, slice=ast.Constant(place))


def _slice(node, others):
    for field in ("lower", "upper"):
        bound = getattr(node, field)
        if bound is not None:
            yield "slice", same_but(node, **{field: None})
            for sign in (ast.Add, ast.Sub):
                yield "slice", same_but(node, **{field: ast.BinOp(bound, sign(), ast.Constant(1))})


def _attribute(node, others):
    for family in MIXED_UP:
        if node.attr in family:
            for new in family:
                if new != node.attr:
                    yield "another attribute", same_but(node, attr=new)


def _call(node, others):
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    if name == "ceil":
        for new in ("int", "round"):
            yield "rounded otherwise", same_but(node, func=ast.Name(new, ast.Load()))
        yield "always one more", ast.BinOp(ast.Call(ast.Name("int", ast.Load()), node.args, []), ast.Add(), ast.Constant(1))
    if name == "sorted" and node.args:
        yield "sorted in place", expression(f"({ast.unparse(node.args[0])}.sort() or {ast.unparse(node.args[0])})")
        yield "order reversed", same_but(node, keywords=[*node.keywords, ast.keyword("reverse", ast.Constant(True))])
    if name == "len":
        for sign in (ast.Add, ast.Sub):
            yield "off by one", ast.BinOp(node, sign(), ast.Constant(1))
    for family in MIXED_UP_FUNCTIONS:
        if isinstance(node.func, ast.Name) and name in family:
            for new in family:
                if new not in (name, "product"):
                    yield "another function", same_but(node, func=ast.Name(new, ast.Load()))
    if len(node.args) == 1 and not node.keywords:
        yield "call dropped", node.args[0]
    for i in range(0 if name in SYMMETRIC else len(node.args) - 1):
        swapped = [*node.args[:i], node.args[i + 1], node.args[i], *node.args[i + 2 :]]
        yield "arguments swapped", same_but(node, args=swapped)
    if len(node.args) > 1 or node.keywords:
        for i in range(len(node.args)):
            yield "argument dropped", same_but(node, args=node.args[:i] + node.args[i + 1 :])
    for i in range(len(node.keywords)):
        yield "argument dropped", same_but(node, keywords=node.keywords[:i] + node.keywords[i + 1 :])
    if isinstance(node.func, ast.Attribute):
        if name == "append" and len(node.args) == 1:
            first = same_but(node.func, attr="insert")
            yield "put in front", ast.Call(first, [ast.Constant(0), *node.args], [])
        if len(node.args) <= 1 and isinstance(node.func.value, (ast.Call, ast.Name, ast.Attribute)):
            yield "call dropped", node.func.value


def _name(node, others):
    names = others["names"]
    if isinstance(node.ctx, ast.Load) and node.id in names:
        here = names.index(node.id)
        for step in (1, -1):
            new = names[(here + step) % len(names)]
            if new != node.id:
                yield "another variable", ast.Name(new, ast.Load())


def _other_orders(iterated: ast.expr):
    text = ast.unparse(iterated)
    yield "first one left out", expression(f"list({text})[1:]")
    yield "last one left out", expression(f"list({text})[:-1]")
    yield "order reversed", expression(f"list({text})[::-1]")
    yield "order by value", expression(f"sorted({text}, key=repr)")


def _comprehension(node, others):
    for i in range(len(node.ifs)):
        yield "condition dropped", same_but(node, ifs=node.ifs[:i] + node.ifs[i + 1 :])
        negated = ast.UnaryOp(ast.Not(), node.ifs[i])
        yield "condition negated", same_but(node, ifs=[*node.ifs[:i], negated, *node.ifs[i + 1 :]])
    yield from _loop(node, others)


def _loop(node, others):
    if isinstance(node.target, ast.Name) and node.target.id == "_":
        return  # a number of times: no order
    for operator, new in _other_orders(node.iter):
        yield operator, same_but(node, iter=new)


def _condition(node, others):
    yield "condition negated", same_but(node, test=ast.UnaryOp(ast.Not(), node.test))
    if isinstance(node, ast.If):
        yield "always", same_but(node, test=ast.Constant(True))
        yield "never", same_but(node, test=ast.Constant(False))
    else:
        yield "once instead of while", ast.If(node.test, node.body, [])


def _tuple(node, others):
    if isinstance(node.ctx, ast.Load):
        for i in range(len(node.elts) - 1):
            elements = [*node.elts[:i], node.elts[i + 1], node.elts[i], *node.elts[i + 2 :]]
            yield "elements swapped", same_but(node, elts=elements)


def _assigned(node, others):
    if isinstance(node.targets[0], ast.Name):
        yield "added to instead of set", ast.AugAssign(node.targets[0], ast.Add(), node.value)


def _augmented(node, others):
    yield "set instead of added to", ast.Assign([node.target], node.value, lineno=1)
    for new in {ast.Add: (ast.Sub,), ast.Sub: (ast.Add,), ast.Mult: (ast.Div,)}.get(type(node.op), ()):
        yield "arithmetic", same_but(node, op=new())
