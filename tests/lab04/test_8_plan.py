"""Exercise 4.8, the definition of done: the plan meets its p95 on workloads not seen, with no replica to spare."""

import math

from minigpt.simulation import fleet
from minigpt.simulation.capacity import saturated_per_s
from tests.grader.check import check
from tests.grader.definition import KEPT, VALUE_ERROR, answer, expect_unchanged
from tests.grader.outcomes import CheckFailed, expect, expect_value_error, t
from tests.grader.seeds import graded_seed
from tests.lab04.figures import (
    CAPS,
    DOCUMENTS_PER_S,
    FLEETS,
    LATE_S,
    LONG_CAPS,
    LONG_PER_S,
    MAX_CAP,
    ORDERS,
    Order,
    documents,
    p95_by_cap_s,
    p95_unseen_s,
    p95_with_cap_s,
    terms,
)

MOST_REPLICAS = 500
# max_cap, arrival rate in capacities of one replica with that cap, p95 target: met by any fleet that keeps up.
PATIENT = ((8, 3.5, 60.0), (64, 2.5, 30.0), (2, 22.4, 5.0), (1, 6.5, 5.0))

_plans = {}


def plan_of(student, order: Order) -> tuple[int, int]:
    """The student's plan, checked for form; kept for the next check."""
    seed = graded_seed(student.seed)
    key = (student.file, order, seed)
    if key not in _plans:
        lengths, rate = terms(order, seed)
        again = any(file == student.file for file, *_ in _plans)  # what a plan leaves behind may spoil the next
        _plans[key] = planned(student, rate, order.p95_target_s, lengths, MAX_CAP, again=again)
    return _plans[key]


def planned(student, rate: float, target_s: float, lengths, max_cap: int, *, again: bool = False) -> tuple[int, int]:
    """The student's plan, checked for form and for what it does to the lengths."""
    plan, (*_, lengths_after, _) = answer(student, "plan", (rate, target_s, lengths, max_cap), again=again)
    if isinstance(plan, CheckFailed):
        raise plan
    expect(plan is not VALUE_ERROR, expected="(replicas, cap)", got=plan, hint=t(
        "({rate:.0f} requests per second within {target:g} s, at most {max_cap} slots): a fleet can do that, and there is no "
        "fixed limit on the number of replicas. It is impossible only if requests that run alone already take longer than the "
        "target (section 4.10)",
        "({rate:.0f} peticiones por segundo, objetivo de {target:g} s, como mucho {max_cap} slots): hay una flota que lo "
        "logra, y el número de réplicas no tiene un límite fijo. Solo si las peticiones a solas ya tardan más que el "
        "objetivo no hay ninguna (sección 4.10)",
    ).format(rate=rate, target=target_s, max_cap=max_cap))
    expect_unchanged(("lengths",), (lengths,), (lengths_after,))
    return checked(plan)


def checked(plan) -> tuple[int, int]:
    is_plan = isinstance(plan, (list, tuple)) and [type(part) for part in plan] == [int, int]
    expect(is_plan and 1 <= plan[0] <= MOST_REPLICAS and plan[1] >= 1, expected="(replicas, cap)", got=plan, hint=t(
        f"return two whole numbers, replicas (at most {MOST_REPLICAS}) and the in-flight cap of each (section 4.10)",
        f"devuelve dos números enteros: réplicas (como mucho {MOST_REPLICAS}) y el tope de cada una (sección 4.10)",
    ))
    return tuple(plan)


def is_best(order: Order, seed: int, num_replicas: int, cap: int) -> bool:
    """Whether a plan meets its target, and no cap does with one replica fewer."""
    if num_replicas < 2 or p95_unseen_s(order, seed, num_replicas, cap) > order.p95_target_s:
        return False
    return min(p95_unseen_s(order, seed, num_replicas - 1, fewer) for fewer in CAPS) > order.p95_target_s


