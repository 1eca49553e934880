"""One word for one idea: labs/glossary.toml, the two pages made from it, and the search for words that it replaced."""

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from minigpt.notebook.exercises import tomllib
from minigpt.paths import repository_root
from tests.tools.notebook import parse_source

SOURCE = repository_root() / "labs" / "glossary.toml"
HEADS = {
    "en": ("# Glossary", "One word for one idea; a term that stands unchanged in Spanish is the field's own. "
           "Made from `labs/glossary.toml` by `make build`. ([español](GLOSSARY.es.md))", "| English | Spanish | what it is |"),
    "es": ("# Glosario", "Una palabra para cada idea; el término que queda igual en español es el propio del oficio. "
           "Se genera a partir de `labs/glossary.toml` con `make build`. ([English](GLOSSARY.md))",
           "| español | inglés | qué es |"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One idea, its word in each language, and the Spanish words that do not stand for it."""

    en: str
    es: str
    plain: dict[str, str]
    not_said: tuple[str, ...] = ()
    but: tuple[str, ...] = ()  # regular expressions: where such a word means something else


@dataclass(frozen=True, slots=True)
class OldWord:
    """What no Spanish text says any more."""

    old: str
    better: str
    but: tuple[str, ...] = ()

    @property
    def pattern(self) -> re.Pattern:
        """Whole words, however they are capitalized and wherever a line breaks; * stands for any ending."""
        return _pattern(self.old)

    @property
    def letters(self) -> str:
        """What any text with this word in it holds, in small letters."""
        return max(re.split(r"[\s*\d]+", self.old.lower()), key=len)

    def found_in(self, text: str) -> list[str]:
        """Return each place, with some words around it."""
        spared = [found.span() for one in self.but for found in re.finditer(one, text, re.IGNORECASE)]
        return [text[max(0, match.start() - 30):match.end() + 30] for match in self.pattern.finditer(text)
                if not any(start <= match.start() and match.end() <= end for start, end in spared)]


@cache
def _pattern(old: str) -> re.Pattern:
    if re.fullmatch(r"\d[×x]", old):  # a number of any length; 3×4 is a product, 0x1b a byte
        return re.compile(rf"(?<![\w.,])\d+(?:[.,]\d+)?{old[1:]}(?!\s?\d|\w)", re.IGNORECASE)
    words = r"\s+".join(re.escape(word).replace(r"\*", r"\w*") for word in old.split())
    return re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)


def terms() -> list[Term]:
    """Return the glossary, in its order."""
    entries = tomllib.loads(SOURCE.read_text(encoding="utf-8"))["term"]
    return [Term(en=one["en"], es=one["es"], plain=one["plain"], not_said=tuple(one.get("not", ())), but=tuple(one.get("but", ())))
            for one in entries]


def old_words() -> list[OldWord]:
    """Return every word and wording that was replaced."""
    wordings = tomllib.loads(SOURCE.read_text(encoding="utf-8"))["wording"]
    return [OldWord(old, term.es, term.but) for term in terms() for old in term.not_said] + [
        OldWord(one["old"], one["better"]) for one in wordings]


def find_old(path: Path, words: list[OldWord]) -> list[tuple[OldWord, str]]:
    """Return each replaced word in what a file says in Spanish, with the place."""
    lower = path.read_text(encoding="utf-8").lower()  # most files hold none of them: a search for letters says so at once
    possible = [word for word in words if word.letters in lower]
    return [(word, place) for text in (spanish_texts(path) if possible else ()) for word in possible
            for place in word.found_in(text)]


def build_pages() -> dict[Path, str]:
    """Return both pages and their texts."""
    return {SOURCE.with_name("GLOSSARY.md"): _page("en"), SOURCE.with_name("GLOSSARY.es.md"): _page("es")}


def _page(language: str) -> str:
    title, lead, head = HEADS[language]
    rows = [(term.en, term.es, term) if language == "en" else (term.es, term.en, term) for term in terms()]
    lines = [f"| {first} | {second} | {term.plain[language]} |" for first, second, term in sorted(rows, key=lambda r: r[0].lower())]
    return "\n".join([title, "", lead, "", head, "|---|---|---|", *lines, ""])


def spanish_texts(path: Path) -> list[str]:
    """Return what a file says in Spanish, in one or several strings.

    Of Python all strings but docstrings are taken: in the English ones no Spanish word occurs.
    """
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py" and not path.name.endswith(".es.py"):
        return _strings(text)
    if path.name == "notebook.md":
        return [cell.es for cell in parse_source(text)]
    return [text]


def _strings(source: str) -> list[str]:
    tree = ast.parse(source)
    left_out = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
    found = []
    for node in ast.walk(tree):  # parents come before their parts
        if id(node) in left_out:
            continue
        if isinstance(node, ast.JoinedStr):
            left_out |= {id(part) for part in node.values}
            found.append("".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.append(node.value)
    return found
