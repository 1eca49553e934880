"""Exercise 5.7, the definition of done: each idea pays where it should, and not a token has changed."""

from functools import lru_cache

from minigpt.analysis import metrics
from minigpt.runtime.clock import VirtualClock, steps_clock
from minigpt.schedulers.paged import production_loop
from minigpt.simulation.paged_run import serve
from minigpt.workloads.memory_pressure import INTERACTIVE, long_prompts, two_classes
from minigpt.workloads.workload import workload
from tests.grader.check import check
from tests.grader.outcomes import expect, expect_equal, t
from tests.grader.seeds import graded_seed
from tests.lab05.figures import AGING_S, BUDGET, TIGHT, e2e_of, gap_ms, overtaken_after
from tests.lab05.invariants import course, crowded_scene, crowded_steps, empty_slots, late_answers, overtakers
from tests.lab05.scenes import MS, accounting_fault, ends, scene


def run(student, name: str, make_workload, **settings):
    """The student's run, kept for the next check."""
    return student.once(name, lambda: student.run_production(make_workload(), clock=VirtualClock(), **settings))


@lru_cache(maxsize=8)
def pristine(name: str, seed: int, **settings):
    """The reference's loop on the same requests, without the idea."""
    requests = {"long": long_prompts, "classes": two_classes}[name](seed=seed)
    return serve(requests, impl="given", **settings)


@check("5.7", points=2, en="chunks shorten the longest gaps between tokens",
       es="los trozos recortan los huecos más largos entre tokens")
def test_gaps_fall(student):
    seed = graded_seed(student.seed)
    whole, chunked = pristine("long", seed), run(student, "long", lambda: long_prompts(seed=seed), token_budget=BUDGET)
    before, after = ([gap_ms(log, percent) for percent in (95, 99, 100)] for log in (whole, chunked))
    names = ("gap_p95_ms", "gap_p99_ms", "gap_longest_ms")
    student.measurements |= dict(zip(names, map(list, zip(before, after))))
    expect(after[1] <= before[1] / 2 and after[2] <= before[2] / 2,
           expected=f"p99 ≤ {before[1] / 2:.1f} ms, max ≤ {before[2] / 2:.1f} ms",
           got=f"p99 {after[1]:.1f} ms, max {after[2]:.1f} ms", hint=t(
        "with a token_budget of 64, no step computes a whole prompt of 512 tokens: does plan_step keep to the budget? "
        "(section 5.8)",
        "con un token_budget de 64 ningún paso calcula entero un prompt de 512 tokens: ¿respeta plan_step el "
        "presupuesto? "
        "(sección 5.8)",
    ))


@check("5.7", points=1, en="under a flood of prompts, every running request still gets a token in every step",
       es="con una avalancha de prompts, cada petición en curso recibe un token en cada paso")
def test_nobody_is_starved_by_prompts(student):
    prompts = [(i * 2, 200, 2) for i in range(60)]
    log = student.run_production(scene((0, 4, 100), (0, 4, 90), *prompts), token_budget=16, max_inflight=6)
    # One step is one millisecond: a gap of more is a step without a token.
    gaps = [max(b - a for a, b in zip(record.token_times_ns, record.token_times_ns[1:])) / MS
            for record in log.requests.values() if len(record.token_times_ns) > 1]
    expect(gaps and max(gaps) <= 1.0, expected=t("1 step", "1 paso"), got=max(gaps, default=None), hint=t(
        "(longest gap between two tokens, in steps): prompts were computed while a running request had to wait (section "
        "5.8)",
        "(mayor hueco entre dos tokens, en pasos): se calcularon prompts mientras esperaba una petición en curso "
        "(sección 5.8)",
    ))


@check("5.7", points=2, en="the p95 of the interactive class falls by at least 30 %",
       es="el p95 de la clase interactiva baja al menos un 30 %")
def test_interactive_p95_falls(student):
    seed = graded_seed(student.seed)
    first_come = pristine("classes", seed)
    mine = run(student, "classes", lambda: two_classes(seed=seed), aging_s=AGING_S)
    before, after = (metrics.percentile(e2e_of(log, INTERACTIVE), 95) for log in (first_come, mine))
    student.measurements |= {"interactive_p95_ms": [1e3 * before, 1e3 * after]}
    expect(after <= 0.7 * before, expected=f"≤ {700 * before:.1f} ms", got=f"{1e3 * after:.1f} ms", hint=t(
        "corrections (priority 0) should not queue behind explanations (priority 1): see place_in_line (section 5.8)",
        "las correcciones (prioridad 0) no deberían hacer cola tras las explicaciones (prioridad 1): mira "
        "place_in_line "
        "(sección 5.8)",
    ))


