"""Exercise 5.2: how much memory a request needs before it may start."""

import random

from tests.grader.check import check
from tests.grader.outcomes import CRASHED, CheckFailed, Text, expect, expect_equal, is_same, t, with_type
from tests.grader.ranks import rank_slip
from tests.lab05.oracles import blocks_for, nearest_rank, reserve_case, tokens_by_rule
from tests.lab05.scenes import scene

SIZE = 16
ROOMY = 1_000  # blocks: memory does not matter


def asked(
    student, *, prompt=20, limit=100, outputs=0, running=0, in_flight=1, num_blocks=40, block_size=SIZE, again=False, **settings
):
    """`tokens_to_reserve` for one request, while others hold `running` tokens (0: no request is in flight)."""
    workload = scene(*[(0, 8, 4)] * in_flight, (0, prompt, limit))
    host = student.paged_server(workload, num_blocks=num_blocks, block_size=block_size, **settings)
    *others, request = host.take(in_flight + 1)
    request.output_token_ids = [1] * outputs
    if running:
        host.server.blocks.reserve(others[0], running)
    before = host.server.blocks.num_free, *(settings.get(name) for name in ("profile", "reserve_blocks"))
    result = student.call_on(host, "tokens_to_reserve", request, others if running else [], again=again)[0]
    after = host.server.blocks.num_free, *(host.settings_after[name] if name in settings else None
                                           for name in ("profile", "reserve_blocks"))
    expect_equal(after, before, hint=t(
        "(free blocks, server.profile, server.reserve_blocks after the call): this function only answers a question: the loop "
        "reserves the blocks, and the profile keeps its order: sorted() makes a new list (section 5.2)",
        "(bloques libres, server.profile, server.reserve_blocks tras la llamada): esta función solo responde a una pregunta: "
        "los bloques los reserva el bucle, y el perfil conserva su orden: sorted() crea una lista nueva (sección 5.2)",
    ))
    return result


def expect_rule(student, admission: str, hint: Text) -> None:
    """Many requests in one load of the file, with room for all of them."""
    rng = random.Random(admission)
    for number in range(12):
        case = reserve_case(rng, admission)
        found = asked(student, num_blocks=ROOMY, again=number > 0, **case)
        expect_case(found, tokens_by_rule(case), case, hint)


def expect_case(found, due, case: dict, hint: Text) -> None:
    """The result due for a request, with all that was asked in the report."""
    what = ", ".join(f"{name}={value}" for name, value in case.items())
    expect(is_same(found, due), expected=f"{due} ({what})", got=found if type(found) is int else with_type(found), hint=hint)


@check("5.2", points=1, en="\"max\" reserves all that the request may ever need",
       es="\"max\" reserva todo lo que la petición pueda llegar a necesitar")
def test_max(student):
    found = [asked(student, admission="max", prompt=20, limit=100), asked(student, admission="max", prompt=5, limit=3)]
    expect_equal(found, [120, 8], hint=t(
        "(tokens, for a prompt of 20 and max_tokens 100, and for 5 and 3): add the prompt and max_tokens (section 5.2)",
        "(tokens, con un prompt de 20 y max_tokens 100, y con 5 y 3): suma el prompt y max_tokens (sección 5.2)",
    ))
    expect_equal(asked(student, admission="max", outputs=25), 120, hint=t(
        "(tokens, for a prompt of 20 and max_tokens 100 that comes back with 25 tokens of output): max_tokens limits the "
        "whole answer, which includes those 25. So reserve num_prompt_tokens + max_tokens; with num_tokens they would count "
        "twice (section 5.2)",
        "(tokens, con un prompt de 20 y max_tokens 100, que vuelve con 25 tokens de salida): max_tokens limita la respuesta "
        "entera, que ya incluye esos 25. Reserva num_prompt_tokens + max_tokens; con num_tokens contarían dos veces (sección "
        "5.2)",
    ))
    expect_rule(student, "max", EACH_CALL)


EACH_CALL = t(
    "(one of many requests, in one run): each call depends only on its own request and server: do you keep anything from an "
    "earlier call? (section 5.2)",
    "(una de muchas peticiones, en una misma ejecución): cada llamada depende solo de su petición y su servidor: ¿guardas "
    "algo de una llamada anterior? (sección 5.2)",
)


@check("5.2", points=2, en="\"profiled\" reserves what earlier requests needed",
       es="\"profiled\" reserva lo que necesitaron peticiones anteriores")
