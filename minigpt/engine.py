"""Where tokens come from: the Mini-GPT with its KV cache, or a script of known answers.

Both have three calls. `start` prefills new sequences and gives their first tokens, `advance` gives running ones their
next token, `release` forgets one. Sequences are named by request id.
"""

from dataclasses import dataclass

from minigpt.tokenizer import EOS_TOKEN_ID


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What a token source needs to know of a request."""

    request_id: int
    token_ids: tuple[int, ...]
    answer: tuple[int, ...] | None = None  # the scripted answer, without EOS
    ignore_eos: bool = False  # go on to the token limit, whatever the model would say


class ScriptedTokens:
    """Answers known beforehand: a server without a model, for simulations of millions of steps."""

    def __init__(self):
        self._answers: dict[int, tuple[int, ...]] = {}
        self._next: dict[int, int] = {}

    def start(self, prompts: list[Prompt]) -> list[int]:
        """Prefill new sequences; their first tokens."""
        for prompt in prompts:
            if prompt.answer is None:
                raise ValueError(f"request {prompt.request_id} has no scripted answer: run this workload on the model")
            self._answers[prompt.request_id] = prompt.answer
            self._next[prompt.request_id] = 0
        return [self._token(prompt.request_id) for prompt in prompts]

    def advance(self, request_ids: list[int], last_tokens: list[int]) -> list[int]:
        """One token further for each running sequence."""
        return [self._token(request_id) for request_id in request_ids]

    def release(self, request_id: int) -> None:
        """Forget a sequence."""
        del self._answers[request_id], self._next[request_id]

    def _token(self, request_id: int) -> int:
        index, answer = self._next[request_id], self._answers[request_id]
        self._next[request_id] = index + 1
        return answer[index] if index < len(answer) else EOS_TOKEN_ID


class ModelTokens:
    """The Mini-GPT's own greedy answers, from a KV cache with one slot a sequence."""

    def __init__(self, model, num_slots: int, max_length: int | None = None):
        from minigpt.kv_cache import KVCache

        self.model = model
        self.cache = KVCache(model.config, num_slots, max_length)
        self._slots: dict[int, int] = {}
        self._endless: set[int] = set()  # requests that ignore EOS

    def start(self, prompts: list[Prompt]) -> list[int]:
        """Prefill new sequences in one pass; their first tokens."""
        for prompt in prompts:
            self._slots[prompt.request_id] = self.cache.take()
            if prompt.ignore_eos:
                self._endless.add(prompt.request_id)
        ids = [prompt.request_id for prompt in prompts]
        slots = [self._slots[request_id] for request_id in ids]
        return self._best(self.model.prefill([list(prompt.token_ids) for prompt in prompts], self.cache, slots), ids)

    def advance(self, request_ids: list[int], last_tokens: list[int]) -> list[int]:
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

    def release(self, request_id: int) -> None:
        """Give a sequence's slot back."""
        self.cache.give_back(self._slots.pop(request_id))
        self._endless.discard(request_id)

    def _best(self, logits, request_ids: list[int]) -> list[int]:
        """The greedy token of each row of logits (B, V)."""
        if self._endless:
            logits = logits.clone()  # what inference mode made cannot be written to outside of it
            logits[[i in self._endless for i in request_ids], EOS_TOKEN_ID] = float("-inf")
        return logits.argmax(dim=-1).tolist()