@check("5.7", points=2, en="no request starves: a batch request is overtaken for at most aging_s",
       es="ninguna muere de inanición: a una petición en diferido la adelantan como mucho durante aging_s")
def test_bounded_wait(student):
    seed = graded_seed(student.seed)
    log = run(student, "classes", lambda: two_classes(seed=seed), aging_s=AGING_S)
    flood = scene((0, 4, 4), (1, 4, 4, 1), *((i, 4, 4) for i in range(2, 400, 2)))
    flooded = student.run_production(flood, max_inflight=1, aging_s=0.05)
    overtaken = overtaken_after(log, AGING_S) + overtaken_after(flooded, 0.05)
    expect(not overtaken, expected=0, got=f"{len(overtaken)}: "
                                          f"{[f'{late_ms:.0f} ms' for late_ms in overtaken[:4]]}", hint=t(
        "(batch requests overtaken by a request that arrived more than aging_s later, and how much later): waiting must make "
        "up for priority (section 5.8)",
        "(peticiones en diferido adelantadas por otra que llegó más de aging_s después, y cuánto después): la espera "
        "tiene que "
        "compensar la prioridad (sección 5.8)",
    ))


# Roomy ones show slots, tight ones memory: blocks that do not suffice, a budget, a reserve.
RUNS = (
    {"max_inflight": 3, "aging_s": 0.01}, {"max_inflight": 1, "aging_s": 0.0}, {"max_inflight": 8, "aging_s": 0.05},
    {"max_inflight": 4, "aging_s": 0.02, "num_blocks": 16, "block_size": 8, "token_budget": 16},
    {"max_inflight": 6, "aging_s": 0.005, "num_blocks": 12, "block_size": 16, "reserve_blocks": 1},
    {"max_inflight": 5, "aging_s": 0.02, "num_blocks": 20, "block_size": 8, "admission": "max"},
    {"max_inflight": 3, "aging_s": 0.005, "num_blocks": 16, "block_size": 8, "token_budget": 16},
)
SEEDS = (0, 1, 2, 3, 4, 5, 917)  # in the last, two prompts in flight share a budget, and the later arrival is due first


@check("5.7", points=1, en="no request overtakes the first in line, no slot stays empty, answers are sent at once",
       es="ninguna adelanta a la primera de la fila, ningún slot queda vacío, las respuestas salen enseguida")
def test_keeps_the_line(student):
    for count, (seed, settings) in enumerate(zip(SEEDS, RUNS, strict=True)):
        workload = crowded_scene(seed)
        log = student.run_production(workload, again=count > 0, **settings)
        expect_invariants(log, settings)
        due = course(serve(workload, loop=production_loop, clock=steps_clock(), **settings))
        found = {i: told for i, told in course(log).items() if told != due[i]}
        first = next(iter(found), None)
        expect(not found, expected=f"{first}: {due.get(first)}", got=f"{first}: {found.get(first)}", hint=t(
            "(the first request that is served differently than in the given loop: times of its tokens, and of its answer, in "
            "ms): which requests are admitted, planned and preempted must depend only on your five functions and on the "
            "loop as given (section 5.8)",
            "(la primera petición que no se atiende como con el bucle original: tiempos de sus tokens y de su respuesta, en "
            "ms): qué peticiones se admiten, planifican y desalojan debe depender solo de tus cinco funciones y del bucle "
            "ya escrito, sin cambios (sección 5.8)",
        ))


