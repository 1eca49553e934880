"""Exercise 5.5: memory has run out. Who gives way, how, and nothing is lost."""

from tests.grader.check import check
from tests.grader.outcomes import expect, expect_equal, t
from tests.lab05.scenes import accounting_fault, answers, ends, scene


def preempted(student, requests, *, computed, block_size=16, outputs=3, aging_s=0.2):
    """Call `preempt_last` on requests (arrival ms, prompt, priority) that have `computed` tokens in the cache."""
    workload = scene(*((arrival, prompt, 50, priority) for arrival, prompt, priority in requests))
    host = student.paged_server(workload, num_blocks=200, block_size=block_size, aging_s=aging_s, token_budget=None)
    host.server.clock.sleep(1.0)
    running = host.take(len(requests))
    for request, num_tokens in zip(running, computed):
        host.server.blocks.reserve(request, num_tokens)
        host.server.model.forward_chunks([(request, num_tokens)])
        request.output_token_ids = list(range(outputs))
    victim, (after,) = student.call_on(host, "preempt_last", running)
    return host, victim, after


@check("5.5", points=2, en="the last in line gives way", es="cede el sitio la última de la fila")
def test_victim(student):
    # Request 1 is batch work (priority 1) that came first; request 3 is interactive and came last.
    found = []
    for aging_s in (0.5, 0.0):
        requests = ((20, 30, 0), (0, 30, 1), (40, 30, 0), (60, 30, 0))
        host, victim, after = preempted(student, requests, computed=[30] * 4, aging_s=aging_s)
        left = after
        if isinstance(after, list):
            left = sorted((getattr(request, "request_id", request) for request in after), key=str)
        found.append((getattr(victim, "request_id", victim), left))
    expect_equal(found, [(1, [0, 2, 3]), (3, [0, 1, 2])], hint=t(
        "(returned, left in flight; with aging_s 0.5 and 0): the victim is the one whose place_in_line is largest. To "
        "take "
        "an urgent one's blocks while batch work keeps its own would turn the priorities round (section 5.5)",
        "(devuelta, siguen en vuelo; con aging_s 0.5 y 0): la víctima es la de mayor place_in_line. Quitar sus "
        "bloques a una "
        "urgente mientras el trabajo en diferido conserva los suyos invertiría las prioridades (sección 5.5)",
    ))  # fmt: skip


@check("5.5", points=2, en="its blocks are free, its tokens are kept",
       es="sus bloques quedan libres y conserva sus tokens")  # fmt: skip
def test_keeps_its_tokens(student):
    host, victim, _ = preempted(student, ((0, 30, 0), (5, 60, 0)), computed=[30, 60])
    expect_equal(host.server.blocks.num_free, 198, hint=t(
        "(free blocks): request 1 held 4 of 200, request 0 holds 2: call server.preempt for the victim (section 5.5)",
        "(bloques libres): la petición 1 tenía 4 de 200, la 0 tiene 2: llama a server.preempt con la víctima "
        "(sección 5.5)",
    ))  # fmt: skip
    expect_equal(getattr(victim, "output_token_ids", victim), [0, 1, 2], hint=t(
        "(its output tokens): they have been sent to the client. Only K and V are given up: the request goes on where "
        "it "
        "was (section 5.5)",
        "(sus tokens de salida): ya se enviaron al cliente. Solo se renuncia a K y V: la petición sigue donde estaba "
        "(sección 5.5)",
    ))  # fmt: skip


@check("5.5", points=3, en="recomputes or swaps, whichever costs less",
       es="recalcula o copia, lo que cueste menos")  # fmt: skip
def test_cheaper_way(student):
    found = []
    for block_size, num_tokens in ((16, 20), (16, 400), (64, 400), (4, 8), (4, 100), (16, 112), (16, 113)):
        host, _, _ = preempted(student, ((0, 8, 0), (5, 500, 0)), computed=[8, num_tokens], block_size=block_size)
        found.append([each.way for each in host.server.log.preemptions])
    expected = [["swap"], ["recompute"], ["swap"], ["swap"], ["recompute"], ["swap"], ["recompute"]]
    expect_equal(found, expected, hint=t(
        "(block size and tokens: 16 and 20, 16 and 400, 64 and 400, 4 and 8, 4 and 100, 16 and 112, 16 and 113): "
        "copying "
        "happens twice, out and in, and by whole blocks; computing has its fixed part once. Both count "
        "num_computed_tokens: the others have no K and V yet (section 5.5)",
        "(tamaño de bloque y tokens: 16 y 20, 16 y 400, 64 y 400, 4 y 8, 4 y 100, 16 y 112, 16 y 113): se copia dos "
        "veces, "
        "fuera y dentro, y por bloques enteros; calcular tiene su parte fija una vez. En ambos cuentan los "
        "num_computed_tokens: los demás aún no tienen K ni V (sección 5.5)",
    ))  # fmt: skip


@check("5.5", points=3, en="preempted requests go on to the same tokens",
       es="las desalojadas siguen hasta los mismos tokens", needs=("5.2", "5.3", "5.4"))  # fmt: skip
def test_goes_on(student):
    # 6 blocks of 8 tokens for four sequences that grow to 40 tokens each: they cannot all stay.
    workload = scene(*((i, 10 + i, 30 - i) for i in range(4)), (200, 12, 20))
    log = student.run_production(workload, num_blocks=6, block_size=8, max_inflight=4)
    expect(len(log.preemptions) > 0, expected=t("at least one preemption", "al menos un desalojo"), got=0, hint=t(
        "four sequences of 40 tokens do not fit into 48 places (section 5.5)",
        "cuatro secuencias de 40 tokens no caben en 48 sitios (sección 5.5)",
    ))  # fmt: skip
    expect_equal(ends(log), {i: 1 for i in range(5)}, hint=t(
        "(how often each request ended): every request ends exactly once (section 5.5)",
        "(cuántas veces terminó cada petición): cada una termina exactamente una vez (sección 5.5)",
    ))  # fmt: skip
    expected = {item.request_id: item.answer for item in workload.items}
    wrong = [i for i, answer in answers(log).items() if answer != expected[i]]
    expect_equal(wrong, [], hint=t(
        "(requests with other tokens than alone): a preempted request has lost or repeated tokens (section 5.5)",
        "(peticiones con otros tokens que a solas): una petición desalojada ha perdido o repetido tokens (sección 5.5)",
    ))  # fmt: skip
    expect_equal(accounting_fault(log), None, hint=t(
        "every block is taken once and given back once (section 5.5)",
        "cada bloque se toma una vez y se devuelve una vez (sección 5.5)",
    ))  # fmt: skip
