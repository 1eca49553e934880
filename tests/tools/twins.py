"""Do a text and its translation say the same? Compared: what no translation changes."""

import re
from collections import Counter
from dataclasses import dataclass

FENCE = re.compile(r"^```(?P<language>[^\n]*)\n(?P<code>.*?)^```[^\n]*$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"(`+)(.+?)\1", re.DOTALL)
FORMULA = re.compile(r"(\$\$?)(.+?)\1", re.DOTALL)
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)[^)]*\)|<(https?://[^>\s]+)>|(?<![(<\w])(https?://[^\s)>\]]+)")
HEADING = re.compile(r"^(#{1,6}) ", re.MULTILINE)

# A digit inside a word (p95, int8) is not a number; neither is the second part of 1.2.3.
ENGLISH_NUMBER = re.compile(r"(?<![\w.,])(?:[1-9]\d{0,2}(?:,\d{3})+|\d+)(?:\.\d+)*")
# Thousands: a point or a space that does not break. A plain space joins no digits: "lotes de 8 512 veces".
SPANISH_NUMBER = re.compile(
    r"(?<![\w.,])(?:[1-9]\d{0,2}(?:[.\u00a0\u2009\u202f]\d{3})+(?![.\d])|\d+)(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Essence:
    """What a text and its translation share."""

    headings: list[int]      # their levels, in order
    listings: list[str]      # fenced code without comments
    code: set[str]           # `in backticks`: how often a sentence needs a name is a matter of style
    formulas: set[str]
    links: set[str]
    numbers: Counter


def differences(english: str, spanish: str) -> list[str]:
    """Say in what a text and its Spanish twin differ, one line for each kind; empty if in nothing."""
    first, second = essence(english, "en"), essence(spanish, "es")
    found = []
    for name in Essence.__slots__:
        ours, theirs = getattr(first, name), getattr(second, name)
        if ours == theirs:
            continue
        if isinstance(ours, list):
            found.append(f"{name}: in English {ours}, in Spanish {theirs}")
        else:  # without order: only what the other one lacks
            lacks = sorted(ours - theirs), sorted(theirs - ours)
            found.append(f"{name}: only in English {lacks[0]}, only in Spanish {lacks[1]}")
    return found


def essence(text: str, language: str) -> Essence:
    """Take a Markdown text apart; what was recognized is taken out before the next kind is looked for."""
    listings = [listing(match["language"], match["code"]) for match in FENCE.finditer(text)]
    text = FENCE.sub(" ", text)
    code = {match[2].strip() for match in CODE.finditer(text)}
    text = CODE.sub(" ` ", text)
    formulas = {plain_formula(match[2]) for match in FORMULA.finditer(text)}
    text = FORMULA.sub(" $ ", text)
    links = {one_page(next(filter(None, match.groups()))) for match in LINK.finditer(text)}
    text = LINK.sub("] ", text)
    return Essence(headings=[len(match[1]) for match in HEADING.finditer(text)], listings=listings,
                   code={one_page(name) for name in code}, formulas=formulas, links=links,
                   numbers=numbers(text, language))


def listing(language: str, code: str) -> str:
    """Return what must be equal in a fenced block: its commands; of an example of output only its length."""
    lines = code.rstrip().split("\n")
    if language.strip() in ("text", "markdown", "md"):
        return f"{len(lines)} lines of {language.strip()}"
    bare = [re.sub(r"(^|\s+)#.*", "", line).rstrip() for line in lines]
    return "\n".join(line for line in bare if line)


def plain_formula(formula: str) -> str:
    """Return a formula without words, spaces and the decimal comma's braces."""
    wordless = re.sub(r"\\(text|mathrm|textrm)\{[^}]*\}", "", formula)
    return re.sub(r"\s+", "", wordless.replace("{,}", "."))


def one_page(target: str) -> str:
    """Return a file's or page's name without the mark of the Spanish one."""
    return re.sub(r"\.es(\.(?:md|ipynb|png)\b)", r"\1", target)


def numbers(text: str, language: str) -> Counter:
    """Count the numbers of a text, in one spelling: 1,500.5 and 1.500,5 are 1500.5."""
    if language == "en":
        return Counter(match[0].replace(",", "") for match in ENGLISH_NUMBER.finditer(text))
    return Counter(plain_spanish(match[0]) for match in SPANISH_NUMBER.finditer(text))


def plain_spanish(number: str) -> str:
    """Return a Spanish number with a decimal point and nothing between the thousands."""
    whole, comma, rest = number.partition(",")
    if re.fullmatch(r"[1-9]\d{0,2}([.\u00a0\u2009\u202f]\d{3})+", whole):
        whole = re.sub(r"\D", "", whole)
    return f"{whole}.{rest}" if comma else whole
