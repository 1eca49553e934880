"""Variants of static batching and the parts of a latency, on the scene that Lab 02 works out by hand."""

import itertools
import math
import random

import pytest

from minigpt.analysis import latency_phases, metrics
from minigpt.runtime.clock import StepCost, VirtualClock, steps_clock
from minigpt.runtime.model_runner import ScriptedRunner
from minigpt.runtime.server import run
from minigpt.simulation.run import replay
from minigpt.studies import lab02 as static_studies
from minigpt.studies import static_variants as variants
from minigpt.workloads.workload import scene, workload
from tests.lab03.scenes import answers, finish_ms, scripted_answers
from tests.lab03.scenes import scene as scene_of
from tests.tools.sweep import sweep
from tests.unit.small import reference

LAB_SCENE = dict(A=(0, 4), B=(3, 12), C=(6, 2), D=(8, 6), E=(9, 3))
LOOP = reference("static")


def serve(requests, loop=LOOP, **settings):
    settings = {"max_batch": 3, "max_wait_s": 0.005, **settings}
    return run(loop, requests, clock=steps_clock(), runner=ScriptedRunner(), streams=False, **settings)


@pytest.fixture(scope="module")
def lab_scene():
    return serve(scene(**LAB_SCENE))


@pytest.fixture(scope="module")
def crowd():
    rng = random.Random(5)
    requests = [(rng.uniform(0, 200), rng.randint(0, 30)) for _ in range(60)]
    return scene_of(*sorted(requests), ends_with_eos=True)


# -- parts of a latency ---------------------------------------------------------------------------------------------


def test_the_parts_of_each_latency_by_hand(lab_scene):
    found = [(record.request_id, *record.parts_ms.values()) for record in latency_phases.request_phases(lab_scene)]
    assert latency_phases.PARTS == ("queue", "forming", "useful", "held")
    assert found == [(0, 0, 5, 4, 8), (1, 0, 2, 12, 0), (2, 11, 0, 2, 4), (3, 9, 0, 6, 0), (4, 8, 0, 3, 3)]


def test_parts_add_up_to_the_latency(crowd):
    log = serve(crowd)
    latencies = {record.request_id: record.latency_ms for record in latency_phases.request_phases(log)}
    assert latencies == pytest.approx(dict(zip(log.requests, (1e3 * value for value in metrics.e2e_s(log)))))
    for record in latency_phases.request_phases(log):
        assert sum(record.parts_ms.values()) == pytest.approx(record.latency_ms)


def test_the_p95_built_up_ends_with_the_p95(lab_scene):
    built = latency_phases.p95_built_up_ms(lab_scene, ("useful", "held", "forming", "queue"))
    assert built == pytest.approx({"useful": 12, "held": 12, "forming": 17, "queue": 17})
    assert 1e3 * metrics.percentile(metrics.e2e_s(lab_scene), 95) == pytest.approx(17)


def test_ready_is_when_the_own_answer_ended(lab_scene):
    assert latency_phases.ready_s(lab_scene) == pytest.approx([0.009, 0.014, 0.013, 0.015, 0.011])


def test_an_unanswered_request_is_never_ready():
    def one_only(server):
        request = server.queue.get()
        server.model.forward_one_step([request])
        server.respond(request)

    log = serve(scene(A=1, B=1), one_only)
    assert latency_phases.ready_s(log) == [0.001, math.inf]


# -- variants -------------------------------------------------------------------------------------------------------


def test_dropping_computes_no_row_for_nothing_and_changes_no_answer(crowd):
    log = serve(crowd, variants.dropping(LOOP))
    assert all(step.request_ids == step.useful_ids for step in log.steps)
    assert answers(log) == scripted_answers(crowd)
    assert finish_ms(log) == finish_ms(serve(crowd))  # where every step costs the same, nothing else changes


