"""The first thing in a run's log that continuous batching does not do, with a hint that names it.

Each step is looked at as it begins: who is in flight (taken from the queue, not answered), and who waits (has arrived,
was not taken). What the text asks for can be read from these: the steps hold all in flight, no slot is empty while
a request waits, time passes only in steps, and an answer leaves at the end of the step that completes it.
"""

from minigpt.runtime.run_log import RunLog
from tests.grader.outcomes import CheckFailed, t, wrong


def first_violation(log: RunLog, *, cap: int) -> CheckFailed | None:
    """Return the first violation that the log shows; None if there is none."""
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
    """Return the requests that were taken from the queue but computed in no step."""
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
            f"(rows in the step at {ms(now_ns)} ms, with max_inflight = {cap}): every line that adds to in_flight must "
            "check the cap first (section 3.4)",
            f"(filas en el paso de los {ms(now_ns)} ms, con max_inflight = {cap}): todo lo que añada una petición a in_flight "
            "debe comprobar antes el tope (sección 3.4)"))
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
        return wrong(expected=t("every request taken from the queue is computed", "se calcula cada petición tomada de la cola"),
                     got=t(f"request {never[0]} was taken but is in no step", f"la petición {never[0]} se tomó, pero no está "
                                                                              "en ningún paso"),
                     hint=LOST)
    return wrong(
        expected=t("every request in flight in every step", "todas las peticiones en vuelo, en cada paso"),
        got=t(f"without {sorted(ids)} at {ms(now_ns)} ms", f"sin {sorted(ids)} a los {ms(now_ns)} ms"), hint=t(
            "(requests in flight that got no token in a step): pass all of in_flight to every step; make that list once, before "
            "the loop; and take from the queue only as many requests as there are free slots (section 3.4)",
            "(peticiones en vuelo que no recibieron token en un paso): pasa todo in_flight en cada paso; crea esa lista una sola "
            "vez, antes del bucle; y toma de la cola solo tantas peticiones como slots libres haya (sección 3.4)"))


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
        expected=t("no empty slot while a request waits", "ningún slot vacío mientras espera una petición"),
        got=t(f"at {ms(now_ns)} ms: {busy} of {cap} slots taken, and {sorted(waiting)} waiting",
              f"a los {ms(now_ns)} ms: {busy} de {cap} slots ocupados, y esperan {sorted(waiting)}"), hint=EMPTY_SLOT)


def _after(log, step, steps_left: dict[int, int]) -> CheckFailed | None:
    for request_id in step.request_ids:
        finish_ns = log.requests[request_id].finish_ns
        is_complete = steps_left[request_id] <= 0
        if is_complete and finish_ns != step.end_ns and finish_ns is not None:
            return wrong(expected=t(f"{ms(step.end_ns)} ms", f"{ms(step.end_ns)} ms"), got=f"{ms(finish_ns)} ms", hint=t(
                f"(when the answer to request {request_id} left): its last token came in the step that ended at the expected "
                "time, but its slot stayed taken. After every step, retire all requests that ended in it before doing "
                "anything else (section 3.4)",
                f"(cuándo salió la respuesta de la petición {request_id}): su último token llegó en el paso que acabó en el "
                "momento esperado, pero su slot siguió ocupado. Después de cada paso, retira todas las peticiones que "
                "terminaron en él antes de hacer otra cosa (sección 3.4)"))
        if not is_complete and finish_ns is not None and finish_ns <= step.end_ns:
            return wrong(expected=t(f"{steps_left[request_id]} more steps", f"{steps_left[request_id]} pasos más"),
                         got=f"{ms(finish_ns)} ms", hint=t(
                f"(when the answer to request {request_id} left): it was not complete yet (section 3.4)",
                f"(cuándo salió la respuesta de la petición {request_id}): aún no estaba completa (sección 3.4)"))
    return None


