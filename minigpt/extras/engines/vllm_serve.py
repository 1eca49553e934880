"""vLLM over HTTP, where it is installed: in this environment or on the PATH."""

import importlib.util
import os
import shutil
import sys
from contextlib import contextmanager

from minigpt.extras.engines.http_stream import serve_over_http
from minigpt.extras.engines.interface import Setting
from minigpt.extras.engines.server_process import free_port, running
from minigpt.language import say


def command_line() -> list[str] | None:
    """The command that starts its server; None if it is not installed."""
    if importlib.util.find_spec("vllm") is not None:
        return [sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model"]
    return ["vllm", "serve"] if shutil.which("vllm") else None


def absent() -> str | None:
    if command_line() is None:
        return say(en="not found: pip install vllm, in .venv-engines or on the PATH (best with a GPU: docs.vllm.ai)",
                   es="no se encontró: pip install vllm, en .venv-engines o en el PATH (mejor con GPU: docs.vllm.ai)")
    return None


@contextmanager
def opened(setting: Setting):
    port = free_port()
    # These two apply without a GPU: one core, and 1 GiB for K and V.
    os.environ.setdefault("VLLM_CPU_OMP_THREADS_BIND", "0")
    os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
    command = [
        *command_line(), str(setting.folder), "--served-model-name", "minigpt", "--dtype", "float32",
        "--max-model-len", str(setting.num_tokens + 1), "--max-num-seqs", str(setting.num_inflight),
        "--no-enable-prefix-caching", "--enforce-eager", "--host", "127.0.0.1", "--port", str(port),
    ]
    with running(command, port):
        yield lambda items: serve_over_http(port, "/v1/completions", items, setting.num_inflight, body, read)


def body(item) -> dict:
    """One request; below min_tokens, EOS cannot win."""
    return {
        "model": "minigpt", "prompt": list(item.prompt_token_ids), "max_tokens": item.max_tokens,
        "min_tokens": item.max_tokens, "ignore_eos": True, "temperature": 0, "stream": True, "return_token_ids": True,
    }


def read(event: dict) -> list[int]:
    """The tokens of one event."""
    return [token for choice in event.get("choices", ()) for token in choice.get("token_ids") or ()]
