"""What Lab 01 times: caches that agree with the model, clocks, counts and words."""

import numpy as np
import pytest
import torch

from minigpt.analysis import line_fit
from minigpt.llm.kv_cache import KVCache
from minigpt.studies import lab01
from minigpt.studies.decode_floor import decode_once
from tests.unit.small import GROUPED, SMALL, draw, small_model


def fit(sizes, times):
    slope, start = np.polyfit(sizes, times, 1)
    return start, slope


@pytest.mark.parametrize("config", [SMALL, GROUPED])
def test_a_dict_cache_holds_what_the_slot_holds(config):
    model, prompts = small_model(config), [draw(5, seed=1), draw(2, seed=2)]
    cache = KVCache(config, 2)
    slots = [cache.allocate() for _ in prompts]
    model.prefill(prompts, cache, slots)
    for slot, prompt in zip(slots, prompts):
        found = lab01.dict_cache(cache, slot)
        assert sorted(found) == list(range(config.num_layers))
        for layer, (keys, values) in found.items():
            assert keys.shape == values.shape == (len(prompt), config.num_kv_heads, config.head_size)
            rows = slice(slot * config.num_kv_heads, (slot + 1) * config.num_kv_heads)
            assert torch.equal(keys.transpose(0, 1), cache.k[layer, rows, : len(prompt)])


def test_a_batched_step_starts_from_the_same_lengths_each_time():
    seen = []

    def step(model, caches, tokens):
        seen.append([len(cache[0][0]) for cache in caches])
        for cache in caches:
            cache[0] = (torch.zeros(99, 1, 8),) * 2

    run = lab01.batched_step(step, small_model(), batch_size=3, context=12)
    run(), run()
    assert seen == [[11, 11, 11]] * 2


def test_operations_do_not_grow_with_the_batch():
    model = small_model()
    counts = [lab01.count_operations(decode_once(model, size, 16)) for size in (2, 8)]
    assert counts[0] == counts[1] > 50
    assert lab01.count_operations(lab01.separate_steps(model, 4, 16)) > 3 * counts[0]


def test_both_clocks_time_every_call():
    times = lab01.call_times_ms(lambda: sum(range(1000)), calls=7, warmup=2)
    assert {name: len(values) for name, values in times.items()} == {"cpu": 7, "wall": 7}
    assert lab01.median_ms(lambda: sum(range(1000)), repeats=3) >= 0


@pytest.mark.parametrize("guess, expected", [(10, [None, 20.0]), (None, [None, None]), ("4", [None, None]), (-1, [None, None])])
def test_a_guess_is_one_point_or_none(guess, expected):
    assert lab01.guess_at(32, (1, 32), guess, lambda value: 2.0 * value) == expected


def test_a_warming_laptop_slows_down():
    laptop = lab01.WarmingLaptop(call_ms=1.0, growth=2.0)
    laptop.work(), laptop.work()
    assert laptop.clock() == 3.0


SIZES = (1, 2, 4, 8, 16, 32, 64)


def test_a_good_line_is_called_good(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    words = line_fit.describe_fit(fit, SIZES, [0.5 + 0.04 * size for size in SIZES], [0.1] * 7)
    assert "within 15 % of every point" in words and "smallest" not in words


@pytest.mark.parametrize("language, words", [("en", "few rows do not fill them"), ("es", "con pocas no se llenan")])
def test_a_bent_line_is_explained_from_the_data(language, words, monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", language)
    products = [0.14, 0.18, 0.28, 0.38, 0.57, 0.97, 1.74]
    steps = [0.5, 0.69, 0.79, 1.04, 1.36, 1.9, 3.4]
    text = line_fit.describe_fit(fit, SIZES, steps, products)
    assert "B=1 +27 %" in text and words in text and "47 µs" in text and "24 µs" in text
    assert "6 %" in text.splitlines()[-1], "5.46 %: a bound is rounded up"


def test_a_point_that_is_off_elsewhere_is_named(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    steps = [0.5 + 0.04 * size for size in SIZES]
    steps[4] *= 2
    assert "B=16: more than 15 % off" in line_fit.describe_fit(fit, SIZES, steps, [0.1] * 7)
