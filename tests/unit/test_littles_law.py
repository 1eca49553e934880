"""The observer from outside: when it looks, and what it counts."""

import math
import random

import pytest

from minigpt.analysis.littles_law import STAGES, number_inside, sample_times, windows


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")


def record(i, arrival_s, admitted_s=None, finish_s=None):
    return {"request_id": i, "arrival_s": arrival_s, "admitted_s": admitted_s, "finish_s": finish_s}


def crowd(seed, num=80):
    """Records in which some never were admitted and some never finished."""
    rng = random.Random(seed)
    records = []
    for i in range(num):
        times = [round(rng.uniform(0, 50), 1)]
        for _ in range(rng.choice((0, 1, 2, 2, 2))):
            times.append(round(times[-1] + rng.uniform(0, 5), 1))
        records.append(record(i, *times))
    return records


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("seed", range(5))
def test_counts_who_has_entered_and_not_left(stage, seed):
    entry, leave = STAGES[stage]
    records = crowd(seed)
    # Times of one decimal, as those of the records: many looks fall on an entry or an exit.
    times = [t / 10 for t in range(-5, 600, 3)]
    spans = [(r[entry], math.inf if r[leave] is None else r[leave]) for r in records if r[entry] is not None]
    expected = [sum(start <= t < end for start, end in spans) for t in times]
    assert number_inside(records, stage, times) == expected


def test_queue_and_flight_add_up_to_the_system():
    records, times = crowd(7), [0.5 * t for t in range(100)]
    queue, flight, system = (number_inside(records, stage, times) for stage in ("queue", "in_flight", "system"))
    assert [a + b for a, b in zip(queue, flight)] == system


def test_sample_times_begin_at_the_start_and_end_before_the_end():
    assert sample_times(2.0, 3.0, 0.25) == [2.0, 2.25, 2.5, 2.75]
    assert sample_times(2.0, 3.1, 0.25) == [2.0, 2.25, 2.5, 2.75, 3.0]
    many = sample_times(0.1, 1000.1, 0.001)
    assert len(many) in (1_000_000, 1_000_001) and many[777_777] == pytest.approx(0.1 + 777.777, abs=1e-9)
    assert sample_times(3.0, 3.0, 0.5) == []


def test_windows_lie_side_by_side():
    assert windows(1.0, 2.0, 0.25) == [(1.0, 1.25), (1.25, 1.5), (1.5, 1.75), (1.75, 2.0)]
    assert windows(0.0, 1.0, 0.4) == [(0.0, 0.4), (0.4, 0.8)]
    assert len(windows(0.0, 0.7, 0.1)) == 7  # and not six because of rounding
    assert windows(0.0, 1.0, 2.0) == []


def test_mistakes_are_named():
    with pytest.raises(ValueError, match="stage='flight'"):
        number_inside([], "flight", [0.0])
    with pytest.raises(ValueError, match="every_s=0"):
        sample_times(0.0, 1.0, 0)
