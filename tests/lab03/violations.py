"""The first thing in a run's log that continuous batching does not do, with a hint that names it.

Each step is looked at as it begins: who is in flight (taken from the queue, not answered), and who waits (has arrived,
was not taken). What the text asks for can be read from these: the steps hold all in flight, no seat is empty while
a request waits, time passes only in steps, and an answer leaves at the end of the step that completes it.
"""

from minigpt.runtime.run_log import RunLog
from tests.grader.outcomes import CheckFailed, t, wrong


def first_violation(log: RunLog, *, cap: int) -> CheckFailed | None:
    """What the log shows first; None if it shows nothing."""
    steps_left = {request_id: record.item.num_steps for request_id, record in log.requests.items()}
    previous_end_ns = 0
    for step in log.steps:
        found = _before(log, step, previous_end_ns, cap)
        if found:
            return found
        for request_id in step.request_ids:
            steps_left[request_id] -= 1
        found = _after(log, step, steps_left)
        if found:
            return found
        previous_end_ns = step.end_ns
    return _at_the_end(log, steps_left)


def lost(log: RunLog) -> list[int]:
    """Requests that were taken from the queue, and that no step computed."""
    computed = {request_id for step in log.steps for request_id in step.request_ids}
    return [i for i, record in log.requests.items() if record.admitted_ns is not None and i not in computed]


def ms(time_ns: int) -> str:
    return f"{time_ns / 1e6:.6g}"


def _before(log, step, previous_end_ns: int, cap: int) -> CheckFailed | None:
    now_ns, rows = step.start_ns, set(step.request_ids)
    in_flight = {i for i, record in log.requests.items() if _is_in_flight(record, now_ns)}
    waiting = [i for i, record in log.requests.items() if record.arrival_ns is not None and record.arrival_ns <= now_ns
               and (record.admitted_ns is None or record.admitted_ns > now_ns)]
    if in_flight - rows:
        return _left_out(log, in_flight - rows, now_ns)
    if len(rows) > cap:
        return wrong(expected=t(f"at most {cap} rows", f"como mucho {cap} filas"), got=len(rows), hint=t(
            f"(rows in the step at {ms(now_ns)} ms, with max_inflight = {cap}): each way into in_flight has to look at "
            "the cap (section 3.4)",
            f"(filas en el paso de los {ms(now_ns)} ms, con max_inflight = {cap}): cada admisión ha de mirar "
            "el tope (sección 3.4)"))
    if now_ns > previous_end_ns:
        found = _idle_time(log, previous_end_ns, now_ns)
        if found:
            return found
    if waiting and len(in_flight) < cap:
        return _empty_slot(now_ns, len(in_flight), cap, waiting)
    return None


def _is_in_flight(record, now_ns: int) -> bool:
    was_taken = record.admitted_ns is not None and record.admitted_ns <= now_ns
    return was_taken and (record.finish_ns is None or record.finish_ns > now_ns)


def _left_out(log, ids: set[int], now_ns: int) -> CheckFailed:
    never = sorted(ids & set(lost(log)))
    if never:
        return wrong(expected=t("every request that was taken, computed", "calculada toda petición tomada"),
                     got=t(f"request {never[0]}: taken, and in no step", f"petición {never[0]}: tomada, y en ningún paso"),
                     hint=LOST)
    return wrong(
        expected=t("all in flight in every step", "todas las que están en vuelo, en cada paso"),
        got=t(f"without {sorted(ids)} at {ms(now_ns)} ms", f"sin {sorted(ids)} a los {ms(now_ns)} ms"), hint=t(
            "(requests that sat through a step without a token): pass all of in_flight to every step, and take from "
            "the queue only whom you have a free seat for (section 3.4)",
            "(peticiones que pasaron un paso sin token): pasa todo in_flight en cada paso, y toma de la cola solo a "
            "quienes tengan slot libre (sección 3.4)"))


def _idle_time(log, end_ns: int, start_ns: int) -> CheckFailed | None:
    """Between two steps: it is right only from the time the server is empty to the very next arrival."""
    running = [i for i, record in log.requests.items() if _is_in_flight(record, end_ns)]
    arrivals = [max(record.arrival_ns, end_ns) for record in log.requests.values() if record.arrival_ns is not None
                and (record.admitted_ns is None or record.admitted_ns >= end_ns) and record.arrival_ns <= start_ns]
    due_ns = end_ns if running else min(arrivals, default=start_ns)
    if due_ns == start_ns:
        return None
    was_taken = any(_is_in_flight(record, due_ns) for record in log.requests.values())
    hint = WAITED_IN_FLIGHT if was_taken else LATE_START
    expected, got = (t(f"a step at {ms(time_ns)} ms", f"un paso a los {ms(time_ns)} ms") for time_ns in (due_ns, start_ns))
    return wrong(expected=expected, got=got, hint=hint)


def _empty_slot(now_ns: int, busy: int, cap: int, waiting: list[int]) -> CheckFailed:
    return wrong(
        expected=t("no empty seat while a request waits", "ningún slot vacío mientras espera una petición"),
        got=t(f"at {ms(now_ns)} ms: {busy} of {cap} seats, and {sorted(waiting)} waiting",
              f"a los {ms(now_ns)} ms: {busy} de {cap} slots, y esperan {sorted(waiting)}"), hint=EMPTY_SLOT)


