"""The tutor's corpus: prompts and answers in English and Spanish, for training and held out.

A prompt is a prefix and a sentence. "fix" answers with the corrected words alone, "explain" with the rule: that is
where the mixed generation lengths of the labs come from. The sentences are drawn from the grammars in `en` and `es`,
without end: a seed and a number give always the same ones. Nothing is copied from anywhere.
"""

import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from minigpt.corpus import en, es, names
from minigpt.corpus.dice import Dice
from minigpt.corpus.en import words_nouns as english_nouns
from minigpt.corpus.error_example import ErrorExample, Marked, opened
from minigpt.corpus.es import words_nouns as spanish_nouns
from minigpt.corpus.outside import outside, scrambled
from minigpt.corpus.surface import dressed, introduced, joined
from minigpt.corpus.tables import lines
from minigpt.corpus.typed import kept_apart, plain

LANGUAGES = ("en", "es")
KINDS = ("fix", "explain")
SPLITS = ("train", "held_out")
PREFIXES = {
    ("en", "fix"): "fix: ",
    ("en", "explain"): "explain: ",
    ("es", "fix"): "corrige: ",
    ("es", "explain"): "explica: ",
}
CORRECT = "correct"  # the rule of the sentences without a mistake
OUTSIDE = "outside"  # the rule of what is not a sentence of the grammar

MAX_PROMPT_BYTES = 80
MAX_FIX_BYTES, MAX_EXPLAIN_BYTES = 28, 78
CORRECT_SHARE = 0.27  # no mistake: the hardest answer, since every rule has to be tried
OUTSIDE_SHARE = 0.10
JOINED_SHARE = 0.05  # of the sentences: a greeting or a second clause. People seldom type them, and they are much to learn
INTRODUCED_SHARE = 0.5  # of the sentences from a list: what is held out would else be the only sentence that teaches its lesson
HELD_OUT_PERCENT = 10

_GRAMMARS = {"en": en, "es": es}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence that a student may type, and what the tutor should know about it."""

    text: str         # as typed: with its one mistake, or with none if the rule is "correct"
    right: str        # the same sentence without the mistake
    correction: str   # the words of `right` that change; "ok" or "bien" if nothing is wrong
    explanation: str  # the rule in words, with the correction
    language: str     # "en" or "es"
    rule: str         # e.g. "agreement"


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One prompt and the answer that the tutor should give."""

    prompt: str    # with its prefix, no trailing newline
    answer: str    # without the end-of-sequence token
    language: str  # "en" or "es"
    kind: str      # "fix" or "explain"
    rule: str      # e.g. "agreement"


def is_held_out(right: str) -> bool:
    """Whether a sentence is kept from training, decided by its right version, whatever capitals and points it has."""
    plain = "".join(letter for letter in right.lower() if letter.isalnum() or letter == " ")
    return int.from_bytes(hashlib.sha256(f"split:{plain}".encode()).digest()[:4], "big") % 100 < HELD_OUT_PERCENT


def unknown(language: str) -> str:
    """What the tutor says of anything that is not a sentence of its grammar."""
    return _GRAMMARS[language].UNKNOWN


def rules(language: str) -> tuple[str, ...]:
    """The names of a language's rules, then "correct" and "outside"."""
    _check("language", language, LANGUAGES)
    return (*(rule.__name__ for rule in _GRAMMARS[language].RULES), CORRECT, OUTSIDE)


@cache
def _weighted(language: str) -> tuple:
    """The rules, each as often as its weight says."""
    return tuple(rule for rule, weight in _GRAMMARS[language].RULES.items() for _ in range(round(2 * weight)))


def _error(dice: Dice, language: str, rule) -> ErrorExample:
    """A mistake of a rule, dressed as people type, short enough for a prompt."""
    longest = MAX_PROMPT_BYTES - len("corrige: ")
    while True:
        marked = rule(dice)
        if dice.chance(JOINED_SHARE):
            marked = joined(dice, language, marked, dice.pick(_weighted(language))(dice))
        elif rule in _GRAMMARS[language].LISTED and dice.chance(INTRODUCED_SHARE):
            marked = introduced(dice, language, marked)
        example = opened(dressed(dice, language, marked))
        if (max(len(example.wrong.encode()), len(example.right.encode())) <= longest and example.wrong != example.right
                and len(example.correction.encode()) <= MAX_FIX_BYTES and len(example.explanation.encode()) <= MAX_EXPLAIN_BYTES):
            return example


def _right_phrase(dice: Dice, language: str) -> str:
    """A right sentence of the list, as people type it."""
    text = dice.pick(lines(f"{language}/right.txt")).replace("@", names.anybody(dice) if language == "en" else names.woman(dice))
    thing = dice.word(english_nouns.OBJECTS if language == "en" else spanish_nouns.OBJECTS["m"])
    if thing[0] in "aeiou":
        thing = {"en": "book", "es": "libro"}[language]  # "a", not "an"
    marked = Marked(text.replace("$", thing), "")
    return dressed(dice, language, introduced(dice, language, marked) if dice.chance(INTRODUCED_SHARE) else marked).sentence


