"""The tutor's training, on a tiny model: what counts as a target, one process or two, stopping and going on."""

from dataclasses import replace

import pytest
import torch

from minigpt.corpus.gradients import tensors_of
from minigpt.corpus.train import Recipe, Trainer, learning_rate, train
from minigpt.corpus.training_data import IGNORED, PREFIX, REWRITE, batches
from minigpt.llm.model import Config
from minigpt.llm.tokenizer import EOS_TOKEN_ID, decode, encode

TINY = Config(width=16, num_layers=1, num_heads=2, head_size=8, ffn_width=16)
SHORT = Recipe(num_steps=4, fix_batch=4, explain_batch=2, rewrite_batch=2)


def test_the_rate_rises_stays_and_falls():
    recipe = replace(Recipe(), num_steps=10_000)
    rates = [learning_rate(step, recipe) for step in range(recipe.num_steps)]
    assert rates[0] < recipe.peak_learning_rate / 50 and rates[recipe.warmup_steps] == recipe.peak_learning_rate
    assert rates[3_900] == recipe.peak_learning_rate and rates[-1] == pytest.approx(recipe.peak_learning_rate / 100)
    assert rates[6_500:] == sorted(rates[6_500:], reverse=True)
    longer = replace(recipe, num_steps=20_000)
    assert learning_rate(3_900, longer) == learning_rate(3_900, recipe)


@pytest.mark.parametrize("task", ["fix", "explain", REWRITE])
def test_only_the_answer_and_its_end_are_targets(task):
    tokens, targets, _ = next(batches(task, 4, seed=1))
    assert tokens.shape == targets.shape
    for row, wanted in zip(tokens.tolist(), targets.tolist()):
        answer = [token for token in wanted if token != IGNORED]
        assert answer[-1] == EOS_TOKEN_ID and answer.count(EOS_TOKEN_ID) == 1
        start = next(i for i, token in enumerate(wanted) if token != IGNORED)
        assert decode(row[: start + 1]).endswith("\n")  # the answer begins after the prompt's line
        assert row[start + 1 : start + len(answer)] == answer[:-1]


@pytest.mark.parametrize("task", ["fix", "explain", REWRITE])
def test_the_sentence_asked_about_is_predicted_too_but_not_its_prefix(task):
    tokens, answers, asked = (tensor.tolist() for tensor in next(batches(task, 4, seed=1)))
    for row, answer, wanted in zip(tokens, answers, asked):
        end = row.index(encode("\n")[0])
        assert [i for i, token in enumerate(wanted) if token != IGNORED] == list(range(PREFIX, end))
        assert wanted[PREFIX:end] == row[PREFIX + 1 : end + 1]
        assert not any(a != IGNORED != b for a, b in zip(answer, wanted))


def test_quick_products_are_for_the_training_alone():
    before = torch.get_float32_matmul_precision()
    Trainer(SHORT, TINY).step()
    assert torch.get_float32_matmul_precision() == before


def test_the_same_seed_draws_the_same_batches():
    first, again = (next(batches("fix", 4, seed=5))[0] for _ in range(2))
    assert torch.equal(first, again)
    other = next(batches("fix", 4, seed=6))[0]
    assert first.shape != other.shape or not torch.equal(first, other)


def test_training_goes_on_where_it_was_saved(tmp_path):
    state = tmp_path / "state.pt"
    trainer = Trainer(SHORT, TINY)
    trainer.step()
    trainer.save(state)
    again = Trainer(SHORT, TINY, state)
    assert again.losses == trainer.losses
    assert all(torch.equal(*pair) for pair in zip(tensors_of(trainer.model), tensors_of(again.model)))
    model, losses = train(SHORT, TINY, state=state)
    assert len(losses) == SHORT.num_steps and losses[:1] == trainer.losses
    assert not any(weight.requires_grad for weight in tensors_of(model))
    assert len(train(SHORT, TINY, state=state)[1]) == SHORT.num_steps  # the end was saved too


@pytest.mark.slow
def test_two_processes_take_the_same_steps_as_one():
    alone, together = (train(SHORT, TINY, num_processes=num) for num in (1, 2))
    assert together[1] == pytest.approx(alone[1], rel=1e-4)
    assert all(torch.allclose(*pair, atol=1e-4) for pair in zip(tensors_of(alone[0]), tensors_of(together[0])))
