"""The corpus: enough of it, one answer a sentence, a clean split, the same in every process."""

import dataclasses
import hashlib
import os
import subprocess
import sys
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import pytest

from minigpt.corpus import corpus
from minigpt.corpus.corpus import (
    CORRECT,
    KINDS,
    LANGUAGES,
    PREFIXES,
    is_held_out,
    rules,
    sample,
    sentences,
    vocabulary,
)

examples = cache(corpus.examples)  # a second each time, for lists that never change
ROOT = Path(__file__).resolve().parents[2]
FINGERPRINT = """
import hashlib
from minigpt.corpus.corpus import examples, sample, sentences
text = repr((sentences("en"), sentences("es"), examples(), examples(split="held_out"), sample(50, seed=7)))
print(hashlib.sha256(text.encode()).hexdigest())
"""

# They share what is computed once per process.
pytestmark = pytest.mark.xdist_group("corpus")


def num_bytes(text: str) -> int:
    return len(text.encode())


@pytest.fixture(scope="module", params=LANGUAGES)
def language(request) -> str:
    return request.param


def test_there_is_enough_of_everything(language):
    assert len({sentence.text for sentence in sentences(language)}) >= 8_000
    assert len(rules(language)) - 1 >= 12
    letters_only = {word for word in vocabulary(language) if word.isalpha()}
    assert len(letters_only) >= 300


def test_every_rule_has_its_share(language):
    counts = Counter(sentence.rule for sentence in sentences(language))
    assert set(counts) == set(rules(language))
    wrong = {rule: num for rule, num in counts.items() if rule != CORRECT}
    assert min(wrong.values()) >= 600
    assert max(wrong.values()) <= 4 * min(wrong.values())
    assert counts[CORRECT] / counts.total() == pytest.approx(0.20, abs=0.01)


def test_correct_sentences_come_from_every_rule(language):
    correct = {sentence.text for sentence in sentences(language) if sentence.rule == CORRECT}
    by_rule = Counter(s.rule for s in sentences(language) if s.rule != CORRECT and s.right in correct)
    assert set(by_rule) == set(rules(language)) - {CORRECT}
    assert min(by_rule.values()) >= 30


def test_one_sentence_has_one_answer():
    """Over all that the grammars can make, not only over the sentences that were picked."""
    for language in LANGUAGES:
        grammar = corpus._GRAMMARS[language]
        answers, right = defaultdict(set), set()
        for rule in grammar.RULES.values():
            for example in rule():
                answers[example.wrong].add((example.correction, example.explanation))
                right.add(example.right)
        assert [text for text, found in answers.items() if len(found) > 1] == []
        assert right.isdisjoint(answers), "a sentence is wrong under one rule and right under another"


def test_wrong_right_and_correction_fit_together(language):
    for sentence in sentences(language):
        if sentence.rule == CORRECT:
            assert sentence.text == sentence.right
            continue
        assert sentence.text != sentence.right
        assert f" {sentence.correction} " in f" {sentence.right} ", sentence
        assert sentence.correction.split()[-1] in sentence.explanation, sentence


def test_only_the_mistake_differs(language):
    """Putting the correction in place of as few words as possible gives the right sentence."""
    for sentence in sentences(language):
        wrong, right = sentence.text.split(), sentence.right.split()
        while wrong and right and wrong[0] == right[0]:
            wrong, right = wrong[1:], right[1:]
        while wrong and right and wrong[-1] == right[-1]:
            wrong, right = wrong[:-1], right[:-1]
        assert len(wrong) <= 2 and len(right) <= 2, sentence
        assert " ".join(right) in sentence.correction


def test_sentences_are_lowercase_without_final_punctuation(language):
    for sentence in sentences(language):
        for text in (sentence.text, sentence.right):
            assert text == " ".join(text.split())
            assert text[-1].isalpha() and "{" not in text
        assert sentence.explanation.endswith(".")


def test_lengths_in_bytes(language):
    for example in examples(language) + examples(language, split="held_out"):
        assert num_bytes(example.prompt) <= 70
        low, high = (2, 14) if example.kind == "fix" else (30, 75)
        assert low <= num_bytes(example.answer) <= high, example


