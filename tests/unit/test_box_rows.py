"""Figures of Lab 06: blocks of prompts, tokens of steps, and a curve through settings; in both languages."""

import pytest

from minigpt import plots


@pytest.fixture(params=["en", "es"], autouse=True)
def language(request, monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", request.param)
    return request.param


def written(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_shared_blocks(language):
    figure = plots.shared_blocks.figure([("A", [0, 1, 2], 0, 40), ("B", [0, 5], 1, 20)], 16)
    assert written(figure) == ["0", "1", "2", "0", "5"]
    colours = [patch.get_facecolor() for patch in figure.axes[0].patches]
    assert colours[0] == colours[1] != colours[2] == colours[4] and colours[3] not in (colours[0], colours[2])
    assert figure.sentence.startswith("2 prompts") and " 5 " in figure.sentence and " 1 " in figure.sentence


def test_checked_guesses(language):
    figure = plots.checked_guesses.figure([([97, 98], [97, 99]), ([], [32]), ([100], [256])])
    assert written(figure) == ["a", "c", "b", "␣", "END", "d"]
    assert figure.sentence.startswith("3 ") and " 4 tokens" in figure.sentence and " 3 " in figure.sentence


def test_frontier(language):
    figure = plots.frontier.figure({"plain": [(9.0, 10.0, "1"), (2.0, 60.0, "8")]}, "one (tokens/s)", "all (tokens/s)")
    assert written(figure) == ["1", "8"] and [text.get_text() for text in figure.legends[0].get_texts()] == ["plain"]
    assert figure.axes[0].get_xlabel() == "one (tokens/s)" and figure.axes[0].get_ylabel() == "all (tokens/s)"
    assert "plain" in figure.sentence and "60" in figure.sentence


def test_settings_of_two_frontiers_do_not_meet_between_them():
    figure = plots.frontier.figure({"upper": [(2.0, 61.0, "8")], "lower": [(2.0, 60.0, "8")]}, "one (tokens/s)", "all (tokens/s)")
    figure.canvas.draw()
    upper, lower = (text.get_window_extent() for text in figure.axes[0].texts)
    assert not upper.overlaps(lower)
