"""Ways to keep the checks waiting, and to fill what they wait in."""

from tests.hostile.hostile import ALL, Hostile

SLEEPER = "864013"  # as in in_the_process.py


def waiting(name: str, within: str, **what) -> Hostile:
    return Hostile(name=name, within=within, **{"outcome": "timed_out", **what})


WAITING = (
    waiting("sleeps a millisecond at a time", "import time\nwhile True: time.sleep(0.001)"),
    waiting("sleeps a second at a time", "import time\nwhile True: time.sleep(1)"),
    waiting(
        "a message that drips in", """
        import gc, socket, time
        (line,) = [one for one in gc.get_objects() if type(one) is socket.socket]
        line.sendall(bytes([0, 0, 16, 0]))
        while True:
            line.sendall(b" ")
            time.sleep(0.05)
        """,
    ),
    waiting(
        "the length of a message that drips in", """
        import gc, socket, time
        (line,) = [one for one in gc.get_objects() if type(one) is socket.socket]
        for byte in bytes([0, 0, 0]):
            line.sendall(bytes([byte]))
            time.sleep(1)
        time.sleep(10_000)
        """,
    ),
    waiting("waits for a signal", "import signal; signal.pause()"),
    waiting("waits for nothing", "import select; select.select([], [], [])"),
    waiting("a lock taken twice", "import threading\nlock = threading.Lock()\nlock.acquire(); lock.acquire()"),
    waiting("a queue that nobody fills", "import queue; queue.SimpleQueue().get()"),
    waiting("waits for a child that sleeps", f"import subprocess; subprocess.run(['sleep', '{SLEEPER}'])"),
    waiting(
        "a child that works while it sleeps", """
        import os, time
        if os.fork() == 0:
            while True: pass
        time.sleep(10_000)
        """,
    ),
    waiting("stops itself", "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)"),
    waiting("an expression that backtracks for ever", "import re; re.match('(a|a)*b', 'a' * 60)", outcome="timed_out"),
    waiting("a loop that Python cannot interrupt", "import itertools; sum(itertools.repeat(1))"),
    waiting("a number with a billion digits", "x = 7 ** (7 ** 11)", outcome="timed_out|out_of_memory|crashed"),
    waiting("reads from a pipe that nobody writes", "import os\nos.mkfifo('pipe')\nopen('pipe').read()"),
    waiting("yields to everybody, and works on", "import os\nos.nice(19)\nwhile True: os.sched_yield()"),
    waiting(
        "the lowest priority there is", """
        import os
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        while True: pass
        """,
    ),
    waiting(
        "asks without end", """
        while True:
            try: server.queue.empty(); server.clock.time()
            except Exception: pass
        """, exercise="3.1",
    ),
    waiting(
        "floods the line with questions", """
        import json, struct
        data = json.dumps({"ask": "clock.time", "args": []}).encode()
        while True: server._connection.sendall((struct.pack(">I", len(data)) + data) * 1000)
        """, exercise="3.1", outcome="timed_out|process_ended|crashed",
    ),
    waiting(
        "steps without end", """
        while True:
            try: server.model.forward_one_step(in_flight)
            except Exception: pass
        """, exercise="3.2",
    ),
    waiting(
        "lets time pass without end", """
        while True:
            try: server.clock.sleep(1e8)
            except Exception: pass
        """, exercise="3.1",
    ),
    waiting(
        "a message of 30 MB, again and again", """
        import struct
        data = b'{"ask": "respond", "args": ["' + b"x" * 30_000_000 + b'"]}'
        while True: server._connection.sendall(struct.pack(">I", len(data)) + data)
        """, exercise="3.1", outcome="timed_out|process_ended|crashed",
    ),
    waiting(
        "a message of ten million lists", """
        import struct
        data = b"[" + b"[]," * 10_000_000 + b"[]]"
        server._connection.sendall(struct.pack(">I", len(data)) + data)
        """, exercise="3.1", outcome="process_ended|crashed",
    ),
    Hostile(name="takes its time at every call", exercise=ALL, outcome="timed_out|import_error", on_top="""
    import time
    for name, value in list(globals().items()):
        if callable(value): globals()[name] = lambda *args, **more: time.sleep(10_000)
    """),
)

MEMORY = (
    Hostile(name="maps a thousand gigabytes", outcome="crashed|out_of_memory", within="import mmap; mmap.mmap(-1, 2**40)"),
    Hostile(
        name="files in memory", outcome="crashed|out_of_memory|passed", some_fail=False, within="""
        import os
        files = [os.memfd_create("m") for _ in range(5)]
        for file in files:
            for _ in range(40): os.write(file, bytes(1_000_000))
        """,
    ),
    Hostile(
        name="shared memory of gigabytes", outcome="crashed|process_ended", within="""
        import os
        number = os.open("/dev/shm/hostile_was_here", os.O_CREAT | os.O_RDWR)
        os.ftruncate(number, 10 * 2**30)
        """,
    ),
    Hostile(
        name="shared memory of System V", outcome="passed", some_fail=False, needs=("leftovers",), within="""
        import ctypes
        libc = ctypes.CDLL(None)
        for number in range(3):
            libc.shmget(0x4D000 + number, 4096, 0o1666); libc.semget(0x4D000 + number, 1, 0o1666); libc.msgget(0x4D000 + number, 0o1666)
        """,
    ),
    Hostile(
        name="pipes filled to the brim", outcome="crashed", within="""
        import os
        while True:
            end, start = os.pipe()
            os.set_blocking(start, False)
            try:
                while True: os.write(start, bytes(65_536))
            except BlockingIOError: pass
        """,
    ),
    Hostile(name="opens all that it can", outcome="crashed", within="kept = []\nwhile True: kept.append(open('/dev/null'))"),
    Hostile(
        name="ten thousand threads", outcome="crashed|out_of_memory|process_ended", within="""
        import threading
        stay = threading.Event()
        for _ in range(10_000): threading.Thread(target=stay.wait, daemon=True).start()
        """,
    ),
)
