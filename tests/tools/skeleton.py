"""From a solution to the skeleton that students start with.

The solution marks what a student writes, and what only the reference needs:

    # BEGIN SOLUTION 3.1            # BEGIN HIDDEN
    ...                             ...
    # END SOLUTION                  # END HIDDEN
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from minigpt.notebook.exercises import Exercise, state_of

MARKER = re.compile(
    r"(?P<indent> *)# (?P<edge>BEGIN|END) (?P<kind>SOLUTION|HIDDEN)(?: (?P<id>[0-9]+\.[0-9]+))? *")
# What was meant as a marker must not be read as a comment: the solution would be handed out.
NEARLY_A_MARKER = re.compile(r"\b(begin|end)[\s_:-]*(of[\s_]+)?(solution|hidden)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """One marked region; its lines lie between `first` and `last`, which are the markers themselves."""

    kind: str         # "SOLUTION" or "HIDDEN"
    exercise_id: str  # "" when hidden
    first: int        # line numbers from 1 on
    last: int
    indent: str


def build_skeleton(solution: str, exercises: Sequence[Exercise]) -> str:
    """Return the solution's text with a stub in place of each marked region; a ValueError names the line."""
    regions = find_regions(solution)
    check_places(solution, regions, exercises)
    lines = solution.split("\n")
    kept: list[str] = []
    at = 0
    for region in regions:
        kept += lines[at:region.first - 1]
        at = region.last
        if region.kind == "SOLUTION":
            kept += stub(region, lines, exercises)
        else:
            # The blank lines on both sides of what vanished would add up: the wider gap stays.
            at += min(leading_blanks(kept[::-1]), leading_blanks(lines[at:]))
    skeleton = "\n".join(kept + lines[at:]).rstrip("\n") + "\n"
    check_skeleton(skeleton, exercises)
    return skeleton


def leading_blanks(lines: list[str]) -> int:
    """Return how many blank lines a text begins with."""
    return next((number for number, line in enumerate(lines) if line.strip()), len(lines))


def count_lines(solution: str) -> dict[str, int]:
    """Return for each exercise how many lines of code its regions hold."""
    counts: dict[str, int] = {}
    lines = solution.split("\n")
    for region in find_regions(solution):
        if region.kind == "SOLUTION":
            counts[region.exercise_id] = counts.get(region.exercise_id, 0) + len(code_lines(region, lines))
    return counts


def find_regions(solution: str) -> list[Region]:
    """Return the marked regions in order; malformed markers raise ValueError with the line's number."""
    regions: list[Region] = []
    begin = None
    for number, marker in find_markers(solution):
        if marker["edge"] == "BEGIN":
            if begin is not None:
                raise fault(number, f"a region begins inside the one of line {begin[0]}; end that one first")
            if (marker["kind"] == "SOLUTION") != (marker["id"] is not None):
                raise fault(number, "'# BEGIN SOLUTION 3.1' has an exercise's id, '# BEGIN HIDDEN' has none")
            begin = (number, marker)
        else:
            regions.append(end_region(begin, number, marker))
            begin = None
    if begin is not None:
        raise fault(begin[0], f"the region is never ended; write '# END {begin[1]['kind']}'")
    return regions


def end_region(begin: tuple[int, re.Match] | None, number: int, end: re.Match) -> Region:
    """Return the region between two markers, if the second ends the first."""
    if begin is None:
        raise fault(number, f"'{end[0].strip()}' ends nothing: no region is open; write its beginning")
    first, marker = begin
    if marker["kind"] != end["kind"] or end["id"] not in (None, marker["id"]):
        raise fault(number, f"'{end[0].strip()}' does not end '{marker[0].strip()}' of line {first}")
    if marker["indent"] != end["indent"]:
        raise fault(number, f"indent it like the beginning in line {first}")
    return Region(kind=marker["kind"], exercise_id=marker["id"] or "", first=first, last=number,
                  indent=marker["indent"])


