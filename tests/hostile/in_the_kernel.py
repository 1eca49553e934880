"""What code may ask of the kernel to get out, and what it may do to the one who watches it."""

from tests.hostile.hostile import ALL, Hostile


def refused(name: str, within: str, **what) -> Hostile:
    """One that says so if it gets what it must not."""
    return Hostile(name=name, within=within, **{"outcome": "passed", "some_fail": False, **what})


ESCAPES = (
    refused("a root of its own", """
    import os
    try:
        os.mkdir("jail"); os.chroot("jail"); os.chdir("../../../../../..")
    except OSError: pass
    else: raise RuntimeError("it has a root's rights")
    """),
    refused("takes the covers off", """
    import ctypes, os
    libc = ctypes.CDLL(None)
    for folder in ("/", "/proc", "/usr", "/tmp", os.getcwd(), os.getcwd() + "/given"):
        if libc.umount2(os.fsencode(folder), 2) == 0: raise RuntimeError("it has taken off " + folder)
    """),
    refused("namespaces of its own", """
    import ctypes
    if ctypes.CDLL(None).unshare(0x10000000 | 0x20000) == 0: raise RuntimeError("it is root in a namespace")
    """, needs=("rights",)),
    refused("namespaces of others", """
    import ctypes, os
    libc = ctypes.CDLL(None)
    for process in filter(str.isdigit, os.listdir("/proc")):
        for kind in ("mnt", "net", "user", "pid"):
            try: number = os.open(f"/proc/{process}/ns/{kind}", os.O_RDONLY)
            except OSError: continue
            if libc.setns(number, 0) == 0: raise RuntimeError(f"it is in {kind} of {process}")
            os.close(number)
    """),
    refused("files by their handles", """
    import ctypes, os, struct
    libc = ctypes.CDLL(None)
    folder = os.open("/usr", os.O_RDONLY)
    for number in (2, 64, 128, 256):  # what some file systems call their root
        handle = ctypes.create_string_buffer(struct.pack("Iiq", 8, 1, number))
        if libc.open_by_handle_at(folder, handle, os.O_RDONLY) >= 0: raise RuntimeError("it can read any file")
    os.close(folder)
    """, needs=("reading",)),
    refused("the memory of whoever is there", """
    import ctypes, os
    libc = ctypes.CDLL(None)
    for process in [int(name) for name in os.listdir("/proc") if name.isdigit()]:
        if process != os.getpid() and libc.ptrace(0x4206, process, 0, 0) == 0: raise RuntimeError(f"it holds {process}")
    """, needs=("ending",), is_dangerous=True),
    refused("ends everything that it may", """
    import os, signal
    for process in range(2, 200):
        if process != os.getpid():
            try: os.kill(process, signal.SIGKILL)
            except OSError: pass
    try: os.kill(-1, signal.SIGKILL)
    except OSError: pass
    """, needs=("ending",), is_dangerous=True, outcome="passed|process_ended"),
    refused("stops everything that it may", """
    import os, signal
    try: os.kill(-1, signal.SIGSTOP)
    except OSError: pass
    """, needs=("ending",), is_dangerous=True, outcome="passed|timed_out|process_ended"),
    refused("reaches the network", """
    import socket
    for family, address in ((socket.AF_INET, ("192.0.2.1", 9)), (socket.AF_INET6, ("2001:db8::1", 9))):
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as line: line.connect(address)
        except OSError: continue
        raise RuntimeError("a way leads out")
    """, needs=("network",)),
    refused("listens, and knocks at every port near it", """
    import socket
    opened = []
    for port in range(30_000, 61_000, 7):
        with socket.socket() as line:
            line.settimeout(0.01)
            if line.connect_ex(("127.0.0.1", port)) == 0: opened.append(port)
    if opened: raise RuntimeError(f"somebody listens: {opened}")
    """, needs=("network",)),
    refused("sockets of the machine's own services", """
    import socket
    for path in ("/run/docker.sock", "/var/run/docker.sock", "/run/dbus/system_bus_socket", "/run/systemd/private"):
        with socket.socket(socket.AF_UNIX) as line:
            if line.connect_ex(path) == 0: raise RuntimeError("it talks to " + path)
    """, needs=("reference",)),
    refused("a priority above all others", """
    import os
    for what in (lambda: os.nice(-20), lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(99))):
        try: what()
        except OSError: continue
        raise RuntimeError("it goes first")
    """),
    refused("the switches of the kernel", """
    import glob
    for path in (*glob.glob("/proc/sys/kernel/*"), *glob.glob("/proc/sys/user/*"), *glob.glob("/proc/sys/vm/*")):
        try:
            with open(path, "r+") as file:
                value = file.read()
                file.seek(0)
                file.write(value)  # what it is already
        except (OSError, ValueError): continue
        raise RuntimeError("it may change " + path)
    """),
    refused("programs that run as their owner", """
    import glob, os, subprocess
    for program in ("/bin/su", "/usr/bin/sudo", "/usr/bin/passwd", "/bin/mount", "/usr/bin/newuidmap"):
        if os.path.exists(program):
            subprocess.run([program, "--help"], capture_output=True, timeout=5)
    if os.geteuid() == 0: raise RuntimeError("it is root")
    told = subprocess.run(["/usr/bin/sudo", "-n", "id"], capture_output=True) if os.path.exists("/usr/bin/sudo") else None
    if told and told.returncode == 0: raise RuntimeError("sudo lets it")
    """, needs=("changing",)),
)

