"""Exercise 5.5: memory has run out. Who gives way, how, and nothing is lost."""

import random

from tests.grader.check import check
from tests.grader.definition import KEPT, one_of
from tests.grader.outcomes import expect, expect_equal, is_same, t
from tests.lab05.oracles import blocks_for, cheaper_way, due_time
from tests.lab05.scenes import accounting_fault, answers, ends, scene


def preempted(
    student, requests, *, computed, block_size=16, outputs=3, aging_s=0.2, order=None, cost=None, held=0, again=False
):
    """Call `preempt_last` on requests (arrival ms, prompt, priority) that have `computed` tokens in the cache."""
    workload = scene(*((arrival, prompt, 50, priority) for arrival, prompt, priority in requests))
    host = student.paged_server(workload, num_blocks=2_000, block_size=block_size, aging_s=aging_s, token_budget=None)
    host.server.clock.sleep(10.0)
    running = host.take(len(requests))
    for request, num_tokens in zip(running, computed):
        host.server.blocks.reserve(request, max(num_tokens, held))
        host.server.model.forward_chunks([(request, num_tokens)])
        request.output_token_ids = list(range(outputs))
    host.server.cost = cost or host.server.cost
    in_flight = [running[i] for i in order or range(len(running))]
    victim, (after,) = student.call_on(host, "preempt_last", in_flight, again=again)
    return host, victim, after


def ids(requests):
    """Ids of what should be a list of requests, in order of id."""
    is_row = isinstance(requests, (list, tuple))
    return sorted((getattr(each, "request_id", each) for each in requests), key=str) if is_row else requests


@check("5.5", points=2, en="the last in line is preempted", es="se desaloja la última de la fila")
def test_victim(student):
    # Request 1 is batch work (priority 1) that came first; request 3 is interactive and came last.
    expect_one_leaves(student)
    found = []
    for aging_s in (0.5, 0.0):
        requests = ((20, 30, 0), (0, 30, 1), (40, 30, 0), (60, 30, 0))
        host, victim, after = preempted(student, requests, computed=[30] * 4, aging_s=aging_s)
        found.append((getattr(victim, "request_id", victim), ids(after)))
    expect_equal(found, [(1, [0, 2, 3]), (3, [0, 1, 2])], hint=t(
        "(returned, left in flight; with aging_s 0.5 and 0): the victim is the request with the largest place_in_line. Taking "
        "an urgent request's blocks while batch work keeps its own would reverse the priorities (section 5.5)",
        "(devuelta, siguen en vuelo; con aging_s 0.5 y 0): la víctima es la petición con el mayor place_in_line. Quitarle los "
        "bloques a una urgente mientras el trabajo en diferido conserva los suyos invertiría las prioridades (sección 5.5)",
    ))
    expect_last_of_any_line(student)


def expect_one_leaves(student) -> None:
    """A single request: which one gives way is clear; the check is that it is returned and has left the list."""
    host, victim, after = preempted(student, ((0, 30, 0),), computed=[30])
    expect_equal(getattr(victim, "request_id", victim), 0, hint=t(
        "(returned; one request in flight): return the request itself: the loop puts it back among the waiting requests "
        "(section 5.5)",
        "(lo devuelto; con una petición en vuelo): devuelve la petición misma: el bucle la pone con las que esperan "
        "(sección 5.5)",
    ))
    expect_equal(ids(after), [], hint=t(
        "(left in in_flight, after the only request was preempted): take it out of the list that you were given, in place: "
        "in_flight.remove(victim). A new list under the same name changes nothing for the loop (section 5.5)",
        "(quedan en in_flight, tras desalojar a la única): quítala de la propia lista que recibiste: "
        "in_flight.remove(victim). Una lista nueva con el mismo nombre no cambia nada para el bucle (sección 5.5)",
    ))


