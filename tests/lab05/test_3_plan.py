"""Exercise 5.3: what a step computes: running requests first, then pieces of prompts."""

import random

from tests.grader.check import check
from tests.grader.outcomes import Text, expect, expect_equal, is_same, t
from tests.lab05.oracles import crowd_case, due_plan
from tests.lab05.scenes import scene

# (prompt, computed, outputs): two that run, a new prompt, one half through its prompt, one to be computed again.
CROWD = ((40, 0, 0), (10, 14, 5), (100, 30, 0), (8, 10, 3), (20, 0, 6))


def planned(student, crowd, budget, *, order=None, again=False):
    """`plan_step` for requests in these states, in this order: [(id, tokens)]. The later its id, the earlier it came."""
    host = student.paged_server(scene(*((0, prompt, 50) for prompt, _, _ in crowd)))
    taken = host.take(len(crowd))
    for request, (_, computed, outputs) in zip(taken, crowd):
        request.num_computed_tokens, request.output_token_ids = computed, [1] * outputs
        request.arrival_time_s = 9.0 - request.request_id
    in_flight = [taken[i] for i in order or range(len(crowd))]
    before = states(in_flight)
    plan, after = student.call_beside_with(host, "plan_step", in_flight, budget, again=again)
    expect_equal(states(after[0]), before, hint=t(
        "((id, num_computed_tokens, output tokens) of in_flight, after the call): a plan changes nothing, neither the list "
        "and its order nor the requests; the step itself updates the computed tokens (section 5.3)",
        "((id, num_computed_tokens, tokens de salida) de in_flight, tras la llamada): un plan no cambia nada, ni la lista y "
        "su orden ni las peticiones; los tokens calculados los actualiza el propio paso (sección 5.3)",
    ))
    if not isinstance(plan, (list, tuple)):
        return plan
    is_pair = {id(part): isinstance(part, (list, tuple)) and len(part) == 2 for part in plan}
    return [(getattr(part[0], "request_id", part[0]), part[1]) if is_pair[id(part)] else part
            for part in plan]


def states(requests):
    """What a plan must leave as it is."""
    is_row = isinstance(requests, (list, tuple)) and all(hasattr(each, "request_id") for each in requests)
    return [(r.request_id, r.num_computed_tokens, r.num_output_tokens) for r in requests] if is_row else requests


@check("5.3", points=2, en="running requests get their tokens first", es="las peticiones en curso reciben primero sus tokens")
def test_decodes_first(student):
    found = [first(2, planned(student, CROWD, budget)) for budget in (None, 64, 6)]
    expect_equal(found, [[(1, 1), (3, 1)]] * 3, hint=t(
        "(first two parts of the plan, with budgets None, 64 and 6): requests 1 and 3 have one token left to compute. "
        "They "
        "go first: a prompt that takes the budget before them would starve them (section 5.3)",
        "(las dos primeras partes del plan, con presupuestos None, 64 y 6): a las peticiones 1 y 3 les queda un token "
        "por "
        "calcular. Van primero: un prompt que gaste antes el presupuesto las dejaría sin nada (sección 5.3)",
    ))


    found = first(3, planned(student, ((9, 9, 1), (5, 12, 8), (30, 0, 0), (4, 6, 3)), 1))
    expect_equal(found, [(0, 1), (1, 1), (3, 1)], hint=t(
        "(first parts of the plan; budget 1, three running requests): the budget is smaller than the number of running "
        "requests, but each of them still gets its token (section 5.3)",
        "(primeras partes del plan; presupuesto 1, tres peticiones en curso): el presupuesto es menor que el número de "
        "peticiones en curso, pero cada una recibe igualmente su token (sección 5.3)",
    ))
    found = first(2, planned(student, ((10, 12, 8), (6, 6, 1), (12, 3, 0)), None))
    expect_equal(found, [(1, 1), (0, 6)], hint=t(
        "(first two parts; no budget): request 0 was preempted; its prompt and 2 of its 8 output tokens are computed. 6 "
        "tokens are left, so it does not count as running. A running request has one token left: num_tokens − "
        "num_computed_tokens == 1 (section 5.3)",
        "(las dos primeras partes; sin presupuesto): la petición 0 fue desalojada; tiene calculados su prompt y 2 de sus 8 "
        "tokens de salida. Le faltan 6, así que no cuenta como en curso. A una petición en curso le falta un token: "
        "num_tokens − num_computed_tokens == 1 (sección 5.3)",
    ))


def first(count: int, plan):
    """The first parts of a plan; anything that is not a plan stays as it is, to be reported."""
    return plan[:count] if isinstance(plan, list) else plan


def after(count: int, plan):
    return plan[count:] if isinstance(plan, list) else plan


def expect_plan(student, crowd, budget, hint: Text, order=None, again=False) -> None:
    order = order or list(range(len(crowd)))
    found, due = planned(student, crowd, budget, order=order, again=again), due_plan(crowd, order, budget)
    told = ", ".join(f"{i}: {prompt}+{outputs}−{computed}" for i, (prompt, computed, outputs) in enumerate(crowd))
    asked = t(f"{due} (token_budget {budget}; in_flight {order}; id: prompt + output − computed: {told})",
              f"{due} (token_budget {budget}; in_flight {order}; id: prompt + salida − calculados: {told})")
    expect(is_same(found, due), expected=asked, got=found, hint=hint)


