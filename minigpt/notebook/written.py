"""Whether a student's file holds a function: read, never run."""

import ast


def state_of(source: str, function: str) -> str:
    """Return "absent", "stub" or "written" for a function, a class or a "Class.method" of a source text.

    The text is only parsed, never run; a text that is not Python raises SyntaxError. A stub is a function
    whose body, apart from its docstring, is one ``raise NotImplementedError``; a class with such a method.
    """
    body = ast.parse(source).body
    node = None
    for name in function.split("."):
        node = last_binding(body, name)
        body = node.body if isinstance(node, ast.ClassDef) else []
    if node is None:
        return "absent"
    if isinstance(node, ast.ClassDef):
        return "stub" if any(is_stub(item) for item in node.body) else "written"
    return "stub" if is_stub(node) else "written"


def last_binding(body: list[ast.stmt], name: str) -> ast.stmt | None:
    """Return the statement that binds a name last: a definition, an import, an assignment."""
    found = None
    for node in body:
        names = []
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names = [node.name]
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [alias.asname or alias.name for alias in node.names]
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target] if node.value else []
            names = [target.id for target in targets if isinstance(target, ast.Name)]
        if name in names:
            found = node
    return found


def is_stub(node: ast.stmt) -> bool:
    """Say whether a statement is a function that only raises NotImplementedError."""
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    if len(body) != 1 or not isinstance(body[0], ast.Raise):
        return False
    raised = body[0].exc.func if isinstance(body[0].exc, ast.Call) else body[0].exc
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"
