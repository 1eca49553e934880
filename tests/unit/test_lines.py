"""Lines of requests: the given decisions are the reference's, the log tells who was overtaken and who got how much."""

import pytest

from minigpt import paths
from minigpt.analysis.metrics import percentile
from minigpt.analysis.service import largest_difference, service_over_time, times_overtaken
from minigpt.schedulers import lab_file, lines
from minigpt.simulation.paged_run import serve
from minigpt.studies import orders
from minigpt.workloads.clients import FLOODER, client_of, flood, predictions
from minigpt.workloads.workload import workload
from tests.grader.seeds import GRADED_SEEDS
from tests.lab06 import crowds
from tests.tools.sweep import sweep
from tests.unit.test_given_schedulers import trace


@pytest.fixture(scope="module")
def reference():
    return lab_file.load(paths.solution_file(paths.resolve_lab("06")))


@pytest.mark.parametrize("bound", [0, 3, None])
def test_the_given_shortest_first_serves_as_the_reference_does(reference, bound):
    requests = workload("mixed", load=1.8, num_requests=120, seed=2)
    predicted = predictions(requests)
    loops = (lambda server: lines.shortest_first_loop(server, predicted, bound),
             lambda server: reference.shortest_first_loop(server, predicted, bound))
    given, theirs = (serve(requests, loop=loop) for loop in loops)
    assert trace(given) == trace(theirs)
    assert bound is None or max(times_overtaken(given).values()) <= bound


def test_the_given_fair_loop_serves_as_the_reference_does(reference):
    requests = flood(80, seed=3, start_s=0.1, end_s=0.4)
    given, theirs = (serve(requests, loop=lambda server, loop=loop: loop(server, client_of(requests)), max_inflight=8)
                     for loop in (lines.fair_loop, reference.fair_loop))
    assert trace(given) == trace(theirs)


def test_a_turn_for_a_client_that_does_not_wait_is_an_error_that_names_it():
    class AlwaysTheFlooder(lines.TokenCounters):
        def next_client(self):
            return FLOODER

    with pytest.raises(ValueError, match=f"next_client.* returned '{FLOODER}', but only these"):
        orders.fair(flood(20, seed=1), lambda *weights: AlwaysTheFlooder())


def test_a_bound_of_0_is_the_order_of_arrival():
    requests = workload("mixed", load=1.8, num_requests=150, seed=2)
    log = orders.in_order(requests, lines.next_in_line, 0)
    assert set(times_overtaken(log).values()) == {0}
    assert max(times_overtaken(orders.in_order(requests, lines.next_in_line, None)).values()) > 30


def test_service_adds_up_to_all_tokens():
    requests = flood(60, seed=1, start_s=0.1, end_s=0.2)
    moments = service_over_time(orders.fair(requests), client_of(requests), prompt_weight=1, output_weight=2)
    for client, service in moments[-1].service.items():
        mine = [item for item in requests.items if item.kind == client]
        assert service == sum(len(item.prompt_token_ids) + 2 * len(item.answer) for item in mine)


def test_a_difference_is_counted_only_while_both_wait():
    requests = flood(60, seed=1, start_s=0.1, end_s=0.2)
    moments = service_over_time(orders.first_come(requests), client_of(requests))
    assert largest_difference(moments, "B", "B") == 0
    alone = [moment for moment in moments if FLOODER not in moment.waiting]
    assert largest_difference(alone, FLOODER, "B") == 0 < largest_difference(moments, FLOODER, "B")


@sweep("seed", GRADED_SEEDS[::10])
def test_the_reference_has_room_to_spare_on_graded_seeds(seed):
    requests, predicted, first_come_ms = crowds.crowd(seed)
    log = serve(requests, loop=lambda server: lines.shortest_first_loop(server, predicted, crowds.BOUND))
    assert crowds.mean_ms(log) < 0.89 * first_come_ms
    flooded, greedy = crowds.flooded(seed)
    fair = orders.fair(flooded)
    assert crowds.p95_ms(fair, "BCD") < crowds.p95_ms(fair, FLOODER) / 4
    for each, served in ((flooded, fair), (greedy, orders.fair(greedy))):
        assert orders.most_apart(served) < 0.2 * crowds.most_apart(each)
    assert orders.most_apart(orders.first_come(flooded)) > 1.5 * crowds.most_apart(flooded)


@sweep("seed", [6, 7])
def test_what_lab_06_says_of_order_holds_on_other_seeds(seed):
    first, free, bound = (orders.by_bound(lines.next_in_line, (each,), seed=seed)[each] for each in (0, None, 32))
    assert free["mean"] < 0.85 * first["mean"] and free["longest"] > 2 * first["longest"]
    assert bound["mean"] < 0.95 * first["mean"] and bound["longest"] < 1.6 * first["longest"]
    calm = [orders.by_bound(lines.next_in_line, (each,), load=0.7, seed=seed)[each]["mean"] for each in (0, None)]
    assert calm[1] == pytest.approx(calm[0], rel=0.05)


def test_noise_is_lognormal_around_the_truth():
    requests = workload("mixed", arrivals="burst", num_requests=2_000, seed=1)
    predicted = predictions(requests)
    factors = [predicted[item.request_id] / item.num_steps for item in requests.items]
    assert percentile(factors, 50) == pytest.approx(1, rel=0.05)
    assert percentile(factors, 84) == pytest.approx(1.65, rel=0.08)
    assert predictions(requests, spread=0) == {item.request_id: item.num_steps for item in requests.items}
