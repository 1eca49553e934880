"""What Lab 02 says of its figures, held for other crowds than those that its figures draw."""


from minigpt.studies.lab03 import p95_ms, simulate
from minigpt.workloads.workload import workload
from tests.tools.sweep import sweep
from tests.unit.small import reference

LOOP = reference("static")


def rise_ms(load: float, wait_ms: float, seed: int) -> float:
    """What such a wait adds to the p95 of one crowd of the tutor's requests."""
    crowd = workload("mixed", load=load, num_requests=1_000, seed=seed)
    without, waiting = (p95_ms(simulate("static", crowd, loop=LOOP, max_wait_s=ms / 1e3)) for ms in (0, wait_ms))
    return waiting - without


def test_near_saturation_the_crowd_decides_what_a_wait_does():
    rises = [rise_ms(0.95, 40, seed) for seed in range(1, 11)]
    assert (round(min(rises)), round(max(rises))) == (-18, 13), "section 2.8 names these two"


@sweep("seed", [1, 2])
def test_at_light_load_a_long_wait_is_paid_for_the_most_part(seed):
    assert rise_ms(0.3, 10, seed) < 0.6 * 10, "a short one in part"
    assert 0.6 * 40 < rise_ms(0.3, 40, seed) < 40
