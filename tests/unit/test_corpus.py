"""The corpus: rules in both languages, one answer a sentence, a clean split, the same in every process."""

import dataclasses
import hashlib
import os
import subprocess
import sys
from collections import Counter, defaultdict
from functools import cache
from itertools import islice
from pathlib import Path

import pytest

from minigpt.corpus import corpus, en, es
from minigpt.corpus.corpus import CORRECT, KINDS, LANGUAGES, OUTSIDE, PREFIXES, is_held_out, rules, sample
from minigpt.corpus.dice import Dice
from minigpt.corpus.typed import kept_apart, plain

ROOT = Path(__file__).resolve().parents[2]
NUM = 8_000  # sentences of each language that are looked at
FINGERPRINT = """
import hashlib
from itertools import islice
from minigpt.corpus.corpus import sample, sentences
drawn = [list(islice(sentences(code, seed=3), 300)) for code in ("en", "es")]
print(hashlib.sha256(repr((drawn, sample(50, seed=7))).encode()).hexdigest())
"""

# They share what is computed once per process.
pytestmark = pytest.mark.xdist_group("corpus")


@cache
def drawn(language: str, split: str = "train", num: int = NUM):
    return list(islice(corpus.sentences(language, seed=11, split=split), num))


def num_bytes(text: str) -> int:
    return len(text.encode())


@pytest.fixture(scope="module", params=LANGUAGES)
def language(request) -> str:
    return request.param


def test_there_is_enough_of_everything(language):
    assert len({sentence.text for sentence in drawn(language)}) >= 0.9 * NUM
    assert len(rules(language)) - 2 >= 35
    words = {word for sentence in drawn(language) if sentence.rule != OUTSIDE for word in plain(sentence.right).split()}
    assert len({word for word in words if word.isalpha()}) >= 2_000


def test_shares_are_as_stated(language):
    counts = Counter(sentence.rule for sentence in drawn(language))
    assert set(counts) == set(rules(language))
    assert counts[CORRECT] / NUM == pytest.approx(corpus.CORRECT_SHARE, abs=0.02)
    assert counts[OUTSIDE] / NUM == pytest.approx(corpus.OUTSIDE_SHARE, abs=0.02)
    assert min(counts.values()) >= NUM / 1_000


def test_correct_sentences_come_from_many_rules(language):
    """The right versions of mistakes: as right sentences they stand next to as many wrong ones."""
    wrong = {plain(s.right).split()[0] for s in drawn(language) if s.rule not in (CORRECT, OUTSIDE)}
    correct = {plain(s.right).split()[0] for s in drawn(language) if s.rule == CORRECT}
    assert len(correct & wrong) >= 0.3 * len(correct)


def test_one_sentence_has_one_answer(language):
    answers = defaultdict(set)
    for sentence in drawn(language):
        answers[sentence.text].add((sentence.correction, sentence.explanation))
    ambiguous = [text for text, found in answers.items() if len(found) > 1]
    assert len(ambiguous) <= NUM / 5_000, ambiguous


def test_wrong_right_and_correction_fit_together(language):
    for sentence in drawn(language):
        if sentence.rule in (CORRECT, OUTSIDE):
            assert sentence.text == sentence.right
            continue
        assert sentence.text != sentence.right
        assert sentence.correction in sentence.right, sentence
        assert sentence.correction.split()[-1].lower() in sentence.explanation.lower(), sentence
        assert not any(mark in sentence.text + sentence.explanation for mark in "[]|{}@$_"), sentence


def test_only_the_mistake_differs(language):
    """Outside the correction both versions are the same."""
    for sentence in drawn(language):
        if sentence.rule in (CORRECT, OUTSIDE):
            continue
        start = sentence.right.index(sentence.correction)
        places = [i for i in range(start, len(sentence.right)) if sentence.right.startswith(sentence.correction, i)]
        ends = [sentence.right[i + len(sentence.correction):] for i in places]
        assert any(sentence.text.startswith(sentence.right[:i].rstrip()) and sentence.text.endswith(end)
                   for i, end in zip(places, ends)), sentence


def test_people_type_with_and_without_capitals_and_points(language):
    texts = [sentence.text for sentence in drawn(language) if sentence.rule != OUTSIDE]
    for share in (sum(text[0].isupper() for text in texts), sum(text.endswith(".") for text in texts),
                  sum(text == text.lower() for text in texts)):
        assert 0.1 * len(texts) <= share <= 0.8 * len(texts)
    assert sum(text.endswith("?") for text in texts) >= 0.02 * len(texts)
    assert all(text == " ".join(text.split()) for text in texts)


def test_lengths_in_bytes(language):
    for sentence in drawn(language) + drawn(language, "held_out", 1_000):
        for kind in KINDS:
            example = corpus.example(sentence, kind)
            assert num_bytes(example.prompt) <= corpus.MAX_PROMPT_BYTES
            low, high = (1, corpus.MAX_FIX_BYTES) if kind == "fix" else (27, corpus.MAX_EXPLAIN_BYTES)
            assert low <= num_bytes(example.answer) <= high, example


