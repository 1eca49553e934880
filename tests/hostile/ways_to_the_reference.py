"""Ten ways in which a submission may look for the reference of another lab, and what it says that it found.

The submission is Lab 03's own reference with these in it, so that what it looks for is Lab 02's.
"""

from minigpt.paths import repository_root
from tests.hostile.hostile import Hostile

ROOT = str(repository_root())
TARGET = "solutions/02_static_batching/static_batching.py"

# Every way gets `look`, which reads what it is given, folders and all, and notes where the mark stands.
PRELUDE = f"""
import os, sys
ROOT, TARGET = {ROOT!r}, {TARGET!r}
MARK = ("BEGIN SOLU" + "TION 2.").encode()  # not to be found in this file

def look(*places):
    found, count, waiting = [], 0, list(places)
    while waiting and count < 1_500:
        place, count = waiting.pop(), count + 1
        try:
            if os.path.isdir(place):
                waiting += [os.path.join(place, name) for name in os.listdir(place)]
            elif os.path.isfile(place) and os.path.getsize(place) < 2_000_000:
                with open(place, "rb") as file:
                    found += [place] if MARK in file.read() else []
        except OSError:
            pass
    return found
"""

WAYS = {
    "path": """
def way():
    above = [os.path.join(os.path.dirname(os.path.abspath(__file__)), *[".."] * up, TARGET) for up in range(12)]
    return look(os.path.join(ROOT, TARGET), os.path.join(ROOT, "tests", "mutants"), *above)
""",
    "git": """
def way():
    import subprocess
    found, folder = [], os.path.join(ROOT, ".git")
    try:
        with open(folder) as file:
            folder = file.read().partition(":")[2].strip()  # of a worktree
    except OSError:
        pass
    for place in (folder, os.path.dirname(os.path.dirname(folder))):
        found += [os.path.join(place, "objects")] if os.path.isdir(os.path.join(place, "objects")) else []
    try:
        told = subprocess.run(["git", "-c", "safe.directory=*", "-C", ROOT, "show", "HEAD:" + TARGET], capture_output=True)
        found += ["git show"] if MARK in told.stdout else []
    except OSError:
        pass
    return found
""",
    "proc": """
def way():
    places = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        places += [f"/proc/{process}/{name}/{rest}" for name, rest in (("root", ROOT + "/" + TARGET), ("cwd", TARGET))]
    return look(*places)
""",
    "other submissions": """
def way():
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                words = file.read().split(b"\\0")
        except OSError:
            continue
        for word in words:  # of the grader: --file, --json, --hide
            if word.startswith(b"/") and b"minigpt-worker" not in word and b"python" not in word and os.path.exists(word):
                found.append(os.fsdecode(word))
    return found
""",
    "inherited descriptors": """
def way():
    import stat
    found = []
    for number in range(256):
        try:
            kind = os.fstat(number).st_mode
            if stat.S_ISDIR(kind):  # from here an open folder leads anywhere
                found += [f"folder {number}"]
                found += look(f"/proc/self/fd/{number}/../../../../../../../../" + ROOT + "/" + TARGET)
            elif stat.S_ISREG(kind) and MARK in os.pread(number, 2_000_000, 0):
                found.append(f"file {number}")
        except OSError:
            pass
    return found
""",
    "the parent's memory": """
def way():
    import ctypes
    libc, found = ctypes.CDLL(None, use_errno=True), []
    for process in {os.getppid(), 1, *range(2, 200)} - {os.getpid()}:
        try:
            with open(f"/proc/{process}/maps") as maps, open(f"/proc/{process}/mem", "rb", 0) as memory:
                start = int(next(line for line in maps if "rw-p" in line).split("-")[0], 16)
                memory.seek(start)
                found += [f"memory of {process}"] if memory.read(16) else []
        except (OSError, StopIteration):
            pass
        if libc.ptrace(16, process, 0, 0) == 0:  # PTRACE_ATTACH
            found.append(f"attached to {process}")
    return found
""",
    "sys.path": """
def way():
    import importlib
    places = [folder for folder in sys.path if "python3" not in folder]
    for name in ("solutions", "tests.mutants.lab02", "solutions.02_static_batching.static_batching"):
        try:
            module = importlib.import_module(name)
            places += [module.__file__ or "", *getattr(module, "__path__", [])]
        except ImportError:
            pass
    for finder in sys.meta_path:  # a package that is installed in place says where it is
        for folder in getattr(sys.modules.get(getattr(finder, "__module__", "")), "MAPPING", {}).values():
            places.append(os.path.join(os.path.dirname(folder), TARGET))
    return look(*places)
""",
    "the environment": """
def way():
    places = [value for text in os.environ.values() for value in text.split(os.pathsep) if value.startswith("/")]
    places = [place for place in places if not place.startswith(("/usr", "/bin", "/sbin", sys.prefix, sys.base_prefix))]
    return look(*places, *(os.path.join(os.path.dirname(place), TARGET) for place in places))
""",
    "copies in open folders": """
def way():
    return look("/tmp", "/var/tmp", "/dev/shm", "/run", "/home", "/root", "/work", "/mnt", "/srv", "/opt")
""",
    "the package's data": """
def way():
    import minigpt
    return look(*minigpt.__path__)
""",
}


def searching(*names: str) -> Hostile:
    """A submission that tries some of the ways and raises what it found."""
    tries = "".join(f"{WAYS[name]}\nFOUND[{name!r}] = tried(way)\n" for name in names)
    return Hostile(name="looks for the reference: " + ", ".join(names), needs=("reference",), some_fail=False, outcome="passed",
                   within="search()", on_top=f"""
{PRELUDE}
FOUND = {{}}

def tried(way):
    try:
        return way()[:3]
    except (OSError, ValueError):
        return []

def search():
    if not FOUND:  # once a load
        exec(compile({tries!r}, "search", "exec"), globals())
    found = {{name: places for name, places in FOUND.items() if places}}
    if found:
        raise RuntimeError(f"found: {{found}}")
""")


EACH_WAY = tuple(searching(name) for name in WAYS)
ALL_WAYS = searching(*WAYS)
