"""What code may do to the process that it runs in, to the machine, and to the line to the checks."""

from minigpt.paths import repository_root
from tests.hostile.hostile import ALL, Hostile

ROOT = str(repository_root())
SLEEPER = "864013"  # an argument of `sleep`, by which the tests find a process that was left behind
MARK = "hostile_was_here"

PROCESSES = (
    Hostile(
        name="a child that sleeps, then a hang", outcome="timed_out", within=f"""
        import subprocess, time
        subprocess.Popen(["sleep", "{SLEEPER}"], start_new_session=True)
        while True: time.sleep(1)
        """,
    ),
    Hostile(
        # A check that calls often reaches the limit on processes.
        name="a daemon", outcome="passed|crashed", some_fail=False, within=f"""
        import os
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.closerange(0, 100)
                os.execve("/bin/sleep", ["sleep", "{SLEEPER}"], {{}})
            os._exit(0)
        os.wait()
        """,
    ),
    Hostile(
        # They add up to the limit on processes, and the last ones cannot be made.
        name="a daemon made while loading", exercise=ALL, outcome="passed|import_error", some_fail=False, on_top=f"""
        import os
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.execve("/bin/sleep", ["sleep", "{SLEEPER}"], {{}})
            os._exit(0)
        os.wait()
        """,
    ),
    Hostile(
        name="a fork bomb, bounded", outcome="passed|crashed|process_ended", some_fail=False, within=f"""
        import os
        for _ in range(300):
            try:
                if os.fork() == 0:
                    os.execve("/bin/sleep", ["sleep", "{SLEEPER}"], {{}})
            except OSError:
                break
        """,
    ),
    Hostile(
        name="threads that never end", outcome="passed|crashed", some_fail=False, within="""
        import threading, time
        for daemon in (True, False):
            threading.Thread(target=lambda: [time.sleep(0.01) for _ in iter(int, 1)], daemon=daemon).start()
        """,
    ),
    Hostile(
        name="a thread that ends the process later", outcome="passed|process_ended", some_fail=False, within="""
        import os, threading
        threading.Timer(0.05, os._exit, (0,)).start()
        """,
    ),
    Hostile(
        name="an alarm that goes off later", outcome="passed|process_ended", some_fail=False,
        within="import signal; signal.setitimer(signal.ITIMER_REAL, 0.05)",
    ),
    Hostile(
        name="kills its parent", outcome="process_ended|crashed",
        within="import os, time; os.kill(os.getppid(), 9); time.sleep(1)",
    ),
    Hostile(
        name="stops its parent", outcome="passed|process_ended|crashed|timed_out", some_fail=False,
        within="import os, signal; os.kill(os.getppid(), signal.SIGSTOP)",
    ),
    Hostile(
        name="atexit hooks", exercise=ALL, outcome="passed", some_fail=False, on_top="""
        import atexit
        @atexit.register
        def last():
            while True: print("still here")
        """,
    ),
    Hostile(
        name="raises its own limits", outcome="crashed|passed", some_fail=False, within="""
        import resource
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        """,
    ),
)

