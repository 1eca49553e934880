"""Dynamic batching forms by count and by time, and runs a batch as a whole."""

from minigpt.schedulers.dynamic import dynamic_batch_loop
from minigpt.simulation.run import replay
from minigpt.workloads.workload import workload
from tests.lab03.scenes import MS, answers, scene, scripted_answers


def run(requests, **settings):
    return replay("static", requests, clock="steps", tokens="scripted", loop=dynamic_batch_loop, **settings)


def batches(log):
    return list(dict.fromkeys(step.request_ids for step in log.steps))


def test_a_preferred_number_starts_at_once_and_others_wait_for_the_window():
    log = run(scene(*[(0, 3)] * 4, (50, 2), (51, 2), (70, 2)), max_wait_s=0.010)
    assert batches(log) == [(0, 1, 2, 3), (4, 5), (6,)]
    assert [step.start_ns // MS for step in log.steps if step.request_ids == (4, 5)] == [60, 61]


def test_never_more_than_the_largest_batch():
    assert max(map(len, batches(run(scene(*[(0, 2)] * 19), max_batch=8)))) == 8


def test_answers_of_a_batch_leave_together_and_are_unchanged():
    log = run(scene((0, 2), (0, 9)), max_wait_s=0.0)
    assert {record.finish_ns for record in log.finished} == {9 * MS}
    requests = workload("mixed", load=0.9, num_requests=60, seed=2)
    assert answers(run(requests)) == scripted_answers(requests)