RESTS = ((0, 40), (2, 70), (4, 26))  # of the three prompts in `CROWD`: (id, what is left)


def _whole_ones(left: int, rests=RESTS, *, stops: bool = False) -> list[tuple[int, int]]:
    """Prompts that fit whole into what is left of the budget, and no parts."""
    parts = []
    for i, rest in rests:
        if rest <= left:
            parts.append((i, rest))
            left -= rest
        elif stops:
            break
    return parts


def _in_turn(left: int, rests=RESTS) -> list[tuple[int, int]]:
    """Each prompt as much as it needs or as is left, in this order."""
    parts = []
    for i, rest in rests:
        if left > 0:
            parts.append((i, min(rest, left)))
            left -= parts[-1][1]
    return parts


def _all_they_need(left: int) -> list[tuple[int, int]]:
    """Prompts as long as any of the budget is left, each as much as it needs."""
    return [(i, rest) for at, (i, rest) in enumerate(RESTS) if sum(size for _, size in RESTS[:at]) < left]


WHOLE = t(
    "(parts after the two decodes, with budgets 64, 22 and 130): a prompt that does not fit whole into what is left gets that "
    "much of it now, and the rest in later steps: the smaller of what it needs and what is left (section 5.3)",
    "(partes tras los dos decode, con presupuestos 64, 22 y 130): un prompt que no cabe entero en lo que queda recibe ahora esa "
    "parte, y el resto en pasos posteriores: el menor entre lo que necesita y lo que queda (sección 5.3)",
)
# What each slip makes of what the two decodes leave of the budget.
PLAN_SLIPS = (
    (lambda left: _in_turn(left + 2), t(
        "(parts after the two decodes, with budgets 64, 22 and 130): the prompts get the whole budget, but the two decodes have "
        "used 2 of it (section 5.3)",
        "(partes tras los dos decode, con presupuestos 64, 22 y 130): los prompts reciben el presupuesto entero, pero los dos "
        "decode ya gastaron 2 (sección 5.3)",
    )),
    (_all_they_need, t(
        "(parts after the two decodes, with budgets 64, 22 and 130): the last prompt gets all it needs, which is more than the "
        "budget leaves: it gets the smaller of the two (section 5.3)",
        "(partes tras los dos decode, con presupuestos 64, 22 y 130): el último prompt recibe todo lo que necesita, más de lo "
        "que queda del presupuesto: recibe el menor de los dos (sección 5.3)",
    )),
    (_whole_ones, WHOLE),
    (lambda left: _whole_ones(left, stops=True), WHOLE),
    (lambda left: [(i, min(rest, left)) for i, rest in RESTS], t(
        "(parts after the two decodes, with budgets 64, 22 and 130): every prompt gets what is left of the budget once more: "
        "subtract from it what each one has got (section 5.3)",
        "(partes tras los dos decode, con presupuestos 64, 22 y 130): cada prompt vuelve a recibir lo que queda del presupuesto: "
        "resta lo que se llevó cada uno (sección 5.3)",
    )),
    (lambda left: [(i, min(rest, left)) for i, rest in RESTS[:1]], t(
        "(parts after the two decodes, with budgets 64, 22 and 130): only one prompt is served: go on with the others while "
        "any of the budget is left (section 5.3)",
        "(partes tras los dos decode, con presupuestos 64, 22 y 130): solo se atiende un prompt: sigue con los demás mientras "
        "quede presupuesto (sección 5.3)",
    )),
    (lambda left: _in_turn(left, RESTS[::-1]), t(
        "(parts after the two decodes, with budgets 64, 22 and 130): the prompts are served from the end: take them in the order "
        "of in_flight (section 5.3)",
        "(partes tras los dos decode, con presupuestos 64, 22 y 130): los prompts se atienden desde el final: tómalos en el orden "
        "de in_flight (sección 5.3)",
    )),
    *((lambda left, key=key: _in_turn(left, sorted(RESTS, key=key)), t(
        "(parts after the two decodes, with budgets 64, 22 and 130): the prompts are served by their size: take them in the "
        "order of in_flight (section 5.3)",
        "(partes tras los dos decode, con presupuestos 64, 22 y 130): los prompts se atienden por tamaño: tómalos en el orden de "
        "in_flight (sección 5.3)",
    )) for key in (lambda each: each[1], lambda each: -each[1])),
    (lambda left: _in_turn(left) + [(i, 0) for i, _ in RESTS[len(_in_turn(left)) :]], t(
        "(parts after the two decodes, with budgets 64, 22 and 130): a request that gets 0 tokens is no part of the plan: stop "
        "when the budget is used up (section 5.3)",
        "(partes tras los dos decode, con presupuestos 64, 22 y 130): una petición que recibe 0 tokens no forma parte del plan: "
        "para cuando el presupuesto se agote (sección 5.3)",
    )),
)


