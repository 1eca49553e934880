"""Exercise 4.5: the mean time in the system, predicted from the ladder of states, then replayed.

The ladder is checked rung by rung on the student's own `throughput_per_s`: a mistake in 4.4 is not counted twice.
"""

import math
import random
from dataclasses import asdict

from minigpt.runtime.clock import StepCost
from minigpt.simulation import fleet
from tests.grader.check import check
from tests.grader.definition import Definition, Slip, answer, expect_defined, near_numbers
from tests.grader.outcomes import TIMED_OUT, CheckFailed, Text, expect, explained_by, t
from tests.grader.seeds import graded_seed
from tests.lab04.drawn import drawn_cost, drawn_lengths
from tests.lab04.figures import CASES, measured_capacity, replayed
from tests.lab04.ladder import mean_time_s

BAR_PERCENT = 10.0
COST = asdict(StepCost())
LOADS = (0.02, 0.3, 0.6, 0.8, 0.9, 0.95)
# The ladder may end where a share is a billionth of the sum: at load 0.95 that leaves out less than a millionth of L.
SHARE_LEFT_OUT = 1e-5
# Exact in floating point, whatever the order of the factors: 16 steps of 2^20 ns.
EXACT_LENGTHS = [(10, 16)] * 4
EXACT_COST = dict.fromkeys(COST, 0) | {"step_overhead_ns": 2**20}


def speeds_of(student, lengths, cap: int, cost) -> list[float]:
    """What the student's server completes with 1 … cap in flight; the check fails if these are not speeds."""
    speeds = [student.call("throughput_per_s", lengths, n, cost, again=n > 1) for n in range(1, cap + 1)]
    expect(all(type(speed) in (int, float) and 0 < speed < math.inf for speed in speeds), expected=t(
        "requests per second", "peticiones por segundo"), got=speeds, hint=t(
        "(throughput_per_s with 1, 2, … in flight): the ladder needs positive speeds; fix 4.4 first (section 4.6)",
        "(throughput_per_s con 1, 2, … en vuelo): la escalera necesita velocidades positivas; arregla primero 4.4 (sección "
        "4.6)",
    ))
    return speeds


def expect_ladder(student, rungs: list[tuple], *, hint: Text, share: float = SHARE_LEFT_OUT) -> None:
    """Fail the check unless W is that of the ladder; `rungs` are (lengths, rate, cap, cost, the student's speeds)."""
    speeds = {id(lengths): each for lengths, *_, each in rungs}

    def of(slip):
        return lambda lengths, rate, cap, cost: slip(speeds[id(lengths)], rate, cap)

    definition = Definition(
        function="mean_time_in_system_s", arguments=("lengths", "rate_per_s", "cap", "cost"),
        truth=of(lambda each, rate, cap: mean_time_s(each, rate)), near=near_numbers(share), shown="{:.9g} s".format,
        slips=tuple(Slip(answer=of(answer), hint=words) for answer, words in SLIPS),
    )
    expect_defined(student, definition, [rung[:4] for rung in rungs], hint=hint)