def solution_lines(solution: str) -> list[str]:
    """Return the code in all marked regions that stands nowhere else in the solution, without indentation."""
    lines, inside = solution.split("\n"), set()
    secret: list[str] = []
    for region in find_regions(solution):
        inside |= set(range(region.first - 1, region.last))
        secret += [line.strip() for line in code_lines(region, lines)]
    given = {line.strip() for at, line in enumerate(lines) if at not in inside}
    return [line for line in secret if line not in given]


def find_markers(solution: str) -> Iterator[tuple[int, re.Match]]:
    """Yield line number and parts of each marker."""
    for number, line in enumerate(solution.split("\n"), 1):
        match = MARKER.fullmatch(line)
        if match:
            yield number, match
        elif "#" in line and NEARLY_A_MARKER.search(line[line.index("#"):]):
            raise fault(number, f"{line.strip()!r} is nearly a marker; write '# BEGIN SOLUTION 3.1', "
                                "'# END SOLUTION', '# BEGIN HIDDEN' or '# END HIDDEN' in a line of its own")


def code_lines(region: Region, lines: list[str]) -> list[str]:
    """Return a region's lines that are neither blank nor a comment."""
    inside = lines[region.first:region.last - 1]
    return [line for line in inside if line.strip() and not line.lstrip().startswith("#")]


def stub(region: Region, lines: list[str], exercises: Sequence[Exercise]) -> list[str]:
    """Return the lines that stand in the skeleton instead of a region."""
    function = next(exercise.function for exercise in exercises if exercise.id == region.exercise_id)
    count = len(code_lines(region, lines))
    return [
        f"{region.indent}# EXERCISE {region.exercise_id} (about {count} line{'s' if count != 1 else ''})",
        f'{region.indent}raise NotImplementedError("exercise {region.exercise_id}: {function}")',
    ]


def check_places(solution: str, regions: list[Region], exercises: Sequence[Exercise]) -> None:
    """Each region lies in its exercise's function and holds code, and each function has one."""
    lines, tree = solution.split("\n"), parse(solution, "the solution")
    functions = {exercise.id: exercise.function for exercise in exercises if exercise.function}
    asked = [region for region in regions if region.kind == "SOLUTION"]
    for region in asked:
        name = f"exercise {region.exercise_id}"
        if region.exercise_id not in functions:
            known = ", ".join(functions) or "none"
            raise fault(region.first, f"{name} has no function in exercises.toml; those that have: {known}")
        function, place = functions[region.exercise_id], enclosing(tree, region.first)
        if not f"{place}.".startswith(f"{function}."):
            raise fault(region.first, f"{name} is {function!r} in exercises.toml, but its region lies in "
                                      f"{place or 'no function'!r}; move it, or correct the name")
        if not code_lines(region, lines):
            raise fault(region.first, f"the region of {name} holds no code; write the reference there")
    for missing in sorted(functions.keys() - {region.exercise_id for region in asked}):
        raise ValueError(f"exercise {missing} ({functions[missing]}) has no region; mark it with "
                         f"'# BEGIN SOLUTION {missing}', or set function = \"\" in exercises.toml")


def enclosing(tree: ast.AST, line: int) -> str:
    """Return the dotted name of the innermost definition around a line; "" outside of all."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.stmt) and node.lineno <= line <= node.end_lineno:
            inner = enclosing(node, line)
            own = getattr(node, "name", "")
            return f"{own}.{inner}".strip(".")
    return ""


def check_skeleton(skeleton: str, exercises: Sequence[Exercise]) -> None:
    """The result is Python, and the grader will see each exercise as not yet written."""
    parse(skeleton, "the skeleton made from it")
    for exercise in exercises:
        if exercise.function and state_of(skeleton, exercise.function) != "stub":
            raise ValueError(
                f"exercise {exercise.id}: the region must be the whole body of {exercise.function!r} after "
                "its docstring, or nobody could tell that it is not written; move given lines elsewhere")


def parse(text: str, what: str) -> ast.Module:
    """Parse a text as Python; a ValueError says which text and which line is none."""
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise fault(error.lineno, f"{what} is not Python: {error.msg}") from error


def fault(line: int, message: str) -> ValueError:
    return ValueError(f"line {line}: {message}")
