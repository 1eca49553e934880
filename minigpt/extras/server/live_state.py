"""How a live engine is, and what is in it now."""

from dataclasses import dataclass

# With request_handle.FAILED, all that an engine can be.
HEALTHY, CLOSING, CLOSED = "healthy", "closing", "closed"


class EngineDown(Exception):
    """The engine takes no requests any more; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineState:
    """How the engine is."""

    name: str
    reason: str = ""  # why it failed
    error: str = ""  # the exception that the loop raised, by its name

    @property
    def is_healthy(self) -> bool:
        return self.name == HEALTHY


@dataclass(frozen=True, slots=True, kw_only=True)
class Occupant:
    """A request in flight, as the page at / shows it."""

    request_id: int
    slot: int | None  # of the KV cache; None before its first step
    num_prompt_tokens: int
    num_output_tokens: int  # computed so far
    max_tokens: int
    has_ended: bool  # it rides along until its batch is answered


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineLoad:
    """What is in the engine now."""

    num_waiting: int  # not taken by the loop yet
    num_inflight: int
    num_kv_slots: int  # taken
    num_kv_slots_total: int  # that a policy within its cap may take
    num_kv_tokens: int  # K and V of so many tokens are in the cache
    occupants: tuple[Occupant, ...] = ()  # requests in flight, oldest first
