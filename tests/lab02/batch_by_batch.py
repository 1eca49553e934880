"""A run of the student's static loop compared with that of the definition: which batch differs first, and how."""

from minigpt.runtime.run_log import RunLog
from minigpt.schedulers.static import static_batch_loop
from minigpt.simulation.run import replay
from tests.grader.outcomes import CheckFailed, Text, t, wrong
from tests.lab02.batches import why_unanswered
from tests.lab03.violations import ms

ENDED_EARLY = t(
    "the loop ended although more requests were still to come: each client sends its next one when it has its answer. End the "
    "loop only when collect_batch returns an empty list (section 2.4)",
    "el bucle acabó cuando aún faltaban peticiones por llegar: cada cliente envía la siguiente cuando tiene su respuesta. "
    "Acaba solo cuando collect_batch devuelva una lista vacía (sección 2.4)",
)
ASKED_AGAIN = t(
    "the loop went on after the last batch, although no more requests will come: it ends when collect_batch returns an empty "
    "list. When no request is waiting, collect_batch itself waits in `get` (section 2.4)",
    "el bucle siguió después del último lote, aunque ya no llegará ninguna petición: acaba cuando collect_batch devuelve una "
    "lista vacía. Si no hay ninguna en espera, es collect_batch quien espera en `get` (sección 2.4)",
)
ANSWERED_BEFORE = t(
    "a request was computed or answered again after its answer had been sent. Run the whole batch first, then answer each of "
    "its requests once (section 2.4)",
    "se calculó o se respondió de nuevo una petición cuya respuesta ya había salido. Primero ejecuta el lote entero; después "
    "responde una vez a cada una de sus peticiones (sección 2.4)",
)


def ran(student, workload, **settings) -> RunLog:
    """The log of the student's static loop; if it raises, with a hint."""
    try:
        return student.run_loop("static", workload, **settings)
    except CheckFailed as failure:
        if not failure.hint and "BusyWait" in failure.raised:
            failure.hint = ASKED_AGAIN
        if not failure.hint and has_left(failure):
            failure.hint = ANSWERED_BEFORE
        raise


def has_left(failure: CheckFailed) -> bool:
    """Whether a request that had its answer was used again: the runtime says so, in the language of the report."""
    return "ServingError" in failure.raised and any(
        words in str(failure.got) for words in ("has been answered", "ya tuvo su respuesta"))


def due_run(workload, settings: dict) -> RunLog:
    """The same workload, served by the definition."""
    return replay("static", workload, loop=static_batch_loop, clock=settings["clock"](), tokens="scripted",
                  max_batch=settings["cap"], max_wait_s=settings["max_wait_s"])


def first_difference(log: RunLog, due: RunLog, settings: dict) -> CheckFailed | None:
    """Return the failure for the first difference; None if there is none."""
    about = t(f"(max_batch = {settings['cap']}, max_wait_s is {1e3 * settings['max_wait_s']:g} ms). ",
              f"(max_batch = {settings['cap']}, max_wait_s es de {1e3 * settings['max_wait_s']:g} ms). ")
    if len(log.requests) < len(due.requests):
        return wrong(expected=t(f"{len(due.requests)} requests", f"{len(due.requests)} peticiones"),
                     got=len(log.requests), hint=ENDED_EARLY)
    unanswered = why_unanswered(log)
    if unanswered:
        missing = [i for i, record in log.requests.items() if record.finish_ns is None]
        return wrong(expected=t("an answer for every request", "una respuesta para cada una"),
                     got=t(f"none for {missing}", f"ninguna para {missing}"), hint=unanswered)
    for mine, other in zip(log.steps, due.steps, strict=False):
        if sorted(mine.request_ids) != sorted(other.request_ids) or mine.start_ns != other.start_ns:
            return wrong(expected=_step(other), got=_step(mine), hint=about.followed_by(_why(mine, other)))
    if len(log.steps) > len(due.steps):
        return wrong(expected=len(due.steps), got=len(log.steps), hint=t(
            "(total steps): a batch ends with its longest member (section 2.4)",
            "(pasos en total): un lote termina con su petición más larga (sección 2.4)"))
    for request_id, record in due.requests.items():
        left_ns = log.requests[request_id].finish_ns
        if left_ns != record.finish_ns:
            return wrong(expected=f"{ms(record.finish_ns)} ms", got=f"{ms(left_ns)} ms",
                         hint=_why_answered(request_id, left_ns > record.finish_ns))
    different = [i for i, record in log.requests.items() if record.answer != record.item.answer]
    if different:
        return wrong(expected=t("the same tokens as when served alone", "los mismos tokens que a solas"), got=different, hint=t(
            "(requests whose tokens differ from those they get alone): batching must not change an answer (section 2.4)",
            "(peticiones cuyos tokens no son los que obtienen a solas): el batching no debe cambiar ninguna respuesta "
            "(sección 2.4)"))
    return None


def _step(step) -> Text:
    ids = ", ".join(map(str, sorted(step.request_ids)))
    return t(f"at {ms(step.start_ns)} ms, a step with {ids}", f"a los {ms(step.start_ns)} ms, un paso con {ids}")


def _why(mine, due) -> Text:
    if sorted(mine.request_ids) == sorted(due.request_ids) and mine.start_ns > due.start_ns:
        return t(
            "The right batch, but too late: time passed while nothing was computed. The loop itself must not wait; "
            "collect_batch waits in `get`, which returns at the moment of arrival (section 2.4)",
            "El lote es el correcto, pero sale demasiado tarde: pasó tiempo sin que se calculara nada. El bucle no debe "
            "esperar; quien espera es collect_batch, en `get`, que vuelve en el instante de la llegada (sección 2.4)",
        )
    if set(mine.request_ids) < set(due.request_ids):
        return t(
            "Requests are missing from the batch: it starts with every request that arrived during its wait, and computes all "
            "its rows in every step (section 2.4)",
            "Faltan peticiones en el lote: sale con todas las que llegaron durante su espera, y en cada paso se calculan "
            "todas sus filas (sección 2.4)",
        )
    return t(
        "Draw the arrivals: when does each batch start, and with which requests? Collect a batch only after answering the "
        "previous one (section 2.4)",
        "Dibuja las llegadas: ¿cuándo sale cada lote y con qué peticiones? Un lote se reúne solo después de responder al "
        "anterior (sección 2.4)",
    )


def _why_answered(request_id: int, is_late: bool) -> Text:
    if is_late:
        return t(
            f"(when the answer to request {request_id} left): its batch had ended, but more time passed before the answer "
            "left. Answer the whole batch before doing anything else (section 2.4)",
            f"(cuándo salió la respuesta de la petición {request_id}): su lote había terminado, pero pasó más tiempo antes de "
            "que saliera. Responde a todo el lote antes de hacer otra cosa (sección 2.4)",
        )
    return t(
        f"(when the answer to request {request_id} left): it left before its batch had ended. The answers of a batch leave "
        "together (section 2.4)",
        f"(cuándo salió la respuesta de la petición {request_id}): salió antes de que terminara su lote. Las respuestas de un "
        "lote salen juntas (sección 2.4)",
    )
