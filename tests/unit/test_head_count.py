"""Lab 04: the count at the door owes nothing to the log, and what the notebook says of it holds."""

from statistics import median

import pytest

from minigpt.analysis.littles_law import number_inside
from minigpt.runtime.clock import StepCost, VirtualClock
from minigpt.schedulers import lab_file
from minigpt.schedulers.registry import code_file
from minigpt.simulation import fleet
from minigpt.simulation.capacity import saturated_per_s
from minigpt.studies import head_count, lab04
from minigpt.workloads.workload import workload
from tests.tools.sweep import sweep

REFERENCE = lab_file.load(code_file("04", "solution"))
OVERHEAD = StepCost(
    step_overhead_ns=2_000_000, per_sequence_ns=10_000, prefill_overhead_ns=800_000, per_prefill_token_ns=5_000,
    per_context_token_ns=20,
)
COSTS = sweep("cost", [StepCost(), OVERHEAD], ids=["laptop", "overhead"])
SEEDS = sweep("seed", [7, 8])


@pytest.fixture(autouse=True)
def by_the_reference(monkeypatch):
    monkeypatch.setenv("MINIGPT_IMPL", "solution")


def run(seed, cost, load=1.3):
    requests = workload("mixed", load=load, num_requests=1_000, seed=seed, cost=cost)
    return head_count.observed(requests, cost=cost)


@COSTS
@SEEDS
def test_the_door_sees_what_the_log_would_have_shown(seed, cost):
    records, door = run(seed, cost)
    times, counts = zip(*door.counts)
    assert len(counts) > 200 and list(counts) == number_inside(records, "system", list(times))


@COSTS
@SEEDS
def test_a_wrong_log_agrees_with_itself_and_not_with_the_door(seed, cost):
    records, door = run(seed, cost)
    (right, *wrong) = head_count.gaps_of_logs(REFERENCE.sample_the_law, records, door, 50).values()
    assert abs(right[3]) < 2
    for inside, _, product, gap in wrong:
        assert abs(inside / product - 1) < 0.05 and abs(gap) > 4


@COSTS
@SEEDS
def test_the_gap_closes_only_where_the_queue_settles(seed, cost):
    lengths = fleet.request_lengths("mixed", seed=seed)
    capacity = saturated_per_s(lengths, 8, cost=cost)
    settled, growing = head_count.gaps_by_load(
        REFERENCE.sample_the_law, lengths, capacity, sizes=(500, 8_000), seeds=range(3), cost=cost).values()
    assert max(map(abs, settled[-1])) < 3 and min(map(min, growing)) > 5
    assert abs(median(growing[-1]) - 20) < 5, "at load 1.2 it stays near what the load exceeds 1 by"
    assert max(growing[-1]) - min(growing[-1]) < max(growing[0]) - min(growing[0]), "it is the short runs that scatter"


def test_a_watch_that_keeps_time_with_the_clients_sees_one_moment():
    seen = [head_count.metronome_seen(every_s, offset_s) for every_s, offset_s in ((0.005, 0), (0.005, 0.004), (0.0053, 0))]
    assert seen[:2] == [1, 0] and seen[2] == pytest.approx(0.6, abs=0.03)


@pytest.mark.parametrize("every_s", [0.0025, 0.0075])
def test_a_period_that_fits_theirs_sees_two_moments_and_not_the_mean(every_s):
    """Neither is a multiple of 5 ms: it takes more than that to see the mean."""
    assert [head_count.metronome_seen(every_s, offset_s) for offset_s in (0, 0.001)] == pytest.approx([1, 0.5], abs=0.01)


@COSTS
@SEEDS
def test_who_leaves_counts_itself_and_nothing_else_is_wrong(seed, cost):
    requests = workload("mixed", load=0.85, num_requests=1_000, seed=seed, cost=cost)
    clock = VirtualClock(cost)
    watch, arriving, leaving, left = lab04.bias_percent("continuous", requests, clock=clock).values()
    assert abs(watch) < 3 and abs(arriving) < 8 and leaving > 30
    assert left == pytest.approx(arriving, abs=1.5)  # what leavers leave behind is what arrivals find


@COSTS
@SEEDS
def test_in_bursts_arrivals_find_too_many(seed, cost):
    requests = workload("mixed", load=0.85, num_requests=1_000, seed=seed, arrivals="gamma:0.25", cost=cost)
    watch, arriving, _, left = lab04.bias_percent("continuous", requests, clock=VirtualClock(cost)).values()
    assert abs(watch) < 3 and arriving > 20 and left > 20


def test_a_request_that_never_comes_out_is_named(monkeypatch):
    def forgetful(server):
        while not server.queue.closed:
            request = server.queue.get()
            if request.request_id != 2:
                while request.num_output_tokens < request.max_tokens:
                    request.append(server.model.forward_one_step([request])[0])
                server.respond(request)

    monkeypatch.setattr(lab04, "continuous_loop", lambda: forgetful)
    with pytest.raises(ValueError, match="request_id 2"):
        lab04.serve(head_count.metronome(5))
