"""Servers that compute a step each in turn."""

import pytest

from minigpt.runtime.clock import StepShape
from minigpt.runtime.interleave import in_turns
from minigpt.simulation.run import replay, replay_both
from minigpt.workloads.workload import workload

STEP = StepShape(num_decode=1, num_prefill_tokens=0, num_context_tokens=1)


def steps(name, num, seen):
    """A run of a given number of steps, each of which writes its name down."""

    def run(clock):
        for _ in range(num):
            clock.step(STEP, lambda: seen.append(name))
        return name, clock.now_ns

    return run


def test_steps_alternate_and_the_longer_run_goes_on_alone():
    seen = []
    results = in_turns(steps("a", 2, seen), steps("b", 5, seen))
    assert "".join(seen) == "ababbbb"
    assert [name for name, _ in results] == ["a", "b"]
    assert all(now_ns > 0 for _, now_ns in results), "each clock counts its own steps"


def test_three_take_turns():
    seen = []
    in_turns(steps("a", 2, seen), steps("b", 1, seen), steps("c", 3, seen))
    assert "".join(seen) == "abcacc"


@pytest.mark.parametrize("failing", [0, 1])
def test_one_that_fails_does_not_hold_the_other_up(failing):
    seen = []

    def fail(clock):
        clock.step(STEP, lambda: seen.append("x"))
        raise LookupError("mine")

    runs = [steps("a", 3, seen)]
    runs.insert(failing, fail)
    with pytest.raises(LookupError, match="mine"):
        in_turns(*runs)
    assert seen.count("a") == 3


def test_both_policies_on_the_cpu_clock_answer_alike():
    requests = workload("mixed", rate_per_s=80, num_requests=24, seed=3)
    both = replay_both(requests, impl="solution", clock="cpu")
    alone = replay("continuous", requests, impl="solution", clock="virtual")
    for log in (both.static, both.continuous):
        assert log.clock == "cpu"
        assert {i: record.answer for i, record in log.requests.items()} == {i: record.answer for i, record in alone.requests.items()}
