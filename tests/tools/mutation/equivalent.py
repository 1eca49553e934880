"""Machine-made mutants that are right answers after all: tests/mutants/equivalent.toml lists them by hand, with reasons."""

from dataclasses import dataclass
from pathlib import Path

from minigpt.notebook.exercises import tomllib
from tests.tools.mutation.mutations import Mutation

FILE = Path(__file__).parents[2] / "mutants" / "equivalent.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Equivalent:
    """A change that leaves the exercise solved."""

    exercise: str
    removed: str  # as `python -m minigpt mutation` prints it after "-", without the sign; "" for an added line
    added: str
    reason: str

    def is_about(self, mutation: Mutation) -> bool:
        same = self.removed.split() == mutation.removed.split() and self.added.split() == mutation.added.split()
        return same and self.exercise == mutation.exercise


def load() -> list[Equivalent]:
    """Everything that is listed; a ValueError says what an entry lacks."""
    entries = tomllib.loads(FILE.read_text(encoding="utf-8")).get("equivalent", [])
    for entry in entries:
        if set(entry) != {"exercise", "removed", "added", "reason"} or not entry["reason"].strip():
            raise ValueError(f"{FILE.name}: an entry has exercise, removed, added and a reason, and this one is {entry}")
    return [Equivalent(**entry) for entry in entries]
