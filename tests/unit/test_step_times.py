"""What Lab 01 times: caches that agree with the model, clocks, counts and words."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from minigpt.analysis import line_fit
from minigpt.llm.kv_cache import KVCache
from minigpt.llm.model import Config
from minigpt.llm.products import has_fbgemm
from minigpt.llm.tutor import load_tutor
from minigpt.studies import lab01, roofline, step_anatomy
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


@pytest.mark.parametrize("in_turns, ratio, is_explained", [([0.5, 2.5], 5.0, True), ([0.26, 2.0], 7.7, False), ([0.2, 2.0], 10.0, False)])
def test_the_ratio_of_the_first_figure_is_compared_with_that_of_the_last(in_turns, ratio, is_explained, monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    words = lab01.measured_twice((1, 32), [0.25, 1.75], in_turns)
    assert words.startswith(f"a step for 32 compared with one for 1: 7.0 × in 1.1, {ratio} × in 1.8")
    assert f"for 1: 0.25 ms, then {in_turns[0]:.2f} ms; for 32: 1.75, then {in_turns[1]:.2f}" in words
    assert ("refill the processor's caches" in words) == is_explained


def test_operations_that_grow_with_the_rows_show_a_loop(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    assert lab01.growth_in_words([272, 272]).endswith("272 272")
    assert "is there still a loop" in lab01.growth_in_words([325, 2665])


def test_a_warming_laptop_slows_down():
    laptop = lab01.WarmingLaptop(call_ms=1.0, growth=2.0)
    laptop.work(), laptop.work()
    assert laptop.clock() == 3.0


SIZES = (1, 2, 4, 8, 16, 32, 64)
LINE = [0.5 + 0.04 * size for size in SIZES]


def test_a_good_line_is_called_good(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    words = line_fit.describe_fit(fit, SIZES, LINE, [0.1] * 7)
    assert words.endswith("within 15 % of every point") and "above" not in words and "below" not in words


@pytest.mark.parametrize("language, words", [
    ("en", "B=1: the line lies 0.13 ms above, and so does a line fitted to the products alone"),
    ("es", "B=1: la recta queda 0.13 ms por encima, y la de los productos solos también"),
])
def test_a_line_that_bends_as_the_products_do(language, words, monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", language)
    products = [0.05, 0.18, 0.28, 0.38, 0.57, 0.97, 1.74]
    steps = [0.5, 0.69, 0.79, 1.04, 1.36, 1.9, 3.4]
    text = line_fit.describe_fit(fit, SIZES, steps, products)
    assert "B=1 +27 %" in text and words in text and text.splitlines()[0].endswith("15 %:")
    assert len(text.splitlines()) == 2, "only what is far off is explained"


@pytest.mark.parametrize("factor, side", [(2, "below"), (0.5, "above")])
def test_a_point_that_the_products_do_not_explain(factor, side, monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    steps = list(LINE)
    steps[4] *= factor
    text = line_fit.describe_fit(fit, SIZES, steps, [0.1] * 7)
    assert "B=16: the line lies" in text and f"ms {side}; the products alone do not curve like this" in text


@pytest.mark.parametrize("language, words", [
    ("en", "the line lies 0.19 ms above, a line fitted to the products alone only 0.09 ms; the difference is noise"),
    ("es", "la recta queda 0.19 ms por encima; la de los productos solos, 0.09; el resto es azar"),
])
def test_a_point_that_the_products_explain_in_part(language, words, monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", language)
    products = [0.14, 0.24, 0.36, 0.52, 0.84, 1.41, 2.52]  # both measured on a busy machine
    assert words in line_fit.describe_fit(fit, SIZES, [0.32, 0.54, 0.62, 0.90, 1.39, 2.06, 3.37], products)


# -- what a step consists of ------------------------------------------------------------------------------------------


def test_the_parts_of_a_step_are_measured_and_add_up(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    times_s = {("given", 8): 2e-3, ("given", 8, "calls"): 0.5e-3, ("student", 8): 4e-3, ("student", 8, "calls"): 3e-3,
               ("products", 8): 1.3e-3, ("products", 8, "calls"): 0.1e-3,
               ("student's products", 8): 1.5e-3, ("student's products", 8, "calls"): 0.1e-3}
    given, own = step_anatomy.parts_of(times_s, [8])
    assert (given.products_ms, given.calls_ms, given.rest_ms) == pytest.approx((1.2, 0.5, 0.3))
    assert step_anatomy.in_words(given) == "given, B = 8: matmul-bound (60 % products)"
    assert own.rest_ms == 0 and sum(own.percent.values()) == pytest.approx(100), "parts that exceed the step leave no rest"
    assert step_anatomy.in_words(own).startswith("yours, B = 8: Python-bound (68 % calls); no rest: timed apart")
    rest = step_anatomy.StepParts(way="given", batch_size=1, step_ms=3, products_ms=1, calls_ms=0.5)
    assert step_anatomy.in_words(rest) == "given, B = 1: bound by the rest (50 %)"
    assert "\n" not in step_anatomy.gains((1, 8), {"separate": [10, 10.5]})
    assert "shares nothing" in step_anatomy.gains((1, 8), {"separate": [10, 13]})
    assert step_anatomy.gains((1, 8), {"given": [10, 45]}) == "tokens per second at B = 8 against B = 1: given ×4.5"


def test_the_tiny_twin_asks_for_the_same_operations_and_the_products_include_attention():
    model = small_model()

    def step(model, size, context):
        return decode_once(model, size, context)

    jobs = step_anatomy.jobs(model, step, (1, 4), context=16)
    assert [key for key in jobs if len(key) == 2] == [(way, B) for way in ("products", "student's products", "given", "student")
                                                        for B in (4, 1)]
    assert all(len(key) == 3 for key in list(jobs)[8:]), "the whole model's steps follow each other"
    for size in (1, 4):
        for name in ("given", "student", "products", "student's products"):
            own, calls = (lab01.count_operations(jobs[key]) for key in ((name, size), (name, size, "calls")))
            assert own == calls
        layers = model.config.num_layers
        for products in ("products", "student's products"):
            assert lab01.count_operations(jobs[products, size]) == 6 * layers + 1, "four linear layers and attention's two"


# -- the roofline -----------------------------------------------------------------------------------------------------


def test_the_work_of_a_step_is_counted_by_hand():
    cfg = replace(SMALL, num_layers=1, vocab_size=10)  # width 32, 4 heads of 8, one KV head, 48 in the feed-forward
    weights = 32 * (4 + 2) * 8 + 4 * 8 * 32 + 3 * 32 * 48 + 10 * 32
    assert roofline.num_weights(cfg) == weights
    work = roofline.step_work(cfg, 3, 5, bytes_per_number=4)
    assert work.flops == 3 * (2 * weights + 2 * 2 * 4 * 8 * 5)
    assert (work.weight_bytes, work.kv_bytes) == (4 * weights, 3 * 2 * 8 * 5 * 4)


def test_what_is_said_of_7b_on_an_a100(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    assert roofline.num_weights(roofline.LLAMA_2_7B) == pytest.approx(6.74e9 - 32_000 * 4_096, rel=0.002)
    one, hundred = (roofline.step_work(roofline.LLAMA_2_7B, size, 0, 2) for size in (1, 100))
    assert one.intensity == pytest.approx(1) and roofline.A100.ridge == pytest.approx(153, abs=0.5)
    assert hundred.intensity < roofline.A100.ridge, "every row up to some hundred uses what has been read anyway"
    short, long = (roofline.a_and_b_ms(roofline.LLAMA_2_7B, roofline.A100, context, 2) for context in (512, 4_096))
    assert short[0] == long[0] == pytest.approx(6.5, abs=0.1) and long[1] == pytest.approx(8 * short[1])
    rows = roofline.table({"7B": (roofline.A100, [one, roofline.step_work(roofline.LLAMA_2_7B, 300, 0, 2)])}).splitlines()
    assert "memory" in rows[1] and "arithmetic" in rows[2]


def test_packed_weights_take_two_bytes_to_read_and_K_and_V_four():
    packed, plain = roofline.bytes_per_weight(load_tutor()), roofline.bytes_per_weight(small_model())
    assert (packed, plain) == (2 if has_fbgemm() else 4, 4)
    halved, whole = (roofline.step_work(Config(), 8, 64, 4, bytes_per_weight=size) for size in (2, 4))
    assert whole == roofline.step_work(Config(), 8, 64, 4)
    assert (2 * halved.weight_bytes, halved.kv_bytes, halved.flops) == (whole.weight_bytes, whole.kv_bytes, whole.flops)


def test_a_machine_is_measured_by_what_it_does_at_best():
    here = roofline.this_machine(1_000_000)
    assert here.flops_per_s > 1e8 and here.bytes_per_s > 1e8
    assert roofline.Machine(name="x", flops_per_s=10, bytes_per_s=5).at_best_s(
        roofline.StepWork(batch_size=1, flops=20, weight_bytes=40, kv_bytes=10)) == 10
