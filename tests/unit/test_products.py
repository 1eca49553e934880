"""Many rows and few give the same logits, whichever library multiplies them; a prompt's last layer serves its last token."""

import pytest
import torch

from minigpt.llm import products
from minigpt.llm.checkpoint_io import random_model
from minigpt.llm.kv_cache import KVCache
from minigpt.llm.model import Config
from minigpt.studies import product_libraries

SHAPES = pytest.mark.parametrize("config", [Config(), Config(num_heads=4, num_kv_heads=2)], ids=["one KV head", "two KV heads"])
PROMPTS = [[token % 250 for token in range(start, start + length)] for start, length in ((1, 31), (9, 44), (70, 17), (3, 1))]
needs_onednn = pytest.mark.skipif(not products.has_onednn(), reason="oneDNN is not here")


def assert_close(found, expected):
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)


def with_libraries(monkeypatch, config, function):
    """What the function returns with oneDNN for many rows, and with torch.mm alone."""
    model, results = random_model(config), []
    for many_rows in (products.MANY_ROWS, 10**9):
        monkeypatch.setattr(products, "MANY_ROWS", many_rows)
        results.append(function(model, KVCache(config, len(PROMPTS), 64)))
    return results


@needs_onednn
@SHAPES
def test_both_libraries_give_the_same_logits(monkeypatch, config):
    def prefill_and_decode(model, cache):
        slots = [cache.allocate() for _ in PROMPTS]
        return model.prefill(PROMPTS, cache, slots), model.decode_step([5] * len(slots), cache, slots)

    for found, expected in zip(*with_libraries(monkeypatch, config, prefill_and_decode), strict=True):
        assert_close(found, expected)


@needs_onednn
def test_oneDNN_takes_prompts_and_no_decode_steps():
    assert products.are_many(1, products.MANY_ROWS) and products.are_many(products.MANY_ROWS // 2, 2)
    assert not products.are_many(1, products.MANY_ROWS - 1)
    assert not products.are_many(64, 1)  # a decode step of any batch size is the same operations


@SHAPES
def test_prefill_is_verify_at_the_last_token(config):
    """`verify` takes every token through the last layer, `prefill` only the last of each prompt."""
    model = random_model(config)
    for prompt in PROMPTS:
        cache = KVCache(config, 2, 64)
        slots = [cache.allocate(), cache.allocate()]
        of_last = model.prefill([prompt], cache, slots[:1])
        of_all = model.verify([prompt], cache, slots[1:])
        assert_close(of_last, of_all[:, -1])
        assert_close(cache.kv[:, :, : config.num_kv_heads, : len(prompt)],
                     cache.kv[:, :, config.num_kv_heads :, : len(prompt)])  # K and V are there for all tokens


def test_padding_to_a_multiple_stays_within_the_slot():
    config = Config()
    model, cache = random_model(config), KVCache(config, 1, 30)
    slots, prompt = [cache.allocate()], PROMPTS[0][:30]  # WIDTHS does not divide 30
    assert len(prompt) % products.WIDTHS
    assert_close(model.prefill([prompt], cache, slots)[0], model.forward(torch.tensor([prompt]))[0, -1])
    assert cache.lengths.tolist() == [30]


def test_a_cache_keeps_few_workspaces():
    config = Config(num_layers=1)
    model = random_model(config)
    cache = KVCache(config, 1)
    for length in range(1, 200):
        cache.lengths.zero_()
        model.prefill([[7] * length], cache, [0])
    assert 1 <= len(cache.workspaces) <= 20


@pytest.mark.parametrize("language, word", [("en", "rows"), ("es", "filas")])
def test_the_report_has_a_line_for_each_number_of_rows(monkeypatch, language, word):
    monkeypatch.setenv("MINIGPT_LANG", language)
    head, *lines = product_libraries.report(random_model(Config(num_layers=1)), repeats=1).splitlines()
    if products.has_onednn():
        assert word in head and [int(line.split()[0]) for line in lines] == list(product_libraries.NUM_ROWS)
        assert all(float(line.split()[-1]) > 0 for line in lines)


def test_without_oneDNN_everything_is_torch_mm(monkeypatch):
    monkeypatch.setattr(products, "_onednn", None)
    assert not products.are_many(8, 100)
    model, cache = random_model(Config()), KVCache(Config(), 1)
    slots = [cache.allocate()]
    assert_close(model.prefill([PROMPTS[1]], cache, slots)[0], model.forward(torch.tensor([PROMPTS[1]]))[0, -1])