def test_shortest_first_sorts_what_waits_and_changes_no_answer(crowd):
    requests = scene(A=5, B=1, C=2, D=7, E=1, F=3)
    log = serve(requests, variants.shortest_job_first(LOOP, requests), max_batch=2)
    assert [sorted(step.request_ids) for step in log.steps if step.num_prefill_tokens] == [[1, 4], [2, 5], [0, 3]]
    log = serve(crowd, variants.shortest_job_first(LOOP, crowd))
    assert answers(log) == scripted_answers(crowd)


def test_shortest_first_keeps_the_wait_of_a_loop():
    requests = scene(A=(0, 4), B=(3, 2), C=(20, 1))
    assert finish_ms(serve(requests, variants.shortest_job_first(LOOP, requests))) == finish_ms(serve(requests))


def test_an_ablation_knows_the_latencies_of_each_variant(lab_scene):
    found = variants.ablation(LOOP, lambda *loops: [serve(scene(**LAB_SCENE), loop) for loop in loops])
    assert found["static"] == found["drop"] == metrics.e2e_s(lab_scene)
    assert found["early"] == found["both"] == latency_phases.ready_s(lab_scene)


# -- studies --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lengths, batch_size", [([1, 3], 2), ([4, 4, 4], 3), ([1, 2, 2, 9, 30], 3), ([5], 8)])
def test_the_expected_longest_of_a_batch(lengths, batch_size):
    batches = list(itertools.product(lengths, repeat=batch_size))
    expected = sum(map(max, batches)) / len(batches)
    assert static_studies.expected_longest(lengths, batch_size) == pytest.approx(expected)


def test_equal_lengths_waste_nothing_and_gain_nothing_from_sorting():
    assert static_studies.predicted_waste("constant:16") == 0
    assert static_studies.sorting_gain("constant:16", LOOP, num_requests=64) == 1


def test_predicted_waste_is_near_what_a_burst_holds():
    log = replay("static", workload("uniform:1,63", arrivals="burst", num_requests=512, seed=2), impl="solution",
                 tokens="scripted")
    steps = log.step_records()
    held = sum(step["rows"] - step["useful_rows"] for step in steps) / sum(step["rows"] for step in steps)
    assert static_studies.predicted_waste("uniform:1,63") == pytest.approx(held, abs=0.03)


@pytest.mark.parametrize("order", [static_studies.FORWARDS, static_studies.BACKWARDS])
def test_what_the_parts_add_sums_up_to_the_measured_p95(order):
    loads = (0.2, 0.8)
    added = static_studies.p95_built_up(loads, LOOP, order=order, num_requests=100, max_wait_s=0.02)
    both = static_studies.rule_over_load(loads, LOOP, num_requests=100, max_wait_s=0.02)
    assert [sum(values) for values in zip(*added.values())] == pytest.approx([found[0] for found in both["measured"]])
    assert min(min(values) for values in added.values()) >= 0
    assert all(rule < found for of_load in zip(both["predicted"], both["measured"]) for rule, found in zip(*of_load))


SLOW_CALLS = StepCost(step_overhead_ns=800_000, per_sequence_ns=60_000, prefill_overhead_ns=900_000, per_prefill_token_ns=15_000)
for_each_machine = sweep("cost, seed", [(StepCost(), 3), (SLOW_CALLS, 3), (StepCost(), 4), (SLOW_CALLS, 4)])


def serve_mixed(load, cost, seed, loop=LOOP, **settings):
    requests = workload("mixed", load=load, num_requests=600, seed=seed, cost=cost)
    settings = {"max_wait_s": 0.020, **settings}
    return replay("static", requests, clock=VirtualClock(cost), tokens="scripted", loop=loop, **settings)


def p95_ms(log):
    return 1e3 * metrics.percentile(metrics.e2e_s(log), 95)


@for_each_machine
def test_forming_is_most_of_the_rest_at_light_load_and_the_queue_at_high_in_both_orders(cost, seed):
    held = {}
    for load, largest in ((0.1, "forming"), (0.9, "queue")):
        log = serve_mixed(load, cost, seed)
        for order in (static_studies.FORWARDS, static_studies.BACKWARDS):
            so_far, added = 0.0, {}
            for part, total in latency_phases.p95_built_up_ms(log, order).items():
                added[part], so_far = total - so_far, total
            rest = sum(added.values()) - added["useful"]
            assert added[largest] > rest / 2, "section 2.7"
            held[load, order] = added["held"]
    assert held[0.9, static_studies.BACKWARDS] > held[0.9, static_studies.FORWARDS], "a piece has no size of its own"


