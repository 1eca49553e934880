"""What the text of Lab 01 says of its figures where no machine's speed matters, and what it discusses."""

import pytest
import torch

from minigpt import paths
from minigpt.schedulers import lab_file
from minigpt.studies import lab01, roofline
from tests.unit.small import GROUPED, SMALL, small_model

A, B = roofline.a_and_b_ms(roofline.LLAMA_2_7B, roofline.A100, 512, bytes_per_number=2)


@pytest.mark.parametrize("language", ["en", "es"])
def test_one_of_the_six_answers_is_much_longer_than_the_others(language, monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", language)
    *others, longest = sorted(len(prompt.answer) for prompt in lab01.some_prompts(6))
    assert len(others) == 5 and longest > 2 * max(others)


def test_a_is_reading_the_weights_and_b_reading_k_and_v():
    one, two = (roofline.step_work(roofline.LLAMA_2_7B, size, 512, bytes_per_number=2) for size in (1, 2))
    assert A == pytest.approx(1e3 * one.weight_bytes / roofline.A100.bytes_per_s)
    assert B == pytest.approx(1e3 * (two.kv_bytes - one.kv_bytes) / roofline.A100.bytes_per_s)
    assert one.intensity == pytest.approx(1, abs=0.05) and round(roofline.A100.ridge) == 153


@pytest.mark.parametrize("rows, fits", [(140, True), (150, True), (160, False)])
def test_the_products_of_about_150_rows_fit_into_the_time_of_reading_the_weights(rows, fits):
    compute_ms = 1e3 * 2 * roofline.num_weights(roofline.LLAMA_2_7B) * rows / roofline.A100.flops_per_s
    assert (compute_ms <= A) == fits


@pytest.mark.parametrize("config", [SMALL, GROUPED])
def test_the_masked_step_calls_as_many_operations_for_32_requests_as_for_2_and_one_with_a_loop_more(config):
    code, model = lab_file.load(paths.solution_file(paths.resolve_lab("01"))), small_model(config)
    masked, looped = (
        [lab01.count_operations(make(size)) for size in (2, 32)]
        for make in (lambda size: lab01.padded_step(code.decode_padded, code.pad, model, size, 6),
                     lambda size: lab01.batched_step(code.decode_batch, model, size, 6)))
    assert masked[0] == masked[1] and looped[1] > 5 * looped[0]


@pytest.mark.parametrize("is_new", [True, False])
def test_a_step_may_put_new_lengths_into_the_dict_or_add_to_the_tensor_and_each_call_starts_from_the_same(is_new):
    code, seen = lab_file.load(paths.solution_file(paths.resolve_lab("01"))), []

    @torch.inference_mode()
    def step(model, padded, tokens):
        seen.append(padded["lengths"].tolist())
        if is_new:
            padded["lengths"] = padded["lengths"] + 1
        else:
            padded["lengths"] += 1

    run = lab01.padded_step(step, code.pad, small_model(SMALL), 2, 6)
    run(), run()
    assert seen == [[5, 5], [5, 5]]


def test_a_dict_without_two_cases_works_as_the_discussion_of_the_first_exercise_says():
    cache = {}

    def remember(cache, layer, k, v):
        keys, values = cache.get(layer, (k[:0], v[:0]))
        cache[layer] = torch.cat([keys, k]), torch.cat([values, v])
        return cache[layer]

    parts = torch.arange(24.0).view(4, 3, 2).split([1, 3])  # (T, K, D) each
    for part in parts:
        keys, values = remember(cache, 0, part, -part)
    assert torch.equal(keys, torch.cat(parts)) and torch.equal(values, -keys) and cache[0][0] is keys


@pytest.mark.parametrize("config", [SMALL, GROUPED])
def test_joined_pasts_need_one_product_and_no_padding_as_the_discussion_of_the_fourth_exercise_says(config):
    code = lab_file.load(paths.solution_file(paths.resolve_lab("01")))
    lengths, num_heads, num_kv_heads, size = [1, 4, 7], config.num_heads, config.num_kv_heads, config.head_size
    torch.manual_seed(1)
    q = torch.randn(len(lengths), num_heads, size)
    keys, values = torch.randn(2, sum(lengths), num_kv_heads, size)  # one request's tokens behind the other's

    owner = torch.repeat_interleave(torch.tensor(lengths))
    scores = q.view(len(q), num_kv_heads, -1, size) @ keys.permute(1, 2, 0) / size**0.5  # (B, K, H/K, S of all)
    foreign = owner != torch.arange(len(q))[:, None]  # (B, S of all)
    joined = scores.masked_fill(foreign[:, None, None], -torch.inf).softmax(dim=-1) @ values.transpose(0, 1)

    own = [code.attend(*each) for each in zip(q, keys.split(lengths), values.split(lengths))]
    assert torch.allclose(joined.reshape(len(q), -1), torch.stack(own), atol=1e-6)
