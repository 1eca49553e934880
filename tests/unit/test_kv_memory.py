"""KV memory: the formula against the cache itself, against published figures, and what fits."""

import random

import pytest

from minigpt.llm.kv_cache import KVCache
from minigpt.llm.kv_memory import (
    GIB,
    WAYS,
    bytes_per_sequence,
    bytes_per_token,
    places,
    sequences_that_fit,
)
from minigpt.llm.model import Config
from minigpt.llm.model_shapes import MODELS, Shape


def test_the_mini_gpt_is_the_one_that_is_shipped():
    config, shape = Config(), MODELS["Mini-GPT"]
    names = ("num_layers", "num_heads", "num_kv_heads", "head_size", "context")
    assert [getattr(shape, name) for name in names] == [getattr(config, name) for name in names]


@pytest.mark.parametrize("config", [
    Config(), Config(num_layers=2, num_heads=6, num_kv_heads=3, head_size=10, context=64),
])
def test_the_formula_is_what_the_cache_takes(config):
    cache = KVCache(config, num_slots=5, max_length=40)
    held = sum(tensor.nelement() * tensor.element_size() for tensor in (cache.k, cache.v))
    shape = Shape(
        name="", num_layers=config.num_layers, num_heads=config.num_heads, num_kv_heads=config.num_kv_heads,
        head_size=config.head_size, bytes_per_element=4, context=config.context,
    )
    assert held == 5 * bytes_per_sequence(shape, 40)


@pytest.mark.parametrize("name, expected", [
    ("Mini-GPT", 1536),
    ("GPT-2", 36 * 1024),
    ("Falcon-7B", 8 * 1024),
    ("OPT-13B", 800 * 1024),  # Kwon et al. (2023), section 3: "800 KB"
    ("Llama-2-7B", 512 * 1024),
    ("Mistral-7B", 128 * 1024),
    ("Llama-3-8B", 128 * 1024),
    ("DeepSeek-V2", 60 * (512 + 64) * 2),
])
def test_known_models(name, expected):
    assert bytes_per_token(MODELS[name]) == expected


def test_the_latent_of_deepseek_v2_is_worth_two_and_a_quarter_groups():
    # DeepSeek-AI (2024), table 1: as much as grouped-query attention with 2.25 groups.
    shape = MODELS["DeepSeek-V2"]
    assert shape.latent_size == 2.25 * 2 * shape.head_size


@pytest.mark.parametrize("length, expected", [(1, (1024, 1, 16)), (16, (1024, 16, 16)), (17, (1024, 17, 32)),
                                              (1024, (1024, 1024, 1024))])
def test_places(length, expected):
    assert tuple(places(length, way, context=1024, block_size=16) for way in WAYS) == expected


def test_exact_holds_most_and_the_maximum_least():
    rng = random.Random(3)
    for _ in range(200):
        lengths = [rng.randint(1, 500) for _ in range(40)]
        num_places = rng.randint(0, 12_000)
        maximum, exact, blocks = (sequences_that_fit(num_places, lengths, way, context=1024) for way in WAYS)
        assert maximum <= blocks <= exact <= 40
        assert sum(lengths[:exact]) <= num_places
        assert exact == 40 or sum(lengths[: exact + 1]) > num_places


def test_a_conversation_of_llama_2_in_16_gib():
    num_places = 16 * GIB // bytes_per_token(MODELS["Llama-2-7B"])
    assert num_places == 32_768
    assert sequences_that_fit(num_places, [660] * 100, "maximum", context=4096) == 8
    assert sequences_that_fit(num_places, [660] * 100, "exact", context=4096) == 49
    assert sequences_that_fit(num_places, [660] * 100, "blocks", context=4096) == 48


def test_mistakes_are_named(monkeypatch):
    monkeypatch.setenv("MINIGPT_LANG", "en")
    with pytest.raises(ValueError, match="way='pages'"):
        places(1, "pages", context=8)
    with pytest.raises(ValueError, match="num_tokens=1025"):
        bytes_per_sequence(MODELS["Mini-GPT"], 1025)
