"""Variants of static batching and the parts of a latency, on the scene that Lab 02 works out by hand."""

import itertools
import math
import random

import pytest

from minigpt.analysis import latency_phases, metrics
from minigpt.runtime.clock import steps_clock
from minigpt.runtime.model_runner import ScriptedRunner
from minigpt.runtime.server import run
from minigpt.simulation.run import replay
from minigpt.studies import lab02 as static_studies
from minigpt.studies import static_variants as variants
from minigpt.workloads.workload import scene, workload
from tests.lab03.scenes import answers, finish_ms, scripted_answers
from tests.lab03.scenes import scene as scene_of
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
    log = serve(requests, variants.shortest_first(LOOP, requests), max_batch=2)
    assert [sorted(step.request_ids) for step in log.steps if step.num_prefill_tokens] == [[1, 4], [2, 5], [0, 3]]
    log = serve(crowd, variants.shortest_first(LOOP, crowd))
    assert answers(log) == scripted_answers(crowd)


def test_shortest_first_keeps_the_wait_of_a_loop():
    requests = scene(A=(0, 4), B=(3, 2), C=(20, 1))
    assert finish_ms(serve(requests, variants.shortest_first(LOOP, requests))) == finish_ms(serve(requests))


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
                 tokens="scripted")  # fmt: skip
    steps = log.step_records()
    held = sum(step["rows"] - step["useful_rows"] for step in steps) / sum(step["rows"] for step in steps)
    assert static_studies.predicted_waste("uniform:1,63") == pytest.approx(held, abs=0.03)


def test_what_the_parts_add_sums_up_to_the_measured_p95():
    loads = (0.2, 0.8)
    added = static_studies.p95_built_up(loads, LOOP, num_requests=100, max_wait_s=0.02)
    both = static_studies.rule_over_load(loads, LOOP, num_requests=100, max_wait_s=0.02)
    assert [sum(values) for values in zip(*added.values())] == pytest.approx(both["measured"])
    assert min(min(values) for values in added.values()) >= 0
    assert all(predicted < measured for predicted, measured in zip(both["predicted"], both["measured"]))


def test_waiting_longer_saves_machine_time_at_light_load():
    p95, machine_ms = static_studies.over_wait((0, 40), (0.3,), LOOP, num_requests=100)
    assert p95["ρ = 0.3"][0] < p95["ρ = 0.3"][1]
    assert machine_ms["ρ = 0.3"][0] > machine_ms["ρ = 0.3"][1]


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
