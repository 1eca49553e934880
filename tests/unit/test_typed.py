"""The hand-written sentences: enough of them, and a fair judge of answers to them."""

import pytest

from minigpt.corpus import corpus
from minigpt.corpus.typed import OK, Typed, is_right, outside_prompts, plain, typed_sentences

TWO_DOGS = Typed("I have two dog", ("I have two dogs",))
AGREE = Typed("I am agree", ("I agree",))


@pytest.mark.parametrize("language", corpus.LANGUAGES)
def test_the_lists_are_long_and_hold_right_sentences_too(language):
    sentences = typed_sentences(language)
    assert len(sentences) >= 150
    assert sum(not sentence.rights for sentence in sentences) >= 30
    assert len({plain(sentence.text) for sentence in sentences}) == len(sentences)
    prefix = corpus.PREFIXES[language, "fix"]
    assert all(len(f"{prefix}{sentence.text}".encode()) <= 100 for sentence in sentences)


def test_fifty_prompts_lie_outside():
    prompts = outside_prompts()
    assert len(set(prompts)) == len(prompts) == 50
    assert all(prompt.startswith(("fix: ", "corrige: ")) for prompt in prompts)


@pytest.mark.parametrize("language", corpus.LANGUAGES)
def test_every_right_version_is_accepted_and_doing_nothing_is_not(language):
    for sentence in typed_sentences(language):
        assert all(is_right(sentence, right, language) for right in sentence.rights)
        assert is_right(sentence, OK[language], language) == (not sentence.rights)
        assert not is_right(sentence, corpus.unknown(language), language)
        assert not is_right(sentence, "", language)


@pytest.mark.parametrize("sentence, answer, expected", [
    (TWO_DOGS, "dogs", True), (TWO_DOGS, "two dogs", True), (TWO_DOGS, "I have two dogs.", True), (TWO_DOGS, "Dogs", True),
    (TWO_DOGS, "dog", False), (TWO_DOGS, "two", False), (TWO_DOGS, "has", False), (TWO_DOGS, "dogs two", False),
    (AGREE, "I agree", True), (AGREE, "agree", True), (AGREE, "I", False), (AGREE, "am", False),
    (Typed("these book is new", ("this book is new", "these books are new")), "this", True),
    (Typed("these book is new", ("this book is new", "these books are new")), "books are", True),
    (Typed("these book is new", ("this book is new", "these books are new")), "books", False),
])
def test_an_answer_is_right_if_it_holds_what_changes(sentence, answer, expected):
    assert is_right(sentence, answer, "en") is expected
