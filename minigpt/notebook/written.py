"""Whether a student's file holds a function, and what else of the file it uses: read, never run."""

import ast
import symtable


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


def reached_from(source: str, function: str) -> set[str]:
    """Return the functions and classes of a source text that a function uses, directly or through others of them.

    Scopes are respected: a local variable with the name of a function is not a use of it. Names that are looked up
    at run time are not seen.
    """
    top = symtable.symtable(source, "file", "exec")
    scopes = {table.get_name(): table for table in top.get_children()}  # of two with the same name, the last
    found, wanted = set(), [function.split(".")[0]]
    while wanted:
        name = wanted.pop()
        if name in scopes and name not in found:
            found.add(name)
            wanted += global_names(scopes[name])
    return found - {function.split(".")[0]}


def global_names(scope: symtable.SymbolTable) -> set[str]:
    """Return the names from the top of the file that a scope refers to, itself or in a scope within."""
    names = {symbol.get_name() for symbol in scope.get_symbols() if symbol.is_global() and symbol.is_referenced()}
    return names.union(*map(global_names, scope.get_children()))


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
    """Return whether a statement is a function that only raises NotImplementedError."""
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    if len(body) != 1 or not isinstance(body[0], ast.Raise):
        return False
    raised = body[0].exc.func if isinstance(body[0].exc, ast.Call) else body[0].exc
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"
