"""Checkpoints come back as they were saved, and a faulty one says which file, what, and what to do."""

import json
from dataclasses import replace

import pytest
import torch
from safetensors.torch import load_file, save_file

from minigpt.llm.checkpoint_io import CheckpointError, from_hf, load_checkpoint, random_model, save_checkpoint, to_hf
from minigpt.llm.model import Config, Layer
from tests.unit.small import GROUPED, SMALL, draw, small_model

CONFIG, WEIGHTS = "config.json", "model.safetensors"
SCALE = "model.norm.weight"


@pytest.fixture
def folder(tmp_path):
    """A good checkpoint in a path with a space and an accent."""
    folder = tmp_path / "mi año"
    save_checkpoint(small_model(GROUPED), folder)
    return folder


def tensors_of(model):
    yield from (model.embedding, model.final_norm)
    for layer in model.layers:
        yield from (getattr(layer, name) for name in Layer.__slots__)


# -- the way there and back ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "config", [SMALL, GROUPED, Config(num_layers=1)], ids=["one KV head", "two", "shipped width"]
)
def test_a_model_comes_back_rounded_to_half_precision(tmp_path, config):
    model = random_model(config)
    save_checkpoint(model, tmp_path)
    loaded = load_checkpoint(tmp_path)
    assert loaded.config == config
    for found, saved in zip(tensors_of(loaded), tensors_of(model), strict=True):
        assert found.dtype == torch.float32
        assert torch.equal(found, saved.half().float())


def test_unusual_numbers_of_a_config_come_back(tmp_path):
    config = replace(SMALL, rope_base=5_000.0, norm_eps=1e-3, context=96)
    save_checkpoint(random_model(config), tmp_path)
    assert load_checkpoint(tmp_path).config == config


def test_saving_what_was_loaded_changes_no_byte(folder, tmp_path):
    save_checkpoint(load_checkpoint(folder), tmp_path / "again")
    for name in (CONFIG, WEIGHTS):
        assert (tmp_path / "again" / name).read_bytes() == (folder / name).read_bytes()


def test_fused_weights_are_split_and_joined_without_rounding():
    model = small_model(GROUPED)
    again = from_hf(GROUPED, to_hf(model))
    tokens = torch.tensor([draw(20)])
    assert torch.equal(again.forward(tokens), model.forward(tokens))


def test_hugging_face_names_hold_matrices_as_outputs_by_inputs():
    tensors = to_hf(small_model(GROUPED))
    assert tensors["model.layers.1.self_attn.q_proj.weight"].shape == (4 * 8, 32)
    assert tensors["model.layers.1.self_attn.v_proj.weight"].shape == (2 * 8, 32)
    assert tensors["model.layers.1.mlp.down_proj.weight"].shape == (32, 48)
    assert len(tensors) == 2 + 9 * GROUPED.num_layers


def test_pairs_are_side_by_side_here_and_half_a_head_apart_in_files():
    model = small_model(GROUPED)
    tensors, qkv = to_hf(model), model.layers[0].qkv
    q, k, v = (tensors[f"model.layers.0.self_attn.{name}_proj.weight"] for name in "qkv")
    assert torch.equal(q[[8, 12]], qkv[:, [8, 9]].t())  # the second head's first pair
    assert torch.equal(k[[1, 5]], qkv[:, [32 + 2, 32 + 3]].t())  # the first key head's second pair
    assert torch.equal(v, qkv[:, 48:].t())
    assert torch.equal(from_hf(GROUPED, tensors).layers[0].qkv, qkv)


def test_random_weights_come_from_their_seed():
    first, same, other = (random_model(SMALL, seed).layers[1].qkv for seed in (1, 1, 2))
    assert torch.equal(first, same)
    assert not torch.equal(first, other)


# -- faulty checkpoints ----------------------------------------------------------------------------


def change_tensors(folder, change):
    tensors = load_file(folder / WEIGHTS)
    change(tensors)
    save_file({name: tensor.clone() for name, tensor in tensors.items()}, folder / WEIGHTS)


