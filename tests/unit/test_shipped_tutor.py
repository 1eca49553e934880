"""The shipped checkpoint: right often enough, sure of its pool, mixed in length and small."""

import os
import re
import subprocess
import sys
from functools import lru_cache

import pytest

from minigpt.analysis.metrics import summarize
from minigpt.corpus.evaluate import GROUPS, evaluate, evaluate_outside, evaluate_typed
from minigpt.corpus.prompts import MIN_GAP, POOL, tutor_prompts
from minigpt.llm.checkpoint_io import CHECKPOINT
from minigpt.llm.tutor import answer_all, load_tutor, stream
from minigpt.paths import repository_root
from minigpt.simulation.run import replay
from minigpt.workloads.workload import MAX_ANSWER_TOKENS, workload

NUM_PROMPTS = 100  # a group; `python -m minigpt eval` takes more
# What this tutor reaches, less a little: another training may not fall below it. The aim is 99, 98, and 92 of those typed.
LEAST_PERCENT = {"fix": 94, "explain": 87}  # of the six hundred prompts of the model card
LEAST_TYPED_PERCENT = {"en": 81, "es": 78}
MOST_SPOILT = 7  # of the right sentences in both lists
LEAST_OUTSIDE = 45  # of 50


@lru_cache
def accuracies():
    return [evaluate(load_tutor(), language, kind, NUM_PROMPTS, seed=7) for language, kind in GROUPS]


@lru_cache
def pool_sample():
    """Evenly picked prompts of each kind, 120 in all, and the model's answers to them."""
    prompts = [prompt for pool in tutor_prompts().values() for prompt in pool[:: len(pool) // 60][:60]]
    return prompts, list(answer_all(load_tutor(), [list(prompt.token_ids) for prompt in prompts]))


def stated_percent(language: str, kind: str) -> float:
    """The exact match that the model card states."""
    card = (CHECKPOINT / "README.md").read_text(encoding="utf-8")
    return float(re.search(rf"^\| {language} \| {kind} \| ([0-9.]+) % \|", card, re.MULTILINE)[1])


@pytest.mark.parametrize("group", range(len(GROUPS)), ids=["-".join(group) for group in GROUPS])
def test_accuracy_on_sentences_it_never_saw_is_what_the_card_states(group):
    found = accuracies()[group]
    assert (found.language, found.kind, found.num_prompts) == (*GROUPS[group], NUM_PROMPTS)
    stated = stated_percent(*GROUPS[group])
    assert stated >= LEAST_PERCENT[found.kind]
    standard_error = (stated * (100 - stated) / NUM_PROMPTS) ** 0.5  # of a hundred prompts
    assert abs(found.exact_percent - stated) <= 3 * standard_error + 1, found.mistakes


@lru_cache
def typed(language: str):
    return evaluate_typed(load_tutor(), language)


@pytest.mark.parametrize("language", ["en", "es"])
def test_it_understands_what_people_type(language):
    """Sentences that were written by hand before the training, and that it never saw."""
    assert typed(language).right_percent >= LEAST_TYPED_PERCENT[language], typed(language).mistakes


def test_it_leaves_right_sentences_alone():
    found = [typed(language) for language in ("en", "es")]
    assert sum(each.num_correct for each in found) >= 60
    assert sum(each.num_spoilt for each in found) <= MOST_SPOILT, [each.mistakes for each in found]


def test_it_says_when_it_does_not_know():
    found = evaluate_outside(load_tutor())
    assert found.num_sentences == 50 and found.num_right >= LEAST_OUTSIDE, found.mistakes


def test_the_longest_answers_are_at_least_8_times_the_shortest():
    found = accuracies()
    assert max(each.max_tokens for each in found) >= 8 * min(each.min_tokens for each in found)
    lengths = [len(prompt.answer_ids) for pool in tutor_prompts().values() for prompt in pool]
    assert max(lengths) >= 8 * min(lengths)


def test_no_answer_of_the_pool_reaches_the_token_limit():
    assert all(
        len(prompt.answer_ids) < MAX_ANSWER_TOKENS for pool in tutor_prompts().values() for prompt in pool
    )


def test_the_pool_holds_what_the_model_answers():
    prompts, answers = pool_sample()
    assert len(prompts) == 120
    wrong = [
        p.prompt
        for p, answer in zip(prompts, answers)
        if answer.token_ids != p.answer_ids or not answer.ended
    ]
    assert wrong == []


def test_the_model_is_sure_of_every_token_of_the_pool():
    prompts, answers = pool_sample()
    assert [p.prompt for p, answer in zip(prompts, answers) if not answer.smallest_gap > MIN_GAP] == []


def test_streaming_gives_the_same_answer_as_a_batch():
    prompts, answers = pool_sample()
    for prompt, answer in list(zip(prompts, answers))[::20]:
        assert tuple(stream(load_tutor(), prompt.prompt)) == answer.token_ids


def test_the_pool_has_enough_of_each_language_and_kind():
    for kind, pool in tutor_prompts().items():
        for language in ("en", "es"):
            assert sum(prompt.language == language for prompt in pool) >= 100, (kind, language)
        assert len({prompt.prompt for prompt in pool}) == len(pool)


def test_what_is_shipped_is_at_most_8_megabytes():
    assert POOL.parent == CHECKPOINT
    assert sum(path.stat().st_size for path in CHECKPOINT.iterdir()) <= 8_000_000


@pytest.mark.parametrize("policy", ["static", "continuous"])
def test_scripted_answers_and_the_model_make_the_same_run(policy):
    requests = workload("mixed:0.3", num_requests=60, seed=9, load=0.7)
    by_model, scripted = (
        replay(policy, requests, impl="solution", tokens=tokens) for tokens in ("model", "scripted")
    )
    assert by_model.steps == scripted.steps
    for found, expected in zip(by_model.requests.values(), scripted.requests.values(), strict=True):
        assert (found.answer, found.token_times_ns) == (expected.answer, expected.token_times_ns)
        assert (found.admitted_ns, found.finish_ns) == (expected.admitted_ns, expected.finish_ns)
    assert summarize(by_model) == summarize(scripted)


def ask(*arguments):
    environment = {**os.environ, "MINIGPT_ENV": "current", "MINIGPT_LANG": "en"}
    return subprocess.run([sys.executable, "-m", "minigpt", "ask", *arguments], cwd=repository_root(), timeout=120,
                          env=environment, capture_output=True, encoding="utf-8")


def test_ask_streams_the_correction():
    done = ask("fix: she go to school")
    assert (done.returncode, done.stdout, done.stderr) == (0, "goes\n", "")


def test_ask_refuses_an_empty_prompt():
    done = ask("  ")
    assert (done.returncode, done.stdout) == (2, "")
    assert "prompt is empty" in done.stderr
