"""Small models and workloads, and a server to put them on: quick enough for hundreds of tests."""

import random
from dataclasses import replace
from functools import lru_cache

import torch

from minigpt.llm.checkpoint_io import random_model
from minigpt.llm.model import Config
from minigpt.llm.tokenizer import EOS_TOKEN_ID
from minigpt.runtime.clock import StepCost, VirtualClock
from minigpt.runtime.model_runner import ScriptedRunner
from minigpt.runtime.server import make_server as server_for
from minigpt.schedulers.registry import find_policy, load_loop
from minigpt.workloads.workload import WorkItem, Workload

SMALL = Config(width=32, num_layers=2, num_heads=4, num_kv_heads=1, head_size=8, ffn_width=48, context=64)
GROUPED = replace(SMALL, num_kv_heads=2)  # 2 query heads share each key/value head

MS = 1_000_000  # nanoseconds
# A step takes 1 ms and 0.1 ms per row; a prefill pass 2 ms and 0.01 ms per token: times that can be added up by eye.
COST = StepCost(
    step_overhead_ns=MS, per_sequence_ns=MS // 10, prefill_overhead_ns=2 * MS, per_prefill_token_ns=MS // 100,
    per_context_token_ns=0,
)


@lru_cache
def small_model(config=SMALL):
    """Random weights whose logits lie far apart, so that 1e-4 means something; EOS comes every now and then."""
    model = random_model(config, seed=3)
    model.embedding *= 5
    model.embedding[EOS_TOKEN_ID] *= 3
    return model


def draw(num_tokens, seed=0):
    """Random text tokens."""
    rng = random.Random(seed)
    return [rng.randrange(EOS_TOKEN_ID) for _ in range(num_tokens)]


def greedy_alone(model, prompt, num_tokens):
    """The greedy tokens after a prompt and the logits of each, computed alone and without a cache."""
    tokens, logits = list(prompt), []
    for _ in range(num_tokens):
        logits.append(model.forward(torch.tensor([tokens]))[0, -1])
        tokens.append(int(logits[-1].argmax()))
    return tokens[len(prompt) :], logits


def item(request_id, arrival_ns=0, num_tokens=3, **settings):
    """A request whose scripted answer has this number of tokens and then EOS."""
    settings = {"prompt_token_ids": (7, 8), "max_tokens": num_tokens + 5, **settings}
    settings.setdefault("answer", tuple(range(100, 100 + num_tokens)))
    return WorkItem(request_id=request_id, arrival_ns=arrival_ns, **settings)


def work(*items, **settings):
    return Workload(name="by hand", items=items, **settings)


def make_server(*items, clock=None, tokens=None, num_clients=None, think_ns=0, **settings):
    workload = work(*items, num_clients=num_clients, think_ns=think_ns)
    return server_for(workload, clock=clock or VirtualClock(COST), runner=tokens or ScriptedRunner(), **settings)


def reference(policy):
    """The reference's loop of a policy."""
    return load_loop(find_policy(policy), "solution")
