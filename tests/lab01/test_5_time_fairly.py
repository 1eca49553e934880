"""Exercise 1.5: `time_fairly`, on a clock and functions whose times are known."""

from tests.grader.check import check
from tests.grader.outcomes import expect, t
from tests.grader.remote_arguments import ScriptedClock, ScriptedTimes

MS = 1e-3


def measured(student, durations_ms: dict[str, list[float]], *, repeats: int, warmup: int, slowdown=(1.0,)):
    """The student's medians in milliseconds of functions with these times; a dict of numbers, or the check fails."""
    script = ScriptedTimes(
        durations_s={name: [MS * each for each in times] for name, times in durations_ms.items()}, slowdown=list(slowdown)
    )
    got = student.call("time_fairly", script, repeats, warmup, ScriptedClock())
    has_all = isinstance(got, dict) and got.keys() == durations_ms.keys()
    are_numbers = has_all and all(type(value) in (int, float) for value in got.values())
    expect(are_numbers, expected=t("a dict of name -> time", "un diccionario nombre -> tiempo"), got=got, hint=t(
        "return one number for each candidate, under its name (section 1.6)",
        "devuelve un número por candidata, con su nombre (sección 1.6)",
    ))  # fmt: skip
    return {name: value / MS for name, value in got.items()}


def expect_ms(got: dict, wanted: dict, *, hint, share: float = 1e-6) -> None:
    """Fail the check unless each time is right to such a share."""
    near = all(abs(got[name] - value) <= share * value for name, value in wanted.items())
    words = [" ".join(f"{name} {value:.4g}" for name, value in each.items()) for each in (wanted, got)]
    expect(near, expected=f"{words[0]} ms", got=f"{words[1]} ms", hint=hint)


@check("1.5", points=1, en="times each call, on the clock that it is given", es="mide cada llamada, con el reloj que recibe")
def test_times_each_call(student):
    got = measured(student, {"slots": [2.0], "dict": [5.0], "loop": [0.25]}, repeats=3, warmup=1)
    expect_ms(got, {"slots": 2.0, "dict": 5.0, "loop": 0.25}, hint=t(
        "read clock() right before and right after a call of one candidate; no other clock counts (section 1.6)",
        "lee clock() justo antes y justo después de la llamada a una candidata; ningún otro reloj cuenta (sección 1.6)",
    ))  # fmt: skip


@check("1.5", points=1, en="the median, not the mean", es="la mediana, no la media")
def test_median(student):
    got = measured(student, {"a": [4.0, 2.0, 90.0, 5.0, 4.5], "b": [3.0, 8.0, 1.0, 7.0, 3.5]}, repeats=5, warmup=0)
    expect_ms(got, {"a": 4.5, "b": 3.5}, hint=t(
        "five times of each: the one in the middle. One interruption moves a mean by a lot, and the least time is only "
        "the luckiest (section 1.6)",
        "cinco tiempos de cada una: el del medio. Una sola interrupción mueve mucho una media, y el mínimo es solo el más "
        "afortunado (sección 1.6)",
    ))  # fmt: skip


@check("1.5", points=1, en="warm-up is left out", es="el calentamiento no cuenta")
def test_warm_up(student):
    got = measured(student, {"a": [50.0] * 3 + [2.0], "b": [80.0] * 3 + [3.0]}, repeats=3, warmup=3)
    expect_ms(got, {"a": 2.0, "b": 3.0}, hint=t(
        "the first 3 calls of each candidate were slow ones: with warmup=3 they are made, and none of them is among the "
        "times (section 1.6)",
        "las 3 primeras llamadas de cada candidata fueron lentas: con warmup=3 se hacen, y ninguna está entre los tiempos "
        "(sección 1.6)",
    ))  # fmt: skip


@check("1.5", points=2, en="the candidates take turns", es="las candidatas se turnan")
def test_interleaved(student):
    # Two equal candidates on a machine that gets slower with every call: taking turns, both meet the same slowness.
    slowdown = [1 + 0.05 * n for n in range(60)]
    got = measured(student, {"a": [1.0], "b": [1.0]}, repeats=15, warmup=2, slowdown=slowdown)
    ratio = got["b"] / got["a"] if got["a"] else float("inf")
    expect(abs(ratio - 1) < 0.1, expected=t("b / a = 1.0, to 10 %", "b / a = 1.0, con margen del 10 %"), got=f"{ratio:.3f}",
           hint=t(
        "both are the same function, and the machine became slower while you measured. Go round: in each of the rounds "
        "every candidate once, instead of all calls of one before those of the next (section 1.6)",
        "ambas son la misma función, y la máquina se fue volviendo lenta mientras medías. Haz rondas: en cada una, cada "
        "candidata una vez, en lugar de todas las llamadas de una antes de las de la siguiente (sección 1.6)",
    ))  # fmt: skip
