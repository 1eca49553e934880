"""What a function may do when it is called, or give back."""

from tests.hostile.hostile import Hostile

CALLS = (
    Hostile(name="os._exit(0)", within="import os; os._exit(0)", outcome="process_ended", shown="exit status 0"),
    Hostile(name="sys.exit(0)", within="import sys; sys.exit(0)", outcome="process_ended"),
    Hostile(name="KeyboardInterrupt", within="raise KeyboardInterrupt", outcome="process_ended"),
    Hostile(name="ends itself by a signal", within="import os; os.kill(os.getpid(), 9)", outcome="process_ended"),
    Hostile(name="endless loop", within="while True: pass", outcome="timed_out", shown="`reduction_interval` did not return"),
    Hostile(name="sleeps for hours", within="import time; time.sleep(10_000)", outcome="timed_out"),
    Hostile(
        name="ignores signals and loops", outcome="timed_out", within="""
        import signal
        for number in signal.valid_signals() - {9, 19}:
            signal.signal(number, signal.SIG_IGN)
        while True: pass
        """,
    ),
    Hostile(
        name="catches everything and loops", outcome="timed_out", within="""
        while True:
            try:
                while True: pass
            except BaseException:
                pass
        """,
    ),
    Hostile(name="raises MemoryError", within="raise MemoryError('so it says')", outcome="out_of_memory"),
    Hostile(name="memory bomb", within="blob = []\nwhile True: blob.append(bytearray(50_000_000))", outcome="out_of_memory"),
    Hostile(name="one huge allocation", within="blob = bytearray(10**13)", outcome="out_of_memory"),
    Hostile(
        name="memory bomb in a loop that catches it", outcome="timed_out|out_of_memory", within="""
        blob = []
        while True:
            try:
                blob.append(bytearray(10_000_000))
            except MemoryError:
                pass
        """,
    ),
    Hostile(
        name="endless recursion without a limit", outcome="process_ended|crashed|out_of_memory|timed_out", within="""
        import sys
        sys.setrecursionlimit(10**9)
        def down(n): return down(n + 1) + 1
        down(0)
        """,
    ),
    Hostile(
        name="floods the output", outcome="passed", some_fail=False, within=r"""
        import os
        for _ in range(50):
            os.write(1, b"\x1b[31m\x00\xff\xfe red \x1b[2J" * 50_000)
        """,
    ),
    Hostile(name="an exception of a million characters", within="raise RuntimeError('\\x1b\\0x' * 10**6)", outcome="crashed"),
    Hostile(
        name="an exception that cannot be shown", outcome="crashed", within="""
        class Mute(Exception):
            def __str__(self): raise SystemExit(0)
            __repr__ = __str__
        raise Mute
        """,
    ),
    Hostile(
        name="a chain of exceptions that never ends", outcome="crashed", within="""
        fault = ValueError("round and round")
        fault.__cause__ = fault.__context__ = fault
        raise fault
        """,
    ),
    Hostile(name="its own NotImplementedError", within="raise NotImplementedError", outcome="not_implemented"),
)

VALUES = (
    Hostile(
        name="always-equal objects", outcome="wrong", shown="Yes", within="""
        class Yes:
            def __eq__(self, other): return True
            __lt__ = __le__ = __gt__ = __ge__ = __eq__
            def __hash__(self): return 0
        return Yes(), Yes()
        """,
    ),
    Hostile(
        name="a number that equals everything", outcome="wrong", within="""
        class Yes(float):
            def __eq__(self, other): return True
            __lt__ = __le__ = __gt__ = __ge__ = __eq__
            def __sub__(self, other): return 0.0
        return Yes(1), Yes(2)
        """,
    ),
    Hostile(
        name="says that it is a tuple", outcome="wrong", within="""
        class Disguised:
            __class__ = tuple
            def __len__(self): return 2
            def __getitem__(self, i): return 40.0
        return Disguised()
        """,
    ),
    Hostile(name="NaN", within="return float('nan'), float('nan')", outcome="wrong", shown="nan"),
    Hostile(name="infinity", within="return float('-inf'), float('inf')", outcome="wrong", shown="inf"),
    Hostile(name="a string where a number is due", within="return '40', '40'", outcome="wrong", shown="'40'"),
    Hostile(name="None", within="return None", outcome="wrong", shown="None"),
    Hostile(name="a coroutine", within="async def later(): return 40, 40\nreturn later()", outcome="wrong", shown="coroutine"),
    Hostile(name="a huge integer", within="return 10**100_000, 10**100_000", outcome="wrong", shown="very many digits"),
    Hostile(
        name="a deeply nested value", outcome="wrong",
        within="nest = []\nfor _ in range(100_000): nest = [nest]\nreturn nest, nest",
    ),
    Hostile(name="a list that holds itself", within="me = []\nme.append(me)\nreturn me, me", outcome="wrong"),
    Hostile(
        name="a list that holds itself many times", outcome="timed_out|out_of_memory|crashed",
        within="me = []\nme.extend([me] * 30)\nreturn me",
    ),
    Hostile(
        name="an endless generator", outcome="wrong", shown="generator",
        within="def on():\n    while True: yield 40.0\nreturn on()",
    ),
    Hostile(name="a million numbers", within="return [0.5] * 1_000_000", outcome="wrong"),
    Hostile(name="a text of 100 MB", within="return 'x' * 100_000_000", outcome="wrong"),
    Hostile(name="lone surrogates", within="return chr(0xD800) * 2, chr(0)", outcome="wrong"),
    Hostile(
        name="a value of another kind in a list", exercise="3.2", outcome="wrong|crashed|passed",
        within="server.model.forward_one_step(in_flight); return [[], {}, None, 3.5]",
    ),
    Hostile(name="numbers in the place of requests", exercise="3.1", outcome="wrong|crashed|passed",
            within="in_flight[:] = [7, None, 'x']; return"),
)
