"""What a check sees of the code under test: calls of its functions, on servers that stay on this side."""

from pathlib import Path

from minigpt import paths
from minigpt.clock import steps_clock
from minigpt.engine import ScriptedTokens
from minigpt.memory_log import MemoryLog
from minigpt.memory_replay import PRODUCTION, memory_server
from minigpt.policies import find_policy
from minigpt.replay import make_tokens
from minigpt.runlog import RunLog
from minigpt.serving import Server
from minigpt.workload import Workload
from tests.grader.server_desk import ServerDesk
from tests.grader.session import SERVER, Limits, Worker

HIDDEN = ("solutions", "tests", "labs")


class Student:
    """One student's file, called in a worker."""

    def __init__(
        self, file: Path, given_code: Path, *, scripted: bool = False, seed: int = 0, needs_torch=False,
        limits: Limits = Limits(), hidden: tuple[Path, ...] = (),
    ):  # fmt: skip
        self.file = file
        self.scripted = scripted  # no model in long runs either: for trying many wrong solutions quickly
        self.seed = seed  # of graded workloads
        self.measurements: dict[str, object] = {}  # figures for the report's headline
        # Where the system can do it, the student's code finds neither reference nor checks.
        hidden = (*hidden, *(paths.repository_root() / name for name in HIDDEN))
        self.worker = Worker(file, given_code, needs_torch=needs_torch, limits=limits, hidden=hidden)

    def call(self, function: str, *args):
        """The result of a function of plain values."""
        return self.worker.call(function, list(args))[0]

    def call_with(self, function: str, *args, again: bool = False):
        """The result of a function and its arguments as they are afterwards.

        Besides plain values and tensors an argument may be one of tests/grader/stand_ins.py. The file is
        loaded anew for each call; with `again` what it kept to itself in the last call is still there.
        """
        return self.worker.call(function, list(args), again=again)

    def server(self, workload: Workload, *, clock=None, tokens=None, **settings) -> ServerDesk:
        """A server on this side; by default every step takes one millisecond and answers are scripted."""
        clock = clock or steps_clock()
        return ServerDesk(Server(workload, clock=clock, tokens=tokens or ScriptedTokens(), **settings))

    def call_on(self, desk: ServerDesk, function: str, *args):
        """Call `function(server, *args)`: its result, and the other arguments as they are afterwards."""
        result, args_after = self.worker.call(function, [SERVER, *args], desk)
        return result, args_after[1:]

    def run_loop(self, policy: str, workload: Workload, *, clock=None, tokens: str = "scripted", **settings) -> RunLog:
        """Let the student's loop of a policy serve a workload; what the runtime saw."""
        found = find_policy(policy)
        settings = {"max_batch": 8, "max_inflight": 8, "max_wait_s": 0.005, **settings}
        kind = "scripted" if self.scripted else tokens
        num_slots = max(settings["max_batch"], settings["max_inflight"])
        desk = self.server(
            workload, clock=clock, tokens=make_tokens(kind, workload, num_slots), streams=found.streams, **settings
        )
        self.call_on(desk, found.function)
        return desk.server.log.closed_at(desk.server.clock.now_ns)

    def call_beside(self, desk: ServerDesk, function: str, *args):
        """The result of a function whose arguments hold requests of a server, but not the server itself."""
        return self.worker.call(function, list(args), desk)[0]

    def play(self, class_name: str, args: list, calls: list, shown: tuple = ()) -> list[dict]:
        """Make an object of a class and call its methods in turn; see `Worker.play`."""
        return self.worker.play(class_name, args, calls, shown)

    def memory_server(self, workload: Workload, *, clock=None, tokens: str = "scripted", **settings) -> ServerDesk:
        """A server with a block pool on this side; by default every step takes one millisecond."""
        tokens = "scripted" if self.scripted else tokens
        return ServerDesk(memory_server(workload, clock=clock or steps_clock(), tokens=tokens, **settings))

    def run_production(self, workload: Workload, **settings) -> MemoryLog:
        """Let the student's loop of Lab 05 serve a workload; what the runtime saw."""
        desk = self.memory_server(workload, **settings)
        self.call_on(desk, PRODUCTION.function)
        return desk.server.log.closed_at(desk.server.clock.now_ns)
