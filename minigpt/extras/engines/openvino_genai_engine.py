"""OpenVINO GenAI: its continuous batching pipeline on the GGUF file, fp32, driven step by step."""

import importlib.util
import time
from contextlib import contextmanager

from minigpt.extras.engines.interface import Served, Setting
from minigpt.extras.export.export import GGUF_NAME
from minigpt.language import say

# bf16 and 8-bit K and V are its defaults on some processors, and change the answers.
PROPERTIES = {"INFERENCE_PRECISION_HINT": "f32", "KV_CACHE_PRECISION": "f32", "INFERENCE_NUM_THREADS": 1}
CACHE_GB = 1


def absent() -> str | None:
    if importlib.util.find_spec("openvino_genai") is None:
        return say(en="not installed: make engines installs it", es="no está instalado: make engines lo instala")
    return None


@contextmanager
def opened(setting: Setting):
    import openvino_genai

    scheduler = openvino_genai.SchedulerConfig()
    scheduler.max_num_seqs = setting.num_inflight
    scheduler.dynamic_split_fuse = False  # with it, max_num_seqs is ignored
    scheduler.max_num_batched_tokens = max(256, setting.num_inflight * setting.num_tokens)
    scheduler.cache_size = CACHE_GB
    pipeline = openvino_genai.ContinuousBatchingPipeline(
        str(setting.folder / GGUF_NAME), scheduler, "CPU", PROPERTIES
    )
    yield lambda items: serve(pipeline, items)


def serve(pipeline, items) -> list[Served]:
    """Add all requests, step until none is left, and collect the new tokens after each step."""
    start_s = time.perf_counter()
    # Dropping a handle cancels its request.
    handles = [add(pipeline, item) for item in items]
    tokens, first_s, finish_s = ([[] for _ in items], {}, {})
    while pipeline.has_non_finished_requests():
        pipeline.step()
        now_s = time.perf_counter() - start_s
        for place, handle in enumerate(handles):
            if place not in finish_s and handle.can_read():
                tokens[place] += [token for output in handle.read().values() for token in output.generated_ids]
                first_s.setdefault(place, now_s)
                if len(tokens[place]) >= items[place].max_tokens:
                    finish_s[place] = now_s
    return [
        Served(request_id=item.request_id, token_ids=tuple(tokens[place]), first_s=first_s[place],
               finish_s=finish_s[place])
        for place, item in enumerate(items) if place in finish_s
    ]


def add(pipeline, item):
    """Submit one request as token ids; return its handle."""
    import numpy
    import openvino
    import openvino_genai

    config = openvino_genai.GenerationConfig()
    config.do_sample, config.ignore_eos = False, True
    config.min_new_tokens = config.max_new_tokens = item.max_tokens  # below the minimum, EOS cannot win
    prompt = numpy.array([item.prompt_token_ids], dtype=numpy.int64)  # (1, T)
    return pipeline.add_request(item.request_id, openvino.Tensor(prompt), config)
