"""The tutor's corpus: prompts and answers in English and Spanish, for training and held out.

A prompt is a prefix and a sentence. "fix" answers with the corrected words alone (2 to 14 bytes), "explain"
with the rule (30 to 75 bytes): that is where the mixed generation lengths of the labs come from. The
sentences are made by the grammars in `grammar_en` and `grammar_es`; nothing is copied from anywhere.
"""

import hashlib
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from typing import TypeVar

from minigpt.corpus import grammar_en, grammar_es
from minigpt.corpus.error_example import ErrorExample

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

MAX_PROMPT_BYTES = 70
SENTENCES_PER_RULE = 1_500  # of the many thousands that most rules could make
SENTENCES_PER_CORRECTION = 10  # at least, on average: rules with many forms get more than the above
SENTENCES_OF = {"article_gender": 3_000, "adjective_gender": 4_000}  # every noun's gender has to be learned by heart
CORRECT_SHARE = 0.20  # no mistake: the hardest answer, since every rule has to be tried
HELD_OUT_PERCENT = 10

_GRAMMARS = {"en": grammar_en, "es": grammar_es}
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence that a student may type, and what the tutor should know about it."""

    text: str         # as typed: with its one mistake, or with none if the rule is "correct"
    right: str        # the same sentence without the mistake
    correction: str   # the words of `right` that change; "ok" or "bien" if nothing is wrong
    explanation: str  # the rule in words, with the correction
    language: str     # "en" or "es"
    rule: str         # e.g. "third_person_s"


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One prompt and the answer that the tutor should give."""

    prompt: str    # with its prefix, no trailing newline
    answer: str    # without the end-of-sequence token
    language: str  # "en" or "es"
    kind: str      # "fix" or "explain"
    rule: str      # e.g. "third_person_s"


def _digest(purpose: str, text: str) -> int:
    """A 64-bit number that is the same in every process, unlike `hash()`; each purpose has its own."""
    return int.from_bytes(hashlib.sha256(f"{purpose}:{text}".encode()).digest()[:8], "big")


def _fits(example: ErrorExample, language: str) -> bool:
    """Whether both versions fit in a prompt: the longest of a rule's combinations do not."""
    prefix = max(len(PREFIXES[language, kind]) for kind in KINDS)
    return prefix + max(len(example.wrong.encode()), len(example.right.encode())) <= MAX_PROMPT_BYTES


def _mistakes(language: str, rule: str) -> list[ErrorExample]:
    """The rule's share of sentences: each correction appears about equally often, so that no irregular form is rare."""
    fitting = {example.wrong: example for example in _GRAMMARS[language].RULES[rule]() if _fits(example, language)}
    shuffled = sorted(fitting.values(), key=lambda example: _digest("pick", example.wrong))
    num_corrections = len({example.correction for example in shuffled})
    num = max(SENTENCES_OF.get(rule, SENTENCES_PER_RULE), SENTENCES_PER_CORRECTION * num_corrections)
    return _take_turns(_take_turns(shuffled, "explanation"), "correction")[:num]


def _take_turns(items: Iterable[T], field: str) -> list[T]:
    """The first item of each value of `field`, then the second of each, and so on; otherwise in their order."""
    num_before = Counter()
    turns = []
    for item in items:
        value = getattr(item, field)
        turns.append((num_before[value], item))
        num_before[value] += 1
    return [item for _, item in sorted(turns, key=lambda turn: turn[0])]


def _correct_sentences(language: str, wrong: Sequence[Sentence]) -> list[Sentence]:
    """The right versions of an even pick of all rules and their corrections, each once."""
    grammar = _GRAMMARS[language]
    num = round(len(wrong) * CORRECT_SHARE / (1 - CORRECT_SHARE))
    unique = {sentence.right: sentence for sentence in wrong}.values()
    return [
        Sentence(text=sentence.right, right=sentence.right, correction=grammar.OK,
                 explanation=grammar.NOTHING_WRONG,
                 language=language, rule=CORRECT)
        for sentence in _take_turns(_take_turns(unique, "correction"), "rule")[:num]
    ]


@cache
def sentences(language: str) -> tuple[Sentence, ...]:
    """All sentences of a language, rule by rule, the correct ones last; always in the same order."""
    _check("language", language, LANGUAGES)
    wrong = [
        Sentence(text=example.wrong, right=example.right, correction=example.correction,
                 explanation=example.explanation,
                 language=language, rule=rule)
        for rule in _GRAMMARS[language].RULES for example in _mistakes(language, rule)
    ]
    return (*wrong, *_correct_sentences(language, wrong))


def rules(language: str) -> tuple[str, ...]:
    """The names of a language's rules, "correct" last."""
    _check("language", language, LANGUAGES)
    return (*_GRAMMARS[language].RULES, CORRECT)


def vocabulary(language: str) -> frozenset[str]:
    """The different word forms in a language's right sentences."""
    return frozenset(word for sentence in sentences(language) for word in sentence.right.split())


def is_held_out(sentence: str) -> bool:
    """Whether a sentence is kept out of training: its own text decides, so the same holds for "fix" and "explain"."""
    return _digest("split", sentence) % 100 < HELD_OUT_PERCENT


def examples(language: str | None = None, kind: str | None = None, split: str = "train") -> list[Example]:
    """All examples of a split; most rules have about the same number, "correct" a fifth of all.

    `None` means every language or every kind. The order mixes languages, kinds and rules and never changes.
    """
    _check("split", split, SPLITS)
    return _mixed([
        _example(sentence, each_kind)
        for each_language in _chosen("language", language, LANGUAGES)
        for sentence in sentences(each_language) if is_held_out(sentence.text) == (split == "held_out")
        for each_kind in _chosen("kind", kind, KINDS)
    ])


def sample(num: int, *, seed: int, language: str | None = None, kind: str | None = None,
           split: str = "held_out") -> list[Example]:
    """Draw `num` different examples, every rule as likely as every other; the same seed draws the same.

    Rules take turns, in a new order each round: their counts differ by at most one until a rule runs out.
    """
    rng = random.Random(seed)
    by_rule = defaultdict(list)
    for example in examples(language, kind, split):
        by_rule[example.language, example.rule].append(example)
    available = sum(map(len, by_rule.values()))
    if isinstance(num, bool) or not isinstance(num, int) or not 1 <= num <= available:
        raise ValueError(f"num is {num!r}; it must be a whole number from 1 to {available}, "
                         f"the examples there are for this language, kind and split")
    shuffled = [rng.sample(group, len(group)) for group in by_rule.values()]
    drawn = []
    for one_of_each in zip_longest(*shuffled):
        present = [example for example in one_of_each if example is not None]
        drawn += rng.sample(present, len(present))
    return drawn[:num]


def _example(sentence: Sentence, kind: str) -> Example:
    return Example(
        prompt=PREFIXES[sentence.language, kind] + sentence.text,
        answer=sentence.correction if kind == "fix" else sentence.explanation,
        language=sentence.language, kind=kind, rule=sentence.rule,
    )


def _mixed(items: list[Example]) -> list[Example]:
    return sorted(items, key=lambda example: _digest("order", example.prompt))


def _chosen(field: str, value: str | None, allowed: tuple[str, ...]) -> tuple[str, ...]:
    if value is None:
        return allowed
    _check(field, value, allowed)
    return (value,)


def _check(field: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{field} is {value!r}; it must be one of {', '.join(map(repr, allowed))}")
