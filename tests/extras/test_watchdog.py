"""The watchdog ends what hangs and nothing else: correct policies on an artificial clock, at many settings."""

import queue
import random
from dataclasses import replace

import pytest

from minigpt.extras.server.live_engine import LiveEngine
from minigpt.extras.server.live_state import CLOSED, CLOSING, EngineState
from minigpt.extras.server.watchdog import Watchdog
from minigpt.runtime.arrivals import OpenLoop
from minigpt.runtime.clock import NS, StepCost, VirtualClock
from minigpt.runtime.model_runner import ScriptedRunner
from minigpt.schedulers.continuous import step
from minigpt.schedulers.dynamic import dynamic_batch_loop
from minigpt.schedulers.paged import PagedScheduler
from minigpt.schedulers.registry import GIVEN, find_policy, load_loop
from minigpt.schedulers.static import run_to_the_longest
from tests.extras import loops
from tests.unit.small import item, small_model

HANG_S = 1.0
TICK_NS = NS // 4


def holding_back(server):
    """Keeps what has arrived in a list of its own, and takes the shortest first: a long one may wait for very long."""
    waiting, running = [], []
    while waiting or running or not server.queue.closed:
        if not waiting and not running:
            waiting.append(server.queue.get())
        while not server.queue.empty():
            waiting.append(server.queue.get_nowait())
        waiting.sort(key=lambda request: request.max_tokens)
        while waiting and len(running) < server.max_inflight:
            running.append(waiting.pop(0))
        running = step(server, running)


def in_line_of_lab_05(server):
    """Lab 05's line, where a priority is worth a minute of waiting a step: the least urgent wait as long as others come."""
    waiting, running = [], []
    while waiting or running or not server.queue.closed:
        if not waiting and not running:
            waiting.append(server.queue.get())
        while not server.queue.empty():
            waiting.append(server.queue.get_nowait())
        waiting.sort(key=lambda request: PagedScheduler.place_in_line(request, 60.0))
        while waiting and len(running) < server.max_inflight:
            running.append(waiting.pop(0))
        running = step(server, running)


def one_at_a_time(server):
    """Serves each alone."""
    while True:
        try:
            batch = [server.queue.get()]
        except queue.Empty:
            return
        run_to_the_longest(server.model, batch)
        server.respond(batch[0])


POLICIES = {
    "static": (load_loop(find_policy("static"), GIVEN), False),
    "static of Lab 02": (load_loop(find_policy("static"), "solution"), False),
    "continuous": (load_loop(find_policy("continuous"), GIVEN), True),
    "continuous of Lab 03": (load_loop(find_policy("continuous"), "solution"), True),
    "dynamic": (dynamic_batch_loop, False), "holding back": (holding_back, True), "alone": (one_at_a_time, False),
    "line of Lab 05": (in_line_of_lab_05, True),
}


class SlotlessRunner(ScriptedRunner):
    """Scripts in place of the model; the engine does not know its answers beforehand."""

    def __init__(self, answers):
        super().__init__()
        self._answers = answers

    def prefill(self, items):
        return super().prefill([replace(each, answer=self._answers[each.request_id]) for each in items])


class Drive(OpenLoop):
    """Clients that come at their times of an artificial clock, which looks at the watchdog as it passes."""

    def __init__(self, items, clock):
        super().__init__(items)
        self._clock = clock
        clock.pass_to = self.pass_to
        self.engine, self._next_look_ns, self._accepted = None, 0, 0

    def pass_to(self, time_ns):
        """Let time pass: requests arrive and the watchdog looks, each at its moment."""
        while (moment := min(self._next_arrival(), self._next_look_ns)) <= time_ns:
            self._clock.now_ns = max(self._clock.now_ns, moment)
            if moment == self._next_look_ns:
                self._next_look_ns += TICK_NS
                self.engine.watch(TICK_NS / NS)
            else:
                self._accept()
        self._clock.now_ns = max(self._clock.now_ns, time_ns)

    def _next_arrival(self):
        return self._items[self._accepted].arrival_ns if self._accepted < len(self._items) else 1 << 62

    def _accept(self):
        each = self._items[self._accepted]
        self._accepted += 1
        self.engine.submit(each.prompt_token_ids, each.max_tokens, request_id=each.request_id,
                           priority=each.priority)

    def put(self, each):
        """The engine has accepted it; its arrival is known already."""

    def withdraw(self, request_id):
        return False

    def wait(self, timeout_s):
        upcoming = self.next_ns
        if upcoming is None:  # closed
            return
        end = upcoming if timeout_s is None else min(upcoming, self._clock.now_ns + round(timeout_s * NS))
        self.pass_to(end)

    def close(self):
        pass

    def __len__(self):
        return self._accepted - self._next


