"""Calls of a student's functions, whatever carries them out: a process of its own (session.py) or a browser's page."""

from pathlib import Path

from minigpt.schedulers import lab_file
from tests.grader import channel
from tests.grader.fleet_host import FleetHost
from tests.grader.outcomes import (
    CRASHED,
    IMPORT_ERROR,
    NOT_IMPLEMENTED,
    OUT_OF_MEMORY,
    PROCESS_ENDED,
    TIMED_OUT,
    CheckFailed,
    Text,
    t,
)
from tests.grader.remote_arguments import ModelSpec, ScriptedClock, ScriptedTimes, TutorSpec
from tests.grader.server_host import ServerHost

SERVER = object()  # stands for the server among a call's arguments
DESCRIBED = (ModelSpec, TutorSpec, ScriptedClock, ScriptedTimes)

NO_RESULT = t("the worker sent no result ({error})", "el proceso del estudiante no envió ningún resultado ({error})")


class Calls:
    """Puts calls into orders and reads the reports. What carries an order out is a subclass's business:

        fresh()                          load the student's file again
        is_ready                         whether a file is loaded
        _order(order, what, host)        one report; `host` answers the questions that come before it
        _path                            the file's path as the code in it sees it
    """

    def __init__(self, file: Path):
        self.file = file
        self.text = text_of(file)  # read once: a file that changes itself changes nothing here
        self.has_answered = False  # a call has returned since this was last set back
        self._lost: dict[str, CheckFailed] = {}  # functions that hung or took the worker down

    def _noted_as_lost(self, what: str, failure: CheckFailed) -> CheckFailed:
        """The failure of a call that never came back; the function is not called again."""
        if what == "import" and failure.outcome != OUT_OF_MEMORY:
            failure.outcome, failure.hint = IMPORT_ERROR, t(
                "the file did not finish loading: move the code that runs at the top level into functions",
                "el archivo no terminó de cargarse: mueve a funciones el código que se ejecuta fuera de ellas",
            )
        self._lost[what] = failure
        return failure

    def _load(self) -> None:
        reply = self._order({"do": "load", "path": self._path, "text": self.text}, "import", host=None)
        if "failed" in reply:
            raise as_failure(reply["failed"], default=IMPORT_ERROR)

    def call(self, function: str, args: list, host: ServerHost | None = None, *, again: bool = False):
        """Call a function of the student's file: its result, and its arguments as they are afterwards.

        `host` is the server behind the argument `SERVER`. `again` leaves the file loaded as the last call left it.
        Raises CheckFailed if the call does not return.
        """
        if function in self._lost:
            raise self._lost[function]
        if not again or not self.is_ready:
            self.fresh()
        order = {
            "do": "call", "function": function, "args": [_packed(arg) for arg in args],
            "server": host.facts() if host else None,
        }
        reply = self._order(order, function, host or FleetHost())
        if "failed" in reply:
            raise as_failure(reply["failed"], default=CRASHED)
        make_request = host.request_with if host else None
        try:
            done = reply["done"]
            return channel.unpack(done["result"], make_request), [
                channel.unpack(arg, make_request) for arg in done["args"]
            ]
        except (channel.ChannelError, KeyError, TypeError) as error:
            raise CheckFailed(CRASHED, got=NO_RESULT.format(error=error)) from None

    def play(self, class_name: str, args: list, calls: list, shown: tuple = (), *, again: bool = False) -> list[dict]:
        """Call methods of objects of a class of the student's file, `calls` being (number of the object, method, *args).

        `args` holds the arguments of each object; it is made just before its first call.
        A method may be one of an attribute: "tables.clear". For each call: its `result`, or the name of what it `raised` and what
        was `said` with it, the attributes `shown` as they are then, and its arguments `after` it.
        """
        if class_name in self._lost:
            raise self._lost[class_name]
        if not again:
            self.fresh()
        order = {
            "do": "play", "class": class_name, "shown": list(shown),
            "args": [[channel.pack(arg) for arg in each] for each in args],
            "calls": [[number, method, *map(channel.pack, given)] for number, method, *given in calls],
        }
        reply = self._order(order, class_name, host=None)
        if "failed" in reply:
            raise as_failure(reply["failed"], default=CRASHED)
        try:
            return [
                {"result": channel.unpack(told.get("result")), "raised": told.get("raised"),
                 "said": _with_place(str(told.get("said"))[:300], told.get("line")),
                 "shown": dict(zip(shown, map(channel.unpack, told["shown"]), strict=True)),
                 "after": [channel.unpack(arg) for arg in told["args"]]}
                for told in reply["done"]
            ]
        except (channel.ChannelError, AttributeError, KeyError, TypeError, ValueError) as error:
            raise CheckFailed(CRASHED, got=NO_RESULT.format(error=error)) from None


