"""Three clocks behind one face; only the virtual one's durations can be known beforehand."""

import time

import pytest

from minigpt.runtime.clock import NS, CpuClock, StepCost, StepShape, VirtualClock, WallClock, make_clock, to_ns

CLOCKS = pytest.mark.parametrize("clock", [VirtualClock, CpuClock, WallClock])
A_STEP = StepShape(num_decode=1, num_prefill_tokens=0, num_context_tokens=9)


@pytest.mark.parametrize(
    ("decode", "prefill", "context", "expected_ns"),
    [
        (1, 0, 0, 1_000 + 100),
        (8, 0, 0, 1_000 + 800),
        (8, 0, 50, 1_000 + 800 + 50 * 7),
        (0, 30, 0, 5_000 + 30 * 20),
        (3, 30, 50, 1_000 + 300 + 350 + 5_000 + 600),
        (0, 0, 0, 0),
    ],
)
def test_a_step_costs_its_decode_pass_and_its_prefill_pass(decode, prefill, context, expected_ns):
    cost = StepCost(step_overhead_ns=1_000, per_sequence_ns=100, prefill_overhead_ns=5_000, per_prefill_token_ns=20,
                    per_context_token_ns=7)
    shape = StepShape(num_decode=decode, num_prefill_tokens=prefill, num_context_tokens=context)
    assert cost.step_ns(shape) == expected_ns


def test_the_default_cost_makes_batching_pay():
    def step_ns(size):
        return StepCost().step_ns(
            StepShape(num_decode=size, num_prefill_tokens=0, num_context_tokens=64 * size)
        )

    assert step_ns(8) < 3 * step_ns(1)
    assert all(isinstance(value, int) for value in (step_ns(1), step_ns(8)))


def test_virtual_time_passes_by_the_cost_alone():
    clock = VirtualClock()
    found = clock.step(A_STEP, lambda: time.sleep(0.01) or "result")
    assert (found, clock.now_ns) == ("result", clock.cost.step_ns(A_STEP))


def test_virtual_time_adds_up_without_rounding():
    clock = VirtualClock(StepCost(step_overhead_ns=1, per_sequence_ns=0, per_context_token_ns=0))
    for _ in range(100_000):
        clock.step(A_STEP, lambda: None)
    assert clock.now_ns == 100_000


@pytest.mark.parametrize("clock", [VirtualClock, CpuClock])
def test_waiting_is_skipped_and_never_goes_back(clock):
    clock = clock()
    clock.wait_until(3_600 * NS)
    clock.wait_until(5)
    assert clock.now_ns == 3_600 * NS


def test_the_cpu_clock_charges_what_a_step_computed_and_not_what_it_slept(monkeypatch):
    clock = CpuClock()
    readings = iter([1_000, 4_500, 9_000, 9_001])
    monkeypatch.setattr(clock, "_read_ns", lambda: next(readings))
    assert clock.step(A_STEP, lambda: "result") == "result"
    assert clock.now_ns == 3_500
    clock.step(A_STEP, lambda: None)  # what passed between the steps does not count
    assert clock.now_ns == 3_501


def test_the_cpu_clock_reads_the_threads_own_time():
    clock = CpuClock()
    clock.step(A_STEP, lambda: sum(range(200_000)))
    assert 0 < clock.now_ns <= time.thread_time_ns()
    assert clock.note == ""


@pytest.mark.parametrize(("resolution", "says_so"), [(1e-9, False), (1 / 64, True)])
def test_a_coarse_thread_clock_is_replaced_and_the_report_says_so(monkeypatch, resolution, says_so):
    class Info:
        pass

    info = Info()
    info.resolution = resolution
    monkeypatch.setattr(time, "get_clock_info", lambda name: info)
    clock = CpuClock()
    assert clock._read_ns is (time.perf_counter_ns if says_so else time.thread_time_ns)
    assert ("coarse" in clock.note) is says_so


def test_the_wall_clock_waits_at_least_as_long_as_asked():
    clock = WallClock()
    clock.wait_until(to_ns(0.02))
    assert clock.now_ns >= to_ns(0.02)
    before_ns = clock.now_ns
    clock.wait_until(0)  # long past
    assert clock.step(A_STEP, lambda: "result") == "result"
    assert clock.now_ns >= before_ns


@CLOCKS
def test_a_clock_starts_near_0_and_is_found_by_its_name(clock):
    made = make_clock(clock.name)
    assert type(made) is clock
    assert 0 <= made.now_ns < NS


def test_an_unknown_clock_is_refused_with_the_choice():
    with pytest.raises(ValueError, match="clock='sun'.*virtual.*cpu.*wall"):
        make_clock("sun")


@pytest.mark.parametrize(
    ("seconds", "expected"), [(0.005, 5_000_000), (1e-9, 1), (0.1 + 0.2, 300_000_000), (0, 0)]
)
def test_seconds_become_whole_nanoseconds(seconds, expected):
    assert to_ns(seconds) == expected
    assert isinstance(to_ns(seconds), int)
