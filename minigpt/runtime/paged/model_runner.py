"""Where a server with a block pool gets its tokens: the Mini-GPT over paged KV, or a script of known answers.

Both take *chunks*: the next tokens of a sequence, be it one (decode) or a piece of a prompt. `forget` drops a
sequence's KV, `swap_out` moves it out of the blocks and `swap_in` into the blocks that it then has.
"""

from dataclasses import dataclass, replace
from typing import Protocol

from minigpt.llm.tokenizer import EOS_TOKEN_ID
from minigpt.runtime.paged.block_pool import BlockPool


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """The tokens of one sequence that a step computes."""

    request_id: int
    token_ids: tuple[int, ...]
    num_computed: int  # tokens of it that are in the cache already
    num_output: int  # output tokens so far: the scripted answer continues from here
    is_last: bool  # after it all known tokens are computed, and a new one is produced
    answer: tuple[int, ...] | None
    ignore_eos: bool
    guesses: tuple[int, ...] = ()  # of the tokens after its last one, to be checked (speculation)

    def with_guesses(self, guesses: tuple[int, ...]) -> "Chunk":
        """The same chunk with guesses behind it."""
        return replace(self, guesses=guesses)

    @property
    def is_decode(self) -> bool:
        return self.num_computed > 0 and len(self.token_ids) == 1


class PagedRunner(Protocol):
    """What a server with a block pool needs of whatever computes its tokens."""

    def compute(self, chunks: list[Chunk]) -> dict[int, int]:
        """The new token of every sequence whose chunk is its last."""

    def compute_guesses(self, chunks: list[Chunk]) -> dict[int, list[int]]:
        """For every sequence whose chunk is its last the token after it, and after each of its guesses."""

    def roll_back(self, request_id: int, num_computed: int) -> None:
        """Keep K and V of a sequence's first tokens only."""

    def forget(self, request_id: int) -> None:
        """Drop a sequence's K and V."""

    def swap_out(self, request_id: int) -> None:
        """Copy a sequence's K and V out of its blocks."""

    def swap_in(self, request_id: int) -> None:
        """Copy them into the blocks that it now has."""


class PagedScriptedRunner:
    """Answers known beforehand."""

    def compute(self, chunks: list[Chunk]) -> dict[int, int]:
        """The new token of every sequence whose chunk is its last."""
        return {chunk.request_id: self._token(chunk) for chunk in chunks if chunk.is_last}

    def compute_guesses(self, chunks: list[Chunk]) -> dict[int, list[int]]:
        """The script's next tokens, as if each guess before them were right: a check looks no further than the first wrong one."""
        return {
            chunk.request_id: [self._token(chunk, ahead) for ahead in range(1 + len(chunk.guesses))]
            for chunk in chunks if chunk.is_last
        }

    @staticmethod
    def _token(chunk: Chunk, ahead: int = 0) -> int:
        if chunk.answer is None:
            raise ValueError(f"request {chunk.request_id} has no scripted answer: run this workload on the model")
        place = chunk.num_output + ahead
        return chunk.answer[place] if place < len(chunk.answer) else EOS_TOKEN_ID

    def roll_back(self, request_id: int, num_computed: int) -> None:
        pass

    def forget(self, request_id: int) -> None:
        pass

    def swap_out(self, request_id: int) -> None:
        pass

    def swap_in(self, request_id: int) -> None:
        pass


