"""What a worker does with an order: load the student's file, call its functions, hand them a server.

Nothing here knows where the checking side is: questions to it go through `exchange(message) -> reply`. In a process of
its own (worker.py) that is a socket, in a browser's page a call. Found by its siblings, since a worker has no `tests`.
"""

import queue
import sys
from collections.abc import Callable
from contextlib import nullcontext
from operator import attrgetter
from pathlib import Path

import channel
import plain_data
import remote_arguments

MAX_FRAMES = 8


class OrderHandler:
    """Carries out orders: load a file, call a function, prepare imports.

    `look()` takes a picture of the process (process_state.Snapshot), by which it is seen whether a call has changed it.
    """

    def __init__(self, exchange: Callable[[dict], dict], limit_memory: Callable[[int], bool], look: Callable):
        self._exchange, self._limit_memory, self._look = exchange, limit_memory, look
        self._module = None
        self._path = ""
        self._state = None  # of this process, as the last load left it

    def carry_out(self, order: dict) -> dict:
        # Whatever the student's code does, including sys.exit(), becomes a report.
        try:
            report = {"done": getattr(self, "do_" + order["do"])(order)}
        except BaseException as error:
            report = {"failed": describe(error, self._path)}
        try:
            sys.__stdout__.flush()
        except BaseException:  # it may be closed, or replaced
            pass
        # A file that has just been loaded is the state that the call after it is compared with.
        is_new = self._state is None or (order["do"] == "load" and "done" in report)
        return {**report, "spoiled": not (is_new or self._state.holds())}

    def do_prepare(self, order: dict) -> bool:
        """Load torch and the model's code before the memory limit is set, if the checks will need them."""
        import minigpt.runtime.errors
        import minigpt.runtime.request
        import minigpt.schedulers.lab_file  # noqa: F401

        if order["fleet"]:
            import minigpt.simulation.fleet

            minigpt.simulation.fleet.ask = lambda *question: ask(self._exchange, *question)
        if order["torch"]:
            import minigpt.llm.checkpoint_io  # noqa: F401
        return self._limit_memory(order["memory_bytes"])

    def do_load(self, order: dict) -> None:
        from minigpt.schedulers import lab_file

        # The text comes from the checking side: the file on disk may have been changed by its own code.
        self._path, self._state, self._module = order["path"], None, None
        try:
            self._module = lab_file.run(order["text"], Path(self._path))
        finally:
            self._state = self._look()

    def do_call(self, order: dict):
        function = getattr(self._module, order["function"])
        server = RemoteServer(self._exchange, order["server"]) if order["server"] else None
        machine = remote_arguments.Machine()
        args = [self._argument(plain, server, machine) for plain in order["args"]]
        model = next((arg for plain, arg in zip(order["args"], args) if remote_arguments.is_model(plain)), None)
        with remote_arguments.counting(model) if model else nullcontext() as counts:
            result = function(*args)
        told = server.told_settings() if server else None
        after = [counts if arg is model else told if arg is server else arg for arg in args]
        after = [channel.pack(plain_data.plain(arg)) for arg in after]
        return {"result": channel.pack(plain_data.result(result)), "args": after}

    def do_play(self, order: dict) -> list:
        """Call methods of objects of a class, each made just before its first call; report the result of each call."""
        kind, made, story = getattr(self._module, order["class"]), {}, []
        for number, method, *args in order["calls"]:
            if number not in made:
                made[number] = kind(*(channel.unpack(arg) for arg in order["args"][number]))
            given = [channel.unpack(arg) for arg in args]
            try:
                result = attrgetter(method)(made[number])(*given)
                outcome = {"result": channel.pack(plain_data.result(result))}
            except NotImplementedError:
                raise
            except Exception as error:  # a ValueError of any kind is one
                said = describe(error, self._path)
                outcome = {"raised": "ValueError" if isinstance(error, ValueError) else said["type"],
                           "said": f"{said['type']}: {said['message']}", "line": said["line"]}
            shown = [channel.pack(plain_data.attribute(getattr(made[number], name))) for name in order["shown"]]
            after = [channel.pack(plain_data.plain(arg)) for arg in given]
            story.append({**outcome, "shown": shown, "args": after})
        return story

    @staticmethod
    def _argument(plain, server, machine):
        if plain == {"$": "server", "v": None}:
            return server
        if remote_arguments.is_described(plain):
            return remote_arguments.make(plain, machine)
        return channel.unpack(plain, lambda *fields: server.known_request(*fields))


