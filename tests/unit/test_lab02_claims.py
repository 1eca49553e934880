"""What Lab 02 says of its figures, held for other crowds than those that its figures draw."""

from statistics import mean

from minigpt.analysis import metrics
from minigpt.analysis.latency_phases import ready_s, request_phases
from minigpt.studies.lab03 import p95_ms, simulate
from minigpt.studies.static_variants import dropping
from minigpt.workloads.workload import workload
from tests.tools.sweep import sweep
from tests.unit.small import reference

LOOP = reference("static")


def served(load: float, seed: int, wait_ms: float = 20, loop=LOOP):
    """One crowd of the tutor's requests, served by the reference."""
    return simulate("static", workload("mixed", load=load, num_requests=1_000, seed=seed), loop=loop, max_wait_s=wait_ms / 1e3)


def rise_ms(load: float, wait_ms: float, seed: int) -> float:
    """What such a wait adds to the p95 of one crowd of the tutor's requests."""
    without, waiting = (p95_ms(served(load, seed, ms)) for ms in (0, wait_ms))
    return waiting - without


def test_near_saturation_the_crowd_decides_what_a_wait_does():
    rises = [rise_ms(0.95, 40, seed) for seed in range(11, 21)]
    assert (round(min(rises)), round(max(rises))) == (-61, 44), "section 2.8 names these two"


@sweep("seed", [1, 2])
def test_near_saturation_most_batches_leave_without_a_wait(seed):
    waited_ns: dict[int, int] = {}  # of each batch, by its start
    for phases in request_phases(served(0.95, seed, wait_ms=40)):
        waited_ns[phases.start_ns] = max(waited_ns.get(phases.start_ns, 0), phases.start_ns - phases.admitted_ns)
    assert sum(ns == 0 for ns in waited_ns.values()) > 0.6 * len(waited_ns)


@sweep("seed", [1, 2])
def test_at_load_03_the_machine_is_idle_for_more_than_half_of_the_time(seed):
    steps = served(0.3, seed, wait_ms=0).steps
    assert sum(step.end_ns - step.start_ns for step in steps) < 0.5 * steps[-1].end_ns


@sweep("seed", [1, 2])
def test_a_wait_saves_machine_time_until_batches_are_nearly_full(seed):
    def of_wait(load: float, wait_ms: float) -> tuple[float, float]:  # ms of machine per request, requests per batch
        log = served(load, seed, wait_ms)
        busy_ms = sum(step.end_ns - step.start_ns for step in log.steps) / 1e6
        return busy_ms / 1_000, 1_000 / len({record.finish_ns for record in log.requests.values()})

    for load in (0.3, 0.95):
        assert of_wait(load, 0)[0] > of_wait(load, 40)[0]
    longest_ms, fullest = of_wait(0.95, 80)
    middle_ms, full = of_wait(0.95, 40)
    assert full > 7 and fullest > full and longest_ms > 0.99 * middle_ms, "section 2.8: nothing more to save"


@sweep("seed", [1, 2])
def test_the_longest_answers_are_hardly_held_and_others_queue_longest(seed):
    parts = [phases.parts_ms for phases in request_phases(served(0.9, seed))]
    longest, queued = (sorted(range(1_000), key=lambda i: parts[i][part])[-50:] for part in ("useful", "queue"))
    assert mean(parts[i]["held"] for i in longest) < 0.1 * mean(each["held"] for each in parts)
    assert len(set(longest) & set(queued)) < 10


@sweep("seed", [1, 2])
def test_answering_early_saves_little_more_at_the_higher_load(seed):
    saved = {}
    for load in (0.3, 0.7, 0.95):
        log = served(load, seed)
        saved[load] = p95_ms(log) - 1e3 * metrics.percentile(ready_s(log), 95)
    assert saved[0.95] < 2 * saved[0.7] and saved[0.7] > 1.5 * saved[0.3], "not at every load alike"


def mean_ms(log, part: str) -> float:
    return mean(phases.parts_ms[part] for phases in request_phases(log))


@sweep("seed", [1, 2])
def test_from_one_load_to_the_other_the_held_time_grows_far_less_than_the_queue(seed):
    held, queue = (mean_ms(served(0.95, seed), part) / mean_ms(served(0.7, seed), part) for part in ("held", "queue"))
    assert 1 < held < 0.75 * queue


@sweep("seed", [1, 2])
def test_with_both_improvements_two_waits_are_left(seed):
    dropped = served(0.7, seed, loop=dropping(LOOP))
    own_ms = mean_ms(dropped, "useful")  # what is held is what answering early takes away
    assert min(mean_ms(dropped, "forming"), mean_ms(dropped, "queue")) > 0.2 * own_ms


@sweep("seed", [1, 2])
def test_weighed_by_time_less_of_a_run_is_held(seed):
    log = served(0.9, seed)
    rows = [(step["rows"] - step["useful_rows"], step["end_s"] - step["start_s"]) for step in log.step_records()]
    by_time = sum(held * seconds for held, seconds in rows) / sum(seconds for _, seconds in rows)
    assert by_time < 0.9 * mean(held for held, _ in rows), "discussed after exercise 2.5"


@sweep("seed", [1, 2])
def test_at_light_load_a_long_wait_is_paid_for_the_most_part(seed):
    assert rise_ms(0.3, 10, seed) < 0.6 * 10, "a short one in part"
    assert 0.6 * 40 < rise_ms(0.3, 40, seed) < 40