def test_profiled(student):
    profile = [30, 2, 4, 60, 6, 8, 10, 12, 14, 16]
    rule = {"admission": "profiled", "profile": profile}
    found = [profiled(student, profile, percent) for percent in (50, 90, 100)]
    expect_equal(found, [30, 50, 80], hint=found != [30, 50, 80] and rank_hint(student) or t(
        "(prompt of 20; 50th, 90th and 100th percentile of 2, 4 … 16, 30, 60): reserve the ⌈p/100·n⌉-th smallest plus the "
        "prompt (section 5.2)",
        "(prompt de 20; percentiles 50, 90 y 100 de 2, 4 … 16, 30, 60): reserva el ⌈p/100·n⌉-ésimo menor más el prompt "
        "(sección 5.2)",
    ))
    found = [asked(student, profile_percent=50, outputs=25, **rule), asked(student, profile_percent=90, limit=7, **rule)]
    expect_equal(found, [45, 27], hint=t(
        "(a request that comes back with 25 tokens of output, and one with max_tokens 7): the profile holds lengths of whole "
        "outputs, and the 25 are part of one: prompt + percentile; with num_tokens they would count twice (section 5.2)",
        "(una petición que vuelve con 25 tokens de salida, y otra con max_tokens 7): el perfil contiene longitudes de salidas "
        "enteras, y los 25 son parte de una: prompt + percentil; con num_tokens contarían dos veces (sección 5.2)",
    ) if is_same(found[0], 20 + 25 + 10) else t(
        "(a request that comes back with 25 tokens of output, and one with max_tokens 7): never reserve less than it has, nor "
        "more than it may reach (section 5.2)",
        "(una petición que vuelve con 25 tokens de salida, y otra con max_tokens 7): nunca reserves menos de lo que tiene ni "
        "más de lo que puede llegar a tener (sección 5.2)",
    ))
    expect_ranks_rounded_up(student)
    expect_rule(student, "profiled", EACH_CALL)


def profiled(student, profile: list[int], percent: int):
    """The tokens for a prompt of 20, with room for all; a formula for ranks that raises is named."""
    try:
        return reserved_by(student, profile, percent)
    except CheckFailed as failure:
        if failure.outcome == CRASHED and not failure.hint:
            failure.hint = rank_hint(student) or ""
        raise


def reserved_by(student, profile: list[int], percent: int):
    return asked(student, admission="profiled", limit=500, num_blocks=ROOMY, profile=profile, profile_percent=percent)


def rank_hint(student) -> Text | None:
    """The formula that the student's ranks follow, if it is one of those that are easy to take."""
    def outputs_of(values):
        found = reserved_by(student, [int(value) for value in values], 90)
        return [found - 20 if type(found) in (int, float) else found]

    slip = rank_slip(outputs_of, (90,))
    return slip and slip.followed_by(t(" (section 5.2)", " (sección 5.2)"))


def expect_ranks_rounded_up(student) -> None:
    """Where n·p/100 is not a whole number, nearest, down and interpolated differ."""
    for num_seen, percent in ((7, 30), (11, 90), (23, 50), (3, 1), (13, 95), (21, 99), (1, 50), (150, 90)):
        profile = [3 * i for i in range(1, num_seen + 1)]  # below max_tokens, which would cap it
        profile = profile[1::2] + profile[::2]
        case = {"profile": profile, "profile_percent": percent}
        found, due = profiled(student, profile, percent), 20 + nearest_rank(profile, percent)
        expect_case(found, due, case, found != due and rank_hint(student) or t(
            f"(prompt of 20): {percent} % of {num_seen} values is {num_seen * percent / 100:g}: round the rank up, neither "
            "down nor to the nearest integer, and do not interpolate between two values (section 5.2)",
            f"(prompt de 20): el {percent} % de {num_seen} valores es {num_seen * percent / 100:g}: redondea el rango hacia "
            "arriba, ni hacia abajo ni al entero más cercano, y no interpoles entre dos valores (sección 5.2)",
        ))


@check("5.2", points=1, en="\"watermark\" reserves what the request needs now",
       es="\"watermark\" reserva lo que la petición necesita ahora")
def test_watermark(student):
    found = [asked(student, admission="watermark"), asked(student, admission="watermark", outputs=25)]
    expect_equal(found, [20, 45], hint=t(
        "(tokens, for a new prompt of 20 and for one that comes back with 25 tokens of output): reserve num_tokens (section "
        "5.2)",
        "(tokens, para un prompt nuevo de 20 y para una petición que vuelve con 25 tokens de salida): reserva num_tokens "
        "(sección 5.2)",
    ))
    expect_rule(student, "watermark", EACH_CALL)