SLIPS = (
    (lambda speeds, rate, cap: mean_time_s(speeds, rate) * rate, t(
        "this is L, the mean number inside: use Little's law to turn it into W = L / λ (section 4.7)",
        "esto es L, el número medio de peticiones dentro: conviértelo en W = L / λ con la ley de Little (sección 4.7)",
    )),
    (lambda speeds, rate, cap: mean_time_s(speeds, rate) * rate**2, t(
        "this is L·λ: Little's law is L = λ·W, so W = L / λ (section 4.7)",
        "esto es L·λ: la ley de Little es L = λ·W, así que W = L / λ (sección 4.7)",
    )),
    (lambda speeds, rate, cap: mean_time_s(speeds, rate, is_mean=False), t(
        "L is a mean: divide Σ n·share(n) by the sum of all shares (section 4.7)",
        "L es una media: divide Σ n·fracción(n) entre la suma de todas las fracciones (sección 4.7)",
    )),
    (lambda speeds, rate, cap: mean_time_s(speeds, rate, last=cap), t(
        "your ladder ends at the cap: requests above the cap wait, and they count as well (section 4.7)",
        "tu escalera acaba en el tope: las peticiones por encima del tope esperan, y también cuentan (sección 4.7)",
    )),
    (lambda speeds, rate, cap: mean_time_s(speeds, rate, queue_counts=False), t(
        "n requests are in the system, not min(n, cap): those that wait have arrived, and they count as well (section 4.7)",
        "en el sistema hay n peticiones, no min(n, tope): las que esperan ya llegaron, y también cuentan (sección 4.7)",
    )),
    (lambda speeds, rate, cap: mean_time_s(speeds, rate, first_share=0.0), t(
        "L is a mean: the sum of all shares includes share(0) = 1, the empty server (section 4.7)",
        "L es una media: la suma de todas las fracciones incluye fracción(0) = 1, el servidor vacío (sección 4.7)",
    )),
    (lambda speeds, rate, cap: mean_time_s(speeds[-1:], rate), t(
        "with n requests inside, and n below the cap, the server works at the speed of n slots: speed(min(n, cap)), not "
        "speed(cap) (section 4.7)",
        "con n peticiones dentro, y n por debajo del tope, el servidor va a la velocidad de n slots: velocidad(min(n, tope)), "
        "no velocidad(tope) (sección 4.7)",
    )),
    (lambda speeds, rate, cap: mean_time_s([*speeds[1:], speeds[-1]], rate), t(
        "the system leaves state n at the speed it has with n inside: share(n) = share(n − 1)·λ / speed(n), not speed(n + 1) "
        "(section 4.7)",
        "el sistema deja el estado n a la velocidad que tiene con n dentro: fracción(n) = fracción(n − 1)·λ / velocidad(n), "
        "no velocidad(n + 1) (sección 4.7)",
    )),
    (lambda speeds, rate, cap: 1e3 * mean_time_s(speeds, rate), t(
        "these are milliseconds: return seconds (section 4.7)", "esto son milisegundos: devuelve segundos (sección 4.7)",
    )),
)


@check("4.5", points=1, en="at a low rate, W is the time of a request that runs alone",
       es="a tasa baja, W es el tiempo de una petición a solas")
def test_alone(student):
    lengths, _ = measured_capacity("uniform:1,63", 8)
    speeds = speeds_of(student, list(lengths), 8, COST)
    expect_ladder(student, [(list(lengths), rate, 8, COST, speeds) for rate in (0.5, 4.0, 16.0)], hint=t(
        "(few requests per second): the ladder gives L = Σ n·share(n) / Σ share(n), with share(0) = 1; Little's law turns it "
        "into W. Requests hardly ever overlap, so W is close to the time that a request takes alone (section 4.7)",
        "(pocas peticiones por segundo): la escalera da L = Σ n·fracción(n) / Σ fracción(n), con fracción(0) = 1; la ley de "
        "Little la convierte en W. Casi ninguna petición coincide con otra, así que W se acerca al tiempo de una petición a "
        "solas (sección 4.7)",
    ))
    calls = fleet.draw_calls(list(lengths), 0.5, 1_000, 1)
    expected = fleet.simulate(calls, cap=8).mean_s
    got = student.call("mean_time_in_system_s", list(lengths), 0.5, 8, COST)
    near = type(got) in (int, float) and abs(got / expected - 1) <= 0.1
    expect(near, expected=f"{expected:.4f} s ± 10 %", got=got, hint=t(
        "one request every two seconds: two are hardly ever inside together. The ladder gives L; Little's law turns it into W "
        "(section 4.7)",
        "una petición cada dos segundos: casi nunca coinciden dos. La escalera da L; la ley de Little la convierte en W "
        "(sección 4.7)",
    ))


@check("4.5", points=3, en="every rung, and within 10 % of the replay up to load 0.8",
       es="todos los peldaños, con menos de un 10 % de error frente a la reproducción hasta carga 0.8")
def test_within_10_percent(student):
    expect_every_rung(student)
    errors = []
    for name, cap, share in CASES:
        lengths, rate, measured = replayed(name, cap, share, graded_seed(student.seed))
        got = student.call("mean_time_in_system_s", lengths, rate, cap, COST)
        is_number = type(got) in (int, float) and math.isfinite(got)
        error = 100 * (got / measured - 1) if is_number else math.inf
        errors.append(error)
        expect(abs(error) <= BAR_PERCENT, expected=f"{1e3 * measured:.2f} ms ± 10 %",
               got=f"{1e3 * got:.2f} ms ({error:+.1f} %)" if is_number else got, hint=t(
            f"({name}, cap {cap}, load {share}): up to the cap the server speeds up with n; requests above the cap wait, and "
            "they count as well. L is a mean: divide by the sum of all shares (section 4.7)",
            f"({name}, tope {cap}, carga {share}): hasta el tope el servidor se acelera con n; las peticiones por encima del "
            "tope esperan, y también cuentan. L es una media: divide entre la suma de las fracciones (sección 4.7)",
        ))
    student.measurements["time_in_system_error_percent"] = max(errors, key=abs)


