"""Exercise 4.5: the mean time in the system, predicted from the ladder of states, then replayed."""

import math
from dataclasses import asdict

from minigpt.runtime.clock import StepCost
from minigpt.simulation import fleet
from tests.grader.check import check
from tests.grader.outcomes import expect, t
from tests.grader.seeds import graded_seed
from tests.lab04.figures import CASES, measured_capacity, replayed

BAR_PERCENT = 10.0
COST = asdict(StepCost())
SLOTS = 8
ONLY_STEPS = asdict(StepCost(
    step_overhead_ns=1_000_000, per_sequence_ns=0, prefill_overhead_ns=0, per_prefill_token_ns=0, per_context_token_ns=0
))  # fmt: skip


def erlang_s(service_s: float, rate_per_s: float, slots: int) -> float:
    """Mean time in a system whose seats do not slow each other down: the ladder's exact sum (Erlang, 1917)."""
    offered = rate_per_s * service_s
    shares = [offered**n / math.factorial(n) for n in range(slots)]
    waiting = offered**slots / math.factorial(slots) * slots / (slots - offered)
    return service_s + waiting / (sum(shares) + waiting) * service_s / (slots - offered)


@check("4.5", points=1, en="alone, a request takes its own time", es="a solas, una petición tarda su propio tiempo")
def test_alone(student):
    lengths, _ = measured_capacity("uniform:1,63", 8)
    calls = fleet.draw_calls(list(lengths), 0.5, 1_000, 1)
    expected = fleet.simulate(calls, cap=8).mean_s
    got = student.call("mean_time_in_system_s", list(lengths), 0.5, 8, COST)
    near = type(got) in (int, float) and abs(got / expected - 1) <= 0.1
    expect(near, expected=f"{expected:.4f} s ± 10 %", got=got, hint=t(
        "one request every two seconds: nobody meets anybody. The ladder gives L; Little's law makes W of it "
        "(section 4.7)",
        "una petición cada dos segundos: nadie se encuentra con nadie. La escalera da L; la ley de Little la "
        "convierte en W (sección 4.7)",
    ))  # fmt: skip


@check("4.5", points=3, en="within 10 % of the replay, up to load 0.8",
       es="a menos del 10 % de la reproducción, hasta carga 0.8")  # fmt: skip
def test_within_10_percent(student):
    errors = []
    for name, cap, share in CASES:
        lengths, rate, measured = replayed(name, cap, share, graded_seed(student.seed))
        got = student.call("mean_time_in_system_s", lengths, rate, cap, COST)
        is_number = type(got) in (int, float) and math.isfinite(got)
        error = 100 * (got / measured - 1) if is_number else math.inf
        errors.append(error)
        expect(abs(error) <= BAR_PERCENT, expected=f"{1e3 * measured:.2f} ms ± 10 %",
               got=f"{1e3 * got:.2f} ms ({error:+.1f} %)" if is_number else got, hint=t(
            f"({name}, cap {cap}, load {share}): up to the cap the server speeds up with n, beyond it those above "
            "the cap wait, and they count as well. L is a mean: divide by the sum of all shares (section 4.7)",
            f"({name}, tope {cap}, carga {share}): hasta el tope el servidor se acelera con n; más allá, las que "
            "pasan del tope esperan, y también cuentan. L es una media: divide entre la suma de las cuotas "
            "(sección 4.7)",
        ))  # fmt: skip
    student.measurements["time_in_system_error_percent"] = max(errors, key=abs)
    expect_all_rungs(student)


def expect_all_rungs(student):
    """Fail the check if the ladder ends while there are states above that are not rare."""
    service_s, rate = 0.02, 0.95 * SLOTS / 0.02
    got = student.call("mean_time_in_system_s", [(10, 20)] * 50, rate, SLOTS, ONLY_STEPS)
    expected = erlang_s(service_s, rate, SLOTS)
    is_number = type(got) in (int, float)
    near = is_number and abs(got / expected - 1) <= 0.01
    expect(near, expected=f"{1e3 * expected:.2f} ms ± 1 %", got=f"{1e3 * got:.2f} ms" if is_number else got, hint=t(
        "(every step takes 1 ms, every request 20 steps; 8 seats, load 0.95): Erlang's formula gives this mean. At "
        "such a load states far above the cap are not rare: climb until a share is below a billionth of their sum, "
        "instead of up to a fixed n (section 4.7)",
        "(cada paso dura 1 ms; cada petición, 20 pasos; 8 asientos, carga 0.95): la fórmula de Erlang da esta media. "
        "Con tanta carga no son raros los estados muy por encima del tope: sube hasta que una cuota sea menor que una "
        "milmillonésima de su suma, no hasta un n fijo (sección 4.7)",
    ))  # fmt: skip


@check("4.5", points=1, en="beyond the capacity of the cap there is no mean",
       es="por encima de la capacidad del tope no hay media")  # fmt: skip
def test_beyond_capacity(student):
    lengths, capacity = measured_capacity("mixed", 4)
    got = student.call("mean_time_in_system_s", list(lengths), 1.1 * capacity, 4, COST)
    expect(got == math.inf, expected=math.inf, got=got, hint=t(
        "4 seats, and 10 % more requests than they can complete: the queue grows as long as you wait. More seats "
        "would do, but there are 4 (section 4.7)",
        "4 asientos y un 10 % más de peticiones de las que pueden completar: la cola crece mientras esperes. Con "
        "más asientos se podría, pero hay 4 (sección 4.7)",
    ))  # fmt: skip