def _after(log, step, steps_left: dict[int, int]) -> CheckFailed | None:
    for request_id in step.request_ids:
        finish_ns = log.requests[request_id].finish_ns
        is_complete = steps_left[request_id] <= 0
        if is_complete and finish_ns != step.end_ns and finish_ns is not None:
            return wrong(expected=t(f"{ms(step.end_ns)} ms", f"{ms(step.end_ns)} ms"), got=f"{ms(finish_ns)} ms", hint=t(
                f"(when the answer of request {request_id} left): its last token came in the step that ended then, and "
                "its seat stayed taken. Retire in every step, all who ended in it, before anything else (section 3.4)",
                f"(cuándo salió la respuesta de la petición {request_id}): su último token llegó en el paso que acababa "
                "entonces, y su slot siguió ocupado. Retira en cada paso a todas las que terminaron en él, antes que "
                "nada (sección 3.4)"))
        if not is_complete and finish_ns is not None and finish_ns <= step.end_ns:
            return wrong(expected=t(f"{steps_left[request_id]} steps more", f"{steps_left[request_id]} pasos más"),
                         got=f"{ms(finish_ns)} ms", hint=t(
                f"(when the answer of request {request_id} left): it was not complete yet (section 3.4)",
                f"(cuándo salió la respuesta de la petición {request_id}): aún no estaba completa (sección 3.4)"))
    return None


def _at_the_end(log, steps_left: dict[int, int]) -> CheckFailed | None:
    unanswered = {i: record for i, record in log.requests.items() if record.finish_ns is None}
    for request_id, record in unanswered.items():
        if record.admitted_ns is None:
            hint = ENDED_EARLY
        elif request_id in lost(log):
            hint = LOST
        else:
            hint = NOT_ANSWERED if steps_left[request_id] <= 0 else ENDED_IN_FLIGHT
        return wrong(expected=t("an answer for every request", "una respuesta para cada una"),
                     got=t(f"none for {sorted(unanswered)}", f"ninguna para {sorted(unanswered)}"), hint=hint)
    if len(log.requests) < len(log.workload.items):
        return wrong(expected=t(f"{len(log.workload.items)} requests", f"{len(log.workload.items)} peticiones"),
                     got=len(log.requests), hint=ENDED_EARLY)
    different = [i for i, record in log.requests.items() if record.answer != record.item.answer]
    if different:
        return wrong(expected=t("tokens as alone", "tokens como a solas"), got=different, hint=t(
            "(requests with other tokens than alone): batching must not change an answer (section 3.4)",
            "(peticiones con otros tokens que a solas): el batching no debe cambiar ninguna respuesta (sección 3.4)"))
    return None


LOST = t(
    "it was taken from the queue and forgotten: what `get()` returns is the only trace of that request, so append it to "
    "in_flight (section 3.4)",
    "se tomó de la cola y se perdió: lo que devuelve `get()` es el único rastro de esa petición; añádelo a in_flight "
    "(sección 3.4)",
)
EMPTY_SLOT = t(
    "a seat stayed empty while a request waited for it. Admit before every step, on no condition of your own: `admit` "
    "itself knows whether a seat is free (section 3.4)",
    "un slot quedó vacío mientras alguien lo esperaba. Admite antes de cada paso, sin condición propia: `admit` ya "
    "sabe si hay slot libre (sección 3.4)",
)
WAITED_IN_FLIGHT = t(
    "time passed between two steps with requests in flight: they lost it. Wait (get, sleep) only when no request is in "
    "flight; none waits for company here (section 3.4)",
    "pasó tiempo entre dos pasos con peticiones en vuelo: lo perdieron ellas. Espera (get, sleep) solo cuando no haya "
    "nadie en vuelo; aquí nadie espera compañía (sección 3.4)",
)
LATE_START = t(
    "the server was empty, and a request starts at its arrival: `server.queue.get()` returns at that very moment, while "
    "a loop that sleeps and looks comes too late. And a request that has come starts alone, without company (section 3.4)",
    "el servidor estaba vacío, y una petición empieza al llegar: `server.queue.get()` vuelve en ese mismo instante, y "
    "un bucle que duerme y mira llega tarde. Y quien ha llegado empieza a solas, sin compañía (sección 3.4)",
)
ENDED_EARLY = t(
    "the loop ended while requests were still to come. `empty()` says only that no request waits now; `closed` says that "
    "none will come any more (section 3.4)",
    "el bucle acabó cuando aún faltaban peticiones por llegar. `empty()` solo dice que ahora no espera nadie; `closed` "
    "dice que ya no llegará nadie (sección 3.4)",
)
ENDED_IN_FLIGHT = t(
    "the loop ended with requests still in flight. When the queue closes, those go on to their end (section 3.4)",
    "el bucle acabó con peticiones todavía en vuelo. Cuando la cola se cierra, esas siguen hasta su final (sección 3.4)",
)
NOT_ANSWERED = t(
    "all tokens were computed and the answer never left: `retire` gets all that `decode_one_step` returns, in each step "
    "(section 3.4)",
    "se calcularon todos los tokens y la respuesta nunca salió: `retire` recibe todo lo que devuelve `decode_one_step`, "
    "en cada paso (sección 3.4)",
)
