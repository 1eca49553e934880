"""Replaying: the same requests through one policy or two, by the reference's loops and scripted answers."""

import pytest

from minigpt.analysis import metrics
from minigpt.cli import replay as replay_command
from minigpt.runtime.clock import VirtualClock
from minigpt.schedulers import lab_file
from minigpt.schedulers.registry import POLICIES, find_policy, implementation
from minigpt.simulation.paired_runs import PairedRuns
from minigpt.simulation.run import make_runner, replay, replay_both
from minigpt.workloads.workload import workload
from tests.unit.small import COST, item, work

SCRIPTED = {"impl": "solution", "tokens": "scripted"}
LOADED = {"num_requests": 300, "seed": 1, "load": 0.7}


def answer_one(server):
    server.respond(server.queue.get())


@pytest.mark.parametrize("policy", POLICIES)
def test_every_request_gets_its_scripted_answer(policy):
    requests = workload("mixed", num_requests=60, seed=2, load=0.7)
    log = replay(policy, requests, **SCRIPTED)
    assert log.num_unfinished == 0
    assert {record.item.request_id: record.answer for record in log.finished} == {
        each.request_id: each.answer for each in requests.items}
    assert log.streams == (policy == "continuous")


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("cap", [1, 3])
def test_the_cap_is_the_one_asked_for(policy, cap):
    requests = workload("two_point", arrivals="burst", num_requests=20)
    log = replay(policy, requests, max_batch=cap, max_inflight=cap, **SCRIPTED)
    assert max(len(step.request_ids) for step in log.steps) == cap


def test_both_serve_the_very_same_requests_and_continuous_is_sooner():
    requests = workload("mixed", **LOADED)
    runs = replay_both(requests, **SCRIPTED)
    assert runs.static.workload is runs.continuous.workload is requests
    assert list(runs.static.requests) == list(runs.continuous.requests)
    assert 30 <= runs.p95_reduction_percent <= 70
    assert runs.p95_reduction_percent == metrics.p95_reduction_percent(runs.static, runs.continuous)
    assert runs.throughput_ratio == pytest.approx(1, abs=0.02)
    low, high = PairedRuns(runs=(runs,)).interval_percent()
    assert low <= runs.p95_reduction_percent <= high


def test_no_ratio_of_nothing():
    """One request, or requests that are all answered after the last arrival: the ratio was a ZeroDivisionError."""
    for requests in (work(item(0)), work(item(0), item(1, arrival_ns=1))):
        runs = replay_both(requests, **SCRIPTED)
        assert runs.throughput_ratio in (None, pytest.approx(1, abs=0.2))
    assert runs.throughput_ratio is None
    assert replay_command.main(["--num", "1", "--tokens", "scripted", "--impl", "solution"]) == 0


@pytest.mark.parametrize("num_requests", [8, 24])
def test_equal_lengths_in_one_burst_make_no_difference(num_requests):
    burst = workload("constant:12", arrivals="burst", num_requests=num_requests)
    runs = replay_both(burst, **SCRIPTED)
    assert runs.p95_reduction_percent == pytest.approx(0, abs=1)


def test_a_replay_is_the_same_every_time():
    first, second = (replay("continuous", workload("mixed", **LOADED), **SCRIPTED) for _ in range(2))
    assert first.steps == second.steps
    assert metrics.summarize(first) == metrics.summarize(second)


def test_a_clock_may_be_given_as_an_object():
    clock = VirtualClock(COST)
    log = replay("continuous", work(item(0)), clock=clock, **SCRIPTED)
    assert log.end_ns == clock.now_ns > 0


def test_a_loop_may_be_given():
    log = replay("continuous", work(item(0), item(1)), loop=answer_one, tokens="scripted")
    assert (log.num_unfinished, log.requests[0].answer) == (1, ())


def test_settings_reach_the_server():
    seen = {}

    def look(server):
        seen.update(
            max_batch=server.max_batch, max_wait_s=server.max_wait_s, max_inflight=server.max_inflight
        )

    settings = {"max_batch": 3, "max_wait_s": 0.25, "max_inflight": 5}
    replay("static", work(item(0)), loop=look, tokens="scripted", **settings)
    assert seen == settings


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"policy": "fifo"}, "policy='fifo'.*static, continuous"),
        ({"tokens": "dice"}, "tokens='dice'.*model or scripted"),
        ({"clock": "sun"}, "clock='sun'.*virtual"),
    ],
    ids=str,
)
def test_a_wrong_name_is_refused_with_the_choice(settings, words):
    with pytest.raises(ValueError, match=words):
        replay(**{"policy": "static", "workload": work(item(0)), **SCRIPTED, **settings})


def test_whose_code_runs_is_set_by_the_environment(monkeypatch):
    monkeypatch.delenv("MINIGPT_IMPL", raising=False)
    assert implementation() == "student"
    monkeypatch.setenv("MINIGPT_IMPL", "solution")
    assert implementation() == "solution"
    monkeypatch.setenv("MINIGPT_IMPL", "mine")
    with pytest.raises(ValueError, match="MINIGPT_IMPL='mine'.*student, solution"):
        implementation()


def test_lab_code_is_loaded_fresh_although_it_was_saved_twice_in_a_second(tmp_path):
    path = tmp_path / "código.py"
    for number in (1, 2):
        path.write_text(f"number = {number}  # año\n", encoding="utf-8")
        assert lab_file.load(path).number == number


def test_missing_lab_code_is_named(tmp_path):
    with pytest.raises(ValueError, match="nothing.py is missing"):
        lab_file.load(tmp_path / "nothing.py")


def test_policies_are_found_by_name():
    assert [find_policy(name).streams for name in ("static", "continuous")] == [False, True]


def test_scripted_tokens_need_no_model():
    tokens = make_runner("scripted", work(item(0)), 1)
    assert type(tokens).__name__ == "ScriptedRunner"