def change_config(folder, **values):
    config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    (folder / CONFIG).write_text(json.dumps(config | values), encoding="utf-8")


def assert_refused(folder, file, *words):
    with pytest.raises(CheckpointError) as refusal:
        load_checkpoint(folder)
    text = str(refusal.value)
    assert isinstance(refusal.value, ValueError)
    wanted = (str(folder / file), *words, "git checkout minigpt/checkpoint", "make train")
    assert [word for word in wanted if word not in text] == [], text


@pytest.mark.parametrize("name", [CONFIG, WEIGHTS])
def test_a_missing_file_is_named(folder, name):
    (folder / name).unlink()
    assert_refused(folder, name, "missing")


def test_a_missing_folder_is_named(tmp_path):
    assert_refused(tmp_path / "nowhere", CONFIG, "missing")


@pytest.mark.parametrize("name", [CONFIG, WEIGHTS])
def test_a_folder_in_place_of_a_file_is_damage(folder, name):
    (folder / name).unlink()
    (folder / name).mkdir()
    assert_refused(folder, name, "damaged")


@pytest.mark.parametrize("kept_percent", [0, 1, 50, 99])
def test_truncated_weights_are_damage(folder, kept_percent):
    content = (folder / WEIGHTS).read_bytes()
    (folder / WEIGHTS).write_bytes(content[: len(content) * kept_percent // 100])
    assert_refused(folder, WEIGHTS, "damaged")


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"3", b"\xff", b"version https://git-lfs"], ids=repr)
def test_a_config_that_is_not_one_is_damage(folder, content):
    (folder / CONFIG).write_bytes(content)
    assert_refused(folder, CONFIG, "damaged")


def test_weights_that_are_something_else_are_damage(folder):
    (folder / WEIGHTS).write_bytes(b"version https://git-lfs.github.com/spec/v1\n" * 9)
    assert_refused(folder, WEIGHTS, "damaged")


def test_a_size_missing_from_the_config_is_named(folder):
    config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    del config["head_dim"]
    (folder / CONFIG).write_text(json.dumps(config), encoding="utf-8")
    assert_refused(folder, CONFIG, "head_dim")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("hidden_size", "wide"), ("hidden_size", -1), ("hidden_size", 0), ("hidden_size", 32.5), ("hidden_size", True),
        ("num_hidden_layers", None), ("num_attention_heads", 3), ("head_dim", 7), ("max_position_embeddings", 0),
        ("rope_theta", None), ("rope_theta", 0), ("rms_norm_eps", "small"), ("rms_norm_eps", float("nan")),
    ],
)
def test_a_size_that_cannot_be_is_named_with_its_value(folder, name, value):
    change_config(folder, **{name: value})
    assert_refused(folder, CONFIG, f"{name}={value!r}".replace('"', "'"))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"num_hidden_layers": 3}, ["model.layers.2.", "found nothing"]),
        ({"num_hidden_layers": 1}, ["model.layers.1.", "not part of this model"]),
        ({"intermediate_size": 40}, ["mlp.gate_proj", "(40, 32)", "(48, 32)"]),
        ({"hidden_size": 64}, ["embed_tokens", "(257, 64)", "(257, 32)"]),
        # Another Llama's sizes: refused by their shapes, before memory is asked for.
        ({"hidden_size": 16384, "intermediate_size": 53248}, ["(257, 16384)", "(257, 32)"]),
    ],
    ids=str,
)
def test_weights_of_another_shape_than_the_config_are_refused(folder, values, words):
    change_config(folder, **values)
    assert_refused(folder, WEIGHTS, *words)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda tensors: tensors.pop(SCALE), [SCALE, "(32,)", "found nothing"]),
        (lambda tensors: tensors.update(extra=torch.zeros(2)), ["extra", "not part of this model"]),
        (lambda tensors: tensors.update({SCALE: torch.ones(16)}), [SCALE, "(32,)", "(16,)"]),
    ],
    ids=["missing", "one too many", "misshapen"],
)
def test_a_wrong_tensor_is_named(folder, change, words):
    change_tensors(folder, change)
    assert_refused(folder, WEIGHTS, *words)
