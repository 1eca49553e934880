"""`server.model.forward_one_step`: tokens in the caller's order, the cost of a step, and what it refuses."""

import pytest

from minigpt.llm.checkpoint_io import random_model
from minigpt.llm.tokenizer import EOS_TOKEN_ID
from minigpt.runtime.clock import StepCost, VirtualClock
from minigpt.runtime.errors import ServingError
from minigpt.runtime.executor import step_limit
from minigpt.runtime.model_runner import ModelRunner, ScriptedRunner
from minigpt.runtime.request import Request
from tests.unit.small import MS, SMALL, draw, greedy_alone, item, make_server, small_model


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")


def serve(*items, **settings):
    """A server and its requests, all taken."""
    server = make_server(*items, **settings)
    return server, [server.queue.get() for _ in items]


def step(server, *requests):
    """One step; the loop's part of it done as well: tokens but EOS are appended."""
    tokens = server.model.forward_one_step(list(requests))
    for request, token in zip(requests, tokens, strict=True):
        if token != EOS_TOKEN_ID and request.num_output_tokens < request.max_tokens:
            request.append(token)
    return tokens


def test_the_first_step_prefills_and_yields_the_first_token():
    server, (a,) = serve(item(0, prompt_token_ids=(1, 2, 3)))
    assert step(server, a) == [100]
    assert server.clock.now_ns == 2 * MS + 3 * MS // 100
    assert a.first_token_time_s == server.clock.time()
    assert step(server, a) == [101]
    assert a.first_token_time_s == 0.002_03  # the first stays the first


def test_a_step_holds_one_prefill_pass_and_one_decode_pass():
    server, (a, b, c, d) = serve(item(0), item(1), item(2, prompt_token_ids=(1,) * 10), item(3))
    step(server, a, b)
    start_ns = server.clock.now_ns
    step(server, a, c, b, d)  # 2 rows to decode; 12 prompt tokens to prefill, together
    assert server.clock.now_ns - start_ns == (MS + 2 * MS // 10) + (2 * MS + 12 * MS // 100)


def test_attending_to_more_context_costs_more():
    cost = StepCost(step_overhead_ns=0, per_sequence_ns=0, prefill_overhead_ns=0, per_prefill_token_ns=0,
                    per_context_token_ns=1)
    server, (a, b) = serve(item(0, prompt_token_ids=(1,) * 20), item(1), clock=VirtualClock(cost))
    step(server, a, b)
    assert server.clock.now_ns == 0
    step(server, a, b)
    assert server.clock.now_ns == 21 + 3  # the prompt and the token before
    step(server, a, b)
    assert server.clock.now_ns == 21 + 3 + 22 + 4


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (2, 1, 0)], ids=str)
def test_tokens_come_in_the_order_of_the_requests(order):
    answers = [(10, 11, 12), (20, 21, 22), (30, 31, 32)]
    server, requests = serve(*(item(i, answer=answer) for i, answer in enumerate(answers)))
    assert step(server, requests[1]) == [20]  # one of them is a step ahead
    expected = [[answers[i][n + (i == 1)] for i in order] for n in (0, 1)]
    assert [step(server, *(requests[i] for i in order)) for _ in range(2)] == expected


def test_a_request_may_sit_out_a_step():
    server, (a, b) = serve(item(0, answer=(10, 11, 12)), item(1, answer=(20, 21)))
    assert [step(server, a, b), step(server, b), step(server, b), step(server, a)] == [
        [10, 20],
        [21],
        [EOS_TOKEN_ID],
        [11],
    ]


