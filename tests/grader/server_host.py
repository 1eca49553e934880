"""The server's side of a worker's questions: queue, clock, model and log stay here."""

import queue

from minigpt.runtime.errors import BusyWait, ServingError
from minigpt.runtime.request import Request
from minigpt.runtime.server import Server
from tests.grader import channel

MAX_ANSWER_TOKENS = 4_096  # of one response: more than any context holds
MAX_SECONDS = 1e9  # of one wait: thirty years


class ServerHost:
    """Answers what a worker asks of one `Server`, after looking at every argument."""

    def __init__(self, server: Server):
        self.server = server
        self.settings_after: dict | None = None  # of a server with a block pool, as the last call left them
        self.requests: dict[int, Request] = {}  # the requests that the worker knows
        self._hosts = {
            "queue.closed": lambda: server.queue.closed,
            "queue.empty": lambda: server.queue.empty(),
            "queue.get_nowait": lambda: self._hand_out(server.queue.get_nowait()),
            "queue.get": lambda timeout_s: self._hand_out(server.queue.get(_seconds(timeout_s, "timeout_s"))),
            "clock.time": lambda: server.clock.time(),
            "clock.sleep": lambda seconds: server.clock.sleep(_seconds(seconds, "sleep") or 0.0),
            "model.forward_one_step": lambda ids: server.model.forward_one_step([self.known(i) for i in ids]),
            "respond": self._respond,
        }
        if hasattr(server, "blocks"):
            self._hosts |= {
                "blocks.reserve": lambda i, n: [
                    server.blocks.reserve(self.known(i), _count(n)), server.blocks.held(self.known(i))
                ],
                "model.forward_chunks": lambda parts: server.model.forward_chunks(
                    [(self.known(i), _count(n)) for i, n in parts]
                ),
                "preempt": self._preempt,
                "refuse": lambda i, reason: server.refuse(self.known(i), str(reason)),
            }

    def facts(self) -> dict:
        """The initial state of the worker's stand-in for the server."""
        return {
            "max_batch": self.server.max_batch, "max_wait_s": self.server.max_wait_s,
            "max_inflight": self.server.max_inflight, "eos_token_id": self.server.model.eos_token_id,
            "requests": [_fields(request) for request in self.requests.values()],
            "memory": self._memory_facts() if hasattr(self.server, "blocks") else None,
        }

    def _memory_facts(self) -> dict:
        names = ("token_budget", "admission", "profile", "profile_percent", "reserve_blocks", "aging_s", "cost")
        blocks = self.server.blocks
        return {
            "num_blocks": blocks.num_total, "block_size": blocks.block_size,
            "held": [[i, blocks.held(request)] for i, request in self.requests.items() if blocks.held(request)],
            "settings": {name: getattr(self.server, name) for name in names},
        }

    def answer(self, what, args) -> dict:
        """The reply to one question; a mistake of the loop becomes an error that is raised in the worker."""
        try:
            values = [channel.unpack(arg) for arg in args]
            return {"value": self._hosts[what](*values)}
        except queue.Empty as empty:
            return {"error": ["Empty", str(empty)]}
        except BusyWait as error:
            return {"error": ["BusyWait", str(error)]}
        except ServingError as error:
            return {"error": ["ServingError", str(error)]}
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError, channel.ChannelError) as error:
            return {"error": ["ValueError", f"server.{what} cannot be called like that: {error}"[:300]]}

    def known(self, request_id) -> Request:
        """A request that the worker was given."""
        if type(request_id) is not int or request_id not in self.requests:
            raise ServingError(f"{request_id!r} is not a request of this server: pass what server.queue returned")
        return self.requests[request_id]

    def request_with(self, request_id, tokens, *state) -> Request:
        """A request with the output tokens, and what else of its state (Lab 05), that the worker says it has."""
        request = self.known(request_id)
        request.output_token_ids = _tokens(tokens)
        for name, value in zip(("num_computed_tokens", "priority"), state):
            setattr(request, name, value)
        return request

    def take(self, count: int) -> list[Request]:
        """Take requests from the queue on this side: the state from which a call starts."""
        taken = [self.server.queue.get_nowait() for _ in range(count)]
        self.requests.update({request.request_id: request for request in taken})
        return taken

    def _hand_out(self, request: Request) -> dict:
        self.requests[request.request_id] = request
        return _fields(request)

    def _preempt(self, request_id, way) -> int:
        request = self.known(request_id)
        self.server.preempt(request, way)
        return request.num_computed_tokens

    def _respond(self, request_id, tokens) -> None:
        self.server.respond(self.request_with(request_id, tokens))


def _fields(request: Request) -> dict:
    names = (
        "request_id", "prompt_token_ids", "max_tokens", "arrival_time_s", "priority", "output_token_ids", "status",
        "num_computed_tokens",
    )
    return {name: getattr(request, name) for name in names}


def _seconds(value, name: str) -> float | None:
    if value is not None and type(value) not in (int, float):
        raise ValueError(f"{name} must be a number of seconds, but is {value!r}")
    if value is not None and not abs(value) <= MAX_SECONDS:  # nan and inf too
        raise ValueError(f"{name} must be a number of seconds up to {MAX_SECONDS:,.0f}, and is not")
    return value


def _count(value) -> int:
    if type(value) is not int or not 0 <= value <= MAX_ANSWER_TOKENS:
        raise ValueError(f"a number of tokens must be a whole number up to {MAX_ANSWER_TOKENS}, but is {value!r}")
    return value


def _tokens(tokens) -> list[int]:
    if type(tokens) is not list or len(tokens) > MAX_ANSWER_TOKENS:
        raise ValueError(f"an answer is a list of at most {MAX_ANSWER_TOKENS} token ids")
    return tokens
