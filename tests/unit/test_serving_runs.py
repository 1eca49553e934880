"""Whole runs: the same loops on every clock and token source, closed-loop clients, and what the log holds."""

import random

import pytest

from minigpt.llm.tokenizer import EOS_TOKEN_ID
from minigpt.runtime.clock import CpuClock, VirtualClock, WallClock
from minigpt.runtime.errors import ServingError
from minigpt.runtime.model_runner import ModelRunner, ScriptedRunner
from minigpt.runtime.server import run
from tests.unit.small import (
    COST,
    GROUPED,
    MS,
    SMALL,
    draw,
    greedy_alone,
    item,
    make_server,
    reference,
    small_model,
    work,
)

CLOCKS = {"virtual": lambda: VirtualClock(COST), "cpu": CpuClock, "wall": WallClock}
POLICIES = pytest.mark.parametrize("policy", ["static", "continuous"])


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")


def answered_by(model, request_id, arrival_ns, *, max_tokens=10, ignore_eos=False):
    """A request whose script is what the model answers when it is alone."""
    prompt = tuple(draw(1 + request_id % 11, seed=request_id))
    if ignore_eos:
        answer = (97,) * max_tokens
    else:
        tokens, _ = greedy_alone(model, prompt, max_tokens)
        answer = tuple(tokens[: tokens.index(EOS_TOKEN_ID)] if EOS_TOKEN_ID in tokens else tokens)
    return item(request_id, arrival_ns, prompt_token_ids=prompt, max_tokens=max_tokens, answer=answer,
                ignore_eos=ignore_eos)


def mixed_work(model, **settings):
    rng = random.Random(4)
    return work(*(answered_by(model, i, round(rng.uniform(0, 60) * MS), **settings) for i in range(24)))


def serve(policy, workload, *, clock=None, tokens=None, **settings):
    settings = {
        "max_batch": 4,
        "max_inflight": 4,
        "max_wait_s": 0.002,
        "streams": policy == "continuous",
        **settings,
    }
    return run(
        reference(policy),
        workload,
        clock=clock or VirtualClock(COST),
        runner=tokens or ScriptedRunner(),
        **settings,
    )


def what_happened(log):
    """Every time and token of a run."""
    records = [
        (
            record.arrival_ns,
            record.admitted_ns,
            record.finish_ns,
            tuple(record.token_times_ns),
            tuple(record.token_ids),
            record.answer,
        )
        for record in log.requests.values()
    ]
    return records, log.steps, log.end_ns


def answers(log):
    return {request_id: record.answer for request_id, record in log.requests.items()}


# -- clocks and token sources ----------------------------------------------------------------------


@POLICIES
@pytest.mark.parametrize("clock", CLOCKS)
def test_every_clock_runs_the_same_loop_to_the_same_tokens(policy, clock):
    model = small_model()
    workload = mixed_work(model)
    log = serve(policy, workload, clock=CLOCKS[clock](), tokens=ModelRunner(model, 4))
    assert answers(log) == {each.request_id: each.answer for each in workload.items}
    assert (log.clock, log.num_unfinished) == (clock, 0)
    for record in log.requests.values():
        times = [record.arrival_ns, record.admitted_ns, *record.token_times_ns, record.finish_ns]
        assert times == sorted(times)


@POLICIES
@pytest.mark.parametrize("config", [SMALL, GROUPED], ids=["one KV head", "two KV heads"])
def test_scripted_tokens_and_the_models_own_answers_make_the_same_run(policy, config):
    model = small_model(config)
    workload = mixed_work(model)
    lengths = {len(each.answer) for each in workload.items}
    assert {0, 10} < lengths  # EOS at once, EOS later, and the limit
    by_model = serve(policy, workload, tokens=ModelRunner(model, 4))
    assert what_happened(by_model) == what_happened(serve(policy, workload))


