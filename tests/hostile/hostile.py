"""A hostile submission: the reference of Lab 03 with something put into it, and how each check must end."""

from dataclasses import dataclass
from textwrap import dedent, indent

from minigpt import paths

ALL = "every exercise"
# What else goes wrong when a function does: 3.7 has none of its own, and runs the loop.
CALLERS = {"3.1": {"3.4", "3.7"}, "3.2": {"3.4", "3.7"}, "3.3": {"3.4", "3.7"}, "3.4": {"3.7"}, "3.5": {"3.6"}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Hostile:
    """One submission.

    `within` is put at the start of the body of `exercise`; `on_top` at the end of the file; `file` stands for all of it.
    """

    name: str
    outcome: str  # one or several, with | between them; of every check that it may hit
    exercise: str = "3.6"  # which calls no other exercise's function; or ALL
    within: str = ""
    on_top: str = ""
    file: bytes | None = None
    shown: str = ""  # must be among what the report says of those checks
    some_fail: bool = True  # at least one of them is not passed
    needs: tuple[str, ...] = ()  # what must hold (containment.ROWS) for it to end so; else it must be said that it does not
    is_dangerous: bool = False  # to this very machine: where what it needs does not hold it is not run
    beside: tuple[tuple[str, str], ...] = ()  # other files in the folder of the submission: name and text

    def source(self) -> bytes:
        """The submission's file."""
        if self.file is not None:
            return self.file
        text = paths.solution_file(paths.resolve_lab("03")).read_text(encoding="utf-8")
        if self.within:
            mark = f"    # BEGIN SOLUTION {self.exercise}\n"
            if text.count(mark) != 1:
                raise ValueError(f"hostile {self.name!r}: no place {mark.strip()!r} in the reference: repair it")
            text = text.replace(mark, mark + indent(dedent(self.within).strip("\n"), "    ") + "\n")
        return (text + "\n\n" + dedent(self.on_top).strip("\n") + "\n").encode()

    @property
    def outcomes(self) -> set[str]:
        return set(self.outcome.split("|"))

    def hits(self, exercise: str) -> bool:
        """Whether this may change the result of an exercise; all the others must be passed."""
        return self.exercise == ALL or exercise == self.exercise or exercise in CALLERS.get(self.exercise, ())
