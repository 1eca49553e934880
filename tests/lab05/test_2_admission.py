"""Exercise 5.2: how much memory a request needs before it may start."""

from tests.grader.check import check
from tests.grader.outcomes import expect_equal, t
from tests.lab05.scenes import scene

SIZE = 16


def asked(student, *, prompt=20, limit=100, outputs=0, running=0, num_blocks=40, **settings):
    """`tokens_to_reserve` for one request, while another holds `running` tokens (0: nobody is in flight)."""
    workload = scene((0, 8, 4), (0, prompt, limit))
    host = student.paged_server(workload, num_blocks=num_blocks, block_size=SIZE, **settings)
    first, request = host.take(2)
    request.output_token_ids = [1] * outputs
    if running:
        host.server.blocks.reserve(first, running)
    return student.call_on(host, "tokens_to_reserve", request, [first] if running else [])[0]


@check("5.2", points=1, en="\"max\" reserves all it may ever need", es="\"max\" reserva todo lo que pueda llegar a "
                                                                       "pedir")
def test_max(student):
    found = [asked(student, admission="max", prompt=20, limit=100), asked(student, admission="max", prompt=5, limit=3)]
    expect_equal(found, [120, 8], hint=t(
        "(tokens, for a prompt of 20 and max_tokens 100, and for 5 and 3): prompt and max_tokens (section 5.2)",
        "(tokens, con un prompt de 20 y max_tokens 100, y con 5 y 3): el prompt y max_tokens (sección 5.2)",
    ))  # fmt: skip
    expect_equal(asked(student, admission="max", outputs=25), 120, hint=t(
        "(tokens, for a prompt of 20 and max_tokens 100 that comes back with 25 tokens of output): max_tokens bounds "
        "the whole answer, and those 25 are part of it. So it is num_prompt_tokens + max_tokens; with num_tokens they "
        "would count twice (section 5.2)",
        "(tokens, con un prompt de 20 y max_tokens 100, que vuelve con 25 tokens de salida): max_tokens limita la "
        "respuesta entera, y esos 25 ya son parte de ella. Es num_prompt_tokens + max_tokens; con num_tokens contarían "
        "dos veces (sección 5.2)",
    ))  # fmt: skip


@check("5.2", points=2, en="\"profiled\" reserves what others needed",
       es="\"profiled\" reserva lo que necesitaron otras")  # fmt: skip
def test_profiled(student):
    profile = [30, 2, 4, 60, 6, 8, 10, 12, 14, 16]
    rule = {"admission": "profiled", "profile": profile}
    found = [asked(student, profile_percent=percent, **rule) for percent in (50, 90, 100)]
    expect_equal(found, [30, 50, 80], hint=t(
        "(prompt of 20; 50th, 90th and 100th percentile of 2, 4 … 16, 30, 60): the ⌈p/100·n⌉-th smallest, and the "
        "prompt "
        "with it (section 5.2)",
        "(prompt de 20; percentiles 50, 90 y 100 de 2, 4 … 16, 30, 60): el ⌈p/100·n⌉-ésimo menor, y además el prompt "
        "(sección 5.2)",
    ))  # fmt: skip
    found = [asked(student, profile_percent=50, outputs=25, **rule), asked(student, profile_percent=90, limit=7, **rule)]
    expect_equal(found, [45, 27], hint=t(
        "(a request that comes back with 25 tokens of output, and one with max_tokens 7): never less than it has, "
        "never "
        "more than it may get (section 5.2)",
        "(una petición que vuelve con 25 tokens de salida, y otra con max_tokens 7): nunca menos de lo que tiene, "
        "nunca más "
        "de lo que puede llegar a tener (sección 5.2)",
    ))  # fmt: skip


@check("5.2", points=1, en="\"watermark\" reserves what is there now", es="\"watermark\" reserva lo que hay ahora")
def test_watermark(student):
    found = [asked(student, admission="watermark"), asked(student, admission="watermark", outputs=25)]
    expect_equal(found, [20, 45], hint=t(
        "(tokens, for a new prompt of 20 and for one that comes back with 25 tokens of output): num_tokens (section "
        "5.2)",
        "(tokens, para un prompt nuevo de 20 y para una que vuelve con 25 de salida): num_tokens (sección 5.2)",
    ))  # fmt: skip


@check("5.2", points=2, en="waits unless enough blocks stay free", es="espera si no quedan libres bastantes bloques")
def test_keeps_the_reserve(student):
    # 10 blocks, of which 4 are held: 6 are free. 20 tokens take 2, so that 4 stay.
    found = [asked(student, running=64, num_blocks=10, reserve_blocks=kept) for kept in (0, 4, 5)]
    expect_equal(found, [20, 20, None], hint=t(
        "(6 blocks free, 2 needed; 0, 4 or 5 to keep free): the watermark counts in blocks, and exactly enough is "
        "enough "
        "(section 5.2)",
        "(6 bloques libres, se piden 2; hay que dejar libres 0, 4 o 5): la reserva cuenta en bloques, y lo justo basta "
        "(sección 5.2)",
    ))  # fmt: skip
    found = [asked(student, running=64, num_blocks=blocks, admission="max", prompt=17, limit=16) for blocks in (7, 6)]
    expect_equal(found, [33, None], hint=t(
        "(33 tokens take 3 blocks; 3 or 2 are free): what does not fit waits: None (section 5.2)",
        "(33 tokens ocupan 3 bloques; hay 3 o 2 libres): lo que no cabe espera: None (sección 5.2)",
    ))  # fmt: skip
    # As above 6 blocks are free; both rules ask for 36 tokens, which take 3.
    rules = ({"admission": "max", "limit": 16}, {"admission": "profiled", "profile": [16], "profile_percent": 100})
    held = {"running": 64, "num_blocks": 10}
    found = [asked(student, reserve_blocks=kept, **held, **rule) for rule in rules for kept in (3, 4)]
    expect_equal(found, [36, None, 36, None], hint=t(
        "(\"max\", then \"profiled\"; 6 blocks free, 3 needed; 3 or 4 to keep free): `reserve_blocks` stay free under "
        "every rule of admission, whatever the name (section 5.2)",
        "(\"max\" y después \"profiled\"; 6 bloques libres, se piden 3; hay que dejar libres 3 o 4): "
        "`reserve_blocks` quedan libres con cualquier regla de admisión, se llame como se llame (sección 5.2)",
    ))  # fmt: skip


@check("5.2", points=1, en="the only request need not wait", es="la única petición no tiene que esperar")
def test_alone(student):
    found = asked(student, prompt=120, num_blocks=10, reserve_blocks=4)
    expect_equal(found, 120, hint=t(
        "nobody is in flight, and 8 of 10 blocks are enough: to keep 4 free for nobody would let it wait for ever "
        "(section 5.2)",
        "no hay nadie en vuelo, y 8 de 10 bloques bastan: dejar 4 libres para nadie la haría esperar para siempre "
        "(sección 5.2)",
    ))  # fmt: skip
