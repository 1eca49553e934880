"""Repeated pairs: the median speaks, the interval counts both kinds of chance, and the command says so."""

import json

import pytest

from minigpt.analysis import metrics
from minigpt.cli import replay as command
from minigpt.simulation import run as replay
from minigpt.simulation import steady_repeats as steady
from minigpt.simulation.paired_runs import (
    FAIL,
    INCONCLUSIVE,
    PASS,
    PairedRuns,
    calibrated_runs,
    paired_runs,
    serving_with,
    verdict,
)
from minigpt.workloads.workload import workload
from tests.unit.small import reference

SCRIPTED = {"impl": "solution", "tokens": "scripted"}


@pytest.fixture(scope="module")
def runs():
    """Pairs of three different workloads of the same size: as different as pairs may be."""
    kinds = ("mixed", "uniform:1,63", "constant:16")
    return [replay.replay_both(workload(kind, load=0.7, num_requests=120), **SCRIPTED) for kind in kinds]


def test_the_median_pair_speaks(runs):
    pairs = PairedRuns(runs=tuple(runs))
    assert pairs.reductions_percent == [each.p95_reduction_percent for each in runs]
    assert pairs.median.p95_reduction_percent == sorted(pairs.reductions_percent)[1]
    low, high = pairs.interval_percent(num_resamples=300)
    assert low <= pairs.median.p95_reduction_percent <= high


def test_the_interval_is_wider_where_pairs_differ(runs):
    alike = PairedRuns(runs=(runs[0],) * 3).interval_percent()
    alone = metrics.bootstrap_interval(metrics.e2e_s(runs[0].static), metrics.e2e_s(runs[0].continuous))
    assert alike == pytest.approx(alone, abs=8)
    low, high = PairedRuns(runs=tuple(runs)).interval_percent(num_resamples=300)
    assert high - low > 1.2 * (alike[1] - alike[0])


def test_pairs_take_turns_and_keep_their_names(monkeypatch):
    order = []
    monkeypatch.setattr(replay, "load_loop", lambda found, impl: order.append(found.name) or reference(found.name))
    requests = workload("mixed", load=0.7, num_requests=30)
    pairs = paired_runs(requests, 2, **SCRIPTED)
    assert order == ["static", "continuous", "continuous", "static"]
    assert [(each.static.streams, each.continuous.streams) for each in pairs.runs] == [(False, True)] * 2
    assert pairs.reductions_percent[0] == pairs.reductions_percent[1]  # on the virtual clock order means nothing
    with pytest.raises(ValueError, match="pairs=0: give at least one"):
        paired_runs(requests, 0, **SCRIPTED)


@pytest.mark.parametrize("capacities, arrivals", [
    ([50, 100, 101, 102], [100, 101]),  # the first one warms up
    ([50, 100, 130, 131, 132], [100, 130, 131]),  # drift during the first repeat: it is done again
    ([50, 100, 70, 70, 71], [100, 70, 70]),  # slower is drift, too
    ([50, 1, 2, 4, 8, 16, 32, 64], [1, 2, 4, 8, 16, 32]),  # the spare tries are spent: what comes is taken
])
def test_a_repeat_with_drift_is_done_again_while_tries_are_left(monkeypatch, capacities, arrivals):
    left, measured = iter(capacities), []
    monkeypatch.setattr(steady, "capacity_on_this_machine", lambda: next(left))
    found = list(steady.steady_repeats(lambda capacity: measured.append(capacity) or capacity, 2))
    assert measured == arrivals and found == arrivals[-2:]


def test_calibrated_runs_are_pairs_of_the_same_requests_at_the_measured_capacity(monkeypatch):
    monkeypatch.setattr(steady, "capacity_on_this_machine", lambda: 200.0)
    pairs = calibrated_runs(serving_with(reference("continuous")), num_pairs=1, num_requests=12, load=0.5)
    assert len(pairs.runs) == 1 and pairs.median.static.clock == pairs.median.continuous.clock == "cpu"
    expected = workload("mixed", rate_per_s=100.0, num_requests=12, seed=1)
    assert pairs.median.static.workload == pairs.median.continuous.workload == expected


@pytest.mark.parametrize("low, high, num_pairs, found", [
    (30, 40, 6, PASS), (29, 40, 6, INCONCLUSIVE), (10, 30, 6, INCONCLUSIVE), (-5, 29.9, 6, FAIL),
    (30, 40, 5, INCONCLUSIVE), (-5, 0, 3, INCONCLUSIVE),
])
def test_a_verdict_is_given_where_interval_and_pairs_allow(low, high, num_pairs, found):
    assert verdict(low, high, num_pairs) == found


@pytest.mark.parametrize("clock", replay.MEASURED)
def test_nothing_slow_is_left_to_do_when_a_measuring_clock_begins(monkeypatch, clock):
    order, make_clock, make_runner, warm_up = [], replay.make_clock, replay.make_runner, replay.warm_up
    monkeypatch.setattr(replay, "make_clock", lambda name: order.append("clock") or make_clock(name))
    monkeypatch.setattr(replay, "make_runner", lambda *args: order.append("tokens") or make_runner(*args))
    monkeypatch.setattr(replay, "warm_up", lambda: order.append("warm-up") or warm_up())
    replay.replay("static", workload("constant:2", arrivals="burst", num_requests=2), clock=clock, impl="solution")
    assert order == ["tokens", "warm-up", "clock"]


def test_the_command_compares_repeatedly_on_a_measuring_clock(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("MINIGPT_LANG", "es")
    options = ["--num", "12", "--rate", "200", "--workload", "constant:3", "--impl", "solution", "--json", str(tmp_path / "r.json")]
    assert command.main([*options, "--clock", "cpu", "--pairs", "2"]) == 0
    said, data = capsys.readouterr().out, json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert "el par mediano de 2" in said and "no puntúa" in said
    assert len(data["pairs_p95_reduction_percent"]) == 2 and data["verdict"] == INCONCLUSIVE  # of two pairs
    assert f"estuvo calculando el {data['static_busy_percent']:.0f} % del tiempo" in said and 0 < data["static_busy_percent"] <= 100
    assert data["p95_reduction_percent"] in data["pairs_p95_reduction_percent"]
    assert command.main([*options, "--clock", "virtual"]) == 0
    said, data = capsys.readouterr().out, json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert "par mediano" not in said and "verdict" not in data
    assert data["static"]["num_requests"] == data["continuous"]["num_requests"] == 12
    assert command.main([*options, "--policy", "static", "--clock", "cpu"]) == 0
    assert "continuous" not in json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
