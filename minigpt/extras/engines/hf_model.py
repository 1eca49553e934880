"""Loading the exported directory with Hugging Face's Llama class, fp32 on one thread."""

import importlib.util
import os

from minigpt.language import say


def absent() -> str | None:
    """How to get Hugging Face's library, if it is missing."""
    if importlib.util.find_spec("transformers") is None:
        return say(en="not installed: make engines installs it", es="no está instalado: make engines lo instala")
    return None


def load(folder):
    """The model, with the generation settings of the directory: greedy, EOS suppressed."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    import torch
    from transformers import AutoModelForCausalLM

    torch.set_num_threads(1)
    return AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, local_files_only=True).eval()
