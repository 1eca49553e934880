"""How people type a sentence: capitals or none, a final point or none, a greeting before it, another clause behind it."""

from minigpt.corpus import en, es
from minigpt.corpus.dice import Dice
from minigpt.corpus.en.phrases import SHORT_FORMS
from minigpt.corpus.error_example import Marked

_GRAMMARS = {"en": en, "es": es}
LINKS = ("and ", "but ", "because ", "y ", "pero ", "porque ")  # a clause that begins with one needs no other
_ASKING = tuple("""where when why how what who which whose do does did is are am was were can could will would should must may might
have has had dónde cuándo qué cómo cuánto cuántos cuántas quién cuál por de con donde cuando que como""".split())


def introduced(dice: Dice, language: str, marked: Marked) -> Marked:
    """The sentence with a greeting before it, or with a few words behind it."""
    sentence = marked.sentence.strip()
    if dice.chance(0.3) and sentence[-1] not in ".!,?":
        return Marked(f"{sentence} {dice.pick(_GRAMMARS[language].TAILS)}", marked.why)
    return Marked(f"{dice.pick(_GRAMMARS[language].GREETINGS)} {sentence}", marked.why)


def joined(dice: Dice, language: str, marked: Marked, other: Marked) -> Marked:
    """The sentence with a greeting before it, or with a second clause without a mistake behind it."""
    sentence = marked.sentence.strip()
    if "?" in sentence or sentence.startswith(("[", *LINKS)):
        return marked
    if dice.chance(0.5):
        return introduced(dice, language, marked)
    before, rest = other.sentence.split("[")
    inside, after = rest.split("]")
    clause = " ".join(f"{before}{inside.split('|')[1]}{after}".split())
    if "?" in clause or clause.startswith(LINKS) or len(sentence) + len(clause) > 62 or len(clause) < 4:
        return marked
    joiner = dice.pick(_GRAMMARS[language].JOINERS)
    if dice.chance(0.2):
        return Marked(f"{clause} {joiner} {sentence}", marked.why)
    return Marked(f"{sentence} {joiner} {clause}", marked.why)


def contracted(sentence: str) -> str:
    """English short forms outside the mistake: "he is [eat|eating]" becomes "he's [eat|eating]"."""
    before, bracket, rest = sentence.partition("[")
    words = before.split()
    short = SHORT_FORMS.get(" ".join(words[:2])) if bracket else None
    return " ".join([short, *words[2:], bracket + rest]) if short else sentence


def dressed(dice: Dice, language: str, marked: Marked) -> Marked:
    """A marked sentence as people type it. "??" keeps its question mark: without it nothing would be wrong."""
    sentence, why = " ".join(marked.sentence.split()), marked.why
    if language == "en" and dice.chance(0.3):
        sentence = contracted(sentence)
    keep, sentence = "??" in sentence or sentence.startswith("["), sentence.replace("??", "?").replace("? ?", "?").replace(" ?", "?")
    asks = "?" in sentence
    if asks and not keep and dice.chance(0.2) and sentence.lower().startswith(_ASKING):
        sentence = sentence.replace("?", "")
    style = dice.below(20)
    if style < 9:
        if dice.chance(0.12) and not asks and sentence[-1] not in ".!":
            sentence += "."
    elif style < 19:
        sentence = _capital(sentence)
        if style < 15 and not asks and sentence[-1] not in "!.":
            sentence += "." if dice.chance(0.94) else "!"
    elif (good := sentence.partition("|")[2].partition("]")[0]) == good.lower():  # an answer "I" stays "I"
        sentence = sentence.lower()
    if language == "es" and sentence.endswith("?") and sentence.count("?") == 1 and dice.chance(0.5):
        greeting, _, rest = sentence.partition(", ")
        sentence = f"{greeting}, ¿{rest}" if f"{greeting.lower()}," in es.GREETINGS else "¿" + sentence
    if language == "es" and sentence.endswith("!") and dice.chance(0.5):
        sentence = "¡" + sentence
    return Marked(sentence, why)


def _capital(sentence: str) -> str:
    """With a capital first letter, in both versions if the mistake stands first."""
    if not sentence.startswith("["):
        return sentence[:1].upper() + sentence[1:]
    bad, _, rest = sentence[1:].partition("|")
    return f"[{bad[:1].upper()}{bad[1:]}|{rest[:1].upper()}{rest[1:]}"
