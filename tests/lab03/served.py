"""A run of the student's continuous loop, looked through before a check uses it."""

from minigpt.runtime.run_log import RunLog
from minigpt.schedulers.registry import find_policy
from minigpt.workloads.workload import Workload
from tests.grader.outcomes import CRASHED, CheckFailed, t
from tests.lab03.oracle import REMEMBERS
from tests.lab03.violations import LOST, first_violation, lost

NOBODY = t(
    "a step ran with no request in flight: all that were admitted had been answered. If that is so at the top of the loop, "
    "wait there for the next arrival with `server.queue.get()`. If the last ones left in between, retire comes too late: it "
    "belongs right after decode_one_step, before the loop looks at `in_flight` again (section 3.4)",
    "un paso se ejecutó sin peticiones en vuelo: todas las admitidas ya tenían respuesta. Si es así al principio del bucle, "
    "espera ahí la próxima llegada con `server.queue.get()`. Si las últimas salieron entretanto, retire llega tarde: va justo "
    "después de decode_one_step, antes de que el bucle vuelva a mirar `in_flight` (sección 3.4)",
)
AFTER_THE_LAST = t(
    "the loop waited for another request although no more will come: it must end when `server.queue.closed` is true and no "
    "request is in flight (section 3.4)",
    "el bucle esperó otra petición aunque ya no llegará ninguna más: debe acabar cuando `server.queue.closed` es cierto y no "
    "hay peticiones en vuelo (sección 3.4)",
)
WAITED_IN_FLIGHT = t(
    "the loop called `server.queue.get()` while requests were in flight, and no other one will come: wait only if none is in "
    "flight; otherwise `admit` takes those that are there (section 3.4)",
    "el bucle llamó a `server.queue.get()` con peticiones en vuelo, y ya no llegará ninguna más: espera solo si no hay ninguna en "
    "vuelo; si hay, `admit` toma las que estén (sección 3.4)",
)
BUSY = t(
    "the loop polled the queue again and again while no time passed. With no request in flight, call `server.queue.get()`: it "
    "lets time pass until the next arrival (section 3.4)",
    "el bucle consultó la cola una y otra vez sin que pasara el tiempo. Si no hay peticiones en vuelo, llama a "
    "`server.queue.get()`: deja pasar el tiempo hasta la próxima llegada (sección 3.4)",
)


def served(student, workload: Workload, *, max_inflight: int = 8, clock=None, again: bool = False, **settings) -> RunLog:
    """Let the loop serve a workload; return the log. If anything in it is wrong, fail and name the first mistake."""
    host = student.server(workload, clock=clock, max_inflight=max_inflight, **settings)
    try:
        student.call_on(host, find_policy("continuous").function, again=again)
    except CheckFailed as failure:
        if failure.outcome == CRASHED:
            failure.hint = failure.hint or _why_crashed(failure, host.server.log)
        raise
    log = host.server.log.closed_at(host.server.clock.now_ns)
    violation = first_violation(log, cap=max_inflight)
    if violation is not None:
        raise violation
    return log


def served_in_turn(student, scenes) -> list[RunLog]:
    """Runs of (workload, settings) in one load of the file: whatever one run leaves behind, the next one meets."""
    logs = []
    for count, (workload, settings) in enumerate(scenes):
        try:
            logs.append(_run(student, workload, settings, again=count > 0))
        except CheckFailed as failure:
            if count and not _fails_alone(student, workload, settings):
                failure.hint = REMEMBERS
            raise
    return logs


def _run(student, workload, settings, *, again: bool) -> RunLog:
    return served(student, workload, clock=settings["clock"](), max_inflight=settings["cap"], again=again)


def _fails_alone(student, workload, settings) -> bool:
    try:
        _run(student, workload, settings, again=False)
    except CheckFailed:
        return True
    return False


def _why_crashed(failure: CheckFailed, log: RunLog):
    if lost(log) and "ServingError" in failure.raised:
        return LOST
    if "BusyWait" in failure.raised:
        return BUSY
    in_flight = any(record.finish_ns is None and record.admitted_ns is not None for record in log.requests.values())
    if "Empty" in failure.raised:
        return WAITED_IN_FLIGHT if in_flight else AFTER_THE_LAST
    return NOBODY if "ServingError" in failure.raised and not in_flight else ""