@pytest.mark.parametrize("max_tokens", [2, 9], ids=["at its limit", "by EOS"])
def test_a_finished_request_passed_again_costs_its_row_and_yields_eos(max_tokens):
    server, (a, b) = serve(item(0, answer=(10, 11), max_tokens=max_tokens), item(1, num_tokens=9))
    for _ in range(3):
        step(server, a, b)
    before_ns = server.clock.now_ns
    tokens = [step(server, a, b) for _ in range(3)]
    assert tokens == [[EOS_TOKEN_ID, token] for token in (103, 104, 105)]
    assert server.clock.now_ns - before_ns == 3 * (MS + 2 * MS // 10)
    assert server.log.requests[0].token_ids == [10, 11]
    assert [entry.useful_ids for entry in server.log.steps[-3:]] == [(1,)] * 3
    assert [entry.request_ids for entry in server.log.steps[-3:]] == [(0, 1)] * 3


def test_eos_as_the_very_first_token_leaves_an_empty_answer():
    server, (a,) = serve(item(0, answer=()))
    assert step(server, a) == [EOS_TOKEN_ID]
    server.respond(a)
    assert (server.log.requests[0].answer, a.first_token_time_s) == ((), None)


def test_a_step_of_the_model_gives_what_each_prompt_gets_alone_and_again_after_another_used_its_slot():
    model, prompts = small_model(), [tuple(draw(n, seed=n)) for n in (5, 21)]
    alone = [greedy_alone(model, prompt, 8)[0] for prompt in prompts]
    items = [item(i, prompt_token_ids=prompts[i % 2], ignore_eos=False) for i in range(3)]
    server, requests = serve(*items, tokens=ModelRunner(model, 1))
    for request, expected in zip(requests, [*alone, alone[0]]):  # A, B, A again, all in the only slot
        assert [step(server, request)[0] for _ in range(8)] == with_eos_to_the_end(expected)
        server.respond(request)


def with_eos_to_the_end(tokens):
    num_kept = tokens.index(EOS_TOKEN_ID) if EOS_TOKEN_ID in tokens else len(tokens)
    return tokens[:num_kept] + [EOS_TOKEN_ID] * (len(tokens) - num_kept)


def test_a_finished_row_can_ride_along_at_the_edge_of_its_slot():
    model = random_model(SMALL, seed=3)
    model.embedding[EOS_TOKEN_ID] = 0  # never the best of 257
    items = [
        item(0, prompt_token_ids=tuple(draw(60)), max_tokens=4, answer=None),
        item(1, prompt_token_ids=(1, 2), max_tokens=30, answer=None),
    ]
    tokens = ModelRunner(model, 2, 64)
    server, (a, b) = serve(*items, tokens=tokens)
    for _ in range(12):
        step(server, a, b)
    assert [len(record.token_ids) for record in server.log.requests.values()] == [4, 12]
    assert tokens.cache.lengths.tolist() == [60 + 3, 2 + 11]  # what rides along leaves nothing


@pytest.mark.parametrize("name", ["scripted", "model"])
def test_ignoring_eos_goes_on_to_the_limit(name):
    model, prompts = small_model(), [tuple(draw(n, seed=n)) for n in (5, 16)]
    assert all(
        EOS_TOKEN_ID in greedy_alone(model, prompt, 6)[0] for prompt in prompts
    )  # it would like to end
    tokens = ScriptedRunner() if name == "scripted" else ModelRunner(model, 2)
    items = [
        item(i, prompt_token_ids=prompts[i], max_tokens=6, answer=(97,) * 6, ignore_eos=True)
        for i in range(2)
    ]
    server, (a, b) = serve(*items, tokens=tokens)
    for _ in range(6):
        assert EOS_TOKEN_ID not in step(server, a, b)
    assert step(server, a, b) == [EOS_TOKEN_ID] * 2
    assert [len(record.token_ids) for record in server.log.requests.values()] == [6, 6]


# -- refused ---------------------------------------------------------------------------------------


def test_an_empty_step_is_refused():
    server, _ = serve(item(0))
    with pytest.raises(ServingError, match="no requests.*at least one"):
        server.model.forward_one_step([])


def test_a_request_twice_is_refused_and_costs_nothing():
    server, (a, b) = serve(item(0), item(1))
    with pytest.raises(ServingError, match="twice.*once per step"):
        server.model.forward_one_step([a, b, a])
    assert (server.clock.now_ns, server.log.steps) == (0, [])


def test_a_request_that_did_not_come_from_the_queue_is_refused():
    server = make_server(item(0), item(1))
    server.queue.get()
    foreign = Request(request_id=1, prompt_token_ids=(1,), max_tokens=3, arrival_time_s=0.0)
    with pytest.raises(ServingError, match=r"Request\(1.*did not come from server.queue.*from there"):
        server.model.forward_one_step([foreign])


def test_an_answered_request_is_refused():
    server, (a, b) = serve(item(0), item(1))
    step(server, a, b)
    server.respond(a)
    with pytest.raises(ServingError, match="request 0 has been answered.*drop it from the batch"):
        server.model.forward_one_step([b, a])


def test_a_loop_that_never_lets_its_request_go_is_stopped():
    server, (a,) = serve(item(0, num_tokens=2))
    for _ in range(step_limit(server.log.workload)):
        server.model.forward_one_step([a])
    with pytest.raises(ServingError, match="many more steps.*requests that have ended"):
        server.model.forward_one_step([a])


def test_the_step_limit_is_far_above_what_serving_one_by_one_takes():
    items = [item(i, num_tokens=50) for i in range(200)]
    server = make_server(*items)
    assert step_limit(server.log.workload) > 10 * sum(each.num_steps for each in items)


def test_a_request_without_a_scripted_answer_is_refused_without_the_model():
    server, (a,) = serve(item(4, answer=None))
    with pytest.raises(ValueError, match="request 4 has no scripted answer.*model"):
        server.model.forward_one_step([a])
