"""A second road to the same logits: Hugging Face's Llama class, from the very same checkpoint folder."""

from dataclasses import replace

import pytest
import torch

from minigpt.corpus.prompts import tutor_prompts
from minigpt.llm.checkpoint_io import CHECKPOINT, load_checkpoint, save_checkpoint
from minigpt.llm.kv_cache import KVCache
from minigpt.llm.model import Config
from minigpt.llm.tokenizer import EOS_TOKEN_ID
from tests.unit.small import GROUPED, SMALL, draw, small_model

pytestmark = pytest.mark.xdist_group("transformers")  # one process loads it
TOLERANCE = 1e-4  # logits, fp32
CONFIGS = {
    "one KV head": SMALL,
    "two KV heads": GROUPED,
    "shipped shape": Config(),
    # Would show a rope base or an eps that is not read: both are at Hugging Face's defaults elsewhere.
    "unusual": replace(SMALL, rope_base=300.0, norm_eps=0.05, head_size=16, context=200),
}


def load_llama(folder):
    from transformers import LlamaForCausalLM  # here: two seconds that no other test process waits

    return LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32, local_files_only=True).eval()


@pytest.fixture(scope="module", params=CONFIGS.values(), ids=CONFIGS)
def both(request, tmp_path_factory):
    """The Mini-GPT and the Llama that come from one checkpoint of random weights."""
    folder = tmp_path_factory.mktemp("checkpoint")
    save_checkpoint(small_model(request.param), folder)
    return load_checkpoint(folder), load_llama(folder)


@pytest.fixture(scope="module")
def shipped():
    return load_checkpoint(), load_llama(CHECKPOINT)


def greedy(model, prompt, num_tokens):
    """The greedy tokens after a prompt, by the KV cache; EOS is the last one."""
    cache = KVCache(model.config, 1)
    slots, tokens = [cache.allocate()], []
    logits = model.prefill([prompt], cache, slots)
    while len(tokens) < num_tokens:
        tokens.append(int(logits[0].argmax()))
        if tokens[-1] == EOS_TOKEN_ID:
            break
        logits = model.decode_step(tokens[-1:], cache, slots)
    return tokens


@torch.no_grad()
def greedy_of_llama(llama, prompt, num_tokens):
    tokens = torch.tensor([prompt])
    generated = llama.generate(
        tokens, attention_mask=torch.ones_like(tokens), max_new_tokens=num_tokens, do_sample=False,
        pad_token_id=EOS_TOKEN_ID,
    )
    return generated[0, len(prompt) :].tolist()


@torch.no_grad()
def assert_same_logits(model, llama, tokens):
    tokens = torch.tensor(tokens)
    difference = (model.forward(tokens) - llama(tokens).logits).abs().max()
    assert float(difference) <= TOLERANCE


def test_the_config_is_read_as_it_was_meant(both):
    model, llama = both
    ours, theirs = model.config, llama.config
    assert theirs.rope_parameters["rope_theta"] == ours.rope_base
    assert theirs.rope_parameters["rope_type"] == "default"
    assert (theirs.head_dim, theirs.rms_norm_eps) == (ours.head_size, ours.norm_eps)
    assert (theirs.num_attention_heads, theirs.num_key_value_heads) == (ours.num_heads, ours.num_kv_heads)
    assert (theirs.max_position_embeddings, theirs.eos_token_id) == (ours.context, EOS_TOKEN_ID)
    assert theirs.tie_word_embeddings


def test_every_weight_is_used(both):
    model, llama = both
    assert llama.lm_head.weight is llama.model.embed_tokens.weight
    assert torch.equal(llama.lm_head.weight, model.embedding)


def test_llama_gives_the_same_logits(both):
    assert_same_logits(*both, [draw(60, seed=1), draw(60, seed=2)])


@pytest.mark.parametrize("length", [1, 7, 30])
def test_llama_gives_the_same_greedy_tokens(both, length):
    model, llama = both
    prompt = draw(length, seed=length)
    assert greedy(model, prompt, 20) == greedy_of_llama(llama, prompt, 20)


def some_prompts(num_per_kind):
    """Prompts of the tutor's pool: their answers have clear gaps, so that rounding changes no token."""
    return [prompt for pool in tutor_prompts().values() for prompt in pool[:: len(pool) // num_per_kind]]


def test_llama_gives_the_same_logits_with_the_shipped_weights(shipped):
    for prompt in some_prompts(8):
        assert_same_logits(*shipped, [[*prompt.token_ids, *prompt.answer_ids, EOS_TOKEN_ID]])
    assert_same_logits(*shipped, [draw(900, seed=3)])  # far beyond the trained lengths


def test_llama_gives_the_shipped_tutors_answers(shipped):
    for prompt in some_prompts(12):
        expected = greedy(shipped[0], list(prompt.token_ids), 128)
        assert expected[-1] == EOS_TOKEN_ID
        assert greedy_of_llama(shipped[1], list(prompt.token_ids), 128) == expected
