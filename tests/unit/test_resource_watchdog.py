"""The watch over a worker: hangs and sleepers are noticed, a busy machine is forgiven."""

import pytest

from tests.grader import resource_watchdog
from tests.grader.resource_watchdog import TookTooLong, Watch


class Process:
    """A worker that is there."""

    pid = 1

    def poll(self):
        return None


@pytest.fixture
def times(monkeypatch):
    """Wall and processor time as a test sets them, in seconds."""
    times = {"wall": 0.0, "cpu": 0.0}
    monkeypatch.setattr(resource_watchdog.time, "monotonic", lambda: times["wall"])
    monkeypatch.setattr(resource_watchdog, "_cpu_time_s", lambda pid: times["cpu"])
    return times


def exchange(watched, times, wall_s, cpu_s=0.0):
    """One message that takes the worker so long."""
    times["wall"] += wall_s
    times["cpu"] += cpu_s
    watched.message_came()
    watched.wait_again()


def test_an_endless_loop_uses_up_its_processor_time(times):
    watched = Watch(Process(), None, cpu_s=15, wall_s=60)
    times.update(wall=15.5, cpu=15.5)
    with pytest.raises(TookTooLong, match="16 s of processor time"):
        watched()


def test_a_sleeper_is_noticed_within_the_wall_limit(times):
    watched = Watch(Process(), None, cpu_s=15, wall_s=60)
    times["wall"] = 59
    watched()
    times["wall"] = 61
    with pytest.raises(TookTooLong, match="61 s, 0 s of it at work"):
        watched()


def test_a_second_of_sleep_at_every_message_adds_up(times):
    watched = Watch(Process(), None, cpu_s=15, wall_s=60)
    with pytest.raises(TookTooLong):
        for _ in range(62):
            exchange(watched, times, 1.0)


def test_many_small_waits_for_the_processor_are_no_sleep(times):
    watched = Watch(Process(), None, cpu_s=15, wall_s=60)
    for _ in range(1_500):  # 300 s of wall, of which the worker had next to no processor
        exchange(watched, times, 0.2, 0.0001)


def test_even_small_waits_end_somewhere(times):
    watched = Watch(Process(), None, cpu_s=15, wall_s=60)
    with pytest.raises(TookTooLong, match="600 s"):
        for _ in range(3_100):
            exchange(watched, times, 0.2, 0.0001)


def test_time_that_this_side_takes_is_not_the_workers(times):
    watched = Watch(Process(), None, cpu_s=15, wall_s=60)
    for _ in range(100):
        times["wall"] += 10  # the parent computes a forward pass
        watched.wait_again()
        exchange(watched, times, 0.01)