@for_each_machine
def test_a_long_wait_is_paid_for_the_most_part_and_a_short_one_in_part(cost, seed):
    start, short, long = (p95_ms(serve_mixed(0.3, cost, seed, max_wait_s=wait)) for wait in (0, 0.010, 0.080))
    assert short - start < 0.7 * 10 and long - start > 0.7 * 80, "section 2.8"


@for_each_machine
def test_most_slots_give_nobody_a_token_at_any_load(cost, seed):
    for load in (0.1, 0.5, 0.9):
        steps = serve_mixed(load, cost, seed).step_records()
        assert sum(step["useful_rows"] for step in steps) < 0.5 * 8 * len(steps), "section 2.9"


@for_each_machine
def test_what_the_repairs_are_worth(cost, seed):
    saved, fallen = {}, {}
    for load in (0.7, 0.95):
        found = variants.ablation(LOOP, lambda *loops, load=load: [serve_mixed(load, cost, seed, loop) for loop in loops])
        p95 = {name: 1e3 * metrics.percentile(latencies, 95) for name, latencies in found.items()}
        saved[load] = {name: p95["static"] - value for name, value in p95.items()}
        fallen[load] = saved[load]["early"] / p95["static"]
        requests = workload("mixed", load=load, num_requests=600, seed=seed, cost=cost)
        continuous = replay("continuous", requests, clock=VirtualClock(cost), tokens="scripted", impl="given")
        assert p95_ms(continuous) < p95["both"], "both together leave something (section 2.11)"
    assert saved[0.95]["drop"] > saved[0.95]["early"] and saved[0.95]["drop"] > 1.5 * saved[0.7]["drop"]
    assert abs(saved[0.95]["early"] - saved[0.7]["early"]) < 0.5 * saved[0.95]["drop"] and fallen[0.95] < fallen[0.7]


def test_waiting_longer_saves_machine_time_at_light_load():
    p95, machine_ms = static_studies.over_wait((0, 40), (0.3,), LOOP, num_requests=100)
    start, end = p95["ρ = 0.3"]
    assert all(before < after for before, after in zip(start, end)) and len(start) == len(static_studies.SEEDS)
    assert all(before > after for before, after in zip(*machine_ms["ρ = 0.3"]))
    assert static_studies.rises_ms(p95["ρ = 0.3"])[1] == pytest.approx([b - a for a, b in zip(start, end)])


def test_falls_are_of_each_crowd():
    assert static_studies.falls_percent({"static": [[10, 20]], "drop": [[5, 22]]}, "drop") == pytest.approx([50, -10])


@pytest.mark.parametrize("here, words", [
    ([60, 65], "pays more here. A row may cost more here"), ([90, 95], "pays less here. A row may cost less here"),
    ([74, 90], "the runs themselves differ by that much"),
])
def test_what_dropping_pays_here_is_said_for_both_signs(here, words, monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    assert words in variants.dropping_in_words(here, [70, 75])


# -- the log and the scene ------------------------------------------------------------------------------------------


def test_step_records_are_plain_numbers(lab_scene):
    records = lab_scene.step_records()
    assert records[0] == {"start_s": 0.005, "end_s": 0.006, "rows": 2, "useful_rows": 2}
    assert [(record["rows"], record["useful_rows"]) for record in records] == (
        [(2, 2)] * 4 + [(2, 1)] * 8 + [(3, 3)] * 2 + [(3, 2)] + [(3, 1)] * 3
    )


def test_a_scene_has_arrivals_where_they_are_given():
    items = scene(A=3, B=(2.5, 30)).items
    assert [(item.arrival_ns, item.max_tokens) for item in items] == [(0, 3), (2_500_000, 30)]