def test_answers_are_of_very_different_lengths(language):
    lengths = [num_bytes(example.answer) for example in examples(language)]
    assert max(lengths) >= 8 * min(lengths)


def test_no_held_out_sentence_is_in_a_training_prompt():
    def texts(split):
        return {e.prompt.removeprefix(PREFIXES[e.language, e.kind]) for e in examples(split=split)}
    train, held_out = texts("train"), texts("held_out")
    assert train.isdisjoint(held_out)
    assert all(map(is_held_out, held_out)) and not any(map(is_held_out, train))
    assert len(held_out) / len(train | held_out) == pytest.approx(0.10, abs=0.01)


def test_held_out_words_all_occur_in_training(language):
    """The tutor is asked for new combinations, never for words that it has not seen or answered."""
    def words(split, *parts):
        return {word for e in examples(language, split=split) for part in parts for word in getattr(e,
                                                                                                    part).split()}
    assert words("held_out", "answer") <= words("train", "answer")
    assert words("held_out", "prompt") <= words("train", "prompt", "answer")


def test_every_correction_is_seen_often_enough(language):
    seen = Counter(example.answer for example in examples(language, "fix"))
    asked = Counter(example.answer for example in examples(language, "fix", "held_out"))
    rare = {answer: seen[answer] for answer in asked if seen[answer] < 4}
    assert not rare


def test_both_kinds_ask_about_the_same_sentences(language):
    for split in corpus.SPLITS:
        asked = [{e.prompt.removeprefix(PREFIXES[language, kind]) for e in examples(language, kind,
                                                                                    split)} for kind in KINDS]
        assert asked[0] == asked[1]


def test_examples_filter_and_never_repeat():
    everything = examples()
    assert len({example.prompt for example in everything}) == len(everything)
    parts = [examples(language, kind) for language in LANGUAGES for kind in KINDS]
    assert sum(map(len, parts)) == len(everything)
    assert {(e.language, e.kind) for e in examples("es", "fix")} == {("es", "fix")}
    assert all(e.prompt.startswith("corrige: ") for e in examples("es", "fix"))


def test_examples_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        examples()[0].answer = "x"


def test_sample_draws_every_rule_alike(language):
    num_rules = len(rules(language))
    drawn = sample(5 * num_rules, seed=3, language=language, kind="fix")
    assert set(Counter(example.rule for example in drawn).values()) == {5}
    assert len({example.prompt for example in drawn}) == len(drawn)
    assert all(is_held_out(example.prompt.removeprefix(PREFIXES[language, "fix"])) for example in drawn)


def test_sample_depends_on_its_seed_alone():
    assert sample(40, seed=1) == sample(40, seed=1)
    assert sample(40, seed=1) != sample(40, seed=2)


def test_sample_can_draw_everything_once():
    available = examples("es", "explain", "held_out")
    drawn = sample(len(available), seed=0, language="es", kind="explain")
    assert sorted(e.prompt for e in drawn) == sorted(e.prompt for e in available)


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
    (lambda: examples("fr"), "language", "'fr'", "'en', 'es'"),
    (lambda: examples("en", "foo"), "kind", "'foo'", "'fix', 'explain'"),
    (lambda: examples(split="test"), "split", "'test'", "'train', 'held_out'"),
    (lambda: sentences("fr"), "language", "'fr'", "'en', 'es'"),
    (lambda: sample(5, seed=0, language="fr"), "language", "'fr'", "'en', 'es'"),
    (lambda: sample(0, seed=0), "num", "0", "from 1 to "),
    (lambda: sample(10**7, seed=0), "num", "10000000", "from 1 to "),
    (lambda: sample(2.5, seed=0), "num", "2.5", "whole number"),
])
def test_mistakes_are_named(call, field, value, allowed):
    with pytest.raises(ValueError) as error:
        call()
    message = str(error.value)
    assert message.startswith(field) and value in message and allowed in message
