"""The batches of a run, read from its log, and why a request went without an answer."""

from tests.grader.outcomes import Text, t


def batches(log) -> list[tuple[set[int], int, int]]:
    """Each batch as its requests, the start of its first step and the end of the last step that one of them needed.

    A request belongs to the batch of the first step that computes it; times are in nanoseconds.
    """
    batch_of: dict[int, int] = {}
    found: list[list] = []
    for step in log.steps:
        new = {request_id for request_id in step.request_ids if request_id not in batch_of}
        if new:
            batch_of.update(dict.fromkeys(new, len(found)))
            found.append([new, step.start_ns, step.end_ns])
        for request_id in step.useful_ids:
            found[batch_of[request_id]][2] = step.end_ns
    return [tuple(batch) for batch in found]


def answered_early(log) -> list[int]:
    """Requests whose answers left before the longest member of their batch had ended."""
    return [
        request_id
        for members, _, end_ns in batches(log)
        for request_id in sorted(members)
        if (finish_ns := log.requests[request_id].finish_ns) is not None and finish_ns < end_ns
    ]


def why_unanswered(log) -> Text | None:
    """Why requests were not answered, judged by how far the first of them got; None if all were answered."""
    waiting = [record for record in log.requests.values() if record.finish_ns is None]
    if not waiting:
        return None
    if all(record.ended for record in waiting):
        return t(
            "(None: the answer was never sent). All the tokens were computed, but no answer was sent: do you pass each "
            "request of the batch to server.respond? (section 2.4)",
            "(None: nunca salió su respuesta). Se calcularon todos los tokens, pero no se envió ninguna respuesta: ¿pasas a "
            "server.respond cada petición del lote? (sección 2.4)",
        )
    if any(record.admitted_ns is None for record in waiting):
        return t(
            "(None: the answer was never sent). The loop ended although more requests were still to come. `empty()` says only "
            "that no request is waiting right now; end the loop when collect_batch returns an empty list (section 2.4)",
            "(None: nunca salió su respuesta). El bucle acabó cuando aún faltaban peticiones por llegar. `empty()` solo dice "
            "que en este momento no hay peticiones en espera; acaba cuando collect_batch devuelva una lista vacía (sección "
            "2.4)",
        )
    return t(
        "(None: the answer was never sent). These requests were taken from the queue, but their batch was not run to its end. "
        "The queue closes as soon as the last request has been taken, while its batch is still to be run (section 2.4)",
        "(None: nunca salió su respuesta). Estas peticiones se tomaron de la cola, pero su lote no se ejecutó hasta el final. "
        "La cola se cierra en cuanto se toma la última, cuando su lote aún está por ejecutar (sección 2.4)",
    )
