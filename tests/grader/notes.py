"""What a report says about the run itself: what was printed, and what this system could not enforce."""

import re

from minigpt.language import say
from tests.grader import containment, report
from tests.grader.resource_watchdog import KEPT_OUTPUT_BYTES
from tests.grader.session import Worker

ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
SHOWN_LINES, SHOWN_COLUMNS = 10, 100
TRACEBACK = "Traceback (most recent call last):"


def notes_of(worker: Worker) -> dict:
    """The report's entries about the worker."""
    return {
        "memory_is_limited": worker.memory_is_limited,
        "printed": printed(worker),
        "worker": {
            "own_user": bool(worker.sandbox.get("own_user")),
            "hidden_folders": len(worker.hidden) if worker.held.get("reference") else 0,
            "own_view": bool(worker.sandbox.get("has_own_view")),
            "held": worker.held,
            "limits": worker.sandbox.get("limits", []),
            "starts": worker.num_starts,
            "all_processes_ended": worker.all_ended,
        },
        "not_enforced": not_enforced(worker),
    }


def printed(worker: Worker) -> dict:
    """What the student's code printed: its beginning, escaped, and how much more there was."""
    worker.output.settle()
    text = worker.output.kept.decode("utf-8", "replace")
    text = report.escaped(ESCAPES.sub("", text), keep="\n")
    left_out = worker.output.num_bytes - len(worker.output.kept)
    return {"text": text, "num_bytes": worker.output.num_bytes, "truncated_bytes": left_out}


def printed_lines(worker: Worker) -> list[str]:
    """The first lines of what the student's code printed, and how much more there was; empty if it printed nothing.

    Code that breaks the worker around it makes the worker print a traceback, which does not help a student.
    """
    told = printed(worker)
    text = told["text"].rstrip()
    if "worker.py" in text or text.endswith(TRACEBACK):  # ours, or one of which only the first line came
        text = text.partition(TRACEBACK)[0].rstrip()
    if not text:
        return []
    lines = text.split("\n")
    some = [line if len(line) <= SHOWN_COLUMNS else f"{line[:SHOWN_COLUMNS]}…" for line in lines[:SHOWN_LINES]]
    left_out = len(lines) - len(some)
    if left_out:
        some.append(say(en=f"… {left_out} more line{'s' if left_out > 1 else ''}",
                        es=f"… {left_out} línea{'s' if left_out > 1 else ''} más"))
    head = say(en="printed by your code, in all checks together:",
               es="lo que imprimió tu código, en todas las comprobaciones:")
    cut = [cut_line(told)] if told["truncated_bytes"] else []
    return ["", head, *(f"  | {line}" for line in some), *cut]


def cut_line(told: dict) -> str:
    """One line about output of which only the beginning was kept."""
    return say(
        en=f"  your code printed {told['num_bytes']:,} bytes: kept {KEPT_OUTPUT_BYTES:,}, "
        f"truncated {told['truncated_bytes']:,} bytes",
        es=f"  tu código imprimió {told['num_bytes']:,} bytes: se guardan {KEPT_OUTPUT_BYTES:,}, "
        f"{told['truncated_bytes']:,} bytes truncados",
    )


def not_enforced(worker: Worker) -> list[str]:
    """The limits that this system did not enforce, as the probes found, in the reader's language."""
    told = [str(row.if_not) for name, row in containment.ROWS.items() if worker.held.get(name) is False]
    if not worker.all_ended:
        told.append(say(en="not every process could be ended", es="no se pudieron terminar todos los procesos"))
    if worker.left_behind:
        names = report.shown(", ".join(sorted(worker.left_behind)))
        told.append(say(en=f"could not be removed: {names}", es=f"no se pudo borrar: {names}"))
    return told