class RemoteServer:
    """The server as the student's loop sees it; every question is answered by the checking side."""

    def __init__(self, exchange: Callable[[dict], dict], facts: dict):
        self._exchange = exchange
        self._requests = {}
        self.max_batch, self.max_wait_s = facts["max_batch"], facts["max_wait_s"]
        self.max_inflight = facts["max_inflight"]
        self.queue, self.clock = RemoteQueue(self), RemoteClock(self)
        self.model = RemoteModel(self, facts["eos_token_id"])
        for fields in facts["requests"]:
            self.request(fields)
        self.blocks = RemoteBlocks(self, facts["memory"]) if facts["memory"] else None
        if self.blocks is not None:
            self._settings = tuple(facts["memory"]["settings"])
            for name, value in facts["memory"]["settings"].items():
                setattr(self, name, value)

    def __getattr__(self, name: str):
        from minigpt.runtime.known_names import unknown_attribute

        raise unknown_attribute(self, name, "Server", hidden=("ask", "id_of", "known_request", "request"))

    def told_settings(self) -> dict | None:
        """The current settings of a server with a block pool; only the server should change them."""
        return {name: getattr(self, name) for name in self._settings} if self.blocks else None

    def respond(self, request) -> None:
        """Send the answer."""
        self.ask("respond", self.id_of(request), list(request.output_token_ids))
        request.status = "finished"
        if self.blocks is not None:
            self.blocks.released(request)

    def preempt(self, request, way) -> None:
        """Take all blocks from a request (servers with a block pool)."""
        request.num_computed_tokens = self.ask("preempt", self.id_of(request), way)
        request.status = "queued"
        self.blocks.released(request)

    def refuse(self, request, reason) -> None:
        """Refuse a request that can never be served (servers with a block pool)."""
        self.ask("refuse", self.id_of(request), reason)
        request.status = "refused"
        self.blocks.released(request)

    def ask(self, what: str, *args):
        """Put one question to the checking side."""
        return ask(self._exchange, what, *args)

    def request(self, fields: dict):
        """The one object on this side that stands for a request."""
        from minigpt.runtime.request import Request

        fields["prompt_token_ids"] = tuple(fields["prompt_token_ids"])
        request = Request(**fields)
        self._requests[request.request_id] = request
        return request

    def known_request(self, request_id: int, *state):
        return self._requests[request_id]

    @staticmethod
    def id_of(request):
        return getattr(request, "request_id", None)


def ask(exchange: Callable[[dict], dict], what: str, *args):
    """Put one question to the checking side; an error raised there is raised here."""
    reply = exchange({"ask": what, "args": [channel.pack(plain_data.plain(arg)) for arg in args]})
    if "error" not in reply:
        return reply["value"]
    from minigpt.runtime import errors

    kinds = {"Empty": queue.Empty, "BusyWait": errors.BusyWait, "ServingError": errors.ServingError,
             "TimeoutError": TimeoutError}
    kind, message = reply["error"]
    raise kinds.get(kind, ValueError)(message)


class RemoteQueue:
    """`server.queue`."""

    def __init__(self, server: RemoteServer):
        self._server = server

    @property
    def closed(self) -> bool:
        return self._server.ask("queue.closed")

    def empty(self) -> bool:
        return self._server.ask("queue.empty")

    def get_nowait(self):
        return self._server.request(self._server.ask("queue.get_nowait"))

    def get(self, timeout_s=None):
        return self._server.request(self._server.ask("queue.get", timeout_s))


class RemoteBlocks:
    """`server.blocks`, where there is a block pool."""

    def __init__(self, server: RemoteServer, facts: dict):
        self._server = server
        self.num_total, self.block_size = facts["num_blocks"], facts["block_size"]
        # What the checking process has sent so far: asking again at every step would cost more than the step.
        self._held = dict(facts["held"])

    @property
    def num_free(self) -> int:
        return self.num_total - sum(self._held.values())

    def needed(self, num_tokens):
        return -(-num_tokens // self.block_size)

    def held(self, request) -> int:
        return self._held.get(self._server.id_of(request), 0)

    def reserve(self, request, num_tokens) -> bool:
        request_id = self._server.id_of(request)
        if type(num_tokens) is int and 0 < self.needed(num_tokens) <= self._held.get(request_id, 0):
            return True
        fits, self._held[request_id] = self._server.ask("blocks.reserve", request_id, num_tokens)
        return fits

    def released(self, request) -> None:
        self._held.pop(self._server.id_of(request), None)


class RemoteClock:
    """`server.clock`."""

    def __init__(self, server: RemoteServer):
        self._server = server

    def time(self) -> float:
        return self._server.ask("clock.time")

    def sleep(self, seconds: float) -> None:
        self._server.ask("clock.sleep", seconds)


class RemoteModel:
    """`server.model`."""

    def __init__(self, server: RemoteServer, eos_token_id: int):
        self._server = server
        self.eos_token_id = eos_token_id

    def forward_one_step(self, requests) -> list:
        requests = list(requests)
        return self._server.ask("model.forward_one_step", [self._server.id_of(request) for request in requests])

    def forward_chunks(self, chunks) -> list:
        """Servers with a block pool: one step of (request, number of its next tokens)."""
        chunks = list(chunks)
        plain = [[self._server.id_of(request), num_tokens] for request, num_tokens in chunks]
        tokens = self._server.ask("model.forward_chunks", plain)
        for request, num_tokens in chunks:
            request.num_computed_tokens += num_tokens
        return tokens


def describe(error: BaseException, path: str) -> dict:
    """A bounded report of an exception, with the frames of the student's file only."""
    frames, traceback = [], error.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename == path:
            frames.append([traceback.tb_lineno, code.co_name[:80]])
        traceback = traceback.tb_next
    line = error.lineno if isinstance(error, SyntaxError) and error.filename == path else None
    try:
        message = str(error)[:500]
    except BaseException:
        message = ""
    return {
        "type": type(error).__name__[:80], "bases": [base.__name__[:80] for base in type(error).__mro__][:10],
        "message": message.encode("utf-8", "replace").decode("utf-8"), "frames": frames[-MAX_FRAMES:],
        "line": line if line is not None else (frames[-1][0] if frames else None),
    }
