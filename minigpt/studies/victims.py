"""Which request gives way when memory runs out: any choice of victim, compared with the last in line on crowded pools."""

from collections.abc import Callable

from minigpt.analysis.tables import aligned
from minigpt.language import say
from minigpt.runtime.errors import ServingError
from minigpt.runtime.paged.run_log import RECOMPUTE, SWAP, PagedRunLog
from minigpt.schedulers.paged import production_loop
from minigpt.simulation.paged_run import serve
from minigpt.studies.lab03 import p95_ms
from minigpt.workloads.workload import Workload, workload

SEEDS = (3, 4, 5)


def crowd(seed: int) -> Workload:
    """More of the tutor's requests than a pool of 24 blocks can hold."""
    return workload("mixed", load=1.3, num_requests=300, seed=seed)


def run(requests: Workload, victim_of: Callable | None = None) -> PagedRunLog:
    """Serve a crowd; `victim_of(server, in_flight)` chooses the request that gives way (default: the last in line)."""
    loop = production_loop if victim_of is None else production_loop.with_functions(preempt_last=preempting(victim_of))
    return serve(requests, loop=loop, num_blocks=24, max_inflight=16, token_budget=64)


def preempting(victim_of: Callable) -> Callable:
    """The `preempt_last` of Lab 05 with another victim; the way of preempting is still the cheaper one."""

    def preempt(server, in_flight):
        victim = victim_of(server, in_flight)
        if victim not in in_flight:
            raise ServingError(say(en=f"victim_of returned {victim!r}: return one of the requests of in_flight",
                                   es=f"victim_of devolvió {victim!r}: devuelve una de las peticiones de in_flight"))
        in_flight.remove(victim)
        cost, num_tokens = server.cost, victim.num_computed_tokens
        block_s = cost["swap_block_s"] + server.blocks.block_size * cost["swap_token_s"]
        swap_s = 2 * server.blocks.needed(num_tokens) * block_s
        recompute_s = cost["prefill_s"] + cost["prefill_token_s"] * num_tokens
        server.preempt(victim, SWAP if swap_s < recompute_s else RECOMPUTE)
        return victim

    return preempt


def lost_tokens(log: PagedRunLog) -> int:
    """Tokens whose K and V had to be computed or copied again, all preemptions together."""
    return sum(each.num_computed_tokens for each in log.preemptions)


def try_victims(victim_of: Callable) -> bool:
    """Try a choice of victims on three crowds; right if every answer is the usual one and fewer tokens are lost in all."""
    rows = [("", say(en="lost tokens: last in line", es="tokens perdidos: última de la fila"), say(en="yours", es="tu elección"),
             say(en="p95 (ms): last in line", es="p95 (ms): última de la fila"), say(en="yours", es="tu elección"))]
    lost = [0, 0]
    for seed in SEEDS:
        requests = crowd(seed)
        last = run(requests)
        try:
            mine = run(requests, victim_of)
        except NotImplementedError:
            print(say(en="victim_of is not written yet", es="victim_of aún no está escrita"))
            return False
        changed = [i for i, record in mine.requests.items() if record.answer != record.item.answer]
        if changed:
            print(say(en=f"wrong: seed {seed}: request {changed[0]} got a different answer, or none",
                      es=f"mal: semilla {seed}: la petición {changed[0]} recibió otra respuesta, o ninguna"))
            return False
        figures = [lost_tokens(last), lost_tokens(mine), round(p95_ms(last)), round(p95_ms(mine))]
        lost = [sum(pair) for pair in zip(lost, figures)]
        rows.append((say(en=f"seed {seed}", es=f"semilla {seed}"), *map(str, figures)))
    print(aligned(rows))
    is_right = lost[1] < lost[0]
    print(say(en=f"{'right' if is_right else 'not yet'}: {lost[1]} tokens lost, against {lost[0]} with the last in line",
              es=f"{'correcto' if is_right else 'aún no'}: {lost[1]} tokens perdidos, frente a {lost[0]} con la última de la "
                 "fila"))
    return is_right
