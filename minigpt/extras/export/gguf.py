"""The tutor as one GGUF file (F16, Llama architecture), as llama.cpp and OpenVINO GenAI read it."""

from pathlib import Path

import gguf
import numpy as np

from minigpt.extras.export.hf import EOS_TEXT, byte_symbols
from minigpt.llm.checkpoint_io import to_hf
from minigpt.llm.model import Config, MiniGPT
from minigpt.llm.tokenizer import EOS_TOKEN_ID

# GGUF has no empty list, and readers want one merge. UTF-8 never contains the bytes C0 and C1, so this never applies.
NO_MERGE = f"{byte_symbols()[0xC0]} {byte_symbols()[0xC1]}"


def paired(weight: np.ndarray, num_heads: int) -> np.ndarray:
    """Reorder the rows of a query or key projection (H·D, E) for llama.cpp's rotary positions.

    We turn the pairs (i, i + D/2) of a head, llama.cpp the neighbours (2i, 2i + 1). A product of queries and keys
    does not change when both are reordered alike.
    """
    halves = weight.reshape(num_heads, 2, -1, weight.shape[-1])  # (H, 2, D/2, E)
    return halves.swapaxes(1, 2).reshape(weight.shape)


def gguf_tensors(model: MiniGPT) -> dict[str, np.ndarray]:
    """Every tensor under its GGUF name: matrices in F16, the norms' vectors in F32."""
    config = model.config
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, config.num_layers)
    tensors = {}
    for hf_name, tensor in to_hf(model).items():
        array = tensor.numpy()
        if hf_name.endswith("q_proj.weight"):
            array = paired(array, config.num_heads)
        elif hf_name.endswith("k_proj.weight"):
            array = paired(array, config.num_kv_heads)
        name = names.get_name(hf_name, try_suffixes=(".weight",))
        tensors[name] = array.astype(np.float16 if array.ndim > 1 else np.float32)
    return tensors


def write_sizes(writer: gguf.GGUFWriter, config: Config) -> None:
    """The shape of the model."""
    writer.add_name("Mini-GPT")
    writer.add_vocab_size(config.vocab_size)
    writer.add_context_length(config.context)
    writer.add_embedding_length(config.width)
    writer.add_block_count(config.num_layers)
    writer.add_feed_forward_length(config.ffn_width)
    writer.add_head_count(config.num_heads)
    writer.add_head_count_kv(config.num_kv_heads)
    writer.add_key_length(config.head_size)
    writer.add_value_length(config.head_size)
    writer.add_rope_dimension_count(config.head_size)
    writer.add_rope_freq_base(config.rope_base)
    writer.add_layer_norm_rms_eps(config.norm_eps)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)


def write_tokenizer(writer: gguf.GGUFWriter) -> None:
    """Bytes as tokens, EOS last, and nothing added to a prompt."""
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([*byte_symbols(), EOS_TEXT])
    writer.add_token_types([gguf.TokenType.NORMAL] * 256 + [gguf.TokenType.CONTROL])
    writer.add_token_merges([NO_MERGE])
    writer.add_eos_token_id(EOS_TOKEN_ID)
    writer.add_pad_token_id(EOS_TOKEN_ID)
    writer.add_add_bos_token(False)
    writer.add_add_eos_token(False)


def export_gguf(model: MiniGPT, path: Path) -> None:
    """Write the file."""
    writer = gguf.GGUFWriter(path, arch="llama")
    write_sizes(writer, model.config)
    write_tokenizer(writer)
    for name, array in gguf_tensors(model).items():
        writer.add_tensor(name, array)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
