"""The claims ledger: what is said about batching, where it stands, what is measured here, and a verdict.

Every row is measured again by `python -m minigpt claims` (make claims). Figures come from the virtual clock and are the
same on every machine, unless a row says that they are this processor's.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

BEGIN, END = "<!-- claims:begin -->", "<!-- claims:end -->"

HOLDS, CONDITION, WRONG, UNCLEAR = "holds", "in some cases", "does not hold", "not reproduced"
SPANISH_VERDICTS = {
    HOLDS: "se cumple", CONDITION: "en algunos casos", WRONG: "no se cumple", UNCLEAR: "no reproducido",
}
# The most surprising rows, by id: the READMEs show these, labs/CLAIMS.md all of them.
SURPRISING = ("equal-lengths", "p95-by-length", "23x", "chunks", "dispatch")
HEADS = {
    "en": ("Claim", "In the literature", "Measured here", "Verdict", "Lab"),
    "es": ("Afirmación", "En la literatura", "Medido aquí", "Veredicto", "Lab."),
}


@dataclass(frozen=True, slots=True)
class Text:
    """The same in both languages."""

    en: str
    es: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What was measured for a claim."""

    text: Text
    verdict: str
    figures: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A common statement, with its source and the measurement that judges it."""

    id: str
    lab: str  # the section of a notebook that measures it: "03 · 3.5"
    said: Text
    literature: Text
    measure: Callable[[], Finding]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A claim with its finding."""

    claim: Claim
    finding: Finding


def ledger(claims: Iterable[Claim]) -> list[Row]:
    """Measure every claim."""
    return [Row(claim=claim, finding=claim.measure()) for claim in claims]


def judged(condition: bool, verdict: str) -> str:
    """The verdict if the figures support it; otherwise the text says that they did not."""
    return verdict if condition else UNCLEAR


def markdown(rows: list[Row], language: str) -> str:
    """The ledger as a Markdown table, between its markers."""
    lines = [BEGIN, "| " + " | ".join(HEADS[language]) + " |", "|" + "---|" * len(HEADS[language])]
    for row in rows:
        texts = [getattr(text, language) for text in (row.claim.said, row.claim.literature, row.finding.text)]
        verdict = row.finding.verdict if language == "en" else SPANISH_VERDICTS[row.finding.verdict]
        cells = [*texts, f"**{verdict}**", row.claim.lab]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join([*lines, END])


def most_surprising(rows: list[Row]) -> list[Row]:
    """The rows for a reader in a hurry."""
    return [row for row in rows if row.claim.id in SURPRISING]


def as_json(rows: list[Row]) -> str:
    """The ledger as plain data."""
    data = [
        {
            "id": row.claim.id, "lab": row.claim.lab, "verdict": row.finding.verdict, "figures": row.finding.figures,
            **{name: {"en": text.en, "es": text.es} for name, text in
               (("claim", row.claim.said), ("literature", row.claim.literature), ("measured", row.finding.text))},
        }
        for row in rows
    ]
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def has_markers(path: Path) -> bool:
    """Whether a file has the pair of markers, in their order."""
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    return text.count(BEGIN) == text.count(END) == 1 and text.index(BEGIN) < text.index(END)


def put_between_markers(path: Path, text: str) -> bool:
    """Replace the text between the markers in a file; False if the file or the markers are missing."""
    if not has_markers(path):
        return False
    old = path.read_text(encoding="utf-8")
    new = old[: old.index(BEGIN)] + text + old[old.index(END) + len(END) :]
    path.write_text(new, encoding="utf-8")
    return True
