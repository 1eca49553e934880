"""Exercise 1.5: `time_fairly`, on a clock and functions whose times are known.

Every call takes what a script says, so the medians are known exactly. Within a round, and within the warm-up, all calls
are stretched alike: in which order the candidates come there is the student's choice.
"""

import random
import statistics
from dataclasses import dataclass

from tests.grader.check import check
from tests.grader.definition import KEPT
from tests.grader.outcomes import CRASHED, Text, expect, explained_by, t
from tests.grader.remote_arguments import ScriptedClock, ScriptedTimes

MS = 1e-3
LATE_MS = 5_000.0  # of calls that were not asked for


TOO_OFTEN = t(
    "a candidate was called more than warmup + repeats times, and what was not asked for takes 5 s here: `warmup` calls of each "
    "before the first round, then one call per round in exactly `repeats` rounds (section 1.6)",
    "se llamó a una candidata más de warmup + repeats veces, y lo que nadie ha pedido tarda aquí 5 s: `warmup` llamadas a cada "
    "una antes de la primera ronda, y después una llamada por ronda en `repeats` rondas exactas (sección 1.6)",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Candidates, the times of their calls in milliseconds, and how much longer all calls of a round take."""

    warmup_ms: dict[str, list[float]]
    timed_ms: dict[str, list[float]]  # one a round
    stretch: list[float]  # one a round
    is_one_function: bool = False  # under all the names, which then have the same times

    @property
    def repeats(self) -> int:
        return len(self.stretch)

    @property
    def warmup(self) -> int:
        return len(next(iter(self.warmup_ms.values())))

    def script(self) -> ScriptedTimes:
        """The functions: warm-up, rounds, and what must not be called any more."""
        calls = {name: [*self.warmup_ms[name], *times, LATE_MS] for name, times in self.timed_ms.items()}
        (first, *others), each = calls, len(calls)
        if self.is_one_function:
            calls = {first: [ms for ms in calls[first] for _ in range(each)]}
        return ScriptedTimes(
            durations_s={name: [MS * ms for ms in times] for name, times in calls.items()},
            twins=dict.fromkeys(others, first) if self.is_one_function else {},
            slowdown=[1.0] * (self.warmup * each) + [factor for factor in self.stretch for _ in range(each)],
        )

    def medians_ms(self) -> dict[str, float]:
        """What the student should find."""
        return {name: statistics.median(ms * factor for ms, factor in zip(times, self.stretch))
                for name, times in self.timed_ms.items()}


def bench(timed_ms: dict, *, warmup_ms: dict | None = None, stretch: list[float] | None = None) -> Bench:
    repeats = len(next(iter(timed_ms.values())))
    warmup_ms = warmup_ms or {name: [] for name in timed_ms}
    return Bench(warmup_ms=warmup_ms, timed_ms=timed_ms, stretch=stretch or [1.0] * repeats)


def measured(student, scene: Bench, *, again: bool = False) -> dict[str, float]:
    """The student's medians in milliseconds; a dict of numbers, or the check fails."""
    args = (scene.script(), scene.repeats, scene.warmup, ScriptedClock())
    got, (after, *_) = student.call_with("time_fairly", *args, again=again)
    has_all = isinstance(got, dict) and got.keys() == scene.timed_ms.keys()
    has_more = isinstance(got, dict) and got.keys() > scene.timed_ms.keys()
    are_numbers = has_all and all(type(value) in (int, float) for value in got.values())
    wanted = t("a dict of name -> time", "un diccionario nombre -> tiempo")
    expect(are_numbers, expected=wanted, got=got, hint=KEPT if has_more else t(
        "return one number for each candidate, under its name (section 1.6)",
        "devuelve un número por candidata, con su nombre (sección 1.6)",
    ))
    left = sorted(after) if isinstance(after, dict) else after
    expect(left == sorted(scene.timed_ms), expected=sorted(scene.timed_ms), got=left, hint=t(
        "(`candidates` after the call): it belongs to the caller; leave it unchanged (section 1.6)",
        "(`candidates` tras la llamada): pertenece a quien llama a la función; déjalo como está (sección 1.6)",
    ))
    return {name: value / MS for name, value in got.items()}


def is_right(got: dict, wanted: dict) -> bool:
    """Whether each time is right to a millionth: sums and differences of a clock's readings cost a few digits."""
    return all(abs(got[name] - value) <= 1e-6 * value for name, value in wanted.items())


def expect_medians(student, scenes: list[Bench], *, hint: Text) -> None:
    """Fail the check unless the student's medians of all scenes, measured in one load, are right."""
    for count, scene in enumerate([*scenes, scenes[0]]):
        with explained_by(hint, outcome=CRASHED):
            got, wanted = measured(student, scene, again=count > 0), scene.medians_ms()
        why = TOO_OFTEN if any(LATE_MS / 2 <= value <= 4 * LATE_MS for value in got.values()) else hint
        if not is_right(got, wanted) and count:
            why = KEPT if is_right(measured(student, scene), wanted) else why
        words = [" ".join(f"{name} {value:.4g}" for name, value in each.items()) for each in (wanted, got)]
        expect(is_right(got, wanted), expected=f"{words[0]} ms", got=f"{words[1]} ms", hint=why)


def drawn_times(rng: random.Random, names: str, count: int) -> dict[str, list[float]]:
    return {name: [round(rng.uniform(1, 9), 3) for _ in range(count)] for name in names}


@check("1.5", points=1, en="times each call, with the given clock", es="mide cada llamada, con el reloj que recibe")
def test_times_each_call(student):
    scenes = [bench({"slots": [2.0] * 3, "dict": [5.0] * 3, "loop": [0.25] * 3}), bench({"alone": [4.0]})]
    expect_medians(student, scenes, hint=t(
        "read clock() right before and right after a call of one candidate: its time is the second reading minus the first; "
        "no other clock counts (section 1.6)",
        "lee clock() justo antes y justo después de la llamada a una candidata: su tiempo es la segunda lectura menos la "
        "primera; ningún otro reloj cuenta (sección 1.6)",
    ))


@check("1.5", points=1, en="the median, not the mean", es="la mediana, no la media")
def test_median(student):
    expect_medians(student, [bench({"a": [4.0, 2.0, 90.0, 5.0, 4.5], "b": [3.0, 8.0, 1.0, 7.0, 3.5]})], hint=t(
        "five rounds, no more and no fewer, give five times for each candidate: return the one in the middle. A single "
        "interruption changes a mean a lot, and the smallest time is only the luckiest (section 1.6)",
        "cinco rondas, ni más ni menos, dan cinco tiempos de cada candidata: devuelve el del medio. Una sola interrupción "
        "cambia mucho una media, y el mínimo es solo el más afortunado (sección 1.6)",
    ))
    rng = random.Random(student.seed)
    for repeats in (5, 6, 2, 1, 4, 9):
        expect_medians(student, [bench(drawn_times(rng, "abc", repeats))], hint=t(
            "{n} times for each candidate, so there is no single middle one: the median is the mean of the two middle ones "
            "(section 1.6)",
            "{n} tiempos de cada candidata, así que no hay uno solo en el medio: la mediana es la media de los dos del medio "
            "(sección 1.6)",
        ).format(n=repeats) if repeats % 2 == 0 else t(
            "{n} times for each candidate, from exactly `repeats` rounds, no more and no fewer: sort them, and take the one "
            "in the middle as it is (section 1.6)",
            "{n} tiempos de cada candidata, en `repeats` rondas, ni más ni menos: ordénalos y toma el del medio tal cual "
            "(sección 1.6)",
        ).format(n=repeats))


@check("1.5", points=1, en="warm-up is left out", es="el calentamiento no cuenta")
def test_warm_up(student):
    rng = random.Random(student.seed)
    for warmup in (3, 1, 2, 0):
        slow = {name: [50.0 + 10 * n for n in range(warmup)] for name in "ab"}
        expect_medians(student, [bench(drawn_times(rng, "ab", 3), warmup_ms=slow)], hint=t(
            "the first {n} calls of each candidate were slow: with warmup={n} you must make them, but leave their times out. "
            "They come before the `repeats` rounds and are not taken from them: all {rounds} rounds count (section 1.6)",
            "las {n} primeras llamadas de cada candidata fueron lentas: con warmup={n} debes hacerlas, pero sin contar sus "
            "tiempos. Van antes de las `repeats` rondas y no se descuentan de ellas: cuentan las {rounds} (sección 1.6)",
        ).format(n=warmup, rounds=3) if warmup else t(
            "with warmup=0 there is no warm-up: the first call of each candidate counts (section 1.6)",
            "con warmup=0 no hay calentamiento: cuenta la primera llamada a cada candidata (sección 1.6)",
        ))


@check("1.5", points=2, en="the candidates take turns", es="las candidatas se turnan")
def test_interleaved(student):
    # Equal candidates on a machine that gets slower with every round: taking turns, all meet the same slowness.
    slower = [1 + 0.05 * n for n in range(15)]
    scenes = [bench({"a": [1.0] * 15, "b": [1.0] * 15}, stretch=slower, warmup_ms={"a": [1.0] * 2, "b": [1.0] * 2})]
    rng = random.Random(student.seed)
    for count in (2, 3, 8):
        stretch = [round(rng.uniform(1, 3), 3) for _ in range(count)]
        scenes.append(bench(drawn_times(rng, "abcd", count), stretch=stretch))
    expect_medians(student, scenes, hint=t(
        "the machine became slower while you measured. Let the candidates take turns: call each of them once per round, "
        "instead of making all calls of one before those of the next (section 1.6)",
        "la máquina se fue ralentizando mientras medías. Haz que las candidatas se turnen: llama a cada una una vez por "
        "ronda, en lugar de hacer todas las llamadas de una antes de las de la siguiente (sección 1.6)",
    ))
    times = dict.fromkeys("AB", [3.0, 7.0, 4.0, 9.0, 5.0])
    same = Bench(warmup_ms={"A": [], "B": []}, timed_ms=times, stretch=[1.0] * 5, is_one_function=True)
    expect_medians(student, [same], hint=t(
        "A and B are the same function under two names, as in section 1.6, but they are two candidates, each called once per "
        "round: tell them apart by name (section 1.6)",
        "A y B son la misma función con dos nombres, como en la sección 1.6, pero son dos candidatas, cada una llamada una "
        "vez por ronda: distínguelas por el nombre (sección 1.6)",
    ))