WATCHERS = (
    refused("two processes on one line", """
    import os
    os.fork()
    """, outcome="passed|process_ended|crashed|wrong|timed_out"),
    refused("hands the line to a child that stays", """
    import gc, os, socket, time
    if os.fork() == 0:
        (line,) = [one for one in gc.get_objects() if type(one) is socket.socket]
        os.setsid()
        while True:
            time.sleep(0.05)
            line.sendall(bytes([0, 0, 0, 2]) + b"{}")
    """, outcome="passed|process_ended|crashed|wrong|timed_out"),
    Hostile(name="another end in the place of the line", outcome="process_ended|timed_out|crashed", within="""
    import gc, os, socket
    (line,) = [one for one in gc.get_objects() if type(one) is socket.socket]
    mine, other = socket.socketpair()
    os.dup2(mine.fileno(), line.fileno())
    """),
    refused("false lines of where it is", """
    import os, time
    for number in range(3, 50):
        try: os.pwrite(number, b'File "/x/continuous_batching.py", line 999999' * 10, 0)
        except OSError: pass
    while True: time.sleep(1)
    """, outcome="timed_out|process_ended|crashed", some_fail=True),
    refused("a storm of the signal that asks where it is", """
    import os, signal
    for _ in range(300): os.kill(os.getpid(), signal.SIGUSR1)
    """),
    Hostile(name="aborts", outcome="process_ended", within="import os; os.abort()"),
    Hostile(name="reads at address zero", outcome="process_ended", within="import ctypes; ctypes.string_at(0)"),
    Hostile(name="replaces itself by a program", outcome="process_ended", within="import os; os.execv('/bin/true', ['true'])"),
    Hostile(name="an interpreter that loses its mind", outcome="process_ended|crashed|timed_out|wrong", within="""
    import ctypes
    ctypes.memset(id(True), 0, 24)
    """),
    refused("stops the leash", "import os\nfor number in (0, 1, 2): os.close(number)", outcome="passed|process_ended|crashed"),
    refused("finalizers that end the process", """
    import os, weakref
    class Last:
        def __del__(self): os._exit(0)
    globals()["kept"] = Last()
    """, outcome="passed|process_ended"),
    refused("a collector that interrupts", """
    import gc, sys
    sys.unraisablehook = lambda *_: None  # it would print each
    gc.callbacks.append(lambda *_: 1 / 0); gc.set_threshold(1, 1, 1)
    """, outcome="passed|crashed|wrong|timed_out|process_ended"),
    refused("a tracer that follows the worker", """
    import sys
    def trace(frame, event, arg):
        raise RuntimeError("found the way back")
    sys.settrace(trace); sys.setprofile(lambda *_: None)
    """, outcome="passed|crashed|process_ended"),
    refused("modules that are gone", """
    import sys
    for name in ("json", "struct", "socket", "base64", "math"): sys.modules[name] = None
    """, outcome="passed|crashed|process_ended"),
    refused("codecs of its own", """
    import codecs
    codecs.register_error("replace", lambda error: ("", 10**9))
    codecs.register(lambda name: 1 / 0)
    """, outcome="passed|crashed|process_ended"),
    refused("a thread that changes its file's functions later", """
    import threading
    threading.Timer(0.01, lambda: globals().update(p95_s=None, retire=None)).start()
    """, outcome="passed|crashed"),
)

WORDS = (
    Hostile(name="an exception that turns the text around", outcome="crashed", shown="u202e",
            within="raise RuntimeError('\\u202e\\u2066\\x1b[2J\\x9b31m\\u2028 done \\ufeff')"),
    Hostile(name="an exception with a name that turns the text around", outcome="crashed", shown="u202e",
            within="raise type('\\u202eEvil\\x1b[2J', (Exception,), {})('x')"),
    Hostile(name="an exception of many lines", outcome="crashed", within="raise RuntimeError('score: 32 of 32\\n' * 50)"),
    Hostile(name="an exception of half characters", outcome="crashed", within="raise RuntimeError('\\udcff\\ud800' * 100)"),
    Hostile(name="an exception whose class cannot be asked", outcome="crashed|process_ended", within="""
    class Meta(type):
        @property
        def __name__(cls): raise SystemExit(0)
        def mro(cls): return [cls, Exception, BaseException, object]
    raise Meta("Mute", (Exception,), {})
    """),
    Hostile(name="a group of exceptions", outcome="crashed", within="""
    class Group(BaseException): pass
    raise Group(*[ValueError(str(number) * 1_000) for number in range(1_000)])
    """),
    Hostile(name="a value that turns the text around", outcome="wrong", within="return '\\u202e40\\x07', '\\u2067'"),
    Hostile(name="a type with a name of a megabyte", outcome="wrong", within="return type('\\u202e' + 'x' * 10**6, (), {})()"),
    Hostile(name="prints what a screen obeys", outcome="passed", some_fail=False,
            within="print('\\u202e\\x1b]0;title\\x07\\x9b2J\\rscore: 32 of 32')"),
)

LOADED = (
    Hostile(name="another coding in its first line", exercise=ALL, outcome="passed|import_error", some_fail=False,
            on_top="# -*- coding: rot13 -*-"),
    Hostile(name="takes the worker's modules when it is loaded", exercise=ALL, outcome="passed|import_error|process_ended",
            some_fail=False, on_top="""
    import sys
    for name in ("channel", "line", "probes", "sandbox", "namespaces"): sys.modules[name] = None
    """),
)