def expect_met(student, order: Order) -> int:
    """Fail the check unless the plan meets its target on requests not seen; how many replicas it takes."""
    num_replicas, cap = plan_of(student, order)
    p95 = p95_unseen_s(order, graded_seed(student.seed), num_replicas, min(cap, MAX_CAP))
    is_swapped = p95 > order.p95_target_s and is_best(order, graded_seed(student.seed), cap, num_replicas)
    expected, got = f"≤ {1e3 * order.p95_target_s:.0f} ms", f"{1e3 * p95:.0f} ms"
    expect(p95 <= order.p95_target_s, expected=expected, got=got, hint=t(
        f"({order.name}; you return ({num_replicas}, {cap})): the other way round it would be enough. Return first the number of "
        "replicas, then the cap (section 4.10)",
        f"({order.name}; devuelves ({num_replicas}, {cap})): al revés bastaría. Devuelve primero el número de réplicas y después el "
        "tope (sección 4.10)",
    ) if is_swapped else t(
        f"({order.name}; your plan: {num_replicas} replicas with {cap} slots): 95 of 100 requests must meet the target, not "
        "just the average request (section 4.10)",
        f"({order.name}; tu plan: {num_replicas} réplicas con {cap} slots): deben cumplir el objetivo 95 de cada 100 "
        "peticiones, no solo la petición media (sección 4.10)",
    ))
    return num_replicas


@check("4.8", points=2, en="meets the p95 target on five new workloads",
       es="cumple el objetivo de p95 con cinco cargas de trabajo nuevas")
def test_meets_its_p95(student):
    for order in ORDERS:
        expect_met(student, order)


def expect_in_memory(cap: int, max_cap: int) -> None:
    expect(cap <= max_cap, expected=f"≤ {max_cap}", got=cap, hint=t(
        f"(cap, with max_cap={max_cap}): a request that does not fit into a replica's memory cannot be in flight (section 4.10)",
        f"(tope, con max_cap={max_cap}): una petición que no cabe en la memoria de una réplica no puede estar en vuelo (sección "
        "4.10)",
    ))


@check("4.8", points=1, en="keeps up, however generous the target is", es="da abasto, por holgado que sea el objetivo")
def test_keeps_up(student):
    lengths = fleet.request_lengths("uniform:1,63", 400, seed=8)
    for count, (max_cap, share, target_s) in enumerate(PATIENT):
        capacity = saturated_per_s(lengths, max_cap, num_requests=2_000)
        num_replicas, cap = planned(student, share * capacity, target_s, lengths, max_cap, again=count > 0)
        load = share * capacity / num_replicas / saturated_per_s(lengths, min(cap, max_cap), num_requests=2_000)
        expect_in_memory(cap, max_cap)
        words = {"rate": f"{share * capacity:.0f}", "target": f"{target_s:g}", "replicas": num_replicas, "cap": cap}
        expect(load < 1, expected=t("a load below 1", "una carga menor que 1"), got=f"{load:.2f}", hint=t(
            "({rate} requests per second within {target} s; your plan: replicas {replicas}, cap {cap}): more requests "
            "arrive than the fleet completes, so the queue keeps growing. A simulation of 6,000 requests meets the target "
            "only because it ends. Leave out caps that cannot keep up: throughput_per_s must be above rate / replicas "
            "(section 4.10)",
            "({rate} peticiones por segundo, objetivo de {target} s; tu plan: réplicas {replicas}, tope {cap}): llegan "
            "más peticiones de las que la flota completa, así que la cola no deja de crecer. Una simulación de 6000 "
            "peticiones cumple el objetivo solo porque se acaba. Descarta los topes que no dan abasto: throughput_per_s "
            "debe ser mayor que tasa / réplicas (sección 4.10)",
        ).format(**words))
        fewest = math.ceil(share)
        expect(num_replicas == fewest, expected=fewest, got=num_replicas, hint=t(
            "(replicas, for {rate} requests per second within {target} s and at most {max_cap} slots each): this many keep up "
            "and meet the target. Try every number, starting with the first above rate / capacity (section 4.10)",
            "(réplicas, para {rate} peticiones por segundo, un objetivo de {target} s y como mucho {max_cap} slots cada "
            "una): con esas se da abasto y se cumple el objetivo. Prueba todos los números, desde el primero mayor que tasa / "
            "capacidad (sección 4.10)",
        ).format(**words, max_cap=max_cap))


