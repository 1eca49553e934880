"""The worker: a process of its own that holds the student's code, and nothing worth attacking.

Started afresh as a script. It loads the student's file when told to, calls its functions, and hands them a server
whose every question goes through the channel to the checking process, where model, queue, clock and log are.
"""

import builtins
import importlib.util
import io
import os
import queue
import socket
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import channel  # noqa: E402  (a sibling, found by the line above)

sys.path.pop(0)
MAX_FRAMES = 8


def main(port: int, given_code: str) -> None:
    """Connect to the checking process and do what it says until it hangs up."""
    secret = sys.stdin.readline().strip()
    sys.stdin.close()
    sys.stdin = io.StringIO()  # input() finds nothing, instead of waiting for ever
    sys.path.insert(0, given_code)
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    channel.send(connection, {"hello": secret})
    desk = Desk(connection)
    while True:
        try:
            order = channel.receive(connection)
        except channel.ChannelError:
            return
        channel.send(connection, desk.carry_out(order))


class Desk:
    """Carries out orders: load a file, call a function, prepare imports."""

    def __init__(self, connection):
        self._connection = connection
        self._module = None
        self._path = ""

    def carry_out(self, order: dict) -> dict:
        # Whatever the student's code does, including sys.exit(), becomes a report.
        try:
            return {"done": getattr(self, "do_" + order["do"])(order)}
        except BaseException as fault:
            return {"failed": describe(fault, self._path)}

    def do_prepare(self, order: dict) -> None:
        """Load torch and the model's code before the memory limit is set, if the checks will need them."""
        if order["torch"]:
            import minigpt.model  # noqa: F401
        return limit_memory(order["memory_bytes"])

    def do_load(self, order: dict) -> None:
        self._path = order["path"]
        text = Path(self._path).read_text(encoding="utf-8")
        spec = importlib.util.spec_from_file_location(Path(self._path).stem, self._path)
        self._module = importlib.util.module_from_spec(spec)
        sys.modules[self._module.__name__] = self._module  # dataclasses and pickling look there
        exec(compile(text, self._path, "exec"), self._module.__dict__)

    def do_call(self, order: dict):
        function = getattr(self._module, order["function"])
        server = RemoteServer(self._connection, order["server"]) if order["server"] else None
        known = {}
        args = [self._argument(plain, server, known) for plain in order["args"]]
        result = function(*args)
        return {"result": channel.pack(result), "args": [self._after(arg, server) for arg in args]}

    @staticmethod
    def _argument(plain, server, known: dict):
        if plain == {"$": "server", "v": None}:
            return server
        return channel.unpack(plain, lambda *fields: server.known_request(*fields))

    @staticmethod
    def _after(arg, server):
        return None if arg is server else channel.pack(arg)


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

    def respond(self, request) -> None:
        """Send the answer."""
        self.ask("respond", self.id_of(request), list(request.output_token_ids))
        request.status = "finished"

    def ask(self, what: str, *args):
        """Put one question to the checking process."""
        channel.send(self._connection, {"ask": what, "args": [channel.pack(arg) for arg in args]})
        reply = channel.receive(self._connection)
        if "error" in reply:
            raise self._error(*reply["error"])
        return reply["value"]

    @staticmethod
    def _error(kind: str, message: str) -> Exception:
        if kind == "Empty":
            return queue.Empty()
        from minigpt import serving

        return {"BusyWait": serving.BusyWait, "ServingError": serving.ServingError}.get(kind, ValueError)(message)

    def request(self, fields: dict):
        """The one object on this side that stands for a request."""
        from minigpt.request import Request

        fields["prompt_token_ids"] = tuple(fields["prompt_token_ids"])
        request = Request(**fields)
        self._requests[request.request_id] = request
        return request

    def known_request(self, request_id: int, tokens: list):
        return self._requests[request_id]

    @staticmethod
    def id_of(request):
        return getattr(request, "request_id", None)


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


def describe(fault: BaseException, path: str) -> dict:
    """A bounded report of an exception, with the frames of the student's file only."""
    frames, traceback = [], fault.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename == path:
            frames.append([traceback.tb_lineno, code.co_name[:80]])
        traceback = traceback.tb_next
    line = fault.lineno if isinstance(fault, SyntaxError) and fault.filename == path else None
    try:
        message = str(fault)[:500]
    except BaseException:
        message = ""
    return {
        "type": type(fault).__name__[:80], "bases": [base.__name__[:80] for base in type(fault).__mro__][:10],
        "message": message.encode("utf-8", "replace").decode("utf-8"), "frames": frames[-MAX_FRAMES:],
        "line": line if line is not None else (frames[-1][0] if frames else None),
    }  # fmt: skip


def limit_memory(extra_bytes: int) -> bool:
    """Let this process grow by so much from here; returns whether this system can enforce it."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * os.sysconf("SC_PAGE_SIZE") + extra_bytes
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    except (ImportError, OSError, ValueError):
        return False
    return True


if __name__ == "__main__":
    builtins.exit = builtins.quit = sys.exit
    main(int(sys.argv[1]), sys.argv[2])
