"""The watch over a worker: hangs, sleepers and drips are noticed in time, a busy machine is forgiven."""

import json
import socket
import threading

import pytest

from tests.grader import channel, resource_watchdog
from tests.grader.resource_watchdog import TookTooLong, Watch, WroteTooMuch


class Process:
    """A worker that is there."""

    pid = 1

    def poll(self):
        return None


@pytest.fixture
def times(monkeypatch):
    """Wall and processor time, and the time spent in the queue for a processor, as a test sets them, in seconds."""
    times = {"wall": 0.0, "cpu": 0.0, "queued": 0.0, "host": 0.0}
    monkeypatch.setattr(resource_watchdog.time, "monotonic", lambda: times["wall"])
    monkeypatch.setattr(resource_watchdog.time, "thread_time", lambda: times["host"])
    monkeypatch.setattr(resource_watchdog, "_cpu_time_s", lambda pid: times["cpu"])
    monkeypatch.setattr(resource_watchdog, "_queued_s", lambda pid: times["queued"])
    return times


def exchange(watched, times, wall_s, cpu_s=0.0, queued_s=0.0):
    """One message that takes the worker so long."""
    times["wall"] += wall_s
    times["cpu"] += cpu_s
    if times["queued"] is not None:
        times["queued"] += queued_s
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
    with pytest.raises(TookTooLong, match="61 s, of which 0 s at work"):
        watched()


@pytest.mark.parametrize("wall_s", [0.15, 1.0])
def test_sleep_at_every_message_adds_up(wall_s, times):
    watched = Watch(Process(), None, cpu_s=15, wall_s=60)
    with pytest.raises(TookTooLong):
        for _ in range(1 + int(61 / wall_s)):
            exchange(watched, times, wall_s)


def test_a_loop_of_tiny_sleeps_ends_at_the_wall_limit(times):
    watched = Watch(Process(), None, cpu_s=15, wall_s=60)
    with pytest.raises(TookTooLong):
        for _ in range(610):  # it uses a twentieth of the processor, and stands in no queue
            times["wall"] += 0.1
            times["cpu"] += 0.005
            watched()
    assert times["wall"] == pytest.approx(60, abs=0.3)


def test_many_waits_for_the_processor_are_no_sleep(times):
    watched = Watch(Process(), None, cpu_s=15, wall_s=60)
    for _ in range(1_500):  # 300 s of wall, of which the worker had next to no processor
        exchange(watched, times, 0.2, 0.0001, queued_s=0.19)


def test_even_a_busy_machine_ends_somewhere(times):
    watched = Watch(Process(), None, cpu_s=15, wall_s=60)
    with pytest.raises(TookTooLong, match="600 s"):
        for _ in range(3_100):
            exchange(watched, times, 0.2, 0.0001, queued_s=0.2)


def test_where_nobody_says_who_waited_for_a_processor_there_is_twice_the_time(times):
    times["queued"] = None
    watched = Watch(Process(), None, cpu_s=15, wall_s=60)
    times["wall"] = 119
    watched()
    times["wall"] = 121
    with pytest.raises(TookTooLong):
        watched()


def test_time_that_this_side_takes_is_not_the_workers(times):
    watched = Watch(Process(), None, cpu_s=15, wall_s=60)
    for _ in range(100):
        times["wall"] += 10  # the parent computes a forward pass
        watched.wait_again()
        exchange(watched, times, 0.01)


def test_but_a_loop_that_makes_this_side_work_for_ever_is_ended(times):
    watched = Watch(Process(), None, cpu_s=15, wall_s=60)
    with pytest.raises(TookTooLong, match="the server worked"):
        for _ in range(2_000):
            times["host"] += 0.1
            exchange(watched, times, 0.2, 0.0001, queued_s=0.2)


def test_a_message_that_drips_in_meets_the_deadline(times):
    """One byte at a time, each well before the connection's own timeout."""
    ours, theirs = socket.socketpair()
    ours.settimeout(0.1)
    watched = Watch(Process(), None, cpu_s=15, wall_s=60)
    data = json.dumps("x" * 2_000).encode()

    def drip():
        theirs.sendall(channel.LENGTH.pack(len(data)))
        for number in range(len(data)):
            try:
                theirs.send(data[number : number + 1])
            except OSError:
                return
            times["wall"] += 0.1

    threading.Thread(target=drip, daemon=True).start()
    with pytest.raises(TookTooLong):
        channel.receive(ours, watched)
    ours.close()


def test_what_a_worker_writes_is_counted_where_nothing_else_bounds_it(times, tmp_path, monkeypatch):
    watched = Watch(Process(), None, cpu_s=15, wall_s=60, quota=tmp_path)
    monkeypatch.setattr(resource_watchdog, "QUOTA_BYTES", 1_000_000)
    (tmp_path / "deep" / "er").mkdir(parents=True)
    for number in range(11):
        (tmp_path / "deep" / "er" / f"{number}").write_bytes(bytes(90_000))
    times["wall"] = 2
    watched()
    (tmp_path / "one more").write_bytes(bytes(90_000))
    times["wall"] = 4
    with pytest.raises(WroteTooMuch):
        watched()