def is_of_one_replica(order: Order, seed: int, num_replicas: int) -> bool:
    """Whether a plan has as many replicas as it takes if each is simulated alone, with its share of the rate."""
    lengths, rate = terms(order, seed)

    def meets(count: int) -> bool:
        return any(fleet.p95_s(lengths, rate / count, 1, cap) <= order.p95_target_s for cap in CAPS)

    return meets(num_replicas) and not meets(num_replicas - 1)


ONE_REPLICA = t(
    "It is as many as it takes if one replica is simulated alone, with its share of the rate, rate_per_s / num_replicas. In a "
    "fleet each request goes to the replica with the fewest inside, so fewer are enough: simulate all of them with the whole "
    "rate, fleet.p95_s(lengths, rate_per_s, num_replicas, cap) (section 4.10)",
    "Son tantas como hacen falta si se simula una réplica sola con su parte de la tasa, rate_per_s / num_replicas. En una flota "
    "cada petición va a la réplica que tiene menos dentro, y por eso bastan menos: simúlalas todas con toda la tasa, "
    "fleet.p95_s(lengths, rate_per_s, num_replicas, cap) (sección 4.10)",
)


@check("4.8", points=3, en="one replica fewer would miss the target", es="una réplica menos no cumpliría el objetivo")
def test_no_replica_to_spare(student):
    for order in ORDERS:
        num_replicas = expect_met(student, order)  # a fleet that misses its target has saved nothing
        seed = graded_seed(student.seed)
        p95, cap = min((p95_unseen_s(order, seed, num_replicas - 1, cap), cap) for cap in CAPS)
        expected, got = f"> {1e3 * order.p95_target_s:.0f} ms", f"{1e3 * p95:.0f} ms"
        is_enough = p95 <= order.p95_target_s
        is_alone = is_enough and is_of_one_replica(order, seed, num_replicas)
        expect(not is_enough, expected=expected, got=got, hint=t(
            f"({order.name}; your plan: {num_replicas} replicas): {num_replicas - 1} replicas with {cap} slots would be enough. ",
            f"({order.name}; tu plan: {num_replicas} réplicas): bastarían {num_replicas - 1} réplicas con {cap} slots. ",
        ).followed_by(ONE_REPLICA) if is_alone else t(
            f"({order.name}; your plan: {num_replicas} replicas): {num_replicas - 1} replicas with {cap} slots would be "
            "enough; the last one is not needed (section 4.10)",
            f"({order.name}; tu plan: {num_replicas} réplicas): bastarían {num_replicas - 1} réplicas con {cap} slots; la "
            "última no hace falta (sección 4.10)",
        ))


@check("4.8", points=1, en="chooses the cap with the lowest p95", es="elige el tope con el p95 más bajo")
def test_lowest_p95(student):
    num_replicas, cap = planned(student, DOCUMENTS_PER_S, LATE_S, documents(), MAX_CAP)
    expect(num_replicas == 1, expected=1, got=num_replicas, hint=t(
        f"(replicas, for {DOCUMENTS_PER_S:g} documents per second within {LATE_S:g} s): one replica keeps up and meets the "
        "target (section 4.10)",
        f"(réplicas, para {DOCUMENTS_PER_S:g} documentos por segundo y un objetivo de {LATE_S:g} s): una réplica da abasto "
        "y cumple el objetivo (sección 4.10)",
    ))
    p95, (lowest, best) = p95_with_cap_s(min(cap, MAX_CAP)), min((p95_with_cap_s(c), c) for c in CAPS)
    expect(p95 <= 1.1 * lowest, expected=f"≤ {1e3 * lowest:.0f} ms + 10 %", got=f"{1e3 * p95:.0f} ms", hint=t(
        f"(p95 of {DOCUMENTS_PER_S:g} documents per second; your plan: {cap} slots): the p95 is lowest with {best} slots. Do "
        "not take the most slots, nor the first cap that meets the target: with few slots all requests wait in the queue, "
        "with many each new prompt stops all the others. Compare the p95 of every cap (section 4.8)",
        f"(p95 de {DOCUMENTS_PER_S:g} documentos por segundo; tu plan: {cap} slots): el p95 más bajo se obtiene con {best} "
        "slots. No tomes ni el mayor número de slots ni el primer tope que cumple: con pocos slots todas las peticiones "
        "esperan en la cola; con muchos, cada prompt nuevo detiene a todas las demás. Compara el p95 de cada tope (sección "
        "4.8)",
    ))
    expect_cap_of_each_fleet(student)


