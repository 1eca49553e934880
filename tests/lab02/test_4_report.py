"""Exercise 2.4: what the clients felt, counted honestly."""

import math

from tests.grader.check import check
from tests.grader.outcomes import Text, expect, expect_equal, expect_number, expect_value_error, t
from tests.lab03.latencies import Asked, about, expect_percentile, latencies, nearest_rank, random_records, why
from tests.lab03.oracle import expect_oracle, is_near
from tests.lab03.scenes import lasting, record

PERCENTS = (50, 95, 99)
KEYS = ("p50_s", "p95_s", "p99_s", "max_s", "num_unanswered")


def report_of(student, records: list[dict]) -> dict:
    """The student's report, with all its keys."""
    report = student.call("latency_report", records)
    expect(isinstance(report, dict), expected=t("a dict", "un diccionario"), got=report, hint=t(
        "return a dict with p50_s, p95_s, p99_s, max_s and num_unanswered (section 2.6)",
        "devuelve un diccionario con p50_s, p95_s, p99_s, max_s y num_unanswered (sección 2.6)",
    ))
    expect_equal([key for key in KEYS if key in report], list(KEYS), hint=t(
        "(keys of the dict): write them as the docstring does (section 2.6)",
        "(claves del diccionario): escríbelas como en el docstring (sección 2.6)",
    ))
    return report


def asked(student, key: str = "p95_s") -> Asked:
    """A percentile of the student's report, by its key."""
    keys, percents = (("max_s",), (100,)) if key == "max_s" else (KEYS[:3], PERCENTS)
    return Asked(percent=percents[keys.index(key)], percents=percents,
                 all_of=lambda records: [report_of(student, records)[each] for each in keys])


@check("2.4", points=2, en="percentiles are nearest-rank", es="los percentiles son de rango más cercano")
def test_nearest_rank(student):
    hint = t(
        "A percentile is the ⌈p/100·n⌉-th smallest of n, counted from 1: the 100th, 190th and 198th of 200; the 2nd, 3rd and "
        "3rd of three. It is always a measured latency, never a value between two (section 2.6)",
        "Un percentil es el ⌈p/100·n⌉-ésimo menor de n, contando desde 1: de 200 el 100.º, el 190.º y el 198.º; de tres el "
        "2.º, el 3.º y el 3.º. Siempre es una latencia medida, nunca una intermedia (sección 2.6)",
    )
    cases = (
        # 1 … 200 in an order in which no value stands next to where it belongs: no two slips agree on them.
        ([7.0 * n % 201 for n in range(1, 201)], (100.0, 190.0, 198.0, 200.0)),
        ([3.0, 1.0, 2.0], (2.0, 3.0, 3.0, 3.0)),
        ([7.0], (7.0, 7.0, 7.0, 7.0)),
    )
    for waits, expected in cases:
        records = lasting(*waits)
        for key, value in zip(KEYS, expected):
            expect_percentile(asked(student, key), records, value, hint=hint)


@check("2.4", points=1, en="counts from the scheduled arrival", es="cuenta desde la llegada programada")
def test_counts_from_arrival(student):
    records = [record(0, 0.5, 4.0, admitted_s=3.0)]
    expect_percentile(asked(student), records, 3.5, hint=t(
        "the request arrived at 0.5 s, was admitted at 3 s and answered at 4 s: its client waited 3.5 s (section 2.6)",
        "la petición llegó a los 0.5 s, fue admitida a los 3 s y respondida a los 4 s: su cliente esperó 3.5 s "
        "(sección 2.6)",
    ))


@check("2.4", points=1, en="a request without an answer has infinite latency",
       es="una petición sin respuesta tiene latencia infinita")
def test_unanswered_is_a_miss(student):
    records = [*lasting(*[1.0] * 38), record(38, 0.0, None), record(39, 0.0, None, admitted_s=1.0)]
    report = report_of(student, records)
    expect_equal(report["num_unanswered"], 2, hint=t(
        "(num_unanswered): of 40 requests two have finish_s None (section 2.6)",
        "(num_unanswered): de 40 peticiones, dos tienen finish_s None (sección 2.6)",
    ))
    expect_number(report["p95_s"], 1.0, tolerance=1e-9, hint=t(
        "(p95_s): 38 of 40 requests were answered after 1 s, and the 38th smallest latency is the p95 (section 2.6)",
        "(p95_s): 38 de 40 peticiones tuvieron respuesta tras 1 s, y la 38.ª latencia menor es el p95 (sección 2.6)",
    ))
    got = [report["p99_s"], report["max_s"]]
    expect_equal(got, [math.inf, math.inf], hint=t(
        "(p99_s, max_s): two of 40 requests were never answered, so the 40th latency is that of one of them: infinite, not "
        "left out (section 2.6)",
        "(p99_s, max_s): dos de 40 peticiones no tuvieron respuesta, así que la 40.ª latencia es la de una de ellas: "
        "infinita, no omitida (sección 2.6)",
    ))


@check("2.4", points=1, en="an empty list has no report", es="una lista vacía no tiene informe", negative=True)
def test_of_nothing(student):
    expect_value_error(student, "latency_report", [], hint=t(
        "if there are no records, raise a ValueError that says so (section 2.6)",
        "si no hay registros, lanza un ValueError que lo diga (sección 2.6)",
    ))


@check("2.4", points=2, en="correct for many random runs, one after another, and leaves them unchanged",
       es="correcto con muchas ejecuciones al azar, una tras otra, sin modificar ninguna")
def test_many_runs(student):
    expect_oracle(
        student, "latency_report", ([records] for records in random_records(seed=24)), by_definition,
        is_right=lambda got, expected: isinstance(got, dict) and first_wrong(got, expected) is None,
        why=lambda args, got: why_wrong(student, *args, got), about=about,
    )


def by_definition(records: list[dict]) -> dict:
    values = latencies(records)
    percentiles = [nearest_rank(values, percent) for percent in PERCENTS]
    return dict(zip(KEYS, (*percentiles, max(values), values.count(math.inf)), strict=True))


def first_wrong(got: dict, expected: dict) -> str | None:
    """The first key whose value is not the expected one."""
    return next((key for key in KEYS if not is_near(got.get(key), expected[key])), None)


def why_wrong(student, records: list[dict], got) -> Text:
    """The hint for a report that is wrong: that of its first wrong value."""
    if not isinstance(got, dict):
        return t("return a dict (section 2.6)", "devuelve un diccionario (sección 2.6)")
    key = first_wrong(got, by_definition(records))
    if key == "num_unanswered":
        return t(f"(`{key}`) counts the records whose finish_s is None, whether they were admitted or not (section 2.6)",
                 f"(`{key}`) cuenta los registros cuyo finish_s es None, se admitieran o no (sección 2.6)")
    if key == "max_s":
        return t(f"(`{key}`) is the largest latency of all: infinite if even one request went unanswered (section 2.6)",
                 f"(`{key}`) es la mayor de todas las latencias: infinita si quedó sin respuesta aunque sea una sola petición "
                 "(sección 2.6)")
    name = t(f"(`{key}`) ", f"(`{key}`) ")
    return name.followed_by(why(asked(student, key), records, got.get(key)))