class ArtificialClock(VirtualClock):
    """Time that passes by calculation, and lets happen what happens meanwhile."""

    def wait_until(self, time_ns):
        self.pass_to(time_ns)

    def step(self, shape, compute):
        result = compute()
        self.pass_to(self.now_ns + self.cost.step_ns(shape))
        return result


def drive(loop, streams, items, *, step_s, **settings):
    """Serve the items on the artificial clock; the engine at its end."""
    cost = StepCost(step_overhead_ns=round(step_s * NS), per_sequence_ns=0, per_context_token_ns=0)
    clock = ArtificialClock(cost)
    driver = Drive(items, clock)

    def whole(server):
        ready.get(timeout=60)
        clock.pass_to(0)
        loop(server)
        engine._state = EngineState(name=CLOSING)  # the loop may return now

    ready = queue.SimpleQueue()
    runner = SlotlessRunner({each.request_id: each.answer for each in items})
    engine = LiveEngine(whole, small_model(), streams=streams, runner=runner, clock=clock, source=driver,
                        hang_s=HANG_S, **settings)
    driver.engine = engine
    ready.put(None)
    engine._thread.join(60)
    assert not engine._thread.is_alive()
    return engine


def random_case(seed):
    """Requests that come in bursts and trickles, some of them hundreds of times as long as others."""
    rng = random.Random(seed)
    now_s, items = 0.0, []
    for number in range(rng.randint(2, 40)):
        now_s += rng.choice((0.0, 0.0, rng.expovariate(2), rng.expovariate(0.1)))
        length = rng.choice((1, 2, rng.randint(1, 50), rng.randint(20, 50)))
        one = item(number, round(now_s * NS), length, max_tokens=rng.choice((length, 55)))
        items.append(replace(one, priority=number % 3))
    return items, {
        "step_s": rng.choice((0.001, 0.1, 0.45)), "max_batch": rng.randint(1, 8), "max_inflight": rng.randint(1, 8),
        "max_wait_s": rng.choice((0.0, 0.005, 3.0)),
    }


@pytest.fixture(autouse=True)
def quiet_threads(monkeypatch):
    """In these tests the artificial clock alone asks the watchdog."""
    monkeypatch.setattr(Watchdog, "interval_s", 3600.0)


@pytest.mark.parametrize("name", POLICIES)
def test_no_correct_policy_is_ended_in_200_random_workloads(name):
    loop, streams = POLICIES[name]
    for seed in range(200):
        items, settings = random_case(seed)
        engine = drive(loop, streams, items, **settings)
        assert engine.state.name == CLOSED and not engine._handles, (seed, engine.state)


def test_one_short_and_six_long_ones_are_one_batch_and_no_hang():
    """The finished row rides along for 20 s; the limit is one second."""
    items = [item(0, 0, 1), *(item(number, 0, 50) for number in range(1, 7))]
    engine = drive(*POLICIES["static"], items, step_s=0.4, max_batch=7)
    assert engine.state.name == CLOSED


def forgets_all(server):
    """Takes every request and steps none."""
    while not server.queue.closed:
        server.queue.get()
        server.clock.sleep(0.1)
    server.clock.sleep(60)


@pytest.mark.parametrize("loop", [forgets_all, loops.sleeping_loop])
def test_what_steps_nobody_is_ended_within_its_limit(loop, monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    items = [item(number, round(number * 0.3 * NS), 3) for number in range(5)]
    engine = drive(loop, True, items, step_s=0.01)
    assert engine.state.name == "failed" and "hangs" in engine.state.reason
    assert engine._server.clock.now_ns < (HANG_S + 5 * 0.3 + 1) * NS


def test_time_that_a_stopped_machine_lost_is_no_hang():
    dog = Watchdog(30.0)
    assert not any(dog.look(3600.0, is_awaited=True) for _ in range(30))  # each counts as a second
    assert dog.look(3600.0, is_awaited=True)
    dog.moved()
    assert not dog.look(3600.0, is_awaited=True)
    assert not any(dog.look(1.0, is_awaited=False) for _ in range(100))


def test_a_closed_engine_stays_closed():
    with loops.live_engine("continuous") as engine:
        engine.close()
        assert engine.state.name == CLOSED