class WorkerLost(CheckFailed):
    """A failure that ended the worker."""


def did_not_return(name: str, got: Text) -> WorkerLost:
    """A call that used up its time."""
    return WorkerLost(TIMED_OUT, got=got, hint=t(
        "`{name}` did not return: does its loop ever end?", "`{name}` no terminó: ¿tiene fin su bucle?",
    ).format(name=name))


def ended_the_process(name: str, got: Text) -> WorkerLost:
    """A call that took everything down with it."""
    return WorkerLost(PROCESS_ENDED, got=got, hint=t(
        "`{name}` ended the whole process: return instead of exiting",
        "`{name}` terminó todo el proceso: usa return en vez de salir",
    ).format(name=name))


def text_of(file: Path) -> str:
    """A file's text; if it is not valid, the judge reports that before anything is run."""
    try:
        return lab_file.read(file)
    except (OSError, ValueError):
        return ""


def _packed(arg):
    if arg is SERVER:
        return {"$": "server", "v": None}
    return arg.plain() if isinstance(arg, DESCRIBED) else channel.pack(arg)


def as_failure(failed: dict, default: str) -> CheckFailed:
    """The outcome that a report of an exception means."""
    if not isinstance(failed, dict) or not isinstance(failed.get("bases"), list):
        return CheckFailed(CRASHED, got=t("the worker sent no report", "el proceso del estudiante no envió ningún informe"))
    bases = failed["bases"]
    got = _with_place(f"{failed.get('type')}: {failed.get('message')}".removesuffix(": "), failed.get("line"), failed)
    if "NotImplementedError" in bases and default == CRASHED:
        return CheckFailed(NOT_IMPLEMENTED, where=_innermost(failed))
    if "MemoryError" in bases:
        return CheckFailed(OUT_OF_MEMORY, got=got)
    if default == CRASHED and ("SystemExit" in bases or "KeyboardInterrupt" in bases):
        return CheckFailed(PROCESS_ENDED, got=got)
    return CheckFailed(default, got=got, raised=tuple(map(str, bases)), where=_innermost(failed))


def _with_place(said: str, line: object, failed: dict | None = None) -> Text:
    """What an exception said, and the line of the student's file where it was raised, if that is known.

    A function that calls another one of the file may be the one that is wrong: its line comes, too.
    """
    if type(line) is not int:
        return t(said, said)
    here, caller = _innermost(failed or {}), _caller(failed or {})
    if caller is None:
        return t(f"{said} (line {line})", f"{said} (línea {line})")
    return t(f"{said} (line {line}, in {here}, called in line {caller})",
             f"{said} (línea {line}, en {here}, llamada en la línea {caller})")


def _caller(failed: dict) -> int | None:
    """The line from which one function of the student's file has called the one in which an exception came."""
    try:
        (line, name), (_, inner) = failed["frames"][-2:]
        return line if type(line) is int and name != inner and str(inner).isidentifier() else None
    except (KeyError, TypeError, ValueError):
        return None


def _innermost(failed: dict) -> str:
    """The function of the student's file that was running when an exception came."""
    try:
        return str(failed["frames"][-1][1])
    except (KeyError, IndexError, TypeError):
        return ""
