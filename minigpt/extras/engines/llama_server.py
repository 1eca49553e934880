"""llama.cpp's llama-server on the GGUF file, where it is on the PATH."""

import shutil
from contextlib import contextmanager

from minigpt.extras.engines.http_stream import serve_over_http
from minigpt.extras.engines.interface import Setting
from minigpt.extras.engines.server_process import free_port, running
from minigpt.extras.export.export import GGUF_NAME
from minigpt.language import say
from minigpt.llm.tokenizer import encode


def absent() -> str | None:
    if shutil.which("llama-server") is None:
        return say(en="not on the PATH: build or download llama.cpp (github.com/ggml-org/llama.cpp)",
                   es="no está en el PATH: compila o descarga llama.cpp (github.com/ggml-org/llama.cpp)")
    return None


@contextmanager
def opened(setting: Setting):
    port = free_port()
    context = setting.num_inflight * (setting.num_tokens + 1)  # shared out among the slots
    command = [
        "llama-server", "-m", str(setting.folder / GGUF_NAME), "-np", str(setting.num_inflight), "-c", str(context),
        "-t", "1", "-tb", "1", "-ctk", "f32", "-ctv", "f32", "--no-warmup", "--host", "127.0.0.1", "--port", str(port),
    ]
    with running(command, port):
        yield lambda items: serve_over_http(
            port, "/completion", items, setting.num_inflight, body, read, from_text=True
        )


def body(item) -> dict:
    """One request in llama-server's own form."""
    return {
        "prompt": list(item.prompt_token_ids), "n_predict": item.max_tokens, "ignore_eos": True, "temperature": 0,
        "top_k": 1, "stream": True, "cache_prompt": False,
    }


def read(event: dict) -> list[int]:
    """The tokens of one event, read back from its text: the ids that it streams leave out partial characters."""
    return encode(event.get("content") or "")
