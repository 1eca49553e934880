"""Lab 06: what its notebook says of them holds on other seeds, and its sentences say the figures."""

from dataclasses import asdict, replace
from statistics import mean

import pytest

from minigpt.runtime.paged import prefix_cache
from minigpt.schedulers import lines
from minigpt.schedulers.speculative import SpeculativeScheduler, speculative_loop
from minigpt.simulation.machines import Link
from minigpt.simulation.paged_run import serve
from minigpt.simulation.routing import ROUTERS, fleet_of_prefixes, serve_prefixes
from minigpt.studies import engine_defaults, orders, prefix_sharing, speculation, step_overlap, two_kinds
from minigpt.workloads.shared_prefixes import PROMPT_TOKENS, conversations, shared_instruction
from tests.lab06.balance import best_split
from tests.tools.sweep import sweep


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")


@sweep("seed", [1, 2])
def test_first_tokens_come_sooner_by_more_than_the_work_is_less(seed):
    found = prefix_sharing.by_share(shares=(0.0, 0.75), seed=seed)
    none, much = zip(found["none"], found["cached"])
    assert none[0] == none[1], "nothing in common, nothing gained and nothing lost"
    assert 74 < much[1].hit_percent <= 75, "nothing but the common beginning is found"
    assert much[0].ttft_p95_ms / much[1].ttft_p95_ms > 4 > 0.9 * much[0].num_prefilled / much[1].num_prefilled


@sweep("seed", [1, 2])
def test_scarce_memory_leaves_what_all_have_in_common(seed):
    small, large = prefix_sharing.by_memory(pools=(48, 768), seed=seed)["cached"]
    assert 28 < small.hit_percent < 40 < 70 < large.hit_percent


def test_workloads_differ_in_what_they_say():
    few, much = (shared_instruction(share, 40, seed=4) for share in (0.25, 0.75))
    assert [item.arrival_ns for item in few.items] == [item.arrival_ns for item in much.items]
    assert {len(item.prompt_token_ids) for item in (*few.items, *much.items)} == {PROMPT_TOKENS}
    assert len({item.prompt_token_ids[:48] for item in few.items}) == 1
    assert all(len({item.prompt_token_ids[: common + 16] for item in each.items}) == 40 for each, common in ((few, 48), (much, 144)))
    turns = [item.prompt_token_ids for item in conversations(1, 4, seed=4).items]
    assert all(later[: len(earlier)] == earlier for earlier, later in zip(turns, turns[1:]))
    with pytest.raises(ValueError, match="share=1.0"):
        shared_instruction(1.0)


def test_the_figure_of_prompts_that_begin_alike():
    rows = prefix_sharing.tables(prefix_cache)
    assert [(num_found, num_tokens) for _, _, num_found, num_tokens in rows] == [(0, 56), (2, 56), (2, 44), (3, 70)]
    assert all(row[1][: row[2]] == rows[0][1][: row[2]] for row in rows)


@sweep("seed", [3, 4])
def test_the_sign_of_guessing_turns_with_the_batch(seed):
    requests = speculation.answers(130, seed=seed)
    gains = []
    for batch in (1, 64):
        plain, guessed = (speculation.run(requests, count, max_inflight=batch)[0] for count in (0, 2))
        gains.append(plain.end_ns / guessed.end_ns)
    assert gains[0] > 1.1 and gains[1] < 0.95


def test_the_prediction_lies_further_from_one_than_the_run():
    a_ms, b_ms = speculation.line_of_the_virtual_clock()
    _, counts = speculation.run(speculation.answers(), 2)
    for batch in (1, 64):
        predicted = speculation.predicted_gain(a_ms, b_ms, batch, counts.tokens_per_step, counts.guesses_per_step)
        measured = speculation.gain_on_the_virtual_clock(batch, 2)
        assert 1 < measured < predicted or 1 > measured > predicted


def test_a_prediction_by_hand():
    assert speculation.predicted_gain(0.4, 0.1, 2, tokens_per_step=1.5, guesses_per_step=1.0) == pytest.approx(1.5 * 0.6 / 0.8)


def test_counts_are_those_of_the_log():
    requests = speculation.answers(30)
    log, counts = speculation.run(requests, 2, max_inflight=4)
    num_passes = sum(len(step.request_ids) for step in log.steps)
    num_tokens = sum(len(record.token_ids) + 1 for record in log.requests.values())  # the end is one
    assert counts.num_steps == num_passes and counts.num_steps + counts.num_right == num_tokens
    assert 0 < counts.num_right < counts.num_guessed


def test_sentences_are_chosen_by_the_figures():
    turns = speculation.where_it_turns
    assert turns((1, 8), (1.2, 0.9)) == "it gains at batch 1 and loses at 8"
    assert turns((1, 8), (1.2, 1.0)).startswith("it gains at every") and turns((1, 8), (0.7, 0.9)).startswith("it loses at every")
    short, long = step_overlap.StepParts(python_ms=1, model_ms=3), step_overlap.StepParts(python_ms=3, model_ms=1)
    assert "all of it is hidden" in step_overlap.what_overlap_gains(short) and short.gain() == pytest.approx(4 / 3)
    assert "still" in step_overlap.what_overlap_gains(long) and long.gain(3.0) == pytest.approx(2)


def test_the_frontiers_cross():
    plain, guessed = step_overlap.frontier(caps=(1, 64)), step_overlap.frontier(caps=(1, 64), num_guesses=2)
    assert guessed[0][0] > plain[0][0] and guessed[0][1] > plain[0][1]  # alone: faster for the client and in all
    assert guessed[1][1] < plain[1][1]  # many: less for all together


