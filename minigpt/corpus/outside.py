"""What the tutor does not know: other languages, code, noise, scrambled sentences, questions for an encyclopedia.

To these it answers with one fixed sentence instead of guessing.
"""

from minigpt.corpus import en, es, names
from minigpt.corpus.dice import Dice
from minigpt.corpus.tables import lines

LETTERS, KEYS = "abcdefghijklmnopqrstuvwxyz", ("asdfghjkl", "qwertyuiop", "zxcvbnm", "hjkl", "asdf", "qwerty")
SOUNDS = ("ha", "ja", "he", "lol", "je", "xd", "blah ", "la", "na ", "jaja", "hehe", "mmm", "test ", "hola ", "wow ")
NAMES_OF_CODE = """x y i n data user name value item items result total count list text file path key index node tree table price id
app main test config server client"""
_GRAMMARS = {"en": en, "es": es}


def foreign(dice: Dice, language: str) -> str:
    """A sentence in another language, or pieces of several."""
    sentences = lines("outside_texts/foreign.txt")
    kind = dice.below(20)
    if kind < 7:
        return dice.pick(sentences)
    start = dice.below(len(sentences) - 8)
    near = sentences[start : start + 8]  # mostly of one language
    if kind < 14:
        one, two = dice.pick(near).split(), dice.pick(near).split()
        return " ".join(one[: 1 + dice.below(len(one))] + two[dice.below(len(two)) :])
    words = tuple(word for sentence in near for word in sentence.split())
    return " ".join(dice.pick(words) for _ in range(3 + dice.below(5)))


def script(dice: Dice, language: str) -> str:
    """Text in another alphabet, cut anywhere."""
    text = dice.pick(lines("outside_texts/scripts.txt"))
    start = dice.below(max(1, len(text) - 6))
    return text[start : start + 3 + dice.below(len(text))].strip() or text


def code(dice: Dice, language: str) -> str:
    """A line of code or of a terminal."""
    line = dice.pick(lines("outside_texts/code.txt"))
    for mark, put in (("@@", lambda: dice.word(NAMES_OF_CODE)), ("##", lambda: str(dice.below(1000))), ("$$", lambda: names.invented(dice))):
        while mark in line:
            line = line.replace(mark, put(), 1)
    return line


def letters(dice: Dice, language: str) -> str:
    """Keys that were hit at random."""
    if dice.chance(0.5):
        return " ".join("".join(dice.pick(LETTERS) for _ in range(2 + dice.below(7))) for _ in range(1 + dice.below(5)))
    keys = dice.pick(KEYS)
    return " ".join(keys[dice.below(len(keys) - 2) :][: 3 + dice.below(5)] * (1 + dice.below(3)) for _ in range(1 + dice.below(4)))


def repeated(dice: Dice, language: str) -> str:
    if dice.chance(0.4):
        return dice.pick(LETTERS) * (4 + dice.below(20))
    return dice.pick(SOUNDS) * (2 + dice.below(6))


def figures(dice: Dice, language: str) -> str:
    if dice.chance(0.4):
        one, two = dice.below(100), dice.below(100)
        return f"{one} {dice.pick('+-*/x')} {two}" + dice.pick((" =", " = ?", "", "?", f" = {one + two}"))
    numbers = " ".join(str(dice.below(10 ** (1 + dice.below(6)))) for _ in range(1 + dice.below(4)))
    return numbers + dice.pick(("", "", ".", "%", " + 1", " = ?", ",5", "!"))


def signs(dice: Dice, language: str) -> str:
    return "".join(dice.pick("!?.,;:-_*#@$%&/()=+") for _ in range(1 + dice.below(10)))


def no_words(dice: Dice, language: str) -> str:
    """Invented words, one after the other."""
    return " ".join(names.invented(dice) for _ in range(2 + dice.below(4)))


def asked(dice: Dice, language: str) -> str:
    """A question or a task that has nothing to do with a sentence's grammar."""
    topic = dice.pick(lines(f"outside_texts/topics_{language}.txt"))
    return dice.pick(lines(f"outside_texts/asked_{language}.txt")).replace("@", topic) + dice.pick(("", "", "?", "?"))


def word_list(dice: Dice, language: str) -> str:
    words = lines(f"outside_texts/words_{language}.txt") if dice.chance(0.6) else _GRAMMARS[language].HINGES
    return " ".join(dice.pick(words) for _ in range(3 + dice.below(5)))


def scrambled(dice: Dice, language: str, sentence: str) -> str | None:
    """The words of a sentence in an order that cannot be right; None if it does not lend itself to that."""
    words = sentence.strip("¿?.! ").split()
    if len(words) < 4 or "," in sentence:
        return None
    grammar = _GRAMMARS[language]
    for _ in range(6):
        shuffled = sorted(words, key=lambda _: dice.below(1000))
        low = [word.lower() for word in shuffled]
        impossible = low[-1] in grammar.HINGES[:16] or any(
            one in grammar.DETERMINERS and two in grammar.HINGES for one, two in zip(low, low[1:]))
        if impossible and 2 * sum(one == two for one, two in zip(shuffled, words)) <= len(words):
            return " ".join(shuffled)
    return None


KINDS = {foreign: 30, script: 4, code: 14, letters: 5, repeated: 4, figures: 4, signs: 2, no_words: 2, asked: 16, word_list: 5}
_WEIGHTED = tuple(kind for kind, weight in KINDS.items() for _ in range(weight))


def outside(dice: Dice, language: str) -> str:
    """Something that the tutor should not try to correct; never longer than a line."""
    text = dice.pick(_WEIGHTED)(dice, language).strip()
    if dice.chance(0.3):
        text = text[:1].upper() + text[1:]
    return (text + "." if dice.chance(0.15) else text) or "..."
