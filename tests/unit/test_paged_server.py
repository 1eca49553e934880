"""The server with a block pool: its contract, and what must hold of every policy on it."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minigpt.llm.tokenizer import EOS_TOKEN_ID
from minigpt.runtime.clock import VirtualClock
from minigpt.runtime.errors import ServingError
from minigpt.runtime.paged.model_runner import PagedModelRunner
from minigpt.runtime.paged.server import ADMISSION_RULES
from minigpt.schedulers.registry import load_loop
from minigpt.simulation.paged_run import PRODUCTION, paged_server
from minigpt.workloads.workload import WorkItem, Workload
from tests.lab05.scenes import accounting_fault, ends, scene
from tests.unit.small import COST, MS, draw, greedy_alone, small_model


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")


def run(workload, tokens="scripted", **settings):
    server = paged_server(workload, clock=VirtualClock(COST), tokens=tokens, **settings)
    load_loop(PRODUCTION, "solution")(server)
    return server.log.closed_at(server.clock.now_ns)


# -- the contract ---------------------------------------------------------------------------------------------------


def served(*requests, **settings):
    server = paged_server(scene(*requests), clock=VirtualClock(COST), **settings)
    return server, [server.queue.get_nowait() for _ in requests]


def test_a_step_without_blocks_for_its_tokens_is_refused():
    server, (request,) = served((0, 20, 5), num_blocks=4)
    server.blocks.reserve(request, 16)
    with pytest.raises(ServingError, match="blocks for 20 tokens but has room for 16: reserve"):
        server.model.forward_chunks([(request, 20)])
    assert server.model.forward_chunks([(request, 16)]) == [None]


@pytest.mark.parametrize("num_tokens", [0, 21, -1])
def test_a_chunk_lies_within_what_is_not_computed_yet(num_tokens):
    server, (request,) = served((0, 20, 5))
    server.blocks.reserve(request, 40)
    with pytest.raises(ServingError, match="has 20 tokens to compute"):
        server.model.forward_chunks([(request, num_tokens)])


def test_a_token_comes_when_all_known_ones_are_computed():
    server, (request,) = served((0, 20, 5))
    server.blocks.reserve(request, 40)
    found = [server.model.forward_chunks([(request, size)])[0] for size in (8, 8, 4)]
    assert found == [None, None, 0] and request.num_computed_tokens == 20
    assert [step.num_prefill_tokens for step in server.log.steps] == [8, 8, 4]


def test_a_request_that_has_ended_is_not_computed_again():
    server, (request,) = served((0, 4, 1))
    server.blocks.reserve(request, 4)
    request.append(server.model.forward_chunks([(request, 4)])[0])
    with pytest.raises(ServingError, match="has ended: respond"):
        server.model.forward_chunks([(request, 1)])


@pytest.mark.parametrize(("way", "computed"), [("recompute", 0), ("swap", 12)])
def test_preemption_frees_blocks_and_keeps_tokens(way, computed):
    server, (request, _) = served((0, 12, 5), (0, 12, 5), num_blocks=2)
    server.blocks.reserve(request, 12)
    request.append(server.model.forward_chunks([(request, 12)])[0])
    before_ns = server.clock.now_ns
    server.preempt(request, way)
    assert (server.blocks.num_free, request.num_computed_tokens, request.num_output_tokens) == (2, computed, 1)
    assert (server.clock.now_ns > before_ns) == (way == "swap")
    assert server.blocks.reserve(request, 13)
    assert server.model.forward_chunks([(request, 13 - computed)]) == [1]


def test_only_a_holder_of_blocks_is_preempted_in_one_of_two_ways():
    server, (request,) = served((0, 12, 5))
    with pytest.raises(ServingError, match="holds no blocks"):
        server.preempt(request, "swap")
    server.blocks.reserve(request, 12)
    with pytest.raises(ServingError, match="choose recompute or swap"):
        server.preempt(request, "drop")


def test_a_refused_request_has_left():
    server, (request,) = served((0, 12, 5))
    server.refuse(request, "too long")
    assert (request.status, server.log.refusals) == ("refused", {0: "too long"})
    with pytest.raises(ServingError, match="was refused"):
        server.respond(request)


@pytest.mark.parametrize(("setting", "text"), [
    ({"token_budget": 8}, "prompts would wait forever"), ({"admission": "hope"}, "admission='hope'"),
    ({"admission": "profiled"}, "needs profile"), ({"aging_s": -1.0}, "aging_s=-1"),
])
def test_settings_with_which_nobody_could_be_served_are_refused(setting, text):
    with pytest.raises(ValueError, match=text):
        paged_server(scene((0, 4, 4)), **setting)


def test_the_other_port_is_named():
    server, (request,) = served((0, 4, 4))
    with pytest.raises(ServingError, match="takes forward_chunks"):
        server.model.forward_one_step([request])


# -- what holds of every policy -------------------------------------------------------------------------------------

REQUESTS = st.lists(
    st.tuples(st.integers(0, 60), st.integers(1, 60), st.integers(1, 40), st.integers(0, 2)), min_size=1, max_size=14
)
POLICY = {
    "num_blocks": st.integers(2, 14), "block_size": st.sampled_from([1, 4, 8, 16]), "max_inflight": st.integers(1, 6),
    "token_budget": st.one_of(st.none(), st.integers(7, 40)), "admission": st.sampled_from(ADMISSION_RULES),
    "profile_percent": st.sampled_from([10, 50, 90, 100]), "reserve_blocks": st.integers(0, 3),
    "aging_s": st.sampled_from([0.0, 0.005, 1e6]),
}


def expect_sound(log, settings_of_run) -> None:
    """Blocks conserved at every step, every request ended once, and its tokens are those it gets alone."""
    assert accounting_fault(log) is None
    assert all(use.num_stored_tokens <= use.num_used_blocks * log.block_size for use in log.memory)
    assert all(use.num_used_blocks <= log.num_blocks for use in log.memory)
    assert set(ends(log).values()) == {1}
    for record in log.requests.values():
        needed = -(-(len(record.item.prompt_token_ids) + record.item.max_tokens) // log.block_size)
        assert (record.item.request_id in log.refusals) == (needed > log.num_blocks)
        assert record.answer in (None, record.item.answer)


@settings(max_examples=150, deadline=None)
@given(requests=REQUESTS, policy=st.fixed_dictionaries(POLICY))
def test_every_policy_is_sound_with_scripted_tokens(requests, policy):
    log = run(scene(*requests), profile=[3, 10, 20], **policy)
    expect_sound(log, policy)


def model_work(model, rng: random.Random, count: int) -> Workload:
    items = []
    for i in range(count):
        prompt, limit = tuple(draw(rng.randint(1, 24), seed=rng.random())), rng.randint(1, 20)
        tokens, _ = greedy_alone(model, prompt, limit)
        answer = tuple(tokens[: tokens.index(EOS_TOKEN_ID)] if EOS_TOKEN_ID in tokens else tokens)
        items.append(WorkItem(request_id=i, prompt_token_ids=prompt, max_tokens=limit, answer=answer,
                              arrival_ns=rng.randint(0, 30) * MS, priority=rng.randint(0, 1)))
    return Workload(name="random", items=tuple(items))


@pytest.mark.parametrize("seed", range(12))
def test_every_policy_is_sound_with_the_models_tokens(seed):
    rng, model = random.Random(seed), small_model()
    workload = model_work(model, rng, 8)
    policy = {
        "num_blocks": rng.randint(6, 16), "block_size": rng.choice((4, 8)), "max_inflight": rng.randint(2, 6),
        "token_budget": rng.choice((None, 7, 12)), "admission": rng.choice(ADMISSION_RULES), "aging_s": 0.01,
        "reserve_blocks": rng.randint(0, 2), "profile": [4, 9],
    }
    server = paged_server(workload, clock=VirtualClock(COST), tokens="scripted", **policy)
    tokens = PagedModelRunner(model, server._pool, len(workload.items), 64)
    server._tokens = server.model._tokens = tokens
    load_loop(PRODUCTION, "solution")(server)
    expect_sound(server.log.closed_at(server.clock.now_ns), policy)


def test_a_tiny_pool_preempts_both_ways_and_loses_nothing():
    model = small_model()
    workload = model_work(model, random.Random(3), 10)
    ways = set()
    for block_size in (2, 8):
        server = paged_server(workload, clock=VirtualClock(COST), num_blocks=48 // block_size, block_size=block_size)
        server._tokens = server.model._tokens = PagedModelRunner(model, server._pool, 10, 64)
        load_loop(PRODUCTION, "solution")(server)
        log = server.log.closed_at(server.clock.now_ns)
        expect_sound(log, {})
        ways |= {each.way for each in log.preemptions}
    assert ways == {"recompute", "swap"}
