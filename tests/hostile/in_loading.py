"""What a file may do, or be, when it is loaded."""

from tests.hostile.hostile import ALL, Hostile


def loading(name: str, *, shown: str = "", outcome: str = "import_error", **what) -> Hostile:
    return Hostile(name=name, exercise=ALL, outcome=outcome, shown=shown, **what)


LOADING = (
    loading("sys.exit() at import", on_top="import sys\nsys.exit(0)", shown="(line "),
    loading("os._exit(0) at import", on_top="import os; os._exit(0)", shown="exit status 0"),
    loading("input() at import", on_top="answer = input('your name? ')", shown="(line "),
    loading("an endless loop at import", on_top="while True: pass", shown="(line "),
    loading("sleeps at import", on_top="import time; time.sleep(10_000)", shown="(line "),
    loading("a syntax error", on_top="def broken(:\n    pass", shown="line "),
    loading("raises at import", on_top="raise RuntimeError('not today')", shown="not today (line "),
    loading("floods the output at import", outcome="passed", some_fail=False,
            on_top="print('\\x1b[2J\\0' * 1_000_000)"),
    loading("a module that is not there", on_top="import no_such_module_anywhere", shown="no_such_module_anywhere"),
    loading("a memory bomb at import", on_top="blob = [bytearray(50_000_000) for _ in iter(int, 1)]", outcome="out_of_memory"),
    loading("an empty file", file=b"", outcome="not_implemented"),
    loading("not UTF-8", file=b"x = '\xff\xfe'\n", shown="save it as UTF-8"),
    loading("a NUL byte", file=b"x = 1\0\n"),
    loading("brackets without end", file=b"x = " + b"(" * 50_000 + b")" * 50_000),
    loading("an expression without end", file=b"x = " + b"-" * 100_000 + b"1"),
    loading("attributes without end", file=b"x = a" + b".b" * 100_000, outcome="import_error|not_implemented"),
    loading("a sum without end", file=b"x = 1" + b"+1" * 100_000, outcome="import_error|not_implemented"),
    loading("a file of megabytes", file=b"# nothing\n" * 1_000_000, shown="bytes"),
)
