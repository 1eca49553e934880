"""The worker: a process of its own that holds the student's code, and nothing worth attacking.

Started as a script. It loads the student's file on request, calls its functions, and passes them a server whose
every call goes through the channel to the checking process, where model, queue, clock and log are.
"""

import builtins
import faulthandler
import io
import json
import os
import queue
import signal
import sys
import sysconfig
from contextlib import nullcontext
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import channel  # noqa: E402  (siblings, found by the line above)
import import_guard  # noqa: E402
import line  # noqa: E402
import plain_data  # noqa: E402
import probes  # noqa: E402
import process_state  # noqa: E402
import remote_arguments  # noqa: E402
import sandbox  # noqa: E402

sys.path.pop(0)
MAX_FRAMES = 8


def main(address: str, given_code: str) -> None:
    """Connect to the checking process and carry out its orders until it disconnects."""
    start = json.loads(read_line(0))
    sys.stdin = io.StringIO()  # input() finds nothing, instead of waiting forever
    # The package is installed in place, so the repository itself, with the reference, is on the path: it is removed.
    elsewhere = [folder for folder in sys.path if os.path.realpath(folder) != start["root"]]
    sys.path[:] = [given_code, *elsewhere]
    sys.meta_path.insert(0, import_guard.ImportGuard(start["modules"], start["given"]))
    must_read = [os.__file__, sysconfig.get_path("purelib"), os.path.join(given_code, "minigpt", "__init__.py")]
    own = [int(number) for number in (address.removeprefix("fd:"), start["where"]) if str(number).isdigit()]
    sandboxed = sandbox.enter(os.getcwd(), start["view"], must_read, tuple(own))
    leave_standard_input()
    if start["where"] is not None and hasattr(faulthandler, "register"):
        os.set_inheritable(start["where"], False)
        faulthandler.register(signal.SIGUSR1, file=start["where"], all_threads=False)
    connection = line.connect(address, start["secret"])
    held = probes.measure(start["facts"], sandboxed)
    channel.send(connection, {"pid": os.getpid(), "sandbox": sandboxed.plain(), "held": held})
    handler = OrderHandler(connection)
    while True:
        try:
            order = channel.receive(connection)
        except channel.ChannelError:
            return
        report = {**handler.carry_out(order), "order": order["order"]}
        try:
            channel.send(connection, report)
        except channel.ChannelError as error:  # too long
            channel.send(connection, {"failed": describe(error, ""), "order": order["order"]})


def read_line(stream: int) -> bytes:
    """One line from a descriptor, and nothing after it."""
    read = b""
    while not read.endswith(b"\n"):
        part = os.read(stream, 1)
        if not part:
            break
        read += part
    return read


def leave_standard_input() -> None:
    """Its other end is the guardian's leash, hidden from the student's code."""
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)


class OrderHandler:
    """Carries out orders: load a file, call a function, prepare imports."""

    def __init__(self, connection):
        self._connection = connection
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
        return {**report, "spoiled": not (self._state is None or self._state.holds())}

    def do_prepare(self, order: dict) -> bool:
        """Load torch and the model's code before the memory limit is set, if the checks will need them."""
        import minigpt.runtime.errors
        import minigpt.runtime.request
        import minigpt.schedulers.lab_file  # noqa: F401

        if order["fleet"]:
            import minigpt.simulation.fleet

            minigpt.simulation.fleet.ask = lambda *question: ask(self._connection, *question)
        if order["torch"]:
            import minigpt.llm.checkpoint_io  # noqa: F401
        return limit_memory(order["memory_bytes"])

    def do_load(self, order: dict) -> None:
        from minigpt.schedulers import lab_file

        # The text comes from the checking side: the file on disk may have been changed by its own code.
        self._path, self._state, self._module = order["path"], None, None
        try:
            self._module = lab_file.run(order["text"], Path(self._path))
        finally:
            self._state = process_state.Snapshot()

    def do_call(self, order: dict):
        function = getattr(self._module, order["function"])
        server = RemoteServer(self._connection, order["server"]) if order["server"] else None
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
        """Make an object of a class, call its methods one by one, and report the result of each call."""
        made = getattr(self._module, order["class"])(*(channel.unpack(arg) for arg in order["args"]))
        story = []
        for method, *args in order["calls"]:
            try:
                result = getattr(made, method)(*(channel.unpack(arg) for arg in args))
                outcome = {"result": channel.pack(plain_data.result(result))}
            except NotImplementedError:
                raise
            except Exception as error:  # a ValueError of any kind is one
                said = describe(error, self._path)
                outcome = {"raised": "ValueError" if isinstance(error, ValueError) else said["type"],
                           "said": f"{said['type']}: {said['message']} (line {said['line']})"}
            shown = [channel.pack(plain_data.attribute(getattr(made, name))) for name in order["shown"]]
            story.append({**outcome, "shown": shown})
        return story

    @staticmethod
    def _argument(plain, server, machine):
        if plain == {"$": "server", "v": None}:
            return server
        if remote_arguments.is_described(plain):
            return remote_arguments.make(plain, machine)
        return channel.unpack(plain, lambda *fields: server.known_request(*fields))


class RemoteServer:
    """The server as the student's loop sees it; every question is answered by the checking process."""

    def __init__(self, connection, facts: dict):
        self._connection = connection
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
        """Put one question to the checking process."""
        return ask(self._connection, what, *args)

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


def ask(connection, what: str, *args):
    """Put one question to the checking process; an error raised there is raised here."""
    channel.send(connection, {"ask": what, "args": [channel.pack(plain_data.plain(arg)) for arg in args]})
    reply = channel.receive(connection)
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


def limit_memory(extra_bytes: int) -> bool:
    """Let this process grow by at most this much from here on; return whether this system can enforce it."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[0])
        limit = pages * os.sysconf("SC_PAGE_SIZE") + extra_bytes
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    except (ImportError, OSError, ValueError):
        return False
    return True


if __name__ == "__main__":
    builtins.exit = builtins.quit = sys.exit
    main(sys.argv[1], sys.argv[2])
