"""A client's request, from arrival to answer."""

from dataclasses import dataclass, field

from minigpt.runtime.known_names import KnownNames

QUEUED, IN_FLIGHT, FINISHED = "queued", "in_flight", "finished"


@dataclass(slots=True, kw_only=True, eq=False)
class Request(KnownNames):
    """One request, as the queue returns it. The loop appends tokens; the runtime fills in status and times."""

    request_id: int
    prompt_token_ids: tuple[int, ...]
    max_tokens: int  # most output tokens; EOS is not one of them
    arrival_time_s: float  # scheduled arrival: latency counts from here
    priority: int = 0  # lower is more urgent
    output_token_ids: list[int] = field(default_factory=list)
    status: str = QUEUED
    first_token_time_s: float | None = None  # None while there is no token, and forever if the answer is empty
    finish_time_s: float | None = None  # when the answer left
    num_computed_tokens: int = 0  # K and V are in the cache now; kept up by servers with a block pool (Lab 05)

    def append(self, token_id: int) -> None:
        """Add one output token to the answer."""
        self.output_token_ids.append(token_id)

    @property
    def num_prompt_tokens(self) -> int:
        return len(self.prompt_token_ids)

    @property
    def num_output_tokens(self) -> int:
        return len(self.output_token_ids)

    @property
    def num_tokens(self) -> int:
        """Prompt and output so far."""
        return self.num_prompt_tokens + self.num_output_tokens

    def __repr__(self) -> str:
        tokens = f"{self.num_output_tokens} of at most {self.max_tokens} tokens"
        return f"Request({self.request_id}, {self.status}, {tokens})"