def _at_the_end(log, steps_left: dict[int, int]) -> CheckFailed | None:
    unanswered = {i: record for i, record in log.requests.items() if record.finish_ns is None}
    found_some_waiting = any(record.arrival_ns == 0 for record in unanswered.values())
    for request_id, record in unanswered.items():
        if record.admitted_ns is None:
            hint = ENDED_EARLY if log.steps or not found_some_waiting else NEVER_BEGAN
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
        return wrong(expected=t("the same tokens as when served alone", "los mismos tokens que a solas"), got=different, hint=t(
            "(requests whose tokens differ from those they get alone): batching must not change an answer (section 3.4)",
            "(peticiones cuyos tokens no son los que obtienen a solas): el batching no debe cambiar ninguna respuesta "
            "(sección 3.4)"))
    return None


LOST = t(
    "it was taken from the queue and forgotten: `get()` hands out each request only once, so append what it returns to "
    "in_flight (section 3.4)",
    "se tomó de la cola y se perdió: lo que devuelve `get()` es el único rastro de esa petición; añádelo a in_flight "
    "(sección 3.4)",
)
EMPTY_SLOT = t(
    "a slot stayed empty while a request waited for it. Call `admit` before every step, without any condition of your own: it "
    "checks for itself whether a slot is free. Also after `get()`: when one request arrives, others may arrive with it (section 3.4)",
    "un slot quedó vacío mientras una petición lo esperaba. Llama a `admit` antes de cada paso, sin ninguna condición tuya: "
    "ella misma comprueba si hay un slot libre. También después de `get()`: con una petición pueden llegar otras (sección 3.4)",
)
WAITED_IN_FLIGHT = t(
    "time passed between two steps while requests were in flight, and delayed them. Wait (get, sleep) only when no request is "
    "in flight; no request waits for others here (section 3.4)",
    "pasó tiempo entre dos pasos con peticiones en vuelo, y las retrasó. Espera (get, sleep) solo cuando no haya ninguna en "
    "vuelo; aquí ninguna petición espera a otras (sección 3.4)",
)
LATE_START = t(
    "the server was empty, so a request should start when it arrives: `server.queue.get()` returns at exactly that moment, "
    "while a loop that sleeps and checks again is late. A request that has arrived starts alone, without waiting for others "
    "(section 3.4)",
    "el servidor estaba vacío, así que una petición debe empezar al llegar: `server.queue.get()` vuelve en ese mismo "
    "instante, mientras que un bucle que duerme y vuelve a mirar llega tarde. Una petición que ha llegado empieza sola, sin "
    "esperar a otras (sección 3.4)",
)
NEVER_BEGAN = t(
    "requests were waiting, but the loop ended before its first step. At the start none is in flight; go on while one is in "
    "flight *or* the queue is not closed: `or`, not `and` (section 3.4)",
    "había peticiones en espera, pero el bucle acabó antes de su primer paso. Al principio no hay ninguna en vuelo; sigue "
    "mientras haya alguna en vuelo *o* la cola no esté cerrada: `or`, no `and` (sección 3.4)",
)
ENDED_EARLY = t(
    "the loop ended although more requests were still to come. `empty()` says only that no request is waiting right now; "
    "`closed` says that no more will come (section 3.4)",
    "el bucle acabó cuando aún faltaban peticiones por llegar. `empty()` solo dice que en este momento no hay peticiones en "
    "espera; `closed` dice que ya no llegarán más (sección 3.4)",
)
ENDED_IN_FLIGHT = t(
    "the loop ended with requests still in flight. After the queue closes, these must still be finished (section 3.4)",
    "el bucle acabó con peticiones todavía en vuelo. Cuando la cola se cierra, todavía hay que terminarlas (sección 3.4)",
)
NOT_ANSWERED = t(
    "all tokens were computed, but the answer was never sent: pass everything that `decode_one_step` returns to `retire`, in "
    "each step (section 3.4)",
    "se calcularon todos los tokens, pero la respuesta nunca se envió: pasa a `retire` todo lo que devuelve "
    "`decode_one_step`, en cada paso (sección 3.4)",
)
