"""What code may do to the folders that it can reach, and to the process that cleans up after it."""

from tests.hostile.hostile import ALL, Hostile
from tests.hostile.in_the_process import MARK


def tidied(name: str, within: str, **what) -> Hostile:
    """One that is passed, and of which nothing may be left."""
    return Hostile(name=name, within=within, **{"outcome": "passed", "some_fail": False, **what})


LEFTOVERS = (
    tidied(
        "folders three thousand deep", """
        import os
        back = os.getcwd()
        for _ in range(3_000):
            os.mkdir("d" * 40)
            os.chdir("d" * 40)
        os.chdir(back)
        """, outcome="passed|crashed",
    ),
    tidied(
        "closed folders", """
        import os
        os.makedirs("a/b/c")
        open("a/b/c/file", "w").close()
        for folder in ("a/b/c", "a/b", "a"): os.chmod(folder, 0)
        """, outcome="passed|crashed",  # at the second call it meets its own folders
    ),
    tidied("closes its own home", "import os; os.chmod(os.getcwd(), 0)", outcome="passed|crashed"),
    tidied(
        "renames its home", f"""
        import os
        home = os.getcwd()
        try: os.rename(home, home + "-{MARK}")
        except OSError: pass
        """, needs=("leftovers",), outcome="passed|crashed|process_ended",
    ),
    tidied(
        "files in every open folder there is", f"""
        import os
        for folder in ("/run/lock", "/dev/mqueue", "/var/lock", "/tmp", "/var/tmp", "/dev/shm", "/run/user", "/var/crash"):
            try:
                os.makedirs(folder + "/{MARK}-d/e", exist_ok=True)
                open(folder + "/{MARK}-d/e/f", "w").close()
                os.chmod(folder + "/{MARK}-d", 0)
            except OSError: pass
        """, needs=("leftovers",),
    ),
    tidied(
        "a queue of messages", f"""
        import ctypes
        libc = ctypes.CDLL(None)
        libc.mq_open(b"/{MARK}", 0o102, 0o600, None)
        """, needs=("leftovers",),
    ),
    tidied(
        "names in any bytes", r"""
        import os
        for name in (b"\\xff\\xfe", b"new\\nline", b"\\x1b[31m", b"-rf", b" ", b"~", b"*", "\\u202e".encode(), b"x" * 255):
            try: os.mkdir(name); open(os.path.join(name, name[:100]), "w").close()
            except OSError: pass
        """,
    ),
    tidied(
        "links to everywhere", """
        import os
        for number, place in enumerate(("/", "..", "/etc/passwd", "/proc/self", "self", os.path.expanduser("~"))):
            os.symlink(place, f"link{number}")
        os.symlink("self", "self")
        """, outcome="passed|crashed",
    ),
    tidied("a program that would run as its owner", f"""
    import os, shutil
    shutil.copy("/bin/true", "{MARK}")
    try: os.chmod("{MARK}", 0o6755)
    except OSError: pass
    """),
    tidied("a file that must not be removed", f"""
    import fcntl, struct
    with open("{MARK}", "w") as file:
        try: fcntl.ioctl(file, 0x40086602, struct.pack("l", 0x10))  # chattr +i
        except OSError: pass
    """),
    tidied("a device of its own", """
    import os, stat
    try: os.mknod("disk", 0o600 | stat.S_IFBLK, os.makedev(8, 0)); raise RuntimeError("it has a device")
    except OSError: pass
    """),
    tidied("a file without a name", """
    import os
    number = os.open(".", os.O_TMPFILE | os.O_RDWR)
    os.write(number, bytes(1_000_000))
    """, outcome="passed|crashed"),
    tidied("names of sockets that are in no folder", """
    import socket
    kept = socket.socket(socket.AF_UNIX)
    kept.bind("\\0hostile_was_here")
    """),
)

SPACE = (
    Hostile(
        name="five gigabytes in a hundred files", outcome="crashed|process_ended", needs=("written",), within="""
        for number in range(100):
            with open(f"file{number}", "wb") as file:
                for _ in range(25): file.write(bytes(1_000_000))
        """,
    ),
    Hostile(
        name="a hundred thousand files", outcome="crashed|process_ended|timed_out", needs=("written",),
        within="for number in range(100_000): open(f'file{number}', 'w').close()",
    ),
    Hostile(name="a file of ten terabytes of nothing", outcome="crashed|process_ended", within="open('f', 'w').truncate(10**13)"),
    Hostile(
        name="fills every open folder", outcome="crashed|process_ended", needs=("written", "leftovers"), is_dangerous=True, within="""
        for folder in ("/tmp", "/var/tmp", "/dev/shm", "/run/lock"):
            for number in range(20):
                with open(f"{folder}/hostile_was_here-{number}", "wb") as file:
                    for _ in range(25): file.write(bytes(1_000_000))
        """,
    ),
)

CHANGES = (
    tidied("changes the given code where it lies", "", on_top="""
    import glob, minigpt, os
    for file in glob.glob(minigpt.__path__[0] + "/**/*.py", recursive=True):
        try:
            os.chmod(file, 0o666)
            with open(file, "a") as opened: opened.write("raise SystemExit(0)")
        except OSError: pass
    """, exercise=ALL, outcome="passed|import_error|crashed|process_ended"),
    tidied("startup files of Python", f"""
    import os, site, sys
    for folder in (*site.getsitepackages(), site.getusersitepackages(), sys.prefix, os.path.dirname(os.__file__)):
        try:
            with open(os.path.join(folder, "{MARK}.pth"), "w") as file: file.write("import os; os._exit(0)")
        except OSError: pass
    """, needs=("changing",), is_dangerous=True),
    tidied("startup files of the shell", f"""
    import os, pwd
    for home in (os.path.expanduser("~"), "/root", "/etc"):
        for name in (".bashrc", ".profile", "profile", "{MARK}"):
            try:
                with open(os.path.join(home, name), "a") as file: file.write("# {MARK}")
            except OSError: pass
    """, needs=("changing",), is_dangerous=True),
    tidied("hard links to what is given", """
    import minigpt, os
    try:
        os.link(minigpt.__file__, "mine.py")
        with open("mine.py", "a") as file: file.write("raise SystemExit(0)")
    except OSError: pass
    """, outcome="passed|import_error"),
    tidied("opens the way to everything", """
    import os
    for folder in ("..", "../..", "/", "/tmp", "given", "given/minigpt"):
        try: os.chmod(folder, 0o777)
        except OSError: pass
    """, needs=("changing",), is_dangerous=True),
)