def test_a_speculating_server_guards_its_steps():
    class Greedy(SpeculativeScheduler):
        def guesses(self, server, request, num_tokens):
            return [1] * 200  # also for prompts, and without blocks for them

    with pytest.raises(Exception, match="cannot take 200 guesses"):
        serve(speculation.answers(3), loop=Greedy(), num_guesses=2)

    loop = speculative_loop.with_functions(accept=lambda guesses, choices: (choices[:1], 10_000))
    with pytest.raises(Exception, match="at least one must stay"):
        serve(speculation.answers(3), loop=loop, num_guesses=2)


@sweep("seed", [4, 1, 2, 3, 5, 8])
def test_a_poor_predictor_leaves_most_of_the_gain(seed):
    exact, poor = orders.gain_left(lines.next_in_line, (0, 2), seed=seed)
    assert exact == 100 and 50 < poor < 80


def test_a_gain_is_half_lost_at_the_first_spread_below_50():
    assert orders.half_lost_at((0, 1, 2), (100, 50, 49.9)) == "2"
    assert orders.half_lost_at((0, 1, 2), (100, 90, 50)) == "never"


@sweep("seed", [2, 1, 3])
def test_quiet_clients_wait_up_to_twice_as_long_under_a_flood_and_the_flooder_far_longer(seed):
    before = orders.client_p95_ms(orders.first_come(orders.calm_flood(seed=seed)))
    during = orders.client_p95_ms(orders.fair(orders.flood(seed=seed)))
    flooder, *quiet = before
    assert all(1.2 < during[name] / before[name] < 2.2 for name in quiet) and during[flooder] > 10 * max(during[name] for name in quiet)


@sweep("seed", [1, 2])
def test_a_flooder_gets_what_the_others_leave(seed):
    requests = orders.flood(seed=seed)
    quiet = [item for item in requests.items if item.kind != orders.FLOODER]
    alone = replace(requests, items=tuple(replace(item, request_id=i) for i, item in enumerate(quiet)))
    flooded, calm = (
        [moment.service for moment in orders.services(orders.fair(each)) if moment.time_ns <= 2e9][-1] for each in (requests, alone))
    for name in orders.QUIET:
        assert flooded[name] == pytest.approx(calm[name], rel=0.05), "all that it asks for"
        assert flooded[orders.FLOODER] > 1.5 * flooded[name]


@sweep("seed", [3, 4])
def test_explanations_are_seven_to_eight_times_as_long_as_corrections(seed):
    steps = {kind: [] for kind in ("fix", "explain")}
    for item in orders.crowd(orders.CROWDED, seed).items:
        steps[item.kind].append(len(item.answer) + 1)
    short, long = mean(steps["fix"]), mean(steps["explain"])
    assert 7 < long / short < 8 and round(short) == 6 and 45 < long < 50


@sweep("seed", [2, 1, 3])
def test_pieces_cost_more_on_average_and_shorten_the_longest_pause(seed):
    documents = two_kinds.request_lengths("documents", 400)
    runs = two_kinds.over_rates(documents, [80], 2, num_requests=300, seed=seed)
    split, pieces, whole = (run for [run] in runs.values())
    tpot, longest = ([measure(run) for run in (split, pieces, whole)] for measure in (
        lambda run: two_kinds.p95_ms(run.tpot_s), lambda run: max(run.gaps_s)))
    assert tpot[0] < tpot[2] < tpot[1] and longest[1] < longest[2] / 3


def test_paper_and_replay_part_only_where_two_splits_are_close():
    link, found = asdict(Link()), {}
    for name, splits in {"documents": (4,), "uniform:1,63": (2,), "mixed": (3, 4)}.items():
        lengths = two_kinds.request_lengths(name, 400)
        replays = [two_kinds.saturated_per_s(lengths, two_kinds.kinds_of(p, 6)) for p in splits]
        found[name] = best_split(6, lengths, two_kinds.COST, link, two_kinds.SLOTS), replays
    for name, num_prefill in (("documents", 4), ("uniform:1,63", 2)):
        split, [replayed] = found[name]
        assert split[0] == num_prefill and split[2] == pytest.approx(replayed, rel=0.01)
    split, (even, uneven) = found["mixed"]
    assert split[0] == 4 and even == pytest.approx(uneven, rel=0.01)


@sweep("seed", [1, 3])
def test_the_number_in_flight_misleads_because_running_answers_count(seed):
    calls, prefixes = fleet_of_prefixes(600, rate_per_s=800, popularity=1.0, seed=seed)

    def p95_ms(requests, name):
        return two_kinds.p95_ms(serve_prefixes((requests, prefixes), ROUTERS[name](seed), two_kinds.REPLICAS).ttft_s)

    prompts_alone = [call._replace(num_steps=1) for call in calls]
    assert p95_ms(calls, "round_robin") < p95_ms(calls, "least")
    assert p95_ms(prompts_alone, "round_robin") > p95_ms(prompts_alone, "least")


def test_lines_that_are_equally_low_are_both_named():
    assert two_kinds.lowest({"a": [5, 1.0], "b": [3, 1.005], "c": [9, 1.1]}, 1) == "a and b"
    assert two_kinds.lowest({"a": [5, 1.0], "b": [3, 1.005]}, 0) == "b"


def test_facts_name_their_sources():
    for row in (*engine_defaults.HEADLINES, *engine_defaults.DEFAULTS):
        assert row.source and row.en != row.es and all(len(line) <= 100 for line in str(row).splitlines())