def expect_every_rung(student) -> None:
    """Fail the check unless the ladder is right to five digits, for small and for large caps, nearly full and nearly empty."""
    rng, rungs = random.Random(student.seed), []
    for cap in (1, 2, 3, 8, 12, 96):
        lengths, cost = drawn_lengths(rng), drawn_cost(rng)
        speeds = speeds_of(student, lengths, cap, cost)
        loads = LOADS if cap < 10 else (0.3, LOADS[-1])
        rungs += [(lengths, load * speeds[-1], cap, cost, speeds) for load in loads]
    expect_ladder(student, rungs, hint=t(
        "(the ladder on your own `throughput_per_s`, caps from 1 to 96, loads from 0.02 to 0.95): share(n) = share(n − 1)·λ / "
        "speed(min(n, cap)); L = Σ n·share(n) / Σ share(n). At high load, states far above the cap are not rare: climb until "
        "a share is below a billionth of the sum of all shares, instead of stopping at a fixed n (section 4.7)",
        "(la escalera sobre tu propio `throughput_per_s`, topes de 1 a 96, cargas de 0.02 a 0.95): fracción(n) = fracción(n − "
        "1)·λ / velocidad(min(n, tope)); L = Σ n·fracción(n) / Σ fracción(n). Con mucha carga no son raros los estados muy "
        "por encima del tope: sube hasta que una fracción sea menor que una milmillonésima de la suma de todas, en vez de "
        "parar en un n fijo (sección 4.7)",
    ))


AT_CAPACITY = t(
    "λ equal to speed(cap): the shares never get smaller, and the queue has no value that it returns to, so the mean is "
    "infinite. Only a lower rate has a finite mean: `>=`, not `>` (section 4.7)",
    "λ igual a velocidad(tope): las fracciones nunca se hacen menores y la cola no tiene un valor al que volver, así que la "
    "media es infinita. Solo es finita con una tasa menor: `>=`, no `>` (sección 4.7)",
)


@check("4.5", points=1, en="returns infinity at or above the capacity",
       es="devuelve infinito si la tasa alcanza la capacidad")
def test_beyond_capacity(student):
    lengths, capacity = measured_capacity("mixed", 4)
    got, _ = answer(student, "mean_time_in_system_s", (list(lengths), 1.1 * capacity, 4, COST))
    got = got.got if isinstance(got, CheckFailed) else got
    expect(got == math.inf, expected=math.inf, got=got, hint=t(
        "4 slots, and 10 % more requests than they can complete: the queue grows without end. More slots would help, but "
        "there are only 4 (section 4.7)",
        "4 slots y un 10 % más de peticiones de las que pueden completar: la cola crece sin fin. Con más slots bastaría, pero "
        "solo hay 4 (sección 4.7)",
    ))
    speeds = speeds_of(student, EXACT_LENGTHS, 4, EXACT_COST)
    at_capacity = [(list(EXACT_LENGTHS), speeds[cap - 1], cap, EXACT_COST, speeds[:cap]) for cap in (4, 1)]
    with explained_by(AT_CAPACITY, outcome=TIMED_OUT):
        expect_ladder(student, at_capacity, hint=AT_CAPACITY)
    # So near the capacity the shares fall slowly: the billionth leaves out up to 0.01 %.
    nearly = [(list(EXACT_LENGTHS), 0.9992 * speeds[-1], 4, EXACT_COST, speeds)]
    # With more slots than this cap, these would complete more, but not in proportion: no two slips agree on both.
    slower = speeds_of(student, list(lengths), 4, COST)
    nearly.append((list(lengths), 0.9992 * slower[-1], 4, COST, slower))
    expect_ladder(student, nearly, share=1e-3, hint=t(
        "λ is 0.08 % below speed(cap): the mean time is long, but it exists. The ladder has thousands of rungs here (section "
        "4.7)",
        "λ está un 0.08 % por debajo de velocidad(tope): el tiempo medio es largo, pero existe. La escalera tiene aquí miles "
        "de peldaños (sección 4.7)",
    ))
