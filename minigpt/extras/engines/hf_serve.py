"""`transformers serve --continuous-batching`: the same library behind HTTP."""

import shutil
import sys
from contextlib import contextmanager
from pathlib import Path

from minigpt.extras.engines import hf_model
from minigpt.extras.engines.http_stream import serve_over_http
from minigpt.extras.engines.interface import BLOCK_TOKENS, Setting
from minigpt.extras.engines.server_process import free_port, running
from minigpt.llm.tokenizer import decode, encode

absent = hf_model.absent
BATCH_TOKENS = 256


@contextmanager
def opened(setting: Setting):
    port = free_port()
    program = shutil.which("transformers", path=str(Path(sys.executable).parent)) or "transformers"
    command = [
        program, "serve", str(setting.folder), "--continuous-batching", "--device", "cpu", "--dtype", "float32",
        "--cb-num-blocks", str(setting.num_blocks), "--cb-block-size", str(BLOCK_TOKENS),
        "--cb-max-batch-tokens", str(BATCH_TOKENS), "--host", "127.0.0.1", "--port", str(port),
    ]
    with running(command, port):
        # It refuses unknown fields and accepts text only; the exported directory itself makes sure that EOS never comes.
        def body(item):
            text = decode(list(item.prompt_token_ids))
            return {"model": str(setting.folder), "prompt": text, "max_tokens": item.max_tokens, "stream": True}

        yield lambda items: serve_over_http(
            port, "/v1/completions", items, setting.num_inflight, body, read, from_text=True
        )


def read(event: dict) -> list[int]:
    """The tokens of one event, read back from its text."""
    return [token for choice in event.get("choices", ()) for token in encode(choice.get("text") or "")]
