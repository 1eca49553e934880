"""Lab 02's figures: a row per client, and bars made of parts."""

import pytest

from minigpt import plots
from minigpt.plots.colours import COLOURS
from minigpt.simulation.run import replay
from minigpt.workloads.workload import scene


@pytest.fixture(scope="module")
def log():
    requests = scene(A=(0, 4), B=(3, 12), C=(6, 2), D=(8, 6), E=(9, 3))
    return replay("static", requests, clock="steps", tokens="scripted", impl="solution", max_batch=3)


@pytest.fixture(params=["en", "es"], autouse=True)
def language(request, monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", request.param)
    return request.param


def rectangles(axes, concept):
    """The bars in a concept's colour, as (row, start, end)."""
    from matplotlib.colors import to_rgba

    found = [bar for bar in axes.patches if bar.get_facecolor() == to_rgba(COLOURS[concept])]
    return [(round(bar.get_y() + bar.get_height() / 2), round(bar.get_x(), 6), round(bar.get_x() + bar.get_width(), 6))
            for bar in found]


def test_a_row_per_client_shows_every_wait(log):
    axes = plots.request_timeline.figure(log, names=dict(enumerate("ABCDE"))).axes[0]
    assert rectangles(axes, "forming") == [(0, 0, 5), (1, 3, 5)]
    assert rectangles(axes, "queue") == [(2, 6, 17), (3, 8, 17), (4, 9, 17)]
    assert rectangles(axes, "held") == [(0, 9, 17), (2, 19, 23), (4, 20, 23)]
    assert [text.get_text() for text in axes.get_yticklabels()] == list("ABCDE")
    batch_ends = [tuple(line.get_xdata()) for line in axes.lines]
    assert batch_ends == [(5, 5), (17, 17), (17, 17), (23, 23)]


def test_a_part_of_a_run(log, language):
    axes = plots.request_timeline.figure(log, first_s=0.007, title="ρ").axes[0]
    assert len(axes.get_yticks()) == 3
    assert axes.get_xlabel() == {"en": "time (ms)", "es": "tiempo (ms)"}[language]
    with pytest.raises(ValueError, match="first_s=0: .*None for all"):
        plots.request_timeline.figure(log, first_s=0, title="none")


def test_stacked_parts_start_where_the_last_one_ended(language):
    figure = plots.stacked_bars.figure(["a", "b"], {"useful": [2, 3], "held": [1, 0], "empty": [0.5, 4]}, "ms",
                                       title="t", marks={"measured": 3.2, "predicted": 1.0})
    axes = figure.axes[0]
    assert rectangles(axes, "held") == [(0, 2, 3), (1, 3, 3)]
    assert rectangles(axes, "empty") == [(0, 3, 3.5), (1, 3, 7)]
    written = [text.get_text() for text in axes.texts]
    assert {"en": "measured: 3.2", "es": "medido: 3.2"}[language] in written
    assert figure.legends[0].get_texts()[0].get_text() == {"en": "useful work", "es": "trabajo útil"}[language]


def test_figures_on_dark_parts_are_white():
    axes = plots.stacked_bars.figure(["a"], {"products": [50], "calls": [30], "rest": [20]}, "%").axes[0]
    assert [(text.get_text(), text.get_color()) for text in axes.texts] == [("50", "white"), ("30", "black"), ("20", "black")]


def test_parts_of_the_wrong_number_are_refused():
    with pytest.raises(ValueError, match=r"parts\['held'\] has 1 values for 2 labels"):
        plots.stacked_bars.figure(["a", "b"], {"held": [1]}, "ms")
