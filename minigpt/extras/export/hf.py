"""The tutor as a Hugging Face directory: weights, config, and a tokenizer whose ids are ours.

`transformers`, vLLM and every other engine that reads the Llama class can load it. Only JSON is written here, so the
package `tokenizers` is not needed.
"""

import json
from pathlib import Path

from minigpt.llm.checkpoint_io import save_checkpoint
from minigpt.llm.model import MiniGPT
from minigpt.llm.tokenizer import EOS_TOKEN_ID

EOS_TEXT = "<|end|>"  # how EOS is written where it has to appear in a text


def byte_symbols() -> list[str]:
    """The character that byte-level tokenizers write for each byte (Radford et al., GPT-2, 2019).

    Bytes that are printable in Latin-1 stand for themselves, the others for the characters from 256 on.
    """
    printable = {*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)}
    others = iter(range(256, 512))
    return [chr(byte if byte in printable else next(others)) for byte in range(256)]


def tokenizer_json() -> dict:
    """A byte-level BPE without merges: every byte stays a token, and nothing is added at either end."""
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    end = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {
        "version": "1.0", "truncation": None, "padding": None, "normalizer": None, "post_processor": None,
        "added_tokens": [{"id": EOS_TOKEN_ID, "content": EOS_TEXT, **end}],
        "pre_tokenizer": byte_level, "decoder": byte_level,
        "model": {
            "type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
            "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
            "vocab": {symbol: byte for byte, symbol in enumerate(byte_symbols())}, "merges": [],
        },
    }


def tokenizer_config(context: int) -> dict:
    """What `AutoTokenizer` needs in addition to the tokenizer itself."""
    return {
        "tokenizer_class": "PreTrainedTokenizerFast", "eos_token": EOS_TEXT, "pad_token": EOS_TEXT,
        "padding_side": "left", "model_max_length": context, "clean_up_tokenization_spaces": False,
        # A prompt that contains the letters of EOS_TEXT is ordinary text.
        "split_special_tokens": True,
    }


def generation_config(endless: bool = False) -> dict:
    """Generation settings: greedy, up to EOS. `endless`: EOS never comes, like our `ignore_eos`."""
    stop = {"eos_token_id": None, "suppress_tokens": [EOS_TOKEN_ID]} if endless else {"eos_token_id": EOS_TOKEN_ID}
    return {"do_sample": False, "bos_token_id": None, "pad_token_id": EOS_TOKEN_ID, **stop}


def export_hf(model: MiniGPT, folder: Path, *, endless: bool = False) -> None:
    """Write the directory; `endless` is for measurements with fixed output lengths."""
    save_checkpoint(model, folder)
    files = {
        "tokenizer.json": tokenizer_json(),
        "tokenizer_config.json": tokenizer_config(model.config.context),
        "generation_config.json": generation_config(endless),
    }
    if endless:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        files["config.json"] = {**config, "eos_token_id": None}
    for name, content in files.items():
        text = json.dumps(content, indent=2, ensure_ascii=False)
        (folder / name).write_text(text + "\n", encoding="utf-8")
