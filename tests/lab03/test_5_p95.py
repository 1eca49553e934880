"""Exercise 3.5: the p95 of a run, counted honestly."""

from tests.grader.check import check
from tests.grader.outcomes import expect, expect_value_error, t
from tests.lab03.latencies import Asked, about, expect_percentile, latencies, nearest_rank, random_records, why
from tests.lab03.oracle import expect_oracle, is_near
from tests.lab03.scenes import lasting, record


def asked(student):
    """The student's p95 of any records."""
    return Asked(percent=95, percents=(95,), all_of=lambda records: [student.call("p95_s", records)])


@check("3.5", points=1, en="returns the nearest-rank percentile", es="devuelve el percentil de rango más cercano")
def test_nearest_rank(student):
    ramp = [float(n) for n in range(40, 0, -1)]
    for waits, expected in ((ramp, 38.0), (ramp[:20], 39.0), ([3.0, 1.0, 2.0], 3.0), ([7.0], 7.0)):
        expect_percentile(asked(student), lasting(*waits), expected, hint=t(
            "the ⌈0.95·n⌉-th smallest of n, counted from 1: the 38th of 40, the 19th of 20, the 3rd of 3. It is always a "
            "measured latency, never a value between two (section 3.6)",
            "El p95 es el ⌈0.95·n⌉-ésimo menor de n, contando desde 1: el 38.º de 40, el 19.º de 20, el 3.º de 3. Siempre es una "
            "latencia medida, nunca una intermedia (sección 3.6)",
        ))


@check("3.5", points=1, en="counts from the scheduled arrival", es="cuenta desde la llegada programada")
def test_counts_from_arrival(student):
    records = [record(0, 0.0, 2.0, admitted_s=1.5), record(1, 0.5, 4.0, admitted_s=3.0)]
    expect_percentile(asked(student), records, 3.5, hint=t(
        "request 1 arrived at 0.5 s, was admitted at 3 s and answered at 4 s: its client waited 3.5 s (section 3.6)",
        "la petición 1 llegó a los 0.5 s, fue admitida a los 3 s y respondida a los 4 s: su cliente esperó 3.5 s (sección 3.6)",
    ))


@check("3.5", points=1, en="a request without an answer has infinite latency",
       es="una petición sin respuesta tiene latencia infinita")
def test_unanswered_is_a_miss(student):
    records = [*lasting(*[1.0] * 18), record(18, 0.0, None), record(19, 0.0, None)]
    got = student.call("p95_s", records)
    expect(got == float("inf"), expected=float("inf"), got=got, hint=t(
        "two of 20 requests were never answered, so the 19th latency is that of one of them: infinite, not left out (section "
        "3.6)",
        "dos de 20 peticiones no tuvieron respuesta, así que la 19.ª latencia es la de una de ellas: infinita, no omitida "
        "(sección 3.6)",
    ))


@check("3.5", points=1, en="an empty list has no p95", es="una lista vacía no tiene p95", negative=True)
def test_of_nothing(student):
    expect_value_error(student, "p95_s", [], hint=t(
        "if there are no records, raise a ValueError that says so (section 3.6)",
        "si no hay registros, lanza un ValueError que lo diga (sección 3.6)",
    ))


@check("3.5", points=2, en="correct for many random runs, one after another, and leaves them unchanged",
       es="correcto con muchas ejecuciones al azar, una tras otra, sin modificar ninguna")
def test_many_runs(student):
    expect_oracle(
        student, "p95_s", ([records] for records in random_records(seed=35)),
        lambda records: nearest_rank(latencies(records), 95), is_right=is_near,
        why=lambda args, got: why(asked(student), *args, got), about=about,
    )
