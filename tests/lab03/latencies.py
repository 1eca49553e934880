"""Records at random for the exercises that report latencies, what is right for them, and what common slips give."""

import math
import random
from collections.abc import Iterator

from tests.grader.outcomes import Text, t
from tests.lab03.oracle import is_near
from tests.lab03.scenes import record

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


def why(records: list[dict], percent: int, got) -> Text:
    """The hint for a wrong percentile: the slip that gives exactly this value, or the definition."""
    return slip_of(records, percent, got) or DEFINITION


def slip_of(records: list[dict], percent: int, got) -> Text | None:
    """The hint of the slip that gives exactly this wrong value; None if there is none."""
    if type(got) in (int, float) and not math.isnan(got):
        for slip, hint in SLIPS:
            if is_near(got, slip(records, percent)):
                return hint
    return None


def in_scene(hint: Text, records: list[dict], percent: int, got) -> Text:
    """A scene's own hint, and after it the slip that gives exactly this value, if one does."""
    slip = slip_of(records, percent, got)
    return hint.followed_by(". ").followed_by(slip) if slip else hint


# -- slips: what each would give ------------------------------------------------------------------------------------


def _rank(values, rank) -> float:
    """The value of a rank from 1, in rising order; beyond the ends the last one there."""
    ordered = sorted(values)
    return ordered[min(max(rank, 1), len(ordered)) - 1] if ordered else math.nan


def _interpolated(values, percent: int) -> float:
    ordered, place = sorted(values), percent * (len(values) - 1) / 100
    low, high = ordered[math.floor(place)], ordered[math.ceil(place)]
    return low if low == high else low + (high - low) * (place - math.floor(place))


def _unsorted(records, percent) -> float:
    values = latencies(records)
    return values[math.ceil(percent * len(values) / 100) - 1]


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
    (_unsorted, t("The latencies were not in order: sort them before you pick a rank",
                  "Las latencias no estaban en orden: ordénalas antes de tomar un rango")),
    (lambda records, percent: _of(set(latencies(records)), percent), t(
        "Equal latencies were counted only once: two clients that waited equally long still count as two, so use a list, not "
        "a set",
        "Las latencias iguales se contaron una sola vez: dos clientes que esperaron lo mismo cuentan como dos, así que usa "
        "una lista y no un conjunto",
    )),
    (lambda records, percent: _rank(latencies(records), round(percent * len(records) / 100)), t(
        "The rank was rounded to the nearest whole number. Nearest-rank always rounds up: math.ceil",
        "El rango se redondeó al entero más cercano. El rango más cercano (nearest rank) redondea siempre hacia "
        "arriba: math.ceil",
    )),
    (lambda records, percent: _rank(latencies(records), math.floor(percent * len(records) / 100)), t(
        "The rank was truncated. Round it up with math.ceil, then subtract 1 for the index",
        "El rango se truncó. Redondéalo hacia arriba con math.ceil y después resta 1 para el índice",
    )),
    (lambda records, percent: _rank(latencies(records), math.floor(percent * len(records) / 100) + 1), t(
        "That is one rank too high when p/100·n is a whole number: the index is ⌈p/100·n⌉ − 1, not int(p/100·n)",
        "Es un rango de más cuando p/100·n es entero: el índice es ⌈p/100·n⌉ − 1, no int(p/100·n)",
    )),
    (lambda records, percent: _rank(latencies(records), math.ceil(percent * len(records) / 100) + 1), t(
        "That is one rank too high: ranks count from 1 and indices from 0, so subtract 1",
        "Es un rango de más: los rangos cuentan desde 1 y los índices desde 0; resta 1",
    )),
    (lambda records, percent: _rank(latencies(records), math.ceil(percent * (len(records) - 1) / 100) + 1), t(
        "The rank was computed from n − 1: it is ⌈p/100·n⌉, with all n requests",
        "El rango se calculó con n − 1: es ⌈p/100·n⌉, con las n peticiones",
    )),
    (lambda records, percent: _rank(latencies(records), round(percent * (len(records) - 1) / 100) + 1), t(
        "The rank was computed from n − 1 and rounded to the nearest integer: it is ⌈p/100·n⌉, with all n requests and "
        "rounded up",
        "El rango se calculó con n − 1 y se redondeó al entero más cercano: es ⌈p/100·n⌉, con las n peticiones y redondeado "
        "hacia arriba",
    )),
    (lambda records, percent: _interpolated(latencies(records), percent), t(
        "That lies between two measured latencies. Nearest-rank gives a latency that a request really had",
        "Eso queda entre dos latencias medidas. El rango más cercano da una latencia que una petición tuvo de verdad",
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