def test_answers_are_of_very_different_lengths(language):
    fixes = [num_bytes(sentence.correction) for sentence in drawn(language)]
    explanations = [num_bytes(sentence.explanation) for sentence in drawn(language)]
    assert max(explanations) >= 8 * min(fixes)
    assert sum(explanations) >= 5 * sum(fixes)


def test_the_splits_are_disjoint_whatever_capitals_and_points(language):
    train, held_out = (
        {plain(s.right) for s in drawn(language, split, 3_000) if s.rule != OUTSIDE} for split in corpus.SPLITS)
    assert train.isdisjoint(held_out)
    assert all(map(is_held_out, held_out)) and not any(map(is_held_out, train))
    assert is_held_out("Ana is here.") == is_held_out("ana is here")
    shares = [is_held_out(f"sentence number {i}") for i in range(2_000)]
    assert sum(shares) / len(shares) == pytest.approx(0.10, abs=0.03)


def bare_of(grammar, right: str) -> str:
    """A right sentence without its greeting and without the words added behind."""
    for greeting in map(plain, grammar.GREETINGS):
        right = right.removeprefix(f"{greeting} ")
    for tail in grammar.TAILS:
        right = right.removesuffix(f" {plain(tail)}")
    return right


def test_an_expression_that_is_held_out_stands_in_other_sentences_of_the_training(language):
    """Of a list, the sentence held out may be the only one that teaches its lesson: greetings and more words make others."""
    grammar = {"en": en, "es": es}[language]
    for rule in sorted(function.__name__ for function in grammar.LISTED):
        dice = Dice(f"lists {rule}")
        rights = [plain(corpus.draw(dice, language, rule).right) for _ in range(3_000)]
        often = {bare for bare, times in Counter(bare_of(grammar, right) for right in rights).items() if times >= 8}
        held_out = set(filter(is_held_out, often))
        taught = held_out & {bare_of(grammar, right) for right in rights if not is_held_out(right)}
        assert len(held_out) >= 2 and taught == held_out, rule


def test_typed_sentences_are_never_drawn(language):
    """The hand-written lists are for judging: training does not see them, not even by chance."""
    apart = kept_apart()
    assert len(apart) > 500
    assert not [s.text for s in drawn(language) if plain(s.text) in apart or plain(s.right) in apart]


def test_held_out_answers_use_words_seen_in_training(language):
    """The tutor is asked for new combinations of known words; only invented ones it has to copy."""
    known = {word for s in drawn(language) for word in plain(f"{s.correction} {s.explanation}").split()}
    asked = [word for s in drawn(language, "held_out", 1_000) for word in plain(s.correction).split()]
    assert sum(word in known for word in asked) >= 0.8 * len(asked)  # of a few thousand sentences: training draws a million


def test_sample_draws_every_rule_alike(language):
    num_rules = len(rules(language))
    found = sample(3 * num_rules, seed=3, language=language, kind="fix")
    assert set(Counter(example.rule for example in found).values()) == {3}
    assert len({example.prompt for example in found}) == len(found)
    assert all(example.prompt.startswith(PREFIXES[language, "fix"]) for example in found)
    without = sample(2 * num_rules, seed=3, language=language, kind="fix", without=(OUTSIDE,))
    assert OUTSIDE not in {example.rule for example in without}


def test_sample_depends_on_its_seed_alone():
    assert sample(40, seed=1) == sample(40, seed=1)
    assert sample(40, seed=1) != sample(40, seed=2)


def test_examples_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        sample(1, seed=1)[0].answer = "x"


@pytest.mark.slow
def test_same_in_every_process():
    def fingerprint(hash_seed):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        return subprocess.run([sys.executable, "-c", FINGERPRINT], cwd=ROOT, env=environment, check=True,
                              capture_output=True, text=True).stdout
    first = fingerprint("0")
    assert len(first.strip()) == hashlib.sha256().digest_size * 2
    assert first == fingerprint("12345")


@pytest.mark.parametrize("call, field, value, allowed", [
    (lambda: sample(5, seed=0, language="fr"), "language", "'fr'", "'en', 'es'"),
    (lambda: sample(5, seed=0, kind="foo"), "kind", "'foo'", "'fix', 'explain'"),
    (lambda: sample(5, seed=0, split="test"), "split", "'test'", "'train', 'held_out'"),
    (lambda: next(corpus.sentences("fr", seed=1)), "language", "'fr'", "'en', 'es'"),
    (lambda: sample(0, seed=0), "num", "0", "from 1"),
    (lambda: sample(2.5, seed=0), "num", "2.5", "whole number"),
])
def test_mistakes_are_named(call, field, value, allowed):
    with pytest.raises(ValueError) as error:
        call()
    message = str(error.value)
    assert message.startswith(field) and value in message and allowed in message
