"""The state of a live engine, and what is in it now."""

from dataclasses import dataclass

# With request_handle.FAILED, all states of an engine.
HEALTHY, CLOSING, CLOSED = "healthy", "closing", "closed"


class EngineDown(Exception):
    """The engine accepts no more requests; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineState:
    """The engine's state."""

    name: str
    reason: str = ""  # why it failed
    error: str = ""  # name of the exception that the loop raised

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
    num_kv_tokens: int  # tokens whose K and V are in the cache
    occupants: tuple[Occupant, ...] = ()  # requests in flight, oldest first
