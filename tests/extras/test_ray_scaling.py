"""Lab 04's plan as Ray Serve's settings. Nothing of Ray is needed here; what needs it is in test_ray_serve.py."""

from dataclasses import replace

import pytest

from minigpt.extras.ray import scaling
from minigpt.extras.ray.scaling import Scaling, fixed, scaling_of
from minigpt.simulation import fleet, planner

LENGTHS = fleet.request_lengths("uniform:1,63", 400, seed=2)
RATE_PER_S = 890.0


@pytest.fixture(scope="module")
def plan():
    return planner.make_plan(LENGTHS, RATE_PER_S, 0.072, 64)


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")


def test_the_fleet_grows_to_the_plan_and_a_replica_holds_the_cap(plan):
    scaling = scaling_of(plan, LENGTHS)
    assert (scaling.min_replicas, scaling.max_replicas) == (1, plan.num_replicas)
    assert scaling.max_ongoing_requests == plan.cap
    assert 0 < scaling.target_ongoing_requests <= plan.cap


def test_at_the_planned_rate_the_autoscaler_keeps_the_planned_number(plan):
    """Requests inside, over the target, is the autoscaler's wish; they are counted with other arrivals here."""
    scaling = scaling_of(plan, LENGTHS)
    calls = fleet.draw_calls(LENGTHS, RATE_PER_S, 20_000, seed=7)
    run = fleet.simulate(calls, num_replicas=plan.num_replicas, cap=plan.cap)
    span_s = (calls[-1].arrival_ns - calls[0].arrival_ns) / 1e9
    num_inside = sum(run.e2e_s) / span_s
    assert num_inside / scaling.target_ongoing_requests == pytest.approx(plan.num_replicas, rel=0.1)


def test_quiet_hours_need_fewer_replicas_and_these_meet_the_target(plan):
    quiet = RATE_PER_S / plan.num_replicas / 2
    scaling = scaling_of(plan, LENGTHS, quiet_rate_per_s=quiet)
    assert 1 <= scaling.min_replicas < plan.num_replicas
    assert fleet.p95_s(LENGTHS, quiet, scaling.min_replicas, plan.cap) <= plan.p95_target_ms / 1e3
    assert scaling_of(plan, LENGTHS, quiet_rate_per_s=RATE_PER_S).min_replicas == plan.num_replicas


def test_a_target_never_exceeds_the_cap(plan, monkeypatch):
    monkeypatch.setattr(scaling, "num_inside", lambda *_: 1e6)
    assert scaling_of(plan, LENGTHS).target_ongoing_requests == plan.cap


def test_options_have_an_autoscaler_only_where_it_can_move():
    steady = fixed(2, 16)
    assert steady.options == {"max_ongoing_requests": 16, "num_replicas": 2}
    config = replace(steady, min_replicas=1, target_ongoing_requests=5.5).options["autoscaling_config"]
    assert config == {"min_replicas": 1, "max_replicas": 2, "initial_replicas": 1, "target_ongoing_requests": 5.5}


@pytest.mark.parametrize("quiet", [0, -3, RATE_PER_S + 1, float("nan")])
def test_a_quiet_rate_that_is_none_is_said(plan, quiet):
    with pytest.raises(ValueError, match="quiet-rate="):
        scaling_of(plan, LENGTHS, quiet_rate_per_s=quiet)


def test_numbers_below_one_are_said():
    assert isinstance(fixed(1, 1), Scaling)
    with pytest.raises(ValueError, match="replicas=0"):
        fixed(0, 8)
    with pytest.raises(ValueError, match="max-inflight=0"):
        fixed(1, 0)
