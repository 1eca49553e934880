"""Packed weights and plain ones give the same products; a prompt's last layer serves its last token."""

import pytest
import torch

from minigpt.llm import products
from minigpt.llm.checkpoint_io import random_model
from minigpt.llm.kv_cache import KVCache
from minigpt.llm.model import Config, MiniGPT
from minigpt.llm.products import LINEAR, LayerProducts, PackedProduct, Product, product_with
from minigpt.llm.tutor import load_tutor
from minigpt.studies import product_libraries

SHAPES = pytest.mark.parametrize("config", [Config(), Config(num_heads=4, num_kv_heads=2)], ids=["one KV head", "two KV heads"])
PROMPTS = [[token % 250 for token in range(start, start + length)] for start, length in ((1, 31), (9, 44), (70, 17), (3, 1))]
needs_fbgemm = pytest.mark.skipif(not products.has_fbgemm(), reason="FBGEMM is not here")


def of_16_bits(rows, columns, seed=0):
    return torch.randn(rows, columns, generator=torch.Generator().manual_seed(seed)).half().float()


def assert_close(found, expected):
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)


@needs_fbgemm
@pytest.mark.parametrize("num_rows", [1, 2, 7, 16, 65])
def test_a_packed_product_is_the_product(num_rows):
    for size in (1, 8, 31, 32, 48, 200):  # of no, one and several packed blocks
        weight, x = of_16_bits(32, size, seed=size), torch.randn(num_rows, 32)
        packed, out = product_with(weight), torch.full((num_rows, size), torch.nan)
        assert isinstance(packed, PackedProduct)
        assert packed(x, out=out) is out
        assert_close(out, x @ weight)
        assert_close(packed(x), x @ weight)
        assert_close(packed(torch.empty(num_rows, 64)[:, ::2].copy_(x)), x @ weight)  # rows that are not side by side in memory


def test_what_16_bits_do_not_hold_is_not_packed():
    exact = of_16_bits(8, 8)
    for number in (1 / 3, 70_000.0, 1e-9, torch.inf):
        weight = exact.clone()
        weight[3, 5] = number
        assert isinstance(product_with(weight), Product)
    plain = product_with(torch.full((4, 4), 1 / 3))
    plain.weight.mul_(3)  # a training: plain products follow their weights
    assert_close(plain(torch.ones(1, 4)), torch.full((1, 4), 4.0))


@needs_fbgemm
def test_the_shipped_model_is_packed_and_a_random_one_is_not():
    tutor, drawn = load_tutor(), random_model(Config(num_layers=1))
    for model, kind in ((tutor, PackedProduct), (drawn, Product)):
        found = [model.output_product, *(getattr(by, name) for by in model.products for name in LINEAR)]
        assert {type(product) for product in found} == {kind} and len(found) == 4 * model.config.num_layers + 1


@needs_fbgemm
@SHAPES
def test_both_libraries_give_the_same_logits(monkeypatch, config):
    drawn, results = random_model(config), []
    for layer in drawn.layers:
        for name in LINEAR:
            setattr(layer, name, getattr(layer, name).half().float())
    for kind in (PackedProduct, Product):
        model = MiniGPT(config, drawn.embedding, drawn.layers, drawn.final_norm)
        assert isinstance(model.products[0].down, kind)
        monkeypatch.setattr(products, "has_fbgemm", lambda: False)  # the second model's
        cache = KVCache(config, len(PROMPTS), 64)
        slots = [cache.allocate() for _ in PROMPTS]
        results.append((model.prefill(PROMPTS, cache, slots), model.decode_step([5] * len(slots), cache, slots)))
    for found, expected in zip(*results, strict=True):
        assert_close(found, expected)
        assert not torch.equal(found, expected)  # two libraries add in different orders


def test_a_processor_without_FBGEMM_multiplies_by_torch_mm(monkeypatch):
    monkeypatch.setattr(products, "has_fbgemm", lambda: False)
    assert {type(each) for each in vars(LayerProducts(load_tutor().layers[0])).values()} == {Product}


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


def test_a_cache_keeps_few_workspaces():
    config = Config(num_layers=1)
    model = random_model(config)
    cache = KVCache(config, 1)
    for length in range(1, 200):
        cache.lengths.zero_()
        model.prefill([[7] * length], cache, [0])
    assert 1 <= len(cache.workspaces) <= 20


@needs_fbgemm
@pytest.mark.parametrize("language, word", [("en", "packed"), ("es", "empaquetados")])
def test_the_report_has_a_line_for_each_number_of_rows(monkeypatch, language, word):
    monkeypatch.setenv("MINIGPT_LANG", language)
    head, *lines = product_libraries.report(load_tutor(), repeats=1).splitlines()
    assert word in head and [int(line.split()[0]) for line in lines] == list(product_libraries.NUM_ROWS)
    assert all(float(line.split()[-1]) > 0 for line in lines)


@pytest.mark.parametrize("language, word", [("en", "no packed weights"), ("es", "no hay pesos empaquetados")])
def test_without_packed_weights_it_says_so(monkeypatch, language, word):
    monkeypatch.setenv("MINIGPT_LANG", language)
    assert word in product_libraries.report(random_model(Config(num_layers=1)), repeats=1)
