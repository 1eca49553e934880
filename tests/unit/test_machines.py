"""Machines step by step: a mixed one is Lab 05's server to the nanosecond; apart, no request is lost and nothing is free."""

import random

import pytest

from minigpt import plots
from minigpt.runtime.clock import NS, StepCost, StepShape
from minigpt.simulation import routing
from minigpt.simulation.fleet import calls_of, draw_calls, request_lengths
from minigpt.simulation.machines import DECODE, MIXED, PREFILL, Link, Prefix, run_machines
from minigpt.simulation.paged_run import serve
from minigpt.simulation.replica import Call
from minigpt.studies import two_kinds
from minigpt.workloads.memory_pressure import long_prompts
from minigpt.workloads.workload import workload
from tests.tools.sweep import sweep


@pytest.mark.parametrize("budget", [None, 64, 128])
@pytest.mark.parametrize("requests", [long_prompts(150, seed=3), workload("mixed", load=1.2, num_requests=120, seed=2)],
                         ids=["long prompts", "mixed"])
def test_a_mixed_machine_agrees_with_the_paged_server_to_the_nanosecond(requests, budget):
    log = serve(requests, impl="given", token_budget=budget)
    run = run_machines(calls_of(requests), kinds=[MIXED], token_budget=budget)
    for job, record in zip(run.jobs, log.requests.values(), strict=True):
        assert job.token_times_ns[: len(record.token_times_ns)] == record.token_times_ns
    assert [(work.start_ns, work.end_ns) for work in run.work] == [(step.start_ns, step.end_ns) for step in log.steps]


def test_apart_a_request_takes_prefill_journey_and_decode_steps():
    cost, link = StepCost(), Link(per_request_ns=11, per_token_ns=7)
    [job] = run_machines([Call(5, 100, 4)], kinds=[PREFILL, DECODE], link=link, cost=cost).jobs
    first = 5 + cost.step_ns(StepShape(0, 100, 0))
    steps = [cost.step_ns(StepShape(1, 0, 100 + k)) for k in (1, 2, 3)]
    there = first + 11 + 700
    assert job.token_times_ns == [first, there + steps[0], there + sum(steps[:2]), there + sum(steps)]


def test_a_link_sends_one_after_the_other_while_the_machine_computes_on():
    run = run_machines([Call(0, 10, 2), Call(0, 10, 2)], kinds=[PREFILL, DECODE], link=Link(per_request_ns=10**9, per_token_ns=0))
    first, second = ([work for work in run.work if work.what == "transfer" and work.requests == (i,)][0] for i in (0, 1))
    assert second.start_ns == first.end_ns and second.end_ns == second.start_ns + 10**9
    assert [work.start_ns for work in run.work if work.what == PREFILL] == [0, 900_000]


@pytest.mark.parametrize("kinds", [[MIXED] * 3, [PREFILL, DECODE], [PREFILL, PREFILL, DECODE]])
def test_everybody_gets_all_tokens_in_order(kinds):
    rng = random.Random(1)
    calls = [call._replace(num_steps=rng.choice((1, 2, 30))) for call in draw_calls(request_lengths("mixed"), 400, 200, 1)]
    run = run_machines(calls, kinds=kinds, token_budget=64)
    assert [len(job.token_times_ns) for job in run.jobs] == [call.num_steps for call in calls]
    assert all(times == sorted(times) and times[0] > call.arrival_ns for times, call in
               ((job.token_times_ns, job.call) for job in run.jobs))
    busy = {}
    for work in sorted(run.work, key=lambda work: work.start_ns):
        place = work.machine, work.what == "transfer"
        assert busy.get(place, 0) <= work.start_ns
        busy[place] = work.end_ns


def test_a_cached_prefix_is_not_computed_again_and_the_oldest_is_forgotten():
    calls = [Call(i * NS, 50, 1) for i in range(5)]
    prefixes = [Prefix(name, 40) for name in (0, 0, 1, 2, 0)]
    run = run_machines(calls, kinds=[MIXED], prefixes=prefixes, most_prefixes=2)
    assert [job.num_cached for job in run.jobs] == [0, 40, 0, 0, 0]
    assert run.hit_percent == 16


def test_fleets_that_could_not_end_a_request_are_refused():
    for kinds in ([], [PREFILL], [DECODE, MIXED], ["other"]):
        with pytest.raises(ValueError, match="kinds="):
            run_machines([Call(0, 1, 1)], kinds=kinds)


def test_the_timeline_draws_every_machine_and_says_what_it_did(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    runs = two_kinds.small_scene()
    figure = plots.machine_timeline.figure(runs)
    assert [[label.get_text() for label in panel.get_yticklabels()] for panel in figure.axes] == [["machine 1", "machine 2"]] * 2
    sent_ms = sum(work.end_ns - work.start_ns for work in next(iter(runs.values())).work if work.what == "transfer") / 1e6
    assert f"machine 1 K and V on their way {sent_ms:.2f} ms; machine 2 decode" in figure.sentence


@sweep("seed", [4, 5])
def test_what_lab_06_says_of_two_kinds_holds_on_other_seeds(seed):
    lengths = two_kinds.request_lengths("documents", 300)
    runs = two_kinds.over_rates(lengths, (20, 80, 120), 2, num_requests=300, seed=seed)
    split, pieces, whole = ([two_kinds.p95_ms(run.tpot_s) for run in each] for each in runs.values())
    assert split[0] > max(pieces[0], whole[0]) and split[1] < 0.7 * min(pieces[1], whole[1])
    ttft = [two_kinds.p95_ms(each[2].ttft_s) for each in runs.values()]
    assert ttft[0] > 2 * ttft[2]


@sweep("seed", [4, 5])
def test_affinity_needs_a_bound_where_a_prefix_is_popular(seed):
    requests = routing.fleet_of_prefixes(800, rate_per_s=800, popularity=1.5, seed=seed)
    ways = {"random": routing.at_random(seed), "least": routing.least(seed), "two": routing.two(seed),
            "prefix": routing.affine(), "strict": routing.affine(800)}
    p95 = {name: two_kinds.p95_ms(routing.serve_prefixes(requests, way, 8).ttft_s) for name, way in ways.items()}
    assert p95["prefix"] < p95["least"] < p95["two"] < p95["random"] < p95["strict"]


def test_a_better_division_than_the_one_on_paper_is_named():
    tied, best = ((4, 2, 1682.2, replays) for replays in ([542.0, 1076.0, 1598.4, 1596.1, 811.0], [542.0, 1076.0, 1590.0, 1596.1, 811.0]))
    assert two_kinds.on_paper_in_words("mixed", tied).endswith("1596 (3 + 3: 1598)")
    assert two_kinds.on_paper_in_words("mixed", best).endswith(" 1596")
