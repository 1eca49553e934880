"""Files of a lab without any work in them: a body that does nothing for each exercise, or the name of something given."""

import ast
from collections.abc import Callable, Iterable
from pathlib import Path

from minigpt.notebook.exercises import load_exercises
from minigpt.notebook.written import is_stub
from minigpt.paths import skeleton_file, solution_file

BODIES = ("pass", "return []", "return {}", "return 0", "return True", "return False", "return (0, 0)",
          "return {first}", "return {last}", "raise ValueError('no')")


def with_bodies(lab: Path, body: str) -> str:
    """The skeleton of a lab, every stub's body being this one; {first} and {last} are arguments of its function."""
    tree = ast.parse(skeleton_file(lab).read_text(encoding="utf-8"))
    for node in [node for node in ast.walk(tree) if is_stub(node)]:
        names = [each.arg for each in node.args.args if each.arg != "self"] or ["None"]
        text = body.replace("{first}", names[0]).replace("{last}", names[-1])
        node.body = ast.parse(f"def f():\n    {text}").body[0].body
    return ast.unparse(tree)


def reference_with(lab: Path, **functions: str) -> str:
    """The reference of a lab with other texts for some of its functions; "" stands for the stub of the skeleton.

    A method goes by "Class.method".
    """
    stubs = {name: body[place] for name, body, place in named(ast.parse(skeleton_file(lab).read_text(encoding="utf-8")))}
    tree = ast.parse(solution_file(lab).read_text(encoding="utf-8"))
    for name, body, place in named(tree):
        if name in functions:
            text = functions.pop(name)
            body[place] = ast.parse(text).body[0] if text else stubs[name]
    assert functions == {}, "the reference has no such functions"
    return ast.unparse(tree)


def named(tree: ast.Module) -> list[tuple[str, list, int]]:
    """Every function, class and method of a file: its name, the body that it stands in, and its place there."""
    found = []
    for place, node in enumerate(tree.body):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.append((node.name, tree.body, place))
        if isinstance(node, ast.ClassDef):
            found += [(f"{node.name}.{each.name}", node.body, at) for at, each in enumerate(node.body)
                      if isinstance(each, ast.FunctionDef)]
    return found


def with_names(lab: Path, given: Callable[[str, int], Iterable[str]]) -> list[str]:
    """Files in which each exercise's function is something given, under its name.

    `given(function, num_args)` lists expressions to try; the n-th file takes the n-th of each exercise, and has stubs
    where there are fewer.
    """
    source = skeleton_file(lab).read_text(encoding="utf-8")
    arity = {node.name: num_args(node) for node in ast.parse(source).body if hasattr(node, "name")}
    # Of a class whose methods are exercises of their own, the class.
    functions = dict.fromkeys(exercise.function.split(".")[0] for exercise in load_exercises(lab) if exercise.function)
    choices = {name: list(given(name, arity[name])) for name in functions}
    count = max(map(len, choices.values()))
    rows = [[f"{name} = {found[n]}\n" for name, found in choices.items() if n < len(found)] for n in range(count)]
    return [source + "\n\n" + "".join(row) for row in rows]


def num_args(node) -> int:
    """How many arguments a function takes; a class, those after self of its __init__."""
    if isinstance(node, ast.ClassDef):
        made = next((each for each in node.body if getattr(each, "name", "") == "__init__"), None)
        return len(made.args.args) - 1 if made else 0
    return len(node.args.args)
