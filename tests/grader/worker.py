"""The worker: a process of its own that holds the student's code, and nothing worth attacking.

Started as a script. It loads the student's file on request, calls its functions, and passes them a server whose
every call goes through the channel to the checking process, where model, queue, clock and log are.
"""

import builtins
import faulthandler
import io
import json
import os
import signal
import sys
import sysconfig
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import channel  # noqa: E402  (siblings, found by the line above)
import import_guard  # noqa: E402
import line  # noqa: E402
import orders  # noqa: E402
import probes  # noqa: E402
import process_state  # noqa: E402
import sandbox  # noqa: E402

sys.path.pop(0)


def main(address: str, given_code: str) -> None:
    """Connect to the checking process and carry out its orders until it disconnects."""
    start = json.loads(read_line(0))
    sys.stdin = io.StringIO()  # input() finds nothing, instead of waiting forever
    # The package is installed in place, so the repository itself, with the reference, is on the path: it is removed.
    elsewhere = [folder for folder in sys.path if os.path.realpath(folder) != start["root"]]
    sys.path[:] = [given_code, *elsewhere]
    sys.meta_path.insert(0, import_guard.ImportGuard(start["modules"], start["given"]))
    must_read = [os.__file__, sysconfig.get_path("purelib"), os.path.join(given_code, "minigpt", "__init__.py")]
    own = [int(number) for number in (address.removeprefix("fd:"), start["where"]) if str(number).isdigit()]
    sandboxed = sandbox.enter(os.getcwd(), start["view"], must_read, tuple(own))
    leave_standard_input()
    if start["where"] is not None and hasattr(faulthandler, "register"):
        os.set_inheritable(start["where"], False)
        faulthandler.register(signal.SIGUSR1, file=start["where"], all_threads=False)
    connection = line.connect(address, start["secret"])
    held = probes.measure(start["facts"], sandboxed)
    channel.send(connection, {"pid": os.getpid(), "sandbox": sandboxed.plain(), "held": held})

    def exchange(message: dict) -> dict:
        channel.send(connection, message)
        return channel.receive(connection)

    handler = orders.OrderHandler(exchange, limit_memory, look=process_state.Snapshot)
    while True:
        try:
            order = channel.receive(connection)
        except channel.ChannelError:
            return
        report = {**handler.carry_out(order), "order": order["order"]}
        try:
            channel.send(connection, report)
        except channel.ChannelError as error:  # too long
            channel.send(connection, {"failed": orders.describe(error, ""), "order": order["order"]})


def read_line(stream: int) -> bytes:
    """One line from a descriptor, and nothing after it."""
    read = b""
    while not read.endswith(b"\n"):
        part = os.read(stream, 1)
        if not part:
            break
        read += part
    return read


def leave_standard_input() -> None:
    """Its other end is the guardian's leash, hidden from the student's code."""
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)


def limit_memory(extra_bytes: int) -> bool:
    """Let this process grow by at most this much from here on; return whether this system can enforce it."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[0])
        limit = pages * os.sysconf("SC_PAGE_SIZE") + extra_bytes
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    except (ImportError, OSError, ValueError):
        return False
    return True


if __name__ == "__main__":
    builtins.exit = builtins.quit = sys.exit
    main(sys.argv[1], sys.argv[2])
