"""Exports: what GGUF holds, and folders that are not ours."""

import gguf
import numpy as np
import pytest

from minigpt import __main__ as command_line
from minigpt.extras.export import export as exporting
from minigpt.extras.export.export import GGUF_NAME, MARK, export
from minigpt.extras.export.gguf import paired
from minigpt.extras.export.hf import EOS_TEXT, byte_symbols
from minigpt.llm.checkpoint_io import to_hf
from minigpt.llm.tokenizer import EOS_TOKEN_ID, VOCAB_SIZE
from minigpt.llm.tutor import load_tutor
from tests.unit.small import GROUPED, small_model

# Ours, by hand: llama.cpp's names, without asking the package for them again.
OF_LAYER = {
    "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm", "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
}


def gguf_name(hf_name):
    name = hf_name.removeprefix("model.").removesuffix(".weight")
    if name.startswith("layers."):
        _, index, part = name.split(".", 2)
        return f"blk.{index}.{OF_LAYER[part]}.weight"
    return {"embed_tokens": "token_embd.weight", "norm": "output_norm.weight"}[name]


def by_pairs(weight, num_heads):
    """Row by row: the new rows 2i and 2i + 1 of a head are its old rows i and i + D/2."""
    size = len(weight) // num_heads
    order = [head * size + i + half for head in range(num_heads) for i in range(size // 2) for half in (0, size // 2)]
    return weight[order]


@pytest.mark.parametrize("model", [load_tutor(), small_model(GROUPED)], ids=["the tutor", "two KV heads"])
def test_every_weight_comes_back_from_gguf(model, tmp_path):
    export(model, tmp_path, only="gguf")
    reader = gguf.GGUFReader(tmp_path / GGUF_NAME)
    found = {tensor.name: tensor for tensor in reader.tensors}
    weights = to_hf(model)
    assert set(found) == {gguf_name(name) for name in weights}
    heads = {"q_proj": model.config.num_heads, "k_proj": model.config.num_kv_heads}
    for name, weight in weights.items():
        expected = weight.numpy()
        for part, num_heads in heads.items():
            if part in name:
                expected = by_pairs(expected, num_heads)
        tensor = found[gguf_name(name)]
        kind = np.float16 if expected.ndim == 2 else np.float32
        assert tensor.data.dtype == kind
        assert np.array_equal(tensor.data.reshape(expected.shape), expected.astype(kind)), name


def test_gguf_holds_the_sizes_and_the_tokens(tmp_path):
    config = load_tutor().config
    export(load_tutor(), tmp_path, only="gguf")
    fields = gguf.GGUFReader(tmp_path / GGUF_NAME).fields
    expected = {
        "general.architecture": "llama", "llama.context_length": config.context, "llama.block_count": config.num_layers,
        "llama.embedding_length": config.width, "llama.feed_forward_length": config.ffn_width,
        "llama.attention.head_count": config.num_heads, "llama.attention.head_count_kv": config.num_kv_heads,
        "llama.rope.dimension_count": config.head_size, "llama.attention.key_length": config.head_size,
        "llama.vocab_size": VOCAB_SIZE, "tokenizer.ggml.eos_token_id": EOS_TOKEN_ID,
        "tokenizer.ggml.add_bos_token": False, "tokenizer.ggml.add_eos_token": False,
        "tokenizer.ggml.tokens": [*byte_symbols(), EOS_TEXT],
    }
    assert {name: fields[name].contents() for name in expected} == expected
    assert fields["llama.rope.freq_base"].contents() == pytest.approx(config.rope_base)
    assert fields["llama.attention.layer_norm_rms_epsilon"].contents() == pytest.approx(config.norm_eps)


def test_pairing_keeps_products_of_queries_and_keys():
    rng = np.random.default_rng(0)
    q, k = rng.normal(size=(8, 3)), rng.normal(size=(8, 3))
    assert np.allclose((q * k).sum(0), (paired(q, 2) * paired(k, 2)).sum(0))
    assert paired(np.arange(8.0)[:, None], 2)[:, 0].tolist() == [0, 2, 1, 3, 4, 6, 5, 7]


def test_every_byte_has_a_symbol_of_its_own():
    symbols = byte_symbols()
    assert len(set(symbols)) == 256 and symbols[ord("a")] == "a" and symbols[ord(" ")] == "Ġ"
    assert symbols[ord("\n")] == "Ċ"


def test_an_export_may_be_written_again(tmp_path):
    for _ in range(2):
        files = export(small_model(GROUPED), tmp_path / "new" / "folder")
    assert all(path.stat().st_size for path in files)
    assert {path.name for path in (tmp_path / "new" / "folder").iterdir()} == {path.name for path in files} | {MARK}


@pytest.mark.parametrize("names", [["thesis.txt"], ["config.json"], [MARK, "thesis.txt"]])
def test_a_folder_with_other_files_is_left_as_it_is(names, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("MINIGPT_ENV", "current")
    monkeypatch.setenv("MINIGPT_LANG", "en")
    for name in names:
        (tmp_path / name).write_text("mine", encoding="utf-8")
    assert command_line.main(["export", str(tmp_path)]) == 2
    assert f"holds {names[-1]!r}" in (message := capsys.readouterr().err) and "new or empty folder" in message
    assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == dict.fromkeys(names, "mine")


def test_a_file_in_the_folders_place_is_refused(tmp_path):
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    with pytest.raises(ValueError, match="file"):
        export(small_model(GROUPED), tmp_path / "file", only="hf")


def test_without_the_package_gguf_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(exporting.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match="pip install gguf.*--only hf"):
        export(small_model(GROUPED), tmp_path / "new")
    assert not (tmp_path / "new").exists()
    assert export(small_model(GROUPED), tmp_path / "new", only="hf")
