"""Hugging Face `generate`: static batches, padded on the left, each as long as its longest answer."""

import time
from contextlib import contextmanager

from minigpt.extras.engines import hf_model
from minigpt.extras.engines.interface import Served, Setting
from minigpt.llm.tokenizer import EOS_TOKEN_ID

absent = hf_model.absent


@contextmanager
def opened(setting: Setting):
    model = hf_model.load(setting.folder)

    def serve(items):
        start_s, served = time.perf_counter(), []
        for first in range(0, len(items), setting.num_inflight):
            batch = items[first : first + setting.num_inflight]
            answers = generate(model, batch)
            finish_s = time.perf_counter() - start_s
            served += [
                Served(request_id=item.request_id, token_ids=tuple(answer[: item.max_tokens]), finish_s=finish_s)
                for item, answer in zip(batch, answers, strict=True)
            ]
        return served

    yield serve


def generate(model, batch) -> list[list[int]]:
    """The answers of one batch, all as long as the longest."""
    import torch

    widest = max(len(item.prompt_token_ids) for item in batch)
    padding = [widest - len(item.prompt_token_ids) for item in batch]
    rows = [[EOS_TOKEN_ID] * n + list(item.prompt_token_ids) for n, item in zip(padding, batch, strict=True)]
    tokens = torch.tensor(rows)  # (B, T)
    mask = (torch.arange(widest) >= torch.tensor(padding)[:, None]).long()  # (B, T)
    longest = max(item.max_tokens for item in batch)
    return model.generate(tokens, attention_mask=mask, max_new_tokens=longest)[:, widest:].tolist()