def expect_cap_of_each_fleet(student) -> None:
    """Fail the check unless each fleet gets the cap that is best for it: not that of the first fleet, nor of another call."""
    for place, (lengths, target_s, fewest) in enumerate(FLEETS):
        order = LONG_PER_S, target_s, lengths, LONG_CAPS[-1]
        num_replicas, cap = planned(student, *order, again=place > 0)
        by_cap = p95_by_cap_s(place)
        best = min(by_cap, key=by_cap.get)
        if num_replicas == fewest and by_cap.get(cap, math.inf) <= 1.25 * by_cap[best]:
            continue
        kept = place and planned(student, *order) != (num_replicas, cap)
        expect(False, expected=f"({fewest}, {best})", got=(num_replicas, cap), hint=KEPT if kept else t(
            "(replicas and slots, for {rate:g} requests per second within {target:g} s; {prompt} prompt tokens and {steps} "
            "steps each): that is the fewest replicas and the cap whose p95 is lowest *with this many replicas*. No "
            "single cap is best for all fleets: a fleet that just keeps up needs many slots; with one more replica, few are "
            "best. Compare the caps again for each number of replicas (section 4.10)",
            "(réplicas y slots, para {rate:g} peticiones por segundo y un objetivo de {target:g} s; {prompt} tokens de "
            "prompt y {steps} pasos cada una): son el menor número de réplicas y el tope cuyo p95 es menor *con esas "
            "réplicas*. Ningún tope es el mejor para toda flota: la que da abasto por poco necesita muchos slots; con una "
            "réplica más, convienen pocos. Compara de nuevo los topes para cada número de réplicas (sección 4.10)",
        ).format(rate=LONG_PER_S, target=target_s, prompt=lengths[0][0], steps=lengths[0][1]))


@check("4.8", points=1, en="respects the memory of a replica", es="respeta la memoria de una réplica")
def test_keeps_to_max_cap(student):
    lengths = fleet.request_lengths("uniform:1,63", 1_000, seed=6)
    rate = round(2.3 * saturated_per_s(lengths, 3, num_requests=2_000), 1)
    num_replicas, cap = planned(student, rate, 0.2, lengths, 3)
    expect_in_memory(cap, 3)
    expect(num_replicas == 3 or cap != 3, expected=(3, 3), got=(num_replicas, cap), hint=t(
        "(replicas, slots): 3 replicas with 3 slots each meet 200 ms, and 2 cannot even keep up. A number of replicas is enough "
        "as soon as its best cap meets the target, whatever the other caps give (section 4.10)",
        "(réplicas, slots): 3 réplicas con 3 slots cada una cumplen 200 ms, y 2 ni siquiera dan abasto. Un número de réplicas "
        "basta en cuanto su mejor tope cumple el objetivo, den lo que den los demás topes (sección 4.10)",
    ))
    expect(num_replicas == 3, expected=3, got=num_replicas, hint=t(
        "(replicas): with 3 slots each, 3 replicas meet 200 ms, and 2 cannot even keep up. `CAPS` has no 3: "
        "try `max_cap` itself as well (section 4.10)",
        "(réplicas): con 3 slots cada una, 3 réplicas cumplen 200 ms, y 2 ni siquiera dan abasto. "
        "En `CAPS` no hay 3: prueba también el propio `max_cap` (sección 4.10)",
    ))