@check("5.2", points=2, en="waits unless enough blocks stay free", es="espera si no quedan bastantes bloques libres")
def test_keeps_the_reserve(student):
    # 10 blocks, of which 4 are held: 6 are free. 20 tokens take 2, so that 4 stay.
    found = [asked(student, running=64, num_blocks=10, reserve_blocks=kept) for kept in (0, 4, 5)]
    expect_equal(found, [20, 20, None], hint=t(
        "(6 blocks free, 2 needed; 0, 4 or 5 to keep free): once it is admitted 4 blocks stay free, fewer than 5, so it waits. "
        "reserve_blocks is a number of blocks: compare it with those that stay free *after* the admission (section 5.2)",
        "(6 bloques libres, se piden 2; hay que dejar libres 0, 4 o 5): una vez admitida quedan libres 4, menos de 5, así que "
        "espera. reserve_blocks es un número de bloques: compáralo con los que quedan libres *después* de admitirla (sección 5.2)",
    ) if is_same(found, [20, 20, 20]) else t(
        "(6 blocks free, 2 needed; 0, 4 or 5 to keep free): the reserve is a number of blocks, and it is enough if "
        "exactly that many stay free (section 5.2)",
        "(6 bloques libres, se piden 2; hay que dejar libres 0, 4 o 5): la reserva es un número de bloques, y basta con los "
        "libres justos (sección 5.2)",
    ))
    found = [asked(student, running=64, num_blocks=blocks, admission="max", prompt=17, limit=16) for blocks in (7, 6)]
    expect_equal(found, [33, None], hint=t(
        "(33 tokens take 3 blocks; 3 or 2 are free): a request that does not fit waits: return None (section 5.2)",
        "(33 tokens ocupan 3 bloques; hay 3 o 2 libres): una petición que no cabe espera: devuelve None (sección 5.2)",
    ))
    # As above 6 blocks are free; both rules ask for 36 tokens, which take 3.
    rules = ({"admission": "max", "limit": 16}, {"admission": "profiled", "profile": [16], "profile_percent": 100})
    held = {"running": 64, "num_blocks": 10}
    found = [asked(student, reserve_blocks=kept, **held, **rule) for rule in rules for kept in (3, 4)]
    expect_equal(found, [36, None, 36, None], hint=t(
        "(\"max\", then \"profiled\"; 6 blocks free, 3 needed; 3 or 4 to keep free): `reserve_blocks` blocks stay free under "
        "every rule of admission, whatever its name (section 5.2)",
        "(\"max\" y después \"profiled\"; 6 bloques libres, se piden 3; hay que dejar libres 3 o 4): quedan libres "
        "`reserve_blocks` bloques con cualquier regla de admisión, se llame como se llame (sección 5.2)",
    ))
    expect_the_same_reserve_for_any_crowd(student)


def expect_the_same_reserve_for_any_crowd(student) -> None:
    """Pools that just suffice and that lack one block, with one to four in flight."""
    rng = random.Random(2)
    for number in range(24):
        case = reserve_case(rng, rng.choice(("max", "profiled", "watermark")))
        size, running, kept = rng.choice((1, 4, 16)), rng.randint(1, 40), rng.randint(0, 6)
        num_blocks = blocks_for(running, size) + blocks_for(tokens_by_rule(case), size) + kept - number % 2
        case |= {"in_flight": rng.randint(1, 4), "running": running, "block_size": size, "reserve_blocks": kept}
        found = asked(student, num_blocks=num_blocks, again=number > 0, **case)
        expect_case(found, None if number % 2 else tokens_by_rule(case), case, t(
            f"({num_blocks} blocks; running: how many tokens other requests hold): compare blocks.needed(tokens) + reserve_blocks with "
            "blocks.num_free; the reserve is the same with one request in flight and with four (section 5.2)",
            f"({num_blocks} bloques; running: tokens que ocupan otras): compara blocks.needed(tokens) + reserve_blocks con "
            "blocks.num_free; la reserva es la misma con una petición en vuelo que con cuatro (sección 5.2)",
        ))


@check("5.2", points=1, en="a request does not wait when no other is in flight",
       es="una petición no espera si no hay otra en vuelo")
def test_alone(student):
    found = asked(student, prompt=120, num_blocks=10, reserve_blocks=4)
    expect_equal(found, 120, hint=t(
        "no request is in flight, and 8 of 10 blocks are enough: keeping 4 free would make it wait forever "
        "(section 5.2)",
        "no hay peticiones en vuelo, y 8 de 10 bloques bastan: dejar 4 libres la haría esperar para siempre (sección 5.2)",
    ))
    found = [asked(student, prompt=prompt, num_blocks=10, reserve_blocks=4) for prompt in (160, 161)]
    expect_equal(found, [160, None], hint=t(
        "(prompts of 160 and 161 tokens; none in flight, 10 blocks free): the last block may be used too, but a request that "
        "needs more than all blocks still does not fit (section 5.2)",
        "(prompts de 160 y 161 tokens; ninguna en vuelo, 10 bloques libres): el último bloque también se puede usar, pero una "
        "petición que necesita más que todos los bloques sigue sin caber (sección 5.2)",
    ))