def expect_last_of_any_line(student) -> None:
    """The list need not be in order, ties go by id, and exactly one gives way."""
    rng = random.Random(55)
    for number in range(10):
        count, aging_s = rng.randint(2, 6), rng.choice((0.0, 0.25, 1.0))
        requests = sorted((250 * rng.randint(0, 4), rng.randint(5, 60), rng.randint(0, 3)) for _ in range(count))
        order = rng.sample(range(count), count)
        host, victim, after = preempted(student, requests, computed=[prompt for _, prompt, _ in requests], order=order,
                                        aging_s=aging_s, again=number > 0)
        last = max(range(count), key=lambda i: (due_time((requests[i][0] / 1_000, requests[i][2]), aging_s), i))
        found = getattr(victim, "request_id", victim), ids(after), [each.request_id for each in host.server.log.preemptions]
        told = ", ".join(f"{i}: {requests[i][0]} ms, {requests[i][2]}" for i in order)
        due = last, [i for i in range(count) if i != last], [last]
        expect(is_same(found, due), got=found, expected=t(
            f"{due} (aging_s {aging_s}; id: arrival, priority: {told})",
            f"{due} (aging_s {aging_s}; id: llegada, prioridad: {told})"), hint=t(
            "(returned, left in flight, preempted): preempt exactly one request, the one with the largest place_in_line, "
            "wherever it stands in the list; ties go to the larger id. Do you keep anything from an earlier call? (section "
            "5.5)",
            "(devuelta, siguen en vuelo, desalojadas): desaloja exactamente una petición, la de mayor place_in_line, esté "
            "donde esté en la lista; en caso de empate, la de id mayor. ¿Guardas algo de una llamada anterior? (sección 5.5)",
        ))


@check("5.5", points=2, en="its blocks are free, its tokens are kept",
       es="sus bloques quedan libres y conserva sus tokens")
def test_keeps_its_tokens(student):
    host, victim, _ = preempted(student, ((0, 30, 0), (5, 60, 1)), computed=[30, 60])
    expect_equal(host.server.blocks.num_free, 1_998, hint=t(
        "(free blocks): request 1 held 4 of 2,000, request 0 holds 2: call server.preempt for the victim (section 5.5)",
        "(bloques libres): la petición 1 tenía 4 de 2000, la 0 tiene 2: llama a server.preempt con la víctima "
        "(sección 5.5)",
    ))
    expect_equal(getattr(victim, "output_token_ids", victim), [0, 1, 2], hint=t(
        "(its output tokens): they have already been sent to the client. Give up only K and V: the request goes on where it "
        "was (section 5.5)",
        "(sus tokens de salida): ya se enviaron al cliente. Renuncia solo a K y V: la petición sigue donde estaba (sección "
        "5.5)",
    ))


    expect_equal(getattr(victim, "priority", victim), 1, hint=t(
        "(its priority): the request keeps its place in line: neither its priority nor its arrival changes (section 5.5)",
        "(su prioridad): conserva su puesto en la fila: no cambian ni su prioridad ni su llegada (sección 5.5)",
    ))


def _way(swap_s, recompute_s) -> str:
    return "swap" if swap_s < recompute_s else "recompute"


PROMPT, OUTPUTS = 500, 3  # tokens of the victim in `test_cheaper_way`, not all of them computed
WHOLE = (PROMPT + OUTPUTS, PROMPT)


def _with(*, times=2, size=None, fixed=1, down=False, copied=None, computed=None):
    """`cheaper_way` with a mistake: how often it is copied, a block size that is always the same, how often prefill_s counts.

    `copied` and `computed` stand in the place of the tokens that have K and V, in the one cost and in the other.
    """
    def way(cost: dict, num_tokens: int, block_size: int) -> str:
        blocks = num_tokens // block_size if down else blocks_for(copied or num_tokens, block_size)
        swap_s = times * blocks * (cost["swap_block_s"] + (size or block_size) * cost["swap_token_s"])
        again = computed or num_tokens
        return _way(swap_s, (again if fixed is None else fixed) * cost["prefill_s"] + cost["prefill_token_s"] * again)

    return way