@check("4.8", points=0, en="accepts a target that is met exactly, with more than ten replicas",
       es="acepta un objetivo que se cumple justo, con más de diez réplicas")
def test_the_very_target(student):
    """Servers that hold one request at a time: there is only one cap, and the definition is easy to compute here."""
    lengths = fleet.request_lengths("uniform:1,63", 300, seed=9)
    rate, alone_s = round(11.5 * saturated_per_s(lengths, 1, num_requests=2_000), 1), fleet.p95_s(lengths, 0.01, 1, 1)
    for count, most_s in enumerate((1.3 * alone_s, 1.001 * alone_s)):
        fewest = next(n for n in range(12, MOST_REPLICAS) if fleet.p95_s(lengths, rate, n, 1) <= most_s)
        target_s = fleet.p95_s(lengths, rate, fewest, 1)
        num_replicas, _ = planned(student, rate, target_s, lengths, 1, again=count > 0)
        expect(num_replicas - fewest in (0, 1), expected=fewest, got=num_replicas, hint=t(
            "(replicas, for {rate} requests per second within {target:.4f} s, one slot each): with {n} the simulated p95 of the "
            "fleet meets the target. Simulate the whole fleet, with the whole rate and all its replicas: each request goes to "
            "the one with the fewest inside, which one replica alone, with its share of the rate, cannot show (section 4.10)",
            "(réplicas, para {rate} peticiones por segundo y un objetivo de {target:.4f} s, con un slot cada una): con {n} "
            "el p95 simulado de la flota cumple el objetivo. Simula la flota entera, con toda la tasa y todas sus réplicas: "
            "cada petición va a la que tiene menos dentro, y eso no se ve en una sola réplica con su parte de la tasa (sección "
            "4.10)",
        ).format(rate=rate, target=target_s, n=fewest))
        expect(num_replicas == fewest, expected=fewest, got=num_replicas, hint=t(
            "(replicas, for {rate} requests per second within {target:.4f} s, one slot each): with {n} the simulated p95 "
            "equals the target to the last digit, which meets it: ≤, not <. With "
            "one replica fewer it is higher (section 4.10)",
            "(réplicas, para {rate} peticiones por segundo y un objetivo de {target:.4f} s, con un slot cada una): con {n} "
            "el p95 simulado es igual al objetivo hasta el último dígito, y eso lo cumple: ≤, no <. Con una réplica menos "
            "es mayor (sección 4.10)",
        ).format(rate=rate, target=target_s, n=fewest))


@check("4.8", points=1, en="raises ValueError when no fleet can meet the target",
       es="lanza ValueError cuando ninguna flota puede cumplir el objetivo", negative=True)
def test_out_of_reach(student):
    lengths = fleet.request_lengths("uniform:1,63", 500, seed=7)
    planned(student, 50.0, 0.5, lengths, 8)  # a plan that refuses everything refuses this as well
    alone_s = fleet.p95_s(lengths, 0.01, 1, 1)
    # The mean of lone requests is some 60 % of their p95: it would meet the second target.
    for target_s in (0.005, 0.9 * alone_s):
        expect_value_error(student, "plan", 50.0, target_s, lengths, 8, hint=t(
            "(a target of {target:.1f} ms): even among requests that run alone, one in twenty takes over {alone:.1f} ms, so "
            "no number of replicas helps. Raise a ValueError that says so (section 4.10)",
            "(un objetivo de {target:.1f} ms): incluso a solas, una de cada veinte peticiones tarda más de {alone:.1f} ms, "
            "así que ningún número de réplicas ayuda. Lanza un ValueError que lo diga (sección 4.10)",
        ).format(target=1e3 * target_s, alone=1e3 * alone_s))
