"""Exercise 5.3: what a step computes: running requests first, then pieces of prompts."""

from tests.grader.check import check
from tests.grader.outcomes import expect_equal, t
from tests.lab05.scenes import scene

# (prompt, computed, outputs): two that run, a new prompt, one half through its prompt, one to be computed again.
CROWD = ((40, 0, 0), (10, 14, 5), (100, 30, 0), (8, 10, 3), (20, 0, 6))


def planned(student, crowd, budget):
    """`plan_step` for requests in these states: [(id, tokens)]."""
    host = student.paged_server(scene(*((0, prompt, 50) for prompt, _, _ in crowd)))
    requests = host.take(len(crowd))
    for request, (_, computed, outputs) in zip(requests, crowd):
        request.num_computed_tokens, request.output_token_ids = computed, [1] * outputs
    plan = student.call_beside(host, "plan_step", requests, budget)
    if not isinstance(plan, (list, tuple)):
        return plan
    is_pair = {id(part): isinstance(part, (list, tuple)) and len(part) == 2 for part in plan}
    return [(getattr(part[0], "request_id", part[0]), part[1]) if is_pair[id(part)] else part
            for part in plan]  # fmt: skip


@check("5.3", points=2, en="whoever runs gets a token, first of all", es="quien ya corre recibe un token, antes que "
                                                                         "nadie")
def test_decodes_first(student):
    found = [planned(student, CROWD, budget)[:2] for budget in (None, 64, 6)]
    expect_equal(found, [[(1, 1), (3, 1)]] * 3, hint=t(
        "(first two parts of the plan, with budgets None, 64 and 6): requests 1 and 3 have one token left to compute. "
        "They "
        "go first: a prompt that takes the budget before them would starve them (section 5.3)",
        "(las dos primeras partes del plan, con presupuestos None, 64 y 6): a las peticiones 1 y 3 les queda un token "
        "por "
        "calcular. Van primero: un prompt que gaste antes el presupuesto las dejaría sin nada (sección 5.3)",
    ))  # fmt: skip


@check("5.3", points=2, en="the rest of the budget goes to prompts, in order",
       es="el resto del presupuesto es para los prompts, por orden")  # fmt: skip
def test_chunks(student):
    found = [planned(student, CROWD, budget)[2:] for budget in (64, 22, 130)]
    expect_equal(found, [[(0, 40), (2, 22)], [(0, 20)], [(0, 40), (2, 70), (4, 18)]], hint=t(
        "(parts after the two decodes, with budgets 64, 22 and 130): the two decodes have used 2 of the budget; "
        "request 0 "
        "still needs 40, request 2 has 70 left, request 4 needs 26. Nobody gets 0 tokens (section 5.3)",
        "(partes tras los dos decode, con presupuestos 64, 22 y 130): los dos decode gastaron 2 del presupuesto; la "
        "petición "
        "0 necesita aún 40, a la 2 le quedan 70, la 4 necesita 26. Nadie recibe 0 tokens (sección 5.3)",
    ))  # fmt: skip


@check("5.3", points=1, en="without a budget, prompts come whole", es="sin presupuesto, los prompts van enteros")
def test_no_budget(student):
    found = planned(student, CROWD, None)
    expect_equal(found, [(1, 1), (3, 1), (0, 40), (2, 70), (4, 26)], hint=t(
        "token_budget None has no end: everything that is not computed yet. A request that was preempted computes its "
        "output again, too: num_tokens − num_computed_tokens (section 5.3)",
        "token_budget None no tiene fin: todo lo que falta por calcular. Una petición desalojada calcula de nuevo "
        "también su "
        "salida: num_tokens − num_computed_tokens (sección 5.3)",
    ))  # fmt: skip


@check("5.3", points=1, en="a full budget leaves no empty parts", es="un presupuesto agotado no deja partes vacías")
def test_no_empty_parts(student):
    found = [planned(student, CROWD, 2), planned(student, CROWD[:1], 32)]
    expect_equal(found, [[(1, 1), (3, 1)], [(0, 32)]], hint=t(
        "with a budget of 2 for two running requests nothing is left for prompts: they are not in the plan (section "
        "5.3)",
        "con un presupuesto de 2 para dos peticiones en curso no queda nada para los prompts: no están en el plan "
        "(sección 5.3)",
    ))  # fmt: skip