def plan_slip(found: list) -> Text | None:
    """The hint of the slip that gives just these parts; None if none does."""
    return next((hint for slip, hint in PLAN_SLIPS
                 if all(is_same(parts, slip(budget - 2)) for parts, budget in zip(found, (64, 22, 130)))), None)


@check("5.3", points=2, en="the rest of the budget goes to prompts, in order",
       es="el resto del presupuesto es para los prompts, por orden")
def test_chunks(student):
    found = [after(2, planned(student, CROWD, budget)) for budget in (64, 22, 130)]
    expect_equal(found, [[(0, 40), (2, 22)], [(0, 20)], [(0, 40), (2, 70), (4, 18)]], hint=plan_slip(found) or t(
        "(parts after the two decodes, with budgets 64, 22 and 130): the two decodes have used 2 of the budget; request 0 "
        "still needs 40 tokens, request 2 has 70 left and request 4 needs 26; serve them in the order of in_flight. No "
        "request gets 0 tokens (section 5.3)",
        "(partes tras los dos decode, con presupuestos 64, 22 y 130): los dos decode gastaron 2 del presupuesto; la petición "
        "0 necesita aún 40 tokens, a la 2 le quedan 70 y la 4 necesita 26; atiéndelas en el orden de in_flight. Ninguna "
        "recibe 0 tokens (sección 5.3)",
    ))


    expect_plan(student, ((30, 0, 0), (30, 0, 0), (8, 8, 1), (30, 0, 0)), 41, order=[3, 1, 2, 0], hint=t(
        "the others come in the order of in_flight, which is their place in line, not by id, arrival or size (section 5.3)",
        "las demás van en el orden de in_flight, que es el de la fila, no por id, llegada o tamaño (sección 5.3)",
    ))
    expect_plan(student, ((2, 0, 0), (9, 9, 1), (40, 38, 0), (3, 2, 3)), 6, t(
        "treat two remaining tokens like the rest of any prompt, and remember that a budget with one token left is not "
        "used up (section 5.3)",
        "trata dos tokens pendientes como el resto de cualquier prompt, y recuerda que un presupuesto del que queda un token "
        "no está agotado (sección 5.3)",
    ))
    rng = random.Random(53)
    for number in range(24):
        crowd, order, budget = crowd_case(rng)
        expect_plan(student, crowd, budget, order=order, again=number > 0, hint=t(
            "(one of many cases, in one run): decodes first, each with 1 token; then the others in the order of in_flight, "
            "each with what it needs or what is left of the budget. Do you keep anything from an earlier call? (section 5.3)",
            "(una de muchas situaciones, en una misma ejecución): primero los decode, con 1 token cada uno; después las demás "
            "en el orden de in_flight, cada una con lo que necesita o con lo que queda del presupuesto. ¿Guardas algo de una "
            "llamada anterior? (sección 5.3)",
        ))


@check("5.3", points=1, en="without a budget, prompts are computed whole",
       es="sin presupuesto, los prompts se calculan enteros")
def test_no_budget(student):
    found = planned(student, CROWD, None)
    expect_equal(found, [(1, 1), (3, 1), (0, 40), (2, 70), (4, 26)], hint=t(
        "token_budget None means no limit: plan everything that is not computed yet. A preempted request computes its output "
        "again, too: num_tokens − num_computed_tokens (section 5.3)",
        "token_budget None significa sin límite: planifica todo lo que falta por calcular. Una petición desalojada calcula de "
        "nuevo también su salida: num_tokens − num_computed_tokens (sección 5.3)",
    ))


    expect_plan(student, ((900, 0, 0), (700, 1, 0), (10, 10, 1), (800, 0, 0)), None, t(
        "None means no limit, however long the prompts are (section 5.3)",
        "None significa sin límite, por largos que sean los prompts (sección 5.3)",
    ))


@check("5.3", points=1, en="once the budget is used up, no empty parts are added", es="un presupuesto agotado no deja partes vacías")
def test_no_empty_parts(student):
    found = [planned(student, CROWD, 2), planned(student, CROWD[:1], 32)]
    expect_equal(found, [[(1, 1), (3, 1)], [(0, 32)]], hint=t(
        "with a budget of 32 a prompt that needs 40 tokens gets 32 of them now (section 5.3)",
        "con un presupuesto de 32, un prompt que necesita 40 tokens recibe ahora 32 de ellos (sección 5.3)",
    ) if is_same(found, [[(1, 1), (3, 1)], []]) else t(
        "with a budget of 2 and two running requests, nothing is left for prompts: leave them out of the plan (section 5.3)",
        "con un presupuesto de 2 para dos peticiones en curso no queda nada para los prompts: déjalos fuera del plan (sección "
        "5.3)",
    ))
    expect_plan(student, ((9, 9, 1), (30, 0, 0)), 0, t(
        "a budget of 0 leaves nothing for prompts: only None means no limit, so test `is None` (section 5.3)",
        "un presupuesto de 0 no deja nada para los prompts: solo None significa sin límite, así que comprueba `is None` "
        "(sección 5.3)",
    ))
