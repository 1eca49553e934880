"""What an engine is here: a module with `absent()` and `opened(setting)`, and what it gives back.

    absent()           None, or one line that says how to get the engine
    opened(setting)    a context manager: inside it the engine is loaded, and yields serve(items) -> list[Served]

`serve` answers all items greedily, each with exactly `max_tokens` tokens, at most `setting.num_inflight` at a time.
All arrive at time zero and every latency counts from there, so it includes waiting for a slot.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from minigpt.workloads.workload import WorkItem


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """The settings that every engine gets."""

    folder: Path  # an endless export: Hugging Face files and GGUF
    num_inflight: int  # most requests in flight
    num_tokens: int  # prompt and output of the longest request
    impl: str = "solution"  # whose loop Mini-GPT runs

    @property
    def num_blocks(self) -> int:
        """KV blocks of `BLOCK_TOKENS` that hold all requests in flight, and one spare block per request."""
        return self.num_inflight * (-(-self.num_tokens // BLOCK_TOKENS) + 1)


BLOCK_TOKENS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """One answered request. Times are in seconds since all requests arrived."""

    request_id: int
    token_ids: tuple[int, ...]
    finish_s: float
    first_s: float | None = None  # first token seen; None: the engine does not show it
    from_text: bool = False  # the ids were read back from a text: partial characters are lost
    num_tokens: int | None = None  # as the engine counts; None: as many as token_ids


Serve = Callable[[list[WorkItem]], list[Served]]