class PagedModelRunner:
    """The Mini-GPT's own greedy answers, from KV that lies in the blocks of a pool."""

    def __init__(self, model, pool: BlockPool, num_sequences: int, max_length: int):
        from minigpt.llm.paged_kv_cache import PagedKVCache

        self.model, self.pool = model, pool
        self.cache = PagedKVCache(model.config, pool.num_total, pool.block_size, num_sequences, max_length)
        self._slots: dict[int, int] = {}
        self._swapped: dict[int, tuple] = {}  # request -> its K and V, outside of the blocks

    def compute(self, chunks: list[Chunk]) -> dict[int, int]:
        """Write the chunks' K and V into their blocks; the new token of every sequence whose chunk is its last."""
        self._take_tables(chunks)
        tokens = {}
        prompts = [chunk for chunk in chunks if not chunk.is_decode]
        decodes = [chunk for chunk in chunks if chunk.is_decode]
        if prompts:
            texts = [list(chunk.token_ids) for chunk in prompts]
            tokens |= self._best(self.model.prefill(texts, self.cache, self._slots_of(prompts)), prompts)
        if decodes:
            last = [chunk.token_ids[0] for chunk in decodes]
            tokens |= self._best(self.model.decode_step(last, self.cache, self._slots_of(decodes)), decodes)
        return tokens

    def compute_guesses(self, chunks: list[Chunk]) -> dict[int, list[int]]:
        """As `compute`, with the guesses of running sequences checked in one pass."""
        self._take_tables(chunks)
        prompts = [chunk for chunk in chunks if not chunk.is_decode]
        decodes = [chunk for chunk in chunks if chunk.is_decode]
        choices = {name: [token] for name, token in self.compute(prompts).items()} if prompts else {}
        if decodes:
            rows = [[*chunk.token_ids, *chunk.guesses] for chunk in decodes]
            logits = self.model.verify(rows, self.cache, self._slots_of(decodes))  # (B, T, V)
            for chunk, row, own in zip(decodes, rows, logits):
                best = own[:, :EOS_TOKEN_ID] if chunk.ignore_eos else own
                choices[chunk.request_id] = best[: len(row)].argmax(dim=-1).tolist()
        return choices

    def roll_back(self, request_id: int, num_computed: int) -> None:
        """Forget a sequence's last tokens: their places will be written again, and until then attention does not see them."""
        self.cache.lengths[self._slots[request_id]] = num_computed

    def forget(self, request_id: int) -> None:
        """Drop a sequence: its blocks are no longer its own."""
        self._swapped.pop(request_id, None)
        if request_id in self._slots:
            self.cache.free(self._slots.pop(request_id))

    def swap_out(self, request_id: int) -> None:
        """Copy a sequence's blocks away, before others get them."""
        blocks = list(self.pool.block_table(request_id))
        self._swapped[request_id] = self.cache.k[:, blocks], self.cache.v[:, blocks]  # copies: indexed by a list

    def swap_in(self, request_id: int) -> None:
        """Copy a sequence back, into the blocks that it now has, which are different ones."""
        k, v = self._swapped.pop(request_id)
        blocks = list(self.pool.block_table(request_id))[: k.shape[1]]
        self.cache.k[:, blocks], self.cache.v[:, blocks] = k[:, : len(blocks)], v[:, : len(blocks)]

    def _take_tables(self, chunks: list[Chunk]) -> None:
        """Give each sequence a slot, and its slot the blocks that the sequence has now."""
        for chunk in chunks:
            if chunk.request_id not in self._slots:
                slot = self._slots[chunk.request_id] = self.cache.allocate()
                self.cache.lengths[slot] = chunk.num_computed  # above 0: it starts on blocks that others computed
            self.cache.set_table(self._slots[chunk.request_id], self.pool.block_table(chunk.request_id))

    def _slots_of(self, chunks: list[Chunk]) -> list[int]:
        return [self._slots[chunk.request_id] for chunk in chunks]

    def _best(self, logits, chunks: list[Chunk]) -> dict[int, int]:
        """The greedy token of each row of logits (B, V) that ends its known tokens."""
        endless = [row for row, chunk in enumerate(chunks) if chunk.ignore_eos]
        if endless:
            logits = logits.clone()  # a tensor made in inference mode cannot be written to outside of it
            logits[endless, EOS_TOKEN_ID] = float("-inf")
        best = logits.argmax(dim=-1).tolist()
        return {chunk.request_id: token for chunk, token in zip(chunks, best) if chunk.is_last}
