"""A percentile's formula is named from its answers on lists of many lengths; right ranks, and none that is known, are not."""

import math

import pytest

from tests.grader.outcomes import CRASHED, CheckFailed
from tests.grader.ranks import FORMULAS, rank_slip

WRITTEN = {  # as a student writes the index, and a piece of what is said of it
    "math.ceil(p * n)": "The −1 is missing",
    "min(math.ceil(p * n), n - 1)": "The −1 is missing",
    "int(p * n)": "one too high whenever",
    "n - math.ceil(round((1 - p) * n, 9))": "one too high whenever",
    "math.ceil(p * (n - 1))": "one too high whenever",
    "int(p * n) - 1": "rounded down",
    "max(0, int(p * n) - 1)": "rounded down",
    "round(p * n) - 1": "to the nearest integer. Nearest-rank",
    "int(p * n + 0.5) - 1": "to the nearest integer. Nearest-rank",
    "min(round(p * n), n - 1)": "rounded to the nearest integer. Round up instead",
    "int(p * (n - 1))": "computed from n − 1",
    "round(p * (n - 1))": "computed from n − 1",
    "min(math.ceil(p * (n + 1)) - 1, n - 1)": "computed from n + 1",
    "-int(round((1 - p) * n, 9))": "count from the end",
    "n - math.ceil(p * n)": "from the largest down",
    "-1": "the largest of all",
}


def percentiles(index: str, percents=(95,)):
    def ask(values):
        n, ordered = len(values), sorted(values)
        try:
            return [ordered[eval(index, {"math": math}, {"p": percent / 100, "n": n})] for percent in percents]
        except IndexError:
            raise CheckFailed(CRASHED) from None
    return ask


@pytest.mark.parametrize("index", WRITTEN)
@pytest.mark.parametrize("percents", [(95,), (90,)])
def test_names_the_formula(index, percents):
    assert WRITTEN[index] in rank_slip(percentiles(index, percents), percents).en


def test_looks_at_all_percentiles_together():
    percents = (50, 95, 99)
    for index in ("math.ceil(p * n)", "min(math.ceil(p * (n + 1)) - 1, n - 1)"):  # at 50 % alone others do the same
        assert WRITTEN[index] in rank_slip(percentiles(index, percents), percents).en


@pytest.mark.parametrize("index", ["math.ceil(round(p * n, 9)) - 1", "n - 1 - int(round((1 - p) * n, 9))", "0", "n // 3"])
def test_says_nothing_of_right_ranks_or_of_unknown_ones(index):
    assert rank_slip(percentiles(index), (95,)) is None


def test_names_what_is_no_index():
    assert "not in order" in rank_slip(lambda values: [values[math.ceil(0.95 * len(values)) - 1]], (95,)).en
    assert "the mean" in rank_slip(lambda values: [sum(values) / len(values)], (95,)).en
    assert rank_slip(lambda values: [None], (95,)) is None


def test_no_two_formulas_say_the_same():
    assert len({hint.en for _, hint in FORMULAS}) == len({hint.es for _, hint in FORMULAS}) == len(FORMULAS)
