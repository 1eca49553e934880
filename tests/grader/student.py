"""What a check sees of the code under test: calls of its functions, on servers that stay on this side."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from minigpt.runtime.clock import steps_clock
from minigpt.runtime.model_runner import ScriptedRunner
from minigpt.runtime.paged.run_log import PagedRunLog
from minigpt.runtime.run_log import RunLog
from minigpt.runtime.server import make_server
from minigpt.schedulers.registry import find_policy
from minigpt.simulation.paged_run import PRODUCTION, paged_server
from minigpt.simulation.run import make_runner
from minigpt.workloads.workload import Workload
from tests.grader import channel
from tests.grader.calls import DESCRIBED, SERVER, Calls
from tests.grader.outcomes import CheckFailed
from tests.grader.server_host import ServerHost

FEW_POLLS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """One of several calls: its arguments as they were passed and as it left them, and its result."""

    before: list
    after: list
    result: object

    @property
    def changed(self) -> list[int]:
        """Which arguments changed, by their index from 0; a described one (a model) never does.

        Compared is what crosses the channel, so tensors count by their numbers, and nan is nan.
        """
        pairs = list(zip(self.before, self.after, strict=True))
        return [i for i, (old, new) in enumerate(pairs)
                if not isinstance(old, DESCRIBED) and channel.pack(old) != channel.pack(new)]


def in_turn(rows: list[list], most: int = 5) -> list:
    """All of several lists, from one to `most` of each in turn, and each in its own order."""
    rng, rows, merged = random.Random(0), [list(row) for row in rows], []
    while any(rows):
        for row in rows:
            count = rng.randint(1, most)
            merged += row[:count]
            del row[:count]
    return merged


class Student:
    """One student's file, called in a worker.

    Every call reloads the file, so that no check sees what an earlier one left behind. What a function keeps from one
    call to the next (a default argument, a global) shows in several calls of one load:

        first, second = student.call_twice("p95", values)       the same arguments, twice
        student.calls("p95", [short], [long], [short])          a list of arguments for each call
        student.call(…, again=True)                             goes on in the load of the call before; so do
                                                                call_with, call_on, call_beside and the runs
    """

    def __init__(self, worker: Calls, *, scripted: bool = False, seed: int = 0):
        self.worker, self.file = worker, worker.file
        self.scripted = scripted  # no model in long runs either: for testing many wrong solutions quickly
        self.seed = seed  # of graded workloads
        self._has_polled: set[str] = set()  # functions that polled forever: no check waits for that again
        self.measurements: dict[str, object] = {}  # figures for the report's headline
        self._kept: dict[str, object] = {}  # long runs that several checks look at; they end with this student

    def once(self, name: str, make: Callable[[], object]):
        """The result of `make`, which only the first check that asks for it has to wait for."""
        if name not in self._kept:
            self._kept[name] = make()
        return self._kept[name]

    def call(self, function: str, *args, again: bool = False):
        """The result of a function of plain values."""
        return self.worker.call(function, list(args), again=again)[0]

    def calls(self, function: str, *arguments: list) -> list[Called]:
        """Several calls in one load of the file, each with its own list of arguments; a CheckFailed ends them."""
        made = []
        for count, args in enumerate(arguments):
            result, after = self.worker.call(function, list(args), again=count > 0)
            made.append(Called(before=list(args), after=after, result=result))
        return made

    def call_twice(self, function: str, *args) -> tuple[Called, Called]:
        """The same call twice in one load: a function that keeps and changes nothing returns the same both times."""
        first, second = self.calls(function, args, args)
        return first, second

    def call_with(self, function: str, *args, again: bool = False):
        """The result of a function and its arguments as they are afterwards.

        Besides plain values and tensors an argument may be one of tests/grader/remote_arguments.py. The file is
        reloaded for each call; with `again` what it kept from the last call is still there.
        """
        return self.worker.call(function, list(args), again=again)

    def server(self, workload: Workload, *, clock=None, tokens=None, **settings) -> ServerHost:
        """A server on this side; by default every step takes one millisecond and answers are scripted."""
        clock = clock or steps_clock()
        return ServerHost(make_server(workload, clock=clock, runner=tokens or ScriptedRunner(), **settings))

    def call_on(self, host: ServerHost, function: str, *args, again: bool = False):
        """Call `function(server, *args)`: its result, and the other arguments as they are afterwards."""
        if function in self._has_polled:
            host.server.limit_idle_polls(FEW_POLLS)
        try:
            result, args_after = self.worker.call(function, [SERVER, *args], host, again=again)
        except CheckFailed as failure:
            if "BusyWait" in failure.raised:
                self._has_polled.add(function)
            raise
        host.settings_after = args_after[0]
        return result, args_after[1:]

    def run_loop(
        self, policy: str, workload: Workload, *, clock=None, tokens: str = "scripted", again: bool = False,
        function: str = "", **settings,
    ) -> RunLog:
        """Let the student's loop of a policy, or another `function` instead, serve a workload; return the runtime's log."""
        found = find_policy(policy)
        settings = {"max_batch": 8, "max_inflight": 8, "max_wait_s": 0.005, **settings}
        kind = "scripted" if self.scripted else tokens
        num_slots = max(settings["max_batch"], settings["max_inflight"])
        host = self.server(
            workload, clock=clock, tokens=make_runner(kind, workload, num_slots), streams=found.streams, **settings
        )
        self.call_on(host, function or found.function, again=again)
        return host.server.log.closed_at(host.server.clock.now_ns)

    def call_beside(self, host: ServerHost, function: str, *args, again: bool = False):
        """The result of a function whose arguments hold requests of a server, but not the server itself."""
        return self.call_beside_with(host, function, *args, again=again)[0]

    def call_beside_with(self, host: ServerHost, function: str, *args, again: bool = False):
        """The same, with the arguments as they are afterwards."""
        return self.worker.call(function, list(args), host, again=again)

    def play(self, class_name: str, args: list, calls: list, shown: tuple = (), *, again: bool = False) -> list[dict]:
        """Make an object of a class and call its methods in turn, `calls` being (method, *args); see `Calls.play`."""
        return self.worker.play(class_name, [args], [(0, *call) for call in calls], shown, again=again)

    def play_together(self, class_name: str, args: list[list], stories: list[list], shown: tuple = ()) -> list[list[dict]]:
        """Several objects of a class in one load, each with its own calls, a few of them at a time: what each was told.

        What belongs to the class instead of its objects, or is kept elsewhere, mixes them up.
        """
        calls = in_turn([[(number, *call) for call in calls] for number, calls in enumerate(stories)])
        told = list(zip(calls, self.worker.play(class_name, args, calls, shown), strict=True))
        return [[each for (number, *_), each in told if number == i] for i in range(len(stories))]

    def paged_server(self, workload: Workload, *, clock=None, tokens: str = "scripted", **settings) -> ServerHost:
        """A server with a block pool on this side; by default every step takes one millisecond."""
        tokens = "scripted" if self.scripted else tokens
        return ServerHost(paged_server(workload, clock=clock or steps_clock(), tokens=tokens, **settings))

    def run_production(self, workload: Workload, *, again: bool = False, **settings) -> PagedRunLog:
        """Let the student's loop of Lab 05 serve a workload; return the runtime's log."""
        host = self.paged_server(workload, **settings)
        self.call_on(host, PRODUCTION.function, again=again)
        return host.server.log.closed_at(host.server.clock.now_ns)
