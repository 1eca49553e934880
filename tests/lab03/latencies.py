"""Records at random for the exercises that report latencies, what is right for them, and what common slips give."""

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.grader.outcomes import CRASHED, CheckFailed, Text, expect_number, t
from tests.grader.ranks import rank_slip
from tests.lab03.oracle import is_near
from tests.lab03.scenes import lasting, record

# With and without a whole number of 5 %, at both sides of each step of the rank.
SIZES = (1, 2, 3, 7, 10, 19, 20, 21, 30, 39, 40, 41, 50, 60, 61, 79, 90, 99, 100, 101, 130, 199, 200, 201)
TICK_S = 1 / 64  # times are whole ticks: differences of such floats are exact

# Plain ones first, so that a message is about one difficulty at a time: most ticks of a wait, shares unanswered.
ROUNDS = ((5_000, (0.0,)), (5_000, (0.02, 0.06, 0.5, 1.0)), (6, (0.0, 0.05)))


def random_records(seed: int) -> Iterator[list[dict]]:
    """Lists of records of every size: unsorted, with ties, with requests that were never answered or even admitted."""
    rng = random.Random(seed)
    yield [record(4, 0.0, 0.0, 0.0)]  # answered at 0.0, which is not None
    for most_ticks, shares in ROUNDS:
        for size in SIZES:
            ids, share = rng.sample(range(3 * size), size), rng.choice(shares)
            yield [_random_record(rng, request_id, most_ticks, share) for request_id in ids]


def _random_record(rng: random.Random, request_id: int, most_ticks: int, share_unanswered: float) -> dict:
    arrival = rng.randrange(1, 5_000) * TICK_S
    admitted = arrival + rng.randrange(most_ticks) * TICK_S
    if rng.random() < share_unanswered:
        return record(request_id, arrival, None, rng.choice((None, admitted)))
    return record(request_id, arrival, admitted + rng.randrange(1, most_ticks) * TICK_S, admitted)


def latencies(records: list[dict]) -> list[float]:
    """The latency of each, in the order given."""
    return [math.inf if each["finish_s"] is None else each["finish_s"] - each["arrival_s"] for each in records]


def nearest_rank(values: list[float], percent: int) -> float:
    """By the definition: the smallest value that `percent` per cent of all do not exceed."""
    return min(value for value in values if 100 * sum(one <= value for one in values) >= percent * len(values))


def about(records: list[dict]) -> Text:
    """The input in a few words."""
    if any(each["finish_s"] == 0 for each in records):
        return t("(one record, answered at 0.0 s: that is an answer, too; only `None` means none).",
                 "(un registro, con respuesta a los 0.0 s: también es una respuesta, solo `None` no lo es).")
    number, missing = len(records), sum(each["finish_s"] is None for each in records)
    return t(f"({number} records, {missing} without an answer).", f"({number} registros, {missing} sin respuesta).")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The percentile that a check is about, and how to get the student's of any other records."""

    percent: int
    all_of: Callable[[list[dict]], list]  # the student's percentiles of any records
    percents: tuple[int, ...]  # which these are

    def rank_slip(self) -> Text | None:
        """The formula for ranks that explains all percentiles, or at least the one in question."""
        place = self.percents.index(self.percent)
        return rank_slip(lambda values: self.all_of(lasting(*values)), self.percents) or rank_slip(
            lambda values: [self.all_of(lasting(*values))[place]], (self.percent,))

    def tell(self, records: list[dict]):
        """The percentile of these records; if the function raises, a formula for ranks that does so is named."""
        try:
            return self.all_of(records)[self.percents.index(self.percent)]
        except CheckFailed as failure:
            if failure.outcome == CRASHED and not failure.hint:
                failure.hint = self.rank_slip() or ""
            raise


def why(asked: Asked, records: list[dict], got) -> Text:
    """The hint for a wrong percentile: the slip that gives exactly this value, or the definition."""
    return slip_of(asked, records, got) or DEFINITION


def slip_of(asked: Asked, records: list[dict], got) -> Text | None:
    """The hint of the slip that gives exactly this wrong value, that of a wrong rank first; None if there is none."""
    rank = asked.rank_slip()
    if rank is None and type(got) in (int, float) and not math.isnan(got):
        return next((hint for slip, hint in SLIPS if is_near(got, slip(records, asked.percent))), None)
    return rank


def expect_percentile(asked: Asked, records: list[dict], due: float, *, hint: Text) -> None:
    """Fail the check unless this percentile is right: with a scene's own hint, and after it the slip that gives this value."""
    got = asked.tell(records)
    if not is_near(got, due):
        slip = slip_of(asked, records, got)
        hint = hint.followed_by(". ").followed_by(slip) if slip else hint
    expect_number(got, due, tolerance=1e-9, hint=hint)


# -- slips: what each would give ------------------------------------------------------------------------------------


def _rank(values, rank) -> float:
    """The value of a rank from 1, in rising order; beyond the ends the last one there."""
    ordered = sorted(values)
    return ordered[min(max(rank, 1), len(ordered)) - 1] if ordered else math.nan


def _of(values, percent) -> float:
    return _rank(values, math.ceil(percent * len(values) / 100))


def _answered(records) -> list[float]:
    return [latency for latency in latencies(records) if latency < math.inf]


def _since_admission(records) -> list[float]:
    return [math.inf if None in (each["finish_s"], each["admitted_s"]) else each["finish_s"] - each["admitted_s"]
            for each in records]


DEFINITION = t(
    "The percentile of n values is the ⌈p/100·n⌉-th smallest, counted from 1; all requests count, and an unanswered one has "
    "infinite latency (section 2.6 or 3.6)",
    "El percentil de n valores es el ⌈p/100·n⌉-ésimo menor, contando desde 1; cuentan todas las peticiones, y la que quedó "
    "sin respuesta tiene latencia infinita (sección 2.6 o 3.6)",
)
SLIPS = (
    (lambda records, percent: _of(_answered(records), percent), t(
        "That is the percentile of the answered requests only. A request without an answer has infinite latency; it is not "
        "left out",
        "Ese es el percentil solo de las peticiones respondidas. Una petición sin respuesta tiene latencia infinita; no "
        "se omite",
    )),
    (lambda records, percent: _of(_since_admission(records), percent), t(
        "That is counted from admitted_s. A client's wait starts at arrival_s",
        "Cuentas desde admitted_s. La espera del cliente empieza en arrival_s",
    )),
    (lambda records, percent: _of([each or math.inf for each in latencies(records)], percent), t(
        "finish_s = 0.0 is a valid time; only None means no answer: test `is None`, since 0.0 also counts as false",
        "finish_s = 0.0 es un tiempo válido; solo None significa que no hay respuesta: comprueba `is None`, porque 0.0 "
        "también cuenta como falso",
    )),
    (lambda records, percent: _of(set(latencies(records)), percent), t(
        "Equal latencies were counted only once: two clients that waited equally long still count as two, so use a list, not "
        "a set",
        "Las latencias iguales se contaron una sola vez: dos clientes que esperaron lo mismo cuentan como dos, así que usa "
        "una lista y no un conjunto",
    )),
    (lambda records, percent: 1_000 * _of(latencies(records), percent), t(
        "That is in milliseconds: the name ends in _s, and the records are in seconds",
        "Eso está en milisegundos: el nombre acaba en _s y los registros están en segundos",
    )),
    (lambda records, percent: round(_of(latencies(records), percent), 3), t(
        "The value was rounded: return it as it is, and round where you print",
        "El valor se redondeó: devuélvelo tal cual y redondea donde imprimas",
    )),
)
