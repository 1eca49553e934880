"""The pool of a new tutor: prompts it is sure of, with the lengths that the labs' figures were taken with."""

from dataclasses import dataclass

import pytest

from minigpt.corpus import prompts
from minigpt.corpus.prompts import Place, TutorPrompt
from minigpt.llm import tutor


@dataclass
class Said:
    text: str
    ended: bool = True
    smallest_gap: float = 1.0


def of(sentence: str, answer: str) -> TutorPrompt:
    return TutorPrompt(prompt=f"fix: {sentence}", answer=answer, kind="fix", language="en")


def filled(monkeypatch, candidates, answers, *places, slack=0):
    monkeypatch.setattr(tutor, "answer_all", lambda model, token_ids: iter(answers[: len(token_ids)]))
    free, found = list(enumerate(places)), {}
    prompts._fill(None, free, candidates, found, slack)
    return {number: prompt.prompt for number, prompt in found.items()}, [number for number, _ in free]


GO = of("he go", "goes")  # 11 tokens with the end of its line, 4 in the answer


def test_a_prompt_takes_the_first_place_of_its_lengths(monkeypatch):
    places = Place("en", "fix", 11, 5), Place("en", "fix", 11, 4), Place("en", "fix", 11, 4)
    assert filled(monkeypatch, [GO], [Said("goes")], *places) == ({1: "fix: he go"}, [0, 2])


def test_other_languages_kinds_and_lengths_do_not_fit(monkeypatch):
    places = Place("es", "fix", 11, 4), Place("en", "explain", 11, 4), Place("en", "fix", 12, 4)
    assert filled(monkeypatch, [GO], [Said("goes")], *places) == ({}, [0, 1, 2])
    assert filled(monkeypatch, [GO], [Said("goes")], *places, slack=1) == ({2: "fix: he go"}, [0, 1])


@pytest.mark.parametrize("said", [Said("go"), Said("goes", ended=False), Said("goes", smallest_gap=prompts.MIN_GAP)])
def test_what_the_model_is_not_sure_of_stays_out(monkeypatch, said):
    assert filled(monkeypatch, [GO], [said], Place("en", "fix", 11, 4)) == ({}, [0])


def test_the_shipped_pool_has_the_lengths_that_are_stated():
    pool = prompts.tutor_prompts()
    for kind in prompts.KINDS:
        stated = [place for place in prompts.places() if place.kind == kind]
        assert len(stated) == len(pool[kind]) == 600
        # A few prompts may be some tokens off where no sentence of the grammar has the length.
        assert all(place.fits(prompt, prompts.MOST_TURNS - prompts.EXACT_TURNS) for place, prompt in zip(stated, pool[kind]))
        assert sum(not place.fits(prompt, 0) for place, prompt in zip(stated, pool[kind])) <= 10
