"""The map of blocks shows who holds what, with a colour of its own for everyone in it."""

import pytest

from minigpt.analysis.block_stays import holdings
from minigpt.plots import block_map
from minigpt.plots.block_map import hues
from minigpt.simulation.paged_run import serve
from tests.lab05.scenes import scene


@pytest.fixture(scope="module")
def log():
    requests = scene(*((i, 10 + i, 30 - i) for i in range(6)))
    return serve(requests, impl="solution", clock="steps", num_blocks=6, block_size=8)


def test_stays_never_overlap_in_a_block(log):
    for block in range(6):
        stays = sorted((start, end) for each, _, start, end in holdings(log) if each == block)
        assert all(end <= start for (_, end), (start, _) in zip(stays, stays[1:]))


def test_those_that_share_the_pool_differ_in_colour(log):
    colours = hues(log)
    held = set()
    for event in log.block_events:
        held = held | {event.request_id} if event.taken else held - {event.request_id}
        assert len({colours[i] for i in held}) == len(held)


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_figure_has_units_on_its_axes_and_marks_preemptions(log, language, monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", language)
    figure = block_map.figure(log)
    blocks, strip = figure.axes
    assert strip.get_xlabel() in ("time (ms)", "tiempo (ms)") and "tokens" in strip.get_ylabel()
    assert sum(line.get_marker() == "v" for line in blocks.lines) == len(log.preemptions) > 0


def test_the_sentence_counts_the_requests_of_the_part_that_is_drawn(log, monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    second_start = sorted({start for _, _, start, _ in holdings(log)})[1]
    early = {request_id for _, request_id, start, _ in holdings(log) if start < second_start}
    assert f"held by {len(early)} requests in turn" in block_map.figure(log, first_s=second_start / 1e9).sentence
    assert len(early) < 6 and "held by 6 requests in turn" in block_map.figure(log).sentence
