"""What the discussions of Lab 03 say of other solutions, tried out."""

import heapq
import statistics
from statistics import median

import pytest

from minigpt.analysis import metrics
from minigpt.schedulers.continuous import continuous_batch_loop, step
from minigpt.schedulers.static import take_token
from minigpt.studies import lab03 as studies
from minigpt.workloads.workload import scene, workload


def retiring_late(*, after_waiting: bool):
    """The loop that answers at the beginning of the next round, before or after it waits for a request."""

    def loop(server):
        running, ended = [], []
        while running or ended or not server.queue.closed:
            if not after_waiting:
                answer(server, ended)
            if not running and not server.queue.closed:
                running.append(server.queue.get())
            answer(server, ended)
            while len(running) < server.max_inflight and not server.queue.empty():
                running.append(server.queue.get_nowait())
            tokens = server.model.forward_one_step(running) if running else ()
            ended = [each for each, token in zip(running, tokens) if take_token(each, token, server.model.eos_token_id)]
            running = [each for each in running if each not in ended]

    return loop


def answer(server, ended: list) -> None:
    """Answer these requests, and forget them."""
    for request in ended:
        server.respond(request)
    ended.clear()


def test_retiring_in_the_next_round_is_late_only_behind_the_wait():
    requests = scene(A=(0, 3), B=(0, 30), C=(50, 2), D=(90, 4))
    due, before, after = (
        [record["finish_s"] for record in studies.simulate("continuous", requests, loop=loop).records()]
        for loop in (continuous_batch_loop, retiring_late(after_waiting=False), retiring_late(after_waiting=True)))
    assert before == due, "no time passes between two rounds"
    late = [mine > right for mine, right in zip(after, due)]
    assert late == [False, True, True, False], "who leaves before a wait is answered at the next arrival"


def test_nlargest_finds_the_rank_and_quantiles_interpolates():
    for count in range(2, 199):
        latencies = [float(n * n) for n in range(1, count + 1)]
        p95 = metrics.percentile(latencies, 95)
        assert heapq.nlargest(count - metrics.nearest_rank(count, 95) + 1, latencies)[-1] == p95
    # of the last, 198 latencies
    between = [statistics.quantiles(latencies, n=20, method=method)[-1] for method in ("inclusive", "exclusive")]
    assert not set(between) & set(latencies)


def in_order(key):
    """A continuous loop that admits the waiting requests in the order of this key."""

    def loop(server):
        in_flight, waiting = [], []
        while in_flight or waiting or not server.queue.closed:
            if not in_flight and not waiting:
                waiting.append(server.queue.get())
            while not server.queue.empty():
                waiting.append(server.queue.get_nowait())
            waiting.sort(key=key)
            free = server.max_inflight - len(in_flight)
            in_flight += waiting[:free]
            del waiting[:free]
            in_flight = step(server, in_flight)

    return loop


@pytest.mark.parametrize("seed", [1, 2])
def test_at_moderate_load_the_order_of_admission_hardly_matters(seed):
    requests = workload("mixed", load=0.7, num_requests=1_000, seed=seed)
    steps = {item.request_id: item.num_steps for item in requests.items}
    orders = {"newest": lambda r: -r.arrival_time_s, "shortest": lambda r: steps[r.request_id]}
    static, due = (1e3 * each for each in studies.both_p95_s(requests, continuous_batch_loop))
    for key in orders.values():
        found = studies.p95_ms(studies.simulate("continuous", requests, loop=in_order(key)))
        assert found == pytest.approx(due, rel=0.02) and found < 0.7 * static


def in_groups(group: int, patience_s: float = 0.010):
    """The loop of exercise 3.8 with groups of this size."""

    def loop(server):
        waiting, in_flight = [], []
        while in_flight or waiting or not server.queue.closed:
            if not in_flight and not waiting:
                waiting.append(server.queue.get())
            while not server.queue.empty():
                waiting.append(server.queue.get_nowait())
            free = server.max_inflight - len(in_flight)
            is_late = waiting and server.clock.time() - waiting[0].arrival_time_s >= patience_s
            if not in_flight or is_late or min(free, len(waiting)) >= group:
                in_flight += waiting[:free]
                del waiting[:free]
            in_flight = step(server, in_flight)

    return loop


def test_larger_groups_gain_more_at_high_load_and_cost_more_at_light_load():
    light, high = ([median(studies.compare_loops("constant:16", load, continuous_batch_loop, in_groups(size), num_requests=400))
                    for size in (2, 4)] for load in (0.2, 0.95))
    assert light[1] < light[0] < 0 < high[0] < high[1]