def expect_invariants(log, settings) -> None:
    none = t("none", "ninguno")
    found = overtakers(log, settings["aging_s"])
    expect(not found, expected=none, got=found[:5], hint=t(
        "(request that got blocks > request that waited and was ahead in line): no request overtakes the first in line: if it "
        "does not fit, the others wait with it, even small ones, or large requests would wait forever (section 5.8)",
        "(petición que recibió bloques > petición que esperaba y estaba antes en la fila): ninguna adelanta a la primera de "
        "la fila: si no cabe, las demás esperan con ella, también las pequeñas, o las grandes esperarían para siempre "
        "(sección 5.8)",
    ))
    found = late_answers(log)
    expect(not found, expected=none, got=found[:5], hint=t(
        "(requests that were answered after the step of their last token, and how long after): answer and remove a request in "
        "the same step in which it ends (section 5.8)",
        "(peticiones respondidas después del paso de su último token, y cuánto después): responde a cada petición y retírala "
        "en el mismo paso en que termina (sección 5.8)",
    ))
    found = crowded_steps(log)
    expect(not found, expected=f"≤ {log.max_inflight}", got=found[:5], hint=t(
        "(requests in one step): never more than server.max_inflight are in flight (section 5.8)",
        "(peticiones en un paso): nunca hay más de server.max_inflight en vuelo (sección 5.8)",
    ))
    found = empty_slots(log) if "num_blocks" not in settings else []
    expect(not found, expected=none, got=found[:5], hint=t(
        "(slots taken/total, and how many requests waited, step by step): there was memory for all of them: at every step, "
        "take all that have arrived, and admit while there is a slot (section 5.8)",
        "(slots ocupados/total, y cuántas peticiones esperaban, paso a paso): había memoria para todas: en cada paso, toma "
        "todas las que han llegado y admite mientras haya slot (sección 5.8)",
    ))


def tight_run(student):
    """The tutor's requests, computed by the Mini-GPT, in a pool that is too small: chunks, priorities, preemptions."""
    seed = graded_seed(student.seed)
    requests = workload("mixed", load=1.3, num_requests=120, seed=seed)
    return run(student, "tight", lambda: requests, tokens="model", **TIGHT)


@check("5.7", points=2, en="every answer is the same as when its request runs alone",
       es="cada respuesta es la misma que obtiene su petición a solas")
def test_answers_are_unchanged(student):
    log = tight_run(student)
    wrong = [i for i, record in log.requests.items() if record.answer != record.item.answer]
    expect(not wrong, expected=t("0 of 120", "0 de 120"), got=f"{len(wrong)}: {wrong[:5]}", hint=t(
        "(answers that differ, with chunks of 32 and preemptions): a token was lost, or computed from the wrong place "
        "(section 5.8)",
        "(respuestas distintas, con trozos de 32 y desalojos): se perdió un token, o se calculó desde el sitio equivocado "
        "(sección 5.8)",
    ))
    expect(len(log.preemptions) > 0, expected=t("preemptions", "desalojos"), got=0, hint=t(
        "this pool is too small for all requests that the watermark admits (section 5.8)",
        "este pool es demasiado pequeño para todas las peticiones que admite \"watermark\" (sección 5.8)",
    ))


@check("5.7", points=1, en="blocks are conserved, and every request ends once",
       es="no se pierde ningún bloque y cada petición termina una vez")
def test_conserved(student):
    log = tight_run(student)
    expect_equal(accounting_fault(log), None, hint=t(
        "free and used blocks must add up to the pool after every step, and all must be free at the end: did every request "
        "that ended get an answer? (section 5.8)",
        "los bloques libres y los ocupados deben sumar el pool tras cada paso, y al final todos deben estar libres: "
        "¿recibieron respuesta todas las peticiones que terminaron? (sección 5.8)",
    ))
    often = {i: count for i, count in ends(log).items() if count != 1}
    expect_equal(often, {}, hint=t("(requests that did not end exactly once, and how often) (section 5.8)",
                                   "(peticiones que no terminaron exactamente una vez, y cuántas) (sección "
                                   "5.8)"))


@check("5.7", points=1, en="a request that can never fit is refused at once",
       es="una petición que nunca cabrá se rechaza enseguida")
def test_refused(student):
    log = student.run_production(scene((0, 20, 4), (1, 70, 4), (2, 20, 4), (3, 60, 4), (4, 60, 5)), num_blocks=4, block_size=16)
    found = sorted(log.refusals), sorted(i for i, record in log.requests.items() if record.finish_ns is not None)
    expect_equal(found, ([1, 4], [0, 2, 3]), hint=t(
        "(refused, answered): prompt and max_tokens add up to 74 tokens in request 1 and 65 in request 4; each needs 5 blocks "
        "of 16, but the pool has only 4: refuse these two, and serve the others, including the one that needs exactly 4 "
        "(section 5.8)",
        "(rechazadas, respondidas): el prompt y max_tokens suman 74 tokens en la petición 1 y 65 en la 4; cada una necesita 5 "
        "bloques de 16, pero el pool solo tiene 4: rechaza esas dos y atiende a las demás, también a la que necesita "
        "exactamente 4 (sección 5.8)",
    ))