@POLICIES
def test_scripted_tokens_and_the_model_take_the_same_time_if_eos_is_ignored(policy):
    model = small_model()
    workload = mixed_work(model, ignore_eos=True)
    by_model, scripted = serve(policy, workload, tokens=ModelRunner(model, 4)), serve(policy, workload)
    assert by_model.steps == scripted.steps
    assert [record.finish_ns for record in by_model.requests.values()] == [
        record.finish_ns for record in scripted.requests.values()
    ]
    assert {len(answer) for answer in answers(by_model).values()} == {10}


@POLICIES
def test_a_run_is_the_same_every_time(policy):
    workload = mixed_work(small_model())
    assert what_happened(serve(policy, workload)) == what_happened(serve(policy, workload))


# -- timelines by hand -----------------------------------------------------------------------------

PREFILL_2 = 2 * MS + 4 * MS // 100  # two prompts of 2 tokens
DECODE_1, DECODE_2 = MS + MS // 10, MS + 2 * MS // 10


def test_static_answers_leave_together_when_the_longest_has_ended():
    a, b = item(0, max_tokens=1, num_tokens=9), item(1, max_tokens=4, num_tokens=9)
    log = serve("static", work(a, b), max_batch=2)
    end_ns = PREFILL_2 + 3 * DECODE_2
    assert [record.finish_ns for record in log.requests.values()] == [end_ns, end_ns]
    assert log.requests[0].token_times_ns == [PREFILL_2]
    assert [step.useful_ids for step in log.steps] == [(0, 1), (1,), (1,), (1,)]


def test_continuous_answers_leave_as_they_end():
    a, b = item(0, max_tokens=1, num_tokens=9), item(1, max_tokens=4, num_tokens=9)
    log = serve("continuous", work(a, b))
    assert [record.finish_ns for record in log.requests.values()] == [PREFILL_2, PREFILL_2 + 3 * DECODE_1]


@pytest.mark.parametrize(
    ("arrival_ns", "batches"), [(MS, [(2,), (3,)]), (2 * MS, [(2, 3)])], ids=["over", "running"]
)
def test_the_wait_for_company_runs_from_the_first_arrival(arrival_ns, batches):
    # The first batch keeps the server busy to 4.44 ms. A wait of 3 ms from 1 ms is over by then; from 2 ms it runs to
    # 5 ms, when request 3 arrives.
    arrivals = [0, 0, arrival_ns, 5 * MS]
    items = [item(i, arrival, max_tokens=3, num_tokens=9) for i, arrival in enumerate(arrivals)]
    log = serve("static", work(*items), max_wait_s=0.003, max_batch=2)
    assert log.steps[2].end_ns == PREFILL_2 + 2 * DECODE_2
    assert [step.request_ids for step in log.steps[3::3]] == batches
    assert log.steps[3].start_ns == max(PREFILL_2 + 2 * DECODE_2, 5 * MS if len(batches) == 1 else 0)


# -- closed loop -----------------------------------------------------------------------------------


def test_a_closed_loop_client_sends_when_it_has_its_answer_and_has_paused():
    items = [item(i, None, max_tokens=1, num_tokens=9) for i in range(5)]
    workload = work(*items, num_clients=2, think_ns=10 * MS)
    log = serve("continuous", workload)
    arrivals = [record.arrival_ns for record in log.requests.values()]
    first, second = PREFILL_2, 2 * PREFILL_2 + 10 * MS
    assert arrivals == [0, 0, first + 10 * MS, first + 10 * MS, second + 10 * MS]
    assert log.num_unfinished == 0


def test_a_closed_loop_never_has_more_requests_out_than_clients():
    items = [item(i, None, num_tokens=1 + i % 5) for i in range(30)]
    log = serve("continuous", work(*items, num_clients=3), max_inflight=8)
    assert max(len(step.request_ids) for step in log.steps) == 3
    for moment in {record.arrival_ns for record in log.requests.values()}:
        assert sum(record.arrival_ns <= moment < record.finish_ns for record in log.requests.values()) <= 3


def test_waiting_for_ever_for_clients_that_wait_is_refused():
    server = make_server(item(0, None), item(1, None), num_clients=1)
    server.queue.get()
    assert not server.queue.closed  # its client will send another
    with pytest.raises(ServingError, match="wait forever.*[Rr]espond first"):
        server.queue.get()
