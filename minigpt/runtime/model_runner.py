"""What turns a batch into tokens: the Mini-GPT with its KV cache, or a script of known answers.

Both have three methods. `prefill` computes new sequences and returns their first tokens, `decode` returns the next
token of running ones, `free` drops one. Sequences are named by request id; a new one comes as the workload's item.
"""

from collections.abc import Iterator
from itertools import chain, repeat
from typing import Protocol

from minigpt.llm.tokenizer import EOS_TOKEN_ID


class Runner(Protocol):
    """What a server needs of whatever computes its tokens."""

    def prefill(self, items: list) -> list[int]:
        """Begin the sequences of these work items in one pass; their first tokens, in this order."""

    def decode(self, request_ids: list[int], last_tokens: list[int]) -> list[int]:
        """Compute one token further for each running sequence, in this order."""

    def free(self, request_id: int) -> None:
        """Forget a sequence."""


class ScriptedRunner:
    """Answers known beforehand: a server without a model, for simulations of millions of steps."""

    def __init__(self):
        self._scripts: dict[int, Iterator[int]] = {}  # request -> its next tokens, then EOS forever

    def prefill(self, items: list) -> list[int]:
        """Begin new sequences; their first tokens."""
        for item in items:
            if item.answer is None:
                raise ValueError(f"request {item.request_id} has no scripted answer: run this workload on the model")
            self._scripts[item.request_id] = chain(item.answer, repeat(EOS_TOKEN_ID))
        return [next(self._scripts[item.request_id]) for item in items]

    def decode(self, request_ids: list[int], last_tokens: list[int]) -> list[int]:
        """One token further for each running sequence."""
        scripts = self._scripts
        return [next(scripts[request_id]) for request_id in request_ids]

    def free(self, request_id: int) -> None:
        """Forget a sequence."""
        del self._scripts[request_id]


class ModelRunner:
    """The Mini-GPT's own greedy answers, from a KV cache with one slot per sequence."""

    def __init__(self, model, num_slots: int, max_length: int | None = None):
        from minigpt.llm.kv_cache import KVCache

        self.model = model
        self.cache = KVCache(model.config, num_slots, max_length)
        self._slots: dict[int, int] = {}
        self._endless: set[int] = set()  # requests that ignore EOS

    def prefill(self, items: list) -> list[int]:
        """Begin new sequences in one pass; their first tokens."""
        for item in items:
            self._slots[item.request_id] = self.cache.allocate()
            if item.ignore_eos:
                self._endless.add(item.request_id)
        ids = [item.request_id for item in items]
        slots = [self._slots[request_id] for request_id in ids]
        prompts = [list(item.prompt_token_ids) for item in items]
        return self._best(self.model.prefill(prompts, self.cache, slots), ids)

    def decode(self, request_ids: list[int], last_tokens: list[int]) -> list[int]:
        """One token further for each running sequence, in one pass.

        A sequence whose last token is EOS has ended and rides along: its row is computed, and nothing is kept of it.
        """
        # In the order of their slots the cache can be read in place.
        rows = sorted(zip((self._slots[i] for i in request_ids), last_tokens, request_ids))
        slots, tokens, ids = (list(column) for column in zip(*rows))
        best = dict(zip(ids, self._best(self.model.decode_step(tokens, self.cache, slots), ids)))
        ended = [slot for slot, token in zip(slots, tokens) if token == EOS_TOKEN_ID]
        if ended:
            self.cache.lengths[ended] -= 1
        return [best[request_id] for request_id in request_ids]

    def allow_eos(self, request_id: int) -> None:
        """Let a sequence that ignored EOS end from here on."""
        self._endless.discard(request_id)

    def slot_of(self, request_id: int) -> int | None:
        """A sequence's slot in the cache; None if it has none."""
        return self._slots.get(request_id)

    def free(self, request_id: int) -> None:
        """Free a sequence's slot."""
        self.cache.free(self._slots.pop(request_id))
        self._endless.discard(request_id)

    def _best(self, logits, request_ids: list[int]) -> list[int]:
        """The greedy token of each row of logits (B, V)."""
        if self._endless:
            logits = logits.clone()  # a tensor made in inference mode cannot be written to outside of it
            logits[[i in self._endless for i in request_ids], EOS_TOKEN_ID] = float("-inf")
        return logits.argmax(dim=-1).tolist()