WAY_SLIPS = (
    (_with(times=1), t("copying happens twice, out and in: now, and when the request comes back (section 5.5)",
                       "se copia dos veces, de ida y de vuelta: ahora, y cuando la petición vuelve (sección 5.5)")),
    (_with(size=16), t("a block has server.blocks.block_size places, and that is not always 16 (section 5.5)",
                       "un bloque tiene server.blocks.block_size sitios, que no siempre son 16 (sección 5.5)")),
    (_with(fixed=0), t("a prefill has a fixed part, prefill_s, besides the part per token (section 5.5)",
                       "un prefill tiene una parte fija, prefill_s, además de la parte por token (sección 5.5)")),
    (_with(fixed=None), t("prefill_s is paid once, not per token (section 5.5)",
                          "prefill_s se paga una vez, no por token (sección 5.5)")),
    (_with(down=True), t("it is copied by whole blocks, the last one too, full or not: round the number of blocks up (section 5.5)",
                         "se copia por bloques enteros, también el último, lleno o no: redondea hacia arriba el número de "
                         "bloques (sección 5.5)")),
    *((_with(copied=whole), t("only the blocks of num_computed_tokens are copied: its other tokens have no K and V yet "
                              "(section 5.5)",
                              "solo se copian los bloques de num_computed_tokens: sus demás tokens aún no tienen K ni V "
                              "(sección 5.5)")) for whole in WHOLE),
    *((_with(computed=whole), t("only num_computed_tokens are computed again: its other tokens have no K and V yet, whichever "
                                "way is taken (section 5.5)",
                                "solo se recalculan num_computed_tokens: sus demás tokens aún no tienen K ni V, se elija lo que "
                                "se elija (sección 5.5)")) for whole in WHOLE),
    *((_with(copied=whole, computed=whole), t("both ways count num_computed_tokens: its other tokens have no K and V yet "
                                              "(section 5.5)",
                                              "en ambas maneras cuentan los num_computed_tokens: sus demás tokens aún no tienen "
                                              "K ni V (sección 5.5)")) for whole in WHOLE),
)


HELD = 300  # tokens that blocks are reserved for in `expect_any_cost`: "max" has reserved for the whole answer
HELD_SLIPS = (
    (_with(copied=HELD), t(
        "what is copied are the blocks that num_computed_tokens take, server.blocks.needed(…), not all that the request holds: "
        "blocks that are only reserved hold nothing (section 5.5)",
        "lo que se copia son los bloques que ocupan los num_computed_tokens, server.blocks.needed(…), no todos los que tiene la "
        "petición: los bloques solo reservados no contienen nada (sección 5.5)")),
    *WAY_SLIPS,
)


def ways_taken(student, sizes) -> tuple[list, list]:
    """For each (block size, computed tokens): the ways that were taken, and what they depend on."""
    found, cases = [], []
    for block_size, num_tokens in sizes:
        host, _, _ = preempted(student, ((0, 8, 0), (5, PROMPT, 0)), computed=[8, num_tokens], outputs=OUTPUTS,
                               block_size=block_size)
        found.append([each.way for each in host.server.log.preemptions])
        cases.append((host.server.cost, num_tokens, block_size))
    return found, cases


def likely_slip(student):
    """The hint of the slips that explain every way taken, in more cases than the check has: one answer of two says little."""
    found, cases = ways_taken(student, [(size, count) for size in (4, 16, 64) for count in (8, 20, 47, 100, 113, 180, 250, 400)])
    due = [[cheaper_way(*case)] for case in cases]
    return one_of(hint for way, hint in WAY_SLIPS if [[way(*case)] for case in cases] == found != due)


@check("5.5", points=3, en="recomputes or swaps, whichever costs less",
       es="recalcula o copia, lo que cueste menos")
def test_cheaper_way(student):
    found, _ = ways_taken(student, ((16, 20), (16, 400), (64, 400), (4, 8), (4, 100), (16, 112), (16, 113)))
    expected = [["swap"], ["recompute"], ["swap"], ["swap"], ["recompute"], ["swap"], ["recompute"]]
    expect_equal(found, expected, hint=(found != expected and likely_slip(student)) or t(
        "(block size and tokens: 16 and 20, 16 and 400, 64 and 400, 4 and 8, 4 and 100, 16 and 112, 16 and 113): the copy is "
        "made twice, out and in, and by whole blocks; recomputing pays its fixed part once. Both count num_computed_tokens: "
        "the other tokens have no K and V yet (section 5.5)",
        "(tamaño de bloque y tokens: 16 y 20, 16 y 400, 64 y 400, 4 y 8, 4 y 100, 16 y 112, 16 y 113): se copia dos veces, al "
        "salir y al volver, y por bloques enteros; recalcular paga su parte fija una vez. En ambos casos cuentan los "
        "num_computed_tokens: los demás tokens aún no tienen K ni V (sección 5.5)",
    ))
    expect_any_cost(student)


NUM_UNEQUAL, NUM_EQUAL = 22, 6


