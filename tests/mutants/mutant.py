"""A mutant: the reference of a lab with one mistake in it, and the check that must notice."""

from dataclasses import dataclass

from minigpt import paths


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One wrong solution, written as a replacement in the reference, so that it keeps in step with it."""

    name: str
    old: str  # text of the reference, found there exactly once
    new: str
    check: str  # id of a check that must reject it
    outcome: str = "wrong"
    hint: str = ""  # a piece of the English hint that the student must see

    def source(self, lab: str) -> str:
        """The mutant's file. Raises ValueError if the reference has changed under it."""
        reference = paths.solution_file(paths.resolve_lab(lab)).read_text(encoding="utf-8")
        if reference.count(self.old) != 1:
            raise ValueError(f"mutant {self.name!r}: its `old` text occurs {reference.count(self.old)} times: repair it")
        return reference.replace(self.old, self.new)
