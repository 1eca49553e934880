"""Errors in OpenAI's form, for everything that can go wrong before an answer."""

from minigpt.extras.server.live_source import QueueFull
from minigpt.extras.server.live_state import EngineDown
from minigpt.language import say

RETRY_AFTER_S = 1


class ApiError(Exception):
    """An error in OpenAI's form. `code` is also the reason under which /metrics counts a refusal."""

    def __init__(self, status: int, message: str, *, code: str, param: str | None = None, headers: dict | None = None):
        super().__init__(message)
        self.status, self.code, self.param, self.headers = status, code, param, headers

    @property
    def body(self) -> dict:
        kind = "invalid_request_error" if self.status < 500 and self.status != 429 else "server_error"
        return {"error": {"message": str(self), "type": kind, "param": self.param, "code": self.code}}


# Every `code` with which a request can be refused: /metrics has a series for each from the start.
REFUSALS = (
    "invalid_json", "invalid_value", "unknown_field", "not_supported", "context_length_exceeded", "model_not_found",
    "body_too_large", "timeout", "invalid_api_key", "queue_full", "engine_down",
)


def wrong(param: str, what: str, code: str = "invalid_value") -> ApiError:
    return ApiError(400, f"{param}: {what}", code=code, param=param)


def queue_full(message: str) -> ApiError:
    return ApiError(429, message, code="queue_full", headers={"Retry-After": str(RETRY_AFTER_S)})


def engine_down(message: str) -> ApiError:
    return ApiError(503, message, code="engine_down")


def no_key() -> ApiError:
    message = say(en="this server requires its API key: Authorization: Bearer KEY",
                  es="este servidor pide su clave de API: Authorization: Bearer CLAVE")
    return ApiError(401, message, code="invalid_api_key", headers={"WWW-Authenticate": "Bearer"})


def as_api_error(error: Exception) -> ApiError:
    """A refusal, as a client should see it."""
    if isinstance(error, QueueFull):
        return queue_full(str(error))
    if isinstance(error, EngineDown):
        return engine_down(str(error))
    return error if isinstance(error, ApiError) else ApiError(400, str(error)[:500], code="invalid_value")
