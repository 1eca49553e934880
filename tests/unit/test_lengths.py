"""Length distributions: what they draw, and what they say to parameters that make no sense."""

import random
from statistics import mean, median

import pytest

from minigpt.workloads.lengths import DISTRIBUTIONS, in_words, parse_lengths


def draws(text, num=2_000, seed=0):
    rng = random.Random(seed)
    sampler = parse_lengths(text)
    return [sampler(rng) for _ in range(num)]


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_lengths_are_whole_positive_and_from_the_seed(name):
    lengths = draws(name)
    assert all(isinstance(length, int) and length >= 1 for length in lengths)
    assert draws(name) == lengths
    assert (draws(name, seed=1) != lengths) == (name != "constant")


def test_constant_is_constant():
    assert set(draws("constant:7")) == {7}


def test_uniform_reaches_both_ends_and_nothing_beyond():
    assert set(draws("uniform:3,9")) == set(range(3, 10))


@pytest.mark.parametrize(("share", "low", "high"), [("0", 0, 0), ("0.25", 0.22, 0.28), ("1", 1, 1)])
def test_two_point_has_its_share_of_long_ones(share, low, high):
    lengths = draws(f"two_point:3,30,{share}")
    assert set(lengths) <= {3, 30}
    assert low <= lengths.count(30) / len(lengths) <= high


def test_exponential_is_redrawn_below_its_cap():
    lengths = draws("exponential:20,50")
    assert min(lengths) == 1 and max(lengths) <= 50
    # Redrawn, not cut: the cap itself is as rare as its neighbours.
    assert lengths.count(50) < 40
    assert 14 < mean(lengths) < 18  # the cap takes the tail away: below 20


def test_lognormal_has_its_median_and_is_cut_at_its_cap():
    lengths = draws("lognormal:12,0.8,40")
    assert 11 <= median(lengths) <= 13
    assert max(lengths) == 40 and lengths.count(40) > 40


def test_parameters_left_out_keep_their_defaults():
    assert draws("two_point:5") == draws("two_point:5,30,0.5")
    assert draws("exponential") == draws("exponential:16,128")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("zipf", ["lengths='zipf'", "constant", "lognormal"]),
        ("", ["lengths=''", "constant"]),
        ("uniform:a,b", ["lengths='uniform:a,b'", "numbers", "uniform:1,63"]),
        ("uniform:1,,3", ["numbers", "uniform:1,63"]),
        ("constant:1,2", ["at most 1 numbers", "constant:16"]),
        ("constant:-3", ["positive", "constant:16"]),
        ("constant:0", ["positive"]),
        ("constant:inf", ["positive"]),
        ("exponential:nan", ["positive"]),
        ("two_point:3,-30", ["positive", "two_point:3,30,0.5"]),
    ],
)
def test_a_wrong_text_is_refused_with_an_example(text, words):
    with pytest.raises(ValueError) as refusal:
        parse_lengths(text)
    assert [word for word in words if word not in str(refusal.value)] == []


@pytest.mark.parametrize(
    "text",
    ["constant:0.5", "uniform:9,3", "uniform:1,inf", "uniform:1,nan", "two_point:3,0", "two_point:3,30,1.5",
     "lognormal:12,0.8,0", "exponential:16,0"],
)
def test_parameters_that_give_no_length_are_refused_before_anything_is_drawn(text):
    with pytest.raises(ValueError, match="lengths=.*such as"):
        parse_lengths(text)


@pytest.mark.parametrize("text", ["exponential:0.001,128", "exponential:100000,1"])
def test_an_exponential_that_would_be_redrawn_for_ever_is_refused(text):
    with pytest.raises(ValueError, match="lengths=.*such as"):
        parse_lengths(text)


@pytest.mark.parametrize("text, en, es", [
    ("mixed", "tutor's mix", "mezcla del tutor"), ("constant:16", "all 16", "todas de 16"),
    ("uniform:1,63", "1 to 63", "de 1 a 63"), ("two_point:3,30,0.5", "3 or 30", "3 o 30"),
    ("exponential:16,128", "exponential, mean 16", "exponencial, media 16"), ("documents", "documents", "documentos"),
    ("lognormal:12,0.8,128", "lognormal, median 12", "lognormal, mediana 12"),
    ("mixed:0.3", "mixed:0.3", "mixed:0.3"), ("ρ = 0.7", "ρ = 0.7", "ρ = 0.7"), ("uniform", "uniform", "uniform"),
])
def test_figures_show_a_distribution_in_words(text, en, es, monkeypatch):
    for language, words in (("en", en), ("es", es)):
        monkeypatch.setenv("MINIGPT_LANG", language)
        assert in_words(text) == words