def any_costs():
    """Costs in powers of two, so that sums are exact, with the tokens and block size; in the end both ways cost the same."""
    rng = random.Random(56)
    for number in range(NUM_UNEQUAL + NUM_EQUAL):
        block_size, num_tokens = rng.choice((1, 4, 16, 64)), rng.randint(1, 150)
        cost = {name: rng.randint(0, 40) / 64 for name in ("prefill_s", "prefill_token_s", "swap_block_s", "swap_token_s")}
        cost["swap_token_s"] /= 64
        cost["swap_block_s"] /= 4
        if number >= NUM_UNEQUAL:
            cost |= {"prefill_token_s": 0.0, "prefill_s": 2 * blocks_for(num_tokens, block_size) * (
                cost["swap_block_s"] + block_size * cost["swap_token_s"])}
        yield cost, num_tokens, block_size


def way_of(student, cost: dict, num_tokens: int, block_size: int, *, again: bool = False) -> list[str]:
    """The way that is taken by a request that holds more than it has computed."""
    host, _, _ = preempted(student, ((0, 200, 0),), computed=[num_tokens], block_size=block_size, cost=cost, held=HELD,
                           again=again)
    return [each.way for each in host.server.log.preemptions]


def expect_any_cost(student) -> None:
    """The cheaper way at any cost; a slip that explains all the ways taken is named."""
    cases = list(any_costs())
    all_found = [way_of(student, *case, again=number > 0) for number, case in enumerate(cases)]
    for number, (case, found) in enumerate(zip(cases, all_found)):
        (cost, num_tokens, block_size), due, equal = case, [cheaper_way(*case)], number >= NUM_UNEQUAL
        if number and not is_same(found, due):
            expect(not is_same(way_of(student, *case), due), expected=due, got=found, hint=KEPT)
        asked = f"{num_tokens} tokens, block_size {block_size}, {cost}"
        expect_equal_way = t("if the costs are equal, recompute (section 5.5)", "si los costes son iguales, recalcula "
                                                                                "(sección 5.5)")
        slip = not is_same(found, due) and one_of(
            hint for way, hint in HELD_SLIPS if [[way(*each)] for each in cases] == all_found)
        expect(is_same(found, due), expected=f"{due} ({asked})", got=found, hint=slip or (equal and expect_equal_way) or t(
            "(way; num_computed_tokens, block size, server.cost): every block that the computed tokens take is copied as a "
            "whole, empty places included, out and in; blocks that are only reserved hold nothing. Recomputing costs "
            "prefill_s once and prefill_token_s per token (section 5.5)",
            "(manera; num_computed_tokens, tamaño de bloque, server.cost): cada bloque que ocupan los tokens calculados se "
            "copia entero, con sus sitios vacíos, al salir y al volver; los bloques solo reservados no contienen nada. "
            "Recalcular cuesta prefill_s una vez y prefill_token_s por token (sección 5.5)",
        ))


@check("5.5", points=3, en="preempted requests still produce the same tokens",
       es="las peticiones desalojadas producen los mismos tokens", needs=("5.2", "5.3", "5.4"))
def test_goes_on(student):
    # 6 blocks of 8 tokens for four sequences that grow to 40 tokens each: they cannot all stay.
    workload = scene(*((i, 10 + i, 30 - i) for i in range(4)), (200, 12, 20))
    log = student.run_production(workload, num_blocks=6, block_size=8, max_inflight=4)
    expect(len(log.preemptions) > 0, expected=t("at least one preemption", "al menos un desalojo"), got=0, hint=t(
        "four sequences of 40 tokens do not fit into 48 token places (section 5.5)",
        "cuatro secuencias de 40 tokens no caben en 48 posiciones (sección 5.5)",
    ))
    expect_equal(ends(log), {i: 1 for i in range(5)}, hint=t(
        "(how often each request ended): every request ends exactly once (section 5.5)",
        "(cuántas veces terminó cada petición): cada una termina exactamente una vez (sección 5.5)",
    ))
    expected = {item.request_id: item.answer for item in workload.items}
    wrong = [i for i, answer in answers(log).items() if answer != expected[i]]
    expect_equal(wrong, [], hint=t(
        "(requests whose tokens differ from those they get alone): a preempted request lost or repeated tokens (section 5.5)",
        "(peticiones cuyos tokens no son los que obtienen a solas): una petición desalojada perdió o repitió tokens (sección "
        "5.5)",
    ))
    expect_equal(accounting_fault(log), None, hint=t(
        "every block that is taken must be given back exactly once (section 5.5)",
        "cada bloque que se toma debe devolverse exactamente una vez (sección 5.5)",
    ))
