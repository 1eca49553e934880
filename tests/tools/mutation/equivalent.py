"""Machine-made mutants that are right answers after all: tests/mutants/equivalent.toml lists them by hand, with reasons."""

import re
from dataclasses import dataclass
from pathlib import Path

from minigpt.notebook.exercises import tomllib
from tests.tools.mutation.mutations import Mutation

FILE = Path(__file__).parents[2] / "mutants" / "equivalent.toml"
CHOSEN_BY = {"operator", "removed", "added"}
ANYTHING = "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Equivalent:
    """Changes that leave their exercises solved: one, or all of a kind."""

    exercise: str | list[str]
    operator: str = ANYTHING  # as `python -m minigpt mutation` prints it after "survives:"
    removed: str = ANYTHING  # what it prints after "-", without the sign; "" for an added line; "…" stands for anything
    added: str = ANYTHING
    reason: str

    def is_about(self, mutation: Mutation) -> bool:
        if mutation.exercise not in ([self.exercise] if isinstance(self.exercise, str) else self.exercise):
            return False
        return all(_fits(getattr(self, name), getattr(mutation, name)) for name in CHOSEN_BY)


def _fits(pattern: str, text: str) -> bool:
    """Whether they are the same but for spaces and line breaks, "…" being anything."""
    parts = ["".join(part.split()) for part in pattern.split(ANYTHING)]
    return re.fullmatch(".*".join(map(re.escape, parts)), "".join(text.split())) is not None


def load() -> list[Equivalent]:
    """Everything that is listed; a ValueError says what an entry lacks."""
    entries = tomllib.loads(FILE.read_text(encoding="utf-8")).get("equivalent", [])
    for entry in entries:
        is_whole = {"exercise", "reason"} <= set(entry) <= {"exercise", "reason", *CHOSEN_BY} and CHOSEN_BY & set(entry)
        if not is_whole or not entry["reason"].strip():
            raise ValueError(f"{FILE.name}: an entry has an exercise, a reason and one or more of {sorted(CHOSEN_BY)}, "
                             f"and this one is {entry}")
    return [Equivalent(**entry) for entry in entries]