FILES = (
    Hostile(
        name="writes into the project", outcome="passed", some_fail=False, within=f"""
        import os
        for folder in ("", "minigpt", "tests", "tests/grader", "tests/lab03", "solutions", "labs/03_continuous_batching"):
            try:
                with open(os.path.join({ROOT!r}, folder, "{MARK}.py"), "w") as file:
                    file.write("raise SystemExit(0)")
            except OSError:
                pass
        """,
    ),
    Hostile(
        name="changes the given code of its process", exercise=ALL, outcome="passed", some_fail=False, on_top=f"""
        import minigpt, os
        try:
            with open(os.path.join(os.path.dirname(minigpt.__file__), "{MARK}.py"), "w") as file:
                file.write("")
        except OSError:
            pass
        """,
    ),
    Hostile(
        name="litters in open folders", outcome="passed", some_fail=False, within=f"""
        for folder in ("/tmp", "/var/tmp", "/dev/shm"):
            try:
                open(folder + "/{MARK}.txt", "w").close()
            except OSError:
                pass
        """,
    ),
    Hostile(
        name="deletes its own file", exercise=ALL, outcome="passed", some_fail=False, on_top="""
        import os
        try:
            os.remove(__file__)
        except OSError:
            pass
        """,
    ),
    Hostile(
        name="rewrites its own file", exercise=ALL, outcome="passed", some_fail=False,
        on_top="""
        try:
            with open(__file__, "w") as file: file.write("while True: pass")
        except OSError:
            pass
        """,
    ),
    Hostile(name="goes elsewhere", within="import os; os.chdir('/')", outcome="passed", some_fail=False),
    Hostile(
        name="a file of gigabytes", outcome="crashed|process_ended", within="""
        with open("big", "wb") as file:
            for _ in range(3_000): file.write(bytes(1_000_000))
        """,
    ),
    Hostile(
        name="reads the reference", outcome="crashed", shown="FileNotFoundError", needs=("reference",), within=f"""
        open({ROOT!r} + "/solutions/03_continuous_batching/continuous_batching.py").read()
        """,
    ),
    Hostile(
        name="reads the checks", outcome="crashed", shown="FileNotFoundError", needs=("reference",),
        within=f"open({ROOT!r} + '/tests/lab03/test_6_interval.py').read()",
    ),
    Hostile(
        name="imports the reference", exercise=ALL, outcome="import_error", shown="solutions",
        on_top="import importlib\nimportlib.import_module('solutions.03_continuous_batching.continuous_batching')",
    ),
    Hostile(
        name="imports the checks", exercise=ALL, outcome="import_error", shown="tests", on_top="import tests.grader.outcomes",
    ),
    Hostile(
        name="a stray conftest.py and pytest.ini", outcome="wrong", within="return 0.0, 0.0", beside=(
            ("conftest.py", "import pytest\n@pytest.hookimpl(tryfirst=True)\ndef pytest_pyfunc_call(pyfuncitem): return True\n"),
            ("pytest.ini", "[pytest]\naddopts = --collect-only\n"), ("sitecustomize.py", "raise SystemExit(0)\n"),
            ("random.py", "raise SystemExit(0)\n"), ("minigpt.py", "raise SystemExit(0)\n"),
        ),
    ),
)

LINES = (
    Hostile(name="closes all files", within="import os; os.closerange(0, 500)", outcome="process_ended"),
    Hostile(
        name="writes noise on the line", outcome="process_ended|crashed", within="""
        import gc, socket
        for line in [one for one in gc.get_objects() if type(one) is socket.socket]:
            line.sendall(b"\\xff" * 1000)
        """,
    ),
    Hostile(
        name="announces a message of 4 GB", outcome="process_ended|crashed", within="""
        import os
        for number in range(3, 20):
            try: os.write(number, b"\\xff\\xff\\xff\\xff")
            except OSError: pass
        while True: pass
        """,
    ),
    Hostile(
        name="forges a report", outcome="process_ended|crashed|wrong", within="""
        import gc, json, socket, struct
        forged = json.dumps({"done": {"result": None, "args": []}, "outcome": "passed", "spoiled": False}).encode()
        for line in [one for one in gc.get_objects() if type(one) is socket.socket]:
            for _ in range(20): line.sendall(struct.pack(">I", len(forged)) + forged)
        """,
    ),
    Hostile(
        name="asks for nonsense", exercise="3.1", outcome="crashed|wrong|passed", within="""
        for what, args in (("queue.get", [["$"]]), ({}, None), ("respond", [{"$": "list"}]), ("__class__", []),
                           ("model.forward_one_step", [None]), ("clock.sleep", ["x"]), (None, [[[[[]]]]])):
            try:
                server.ask(what, *args)
            except Exception:
                pass
        raise RuntimeError("nothing came of it")
        """,
    ),
    Hostile(
        name="a nested question", exercise="3.1", outcome="crashed|process_ended|wrong|passed", within="""
        import json, struct
        deep = ('{"ask": "respond", "args": [' + '{"$": "list", "v": [' * 400 + ']}' * 400 + ']}').encode()
        server._connection.sendall(struct.pack(">I", len(deep)) + deep)
        """,
    ),
    Hostile(
        name="impossible times", exercise="3.1", outcome="crashed|wrong|passed|timed_out", within="""
        for seconds in (float("nan"), float("inf"), -1.0, True, 10**200, "1"):
            for ask in (server.clock.sleep, server.queue.get):
                try:
                    ask(seconds)
                except Exception:
                    pass
        """,
    ),
)

