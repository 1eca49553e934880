"""Hugging Face continuous batching, in process: paged KV, one step over all requests in flight."""

import time
from contextlib import contextmanager

from minigpt.extras.engines import hf_model
from minigpt.extras.engines.interface import BLOCK_TOKENS, Served, Setting

absent = hf_model.absent
BATCH_TOKENS = 256  # most tokens that a step computes, with prompts in chunks
PATIENCE_S = 300


@contextmanager
def opened(setting: Setting):
    from transformers import ContinuousBatchingConfig

    model = hf_model.load(setting.folder)
    # Without sizes, the cache takes 60 % of the machine's memory.
    sizes = ContinuousBatchingConfig(
        page_size=BLOCK_TOKENS, num_blocks=setting.num_blocks, max_batch_tokens=BATCH_TOKENS,
        max_requests_per_batch=setting.num_inflight,
    )
    with model.continuous_batching_context_manager(
        generation_config=model.generation_config, continuous_batching_config=sizes
    ) as manager:
        yield lambda items: serve(manager, items)


def serve(manager, items) -> list[Served]:
    """Submit all requests, and collect the answers as they come."""
    start_s = time.perf_counter()
    for item in items:
        manager.add_request(
            list(item.prompt_token_ids), request_id=str(item.request_id), max_new_tokens=item.max_tokens,
            record_timestamps=True, eos_token_id=-1,
        )
    return [answer(manager, start_s) for _ in items]


def answer(manager, start_s: float) -> Served:
    """The next answer. Raises RuntimeError if the engine gives up on it."""
    result = manager.get_result(timeout=PATIENCE_S)
    if result is None or result.error:
        raise RuntimeError(result.error if result else "no answer came")
    return Served(
        request_id=int(result.request_id), token_ids=tuple(result.generated_tokens),
        first_s=result.timestamps[0] - start_s, finish_s=result.timestamps[-1] - start_s,
    )
