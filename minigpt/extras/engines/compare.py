"""Whether answers equal ours, token by token; and where one differs, how close our model was to the same choice."""

import math
from dataclasses import dataclass

import torch

from minigpt.extras.engines.interface import Served
from minigpt.llm.model import MiniGPT
from minigpt.llm.tokenizer import EOS_TOKEN_ID, decode, encode


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The first place where an answer differs from ours."""

    request_id: int
    position: int  # in the answer, in tokens
    gap: float  # logit of our token minus logit of theirs, at that place in our model; nan: it cannot be read from a text


def differences(model: MiniGPT, items, ours: list[Served], theirs: list[Served]) -> list[Difference]:
    """One difference for every answer that differs from ours."""
    answers = {one.request_id: one for one in theirs}
    prompts = {item.request_id: item.prompt_token_ids for item in items}
    found = (difference(model, prompts[one.request_id], one, answers[one.request_id]) for one in ours)
    return [one for one in found if one is not None]


def difference(model: MiniGPT, prompt, ours: Served, theirs: Served) -> Difference | None:
    """The first difference of two answers to a prompt, if there is one."""
    expected, got = ours.token_ids, theirs.token_ids
    if theirs.from_text:
        expected, got = as_text(expected), as_text(got)
    if expected == got:
        return None
    shorter = min(len(expected), len(got))
    position = next((i for i in range(shorter) if expected[i] != got[i]), shorter)
    is_readable = expected[:position] == ours.token_ids[:position] and position < shorter
    gap = math.nan
    if is_readable:
        gap = logit_gap(model, [*prompt, *expected[:position]], expected[position], got[position])
    return Difference(request_id=ours.request_id, position=position, gap=gap)


def as_text(token_ids) -> tuple[int, ...]:
    """The tokens as a client reads them back from a text, without a partial character at its cut end."""
    return tuple(encode(decode(list(token_ids)).rstrip("\ufffd")))


@torch.inference_mode()
def logit_gap(model: MiniGPT, tokens: list[int], ours: int, theirs: int) -> float:
    """How much higher our model's logit of one token is than of another, after these tokens."""
    logits = model.forward(torch.tensor([tokens]))[0, -1]
    logits[EOS_TOKEN_ID] = -math.inf
    return float(logits[ours] - logits[theirs])