def _outside_text(dice: Dice, language: str) -> str:
    kind = dice.below(10)
    if kind < 2:  # a right sentence of the other language
        other = LANGUAGES[1 - LANGUAGES.index(language)]
        return _error(dice, other, dice.pick(_weighted(other))).right
    if kind < 4:
        while True:
            text = scrambled(dice, language, _error(dice, language, dice.pick(_weighted(language))).right)
            if text:
                return text
    while True:
        text = outside(dice, language)
        if len(text.encode()) <= MAX_PROMPT_BYTES - 10 and "\n" not in text:
            return text


def draw(dice: Dice, language: str, rule: str | None = None) -> Sentence:
    """A sentence of one rule, or of any as often as training has it."""
    grammar = _GRAMMARS[language]
    chance = dice.below(1000) / 1000
    if rule == OUTSIDE or rule is None and chance < OUTSIDE_SHARE:
        text = _outside_text(dice, language)
        return Sentence(text=text, right=text, correction=grammar.UNKNOWN, explanation=grammar.UNKNOWN, language=language, rule=OUTSIDE)
    if rule == CORRECT or rule is None and chance < OUTSIDE_SHARE + CORRECT_SHARE:
        text = _right_phrase(dice, language) if dice.chance(0.12) else _error(dice, language, dice.pick(_weighted(language))).right
        return Sentence(text=text, right=text, correction=grammar.OK, explanation=grammar.NOTHING_WRONG, language=language, rule=CORRECT)
    function = dice.pick(_weighted(language)) if rule is None else _rule(language, rule)
    example = _error(dice, language, function)
    return Sentence(text=example.wrong, right=example.right, correction=example.correction, explanation=example.explanation,
                    language=language, rule=function.__name__)


def _rule(language: str, name: str):
    return next(rule for rule in _GRAMMARS[language].RULES if rule.__name__ == name)


def sentences(language: str, *, seed: int, split: str = "train") -> Iterator[Sentence]:
    """Sentences of a split without end, mixed as in training; the same seed gives the same ones."""
    _check("language", language, LANGUAGES)
    _check("split", split, SPLITS)
    dice = Dice(f"{language} {split} {seed}")
    while True:
        sentence = draw(dice, language)
        if is_held_out(sentence.right) == (split == "held_out") and not _is_typed(sentence):
            yield sentence


def _is_typed(sentence: Sentence) -> bool:
    """Whether it happens to stand in the lists of typed sentences, which are kept apart."""
    return plain(sentence.text) in kept_apart() or plain(sentence.right) in kept_apart()


def example(sentence: Sentence, kind: str) -> Example:
    return Example(
        prompt=PREFIXES[sentence.language, kind] + sentence.text,
        answer=sentence.correction if kind == "fix" else sentence.explanation,
        language=sentence.language, kind=kind, rule=sentence.rule,
    )


def sample(num: int, *, seed: int, language: str | None = None, kind: str | None = None, split: str = "held_out",
           without: tuple[str, ...] = ()) -> list[Example]:
    """Draw `num` different examples, every rule as likely as every other; the same seed draws the same.

    Rules take turns, in a new order each round: their counts differ by at most one. `without` leaves rules out.
    """
    if isinstance(num, bool) or not isinstance(num, int) or num < 1:
        raise ValueError(f"num is {num!r}; it must be a whole number from 1")
    _check("split", split, SPLITS)
    rng = random.Random(seed)
    groups = [(each, rule, each_kind) for each in _chosen("language", language, LANGUAGES) for rule in rules(each)
              for each_kind in _chosen("kind", kind, KINDS) if rule not in without]
    drawn, seen = [], set()
    dice = Dice(f"sample {split} {seed}")
    while len(drawn) < num:
        for each, rule, each_kind in rng.sample(groups, len(groups)):
            drawn.append(_new(dice, each, rule, each_kind, split, seen))
    return drawn[:num]


def _new(dice: Dice, language: str, rule: str, kind: str, split: str, seen: set[str]) -> Example:
    """An example of a rule that was not drawn before."""
    for _ in range(10_000):
        sentence = draw(dice, language, rule)
        found = example(sentence, kind)
        if is_held_out(sentence.right) == (split == "held_out") and found.prompt not in seen:
            seen.add(found.prompt)
            return found
    raise ValueError(f"num asks for more {split} examples of {rule!r} than there are: ask for fewer")


def _chosen(field: str, value: str | None, allowed: tuple[str, ...]) -> tuple[str, ...]:
    if value is None:
        return allowed
    _check(field, value, allowed)
    return (value,)


def _check(field: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{field} is {value!r}; it must be one of {', '.join(map(repr, allowed))}")