STATE = (
    Hostile(
        name="patched clocks", exercise=ALL, outcome="passed", some_fail=False, on_top="""
        import time
        for name in ("time", "perf_counter", "monotonic", "process_time", "perf_counter_ns", "time_ns", "sleep"):
            setattr(time, name, lambda *_: 0)
        """,
    ),
    Hostile(
        name="patched judges", outcome="wrong", within="return 0.0, 0.0", on_top="""
        import abc, math, sys, types, unittest, warnings
        sys.excepthook = sys.unraisablehook = warnings.showwarning = lambda *_, **__: None
        torch = sys.modules["torch"] = types.ModuleType("torch")
        torch.allclose = torch.equal = math.isclose = lambda *_, **__: True
        """,
    ),
    Hostile(
        name="replaced built-ins", outcome="passed|wrong|crashed|process_ended", some_fail=False, within="""
        import builtins
        builtins.len, builtins.isinstance, builtins.list = (lambda _: 0), (lambda *_: True), (lambda *_: [0])
        """,
    ),
    Hostile(
        name="an import hook", outcome="passed", some_fail=False, within="""
        import sys
        class Nothing:
            def find_spec(self, *_): raise SystemExit(0)
        sys.meta_path.insert(0, Nothing())
        sys.modules.pop("minigpt.runtime.request", None)
        """,
    ),
    Hostile(
        name="patches the worker", outcome="process_ended|crashed|wrong|passed", some_fail=False, within="""
        import sys
        for name in ("channel", "__main__", "remote_arguments"):
            for key, value in list(vars(sys.modules[name]).items()):
                if callable(value): setattr(sys.modules[name], key, lambda *_, **__: 40.0)
        """,
    ),
    Hostile(
        name="changes the class of requests", exercise="3.2", outcome="wrong|crashed|passed", within="""
        cls = type(in_flight[0])
        cls.append = lambda self, token: None
        cls.__eq__, cls.__hash__ = (lambda self, other: True), (lambda self: 1)
        cls.request_id = 0
        """,
    ),
    Hostile(
        name="changes the server's settings", exercise="3.1", outcome="wrong|crashed|passed",
        within="server.max_inflight = 10**9",
    ),
    Hostile(
        name="a server of its own", exercise="3.4", outcome="wrong|crashed|passed", within="""
        class Free:
            closed = True
            def __getattr__(self, name): return lambda *_: None
        server.queue = server.model = server.clock = Free()
        """,
    ),
    Hostile(
        name="answers with made-up requests", exercise="3.3", outcome="wrong|crashed|passed", within="""
        from minigpt.runtime.request import Request
        for number in (-1, 10**30, 0, None):
            try:
                server.respond(Request(request_id=number, prompt_token_ids=(), max_tokens=1, arrival_time_s=0.0,
                                       output_token_ids=[10**40, "x", None]))
            except Exception:
                pass
        """,
    ),
    Hostile(
        name="remembers between the checks", outcome="passed|crashed", some_fail=False, within="""
        import random, sys
        if getattr(sys, "been_here", False): raise RuntimeError("again")
        sys.been_here = True
        random.seed(0)
        """,
    ),
)
