"""How a live engine is, and what is in it now."""

from dataclasses import dataclass

HEALTHY, CLOSING, CLOSED = "healthy", "closing", "closed"  # or tickets.FAILED: what an engine and a request can be


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
class EngineLoad:
    """What is in the engine now."""

    num_waiting: int  # not taken by the loop yet
    num_inflight: int
    num_kv_slots: int  # taken
    num_kv_slots_total: int
    num_kv_tokens: int  # K and V of so many tokens are in the cache
