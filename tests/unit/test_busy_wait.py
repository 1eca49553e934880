"""A loop that asks again and again without letting time pass is told so, instead of hanging."""

import queue
import time

import pytest

from minigpt.runtime.clock import CpuClock, VirtualClock, WallClock
from minigpt.runtime.errors import BusyWait
from minigpt.runtime.time_keeper import MAX_IDLE_POLLS
from tests.unit.small import MS, item, make_server


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")


def try_get_nowait(server):
    try:
        server.queue.get_nowait()
    except queue.Empty:
        pass


def try_get_without_waiting(server):
    try:
        server.queue.get(timeout_s=0)
    except queue.Empty:
        pass


POLLS = {
    "closed": lambda server: server.queue.closed,
    "empty": lambda server: server.queue.empty(),
    "time": lambda server: server.clock.time(),
    "sleep(0)": lambda server: server.clock.sleep(0),
    "get_nowait": try_get_nowait,
    "get(0)": try_get_without_waiting,
}


@pytest.mark.parametrize("clock", [VirtualClock, CpuClock])
@pytest.mark.parametrize("poll", POLLS.values(), ids=POLLS)
def test_polling_10000_times_without_letting_time_pass_is_busy_waiting(poll, clock):
    server = make_server(item(0, 1_000 * MS), clock=clock())
    for _ in range(MAX_IDLE_POLLS):
        poll(server)
    with pytest.raises(BusyWait, match=r"10,?000 times.*get\(timeout_s=.*clock\.sleep.*should your loop have ended"):
        poll(server)
    assert MAX_IDLE_POLLS == 10_000


def take(server):
    server.queue.get_nowait()


def step(server):
    server.model.forward_one_step([server.running])


PROGRESS = {"sleep": lambda server: server.clock.sleep(1e-9), "take": take, "step": step,
            "respond": lambda server: server.respond(server.running)}


@pytest.mark.parametrize("progress", PROGRESS.values(), ids=PROGRESS)
def test_whatever_gets_on_starts_the_count_again(progress):
    server = make_server(item(0), item(1), item(2, 1_000 * MS))
    server.running = server.queue.get()
    for _ in range(MAX_IDLE_POLLS - 10):
        server.queue.empty()
    progress(server)
    for _ in range(MAX_IDLE_POLLS - 10):
        assert not server.queue.closed


def test_on_the_wall_clock_time_passes_while_a_loop_polls():
    server = make_server(item(0, 20 * MS), clock=WallClock())
    for _ in range(MAX_IDLE_POLLS + 10):
        server.queue.closed  # noqa: B018
    while server.queue.empty():
        time.sleep(0.001)
    assert server.queue.get_nowait().request_id == 0
