"""Exercise 6.9: which replica. Fewest in flight, the better of two, or the one that knows the prompt's beginning."""

import random
from functools import lru_cache

from minigpt.analysis.metrics import percentile
from minigpt.simulation.routing import PREFIX_TOKENS, ROUTERS, fleet_of_prefixes, serve_prefixes
from tests.grader.check import check
from tests.grader.definition import Definition, Slip, expect_defined
from tests.grader.outcomes import expect, t
from tests.grader.seeds import graded_seed

REPLICAS, AHEAD = 8, 4


def fewest(in_flight, places, *, last: bool = False) -> int:
    return min(places, key=lambda i: (in_flight[i], -i if last else i))


def replica(way, in_flight, cached, drawn, most_ahead, *, bound=True, strict=False, partial=False, last=False):
    """The place that a request goes to; the keywords are mistakes."""
    least = fewest(in_flight, range(len(in_flight)), last=last)
    if way == "least":
        return least
    if way == "two":
        return fewest(in_flight, drawn, last=last)
    holders = [i for i, tokens in enumerate(cached) if tokens == max(cached) or (partial and tokens)]
    holder = fewest(in_flight, holders, last=last)
    return least if bound and in_flight[holder] > in_flight[least] + most_ahead - strict else holder


def _max_of_two(way, in_flight, cached, drawn, most_ahead):
    return max(drawn, key=lambda i: in_flight[i]) if way == "two" else replica(way, in_flight, cached, drawn, most_ahead)


def _among_all(way, *rest):
    return replica("least" if way == "two" else way, *rest)


def _place_in_drawn(way, in_flight, cached, drawn, most_ahead):
    chosen = replica(way, in_flight, cached, drawn, most_ahead)
    return list(drawn).index(chosen) if way == "two" else chosen


def _first_holder(way, in_flight, cached, drawn, most_ahead):
    if way != "prefix":
        return replica(way, in_flight, cached, drawn, most_ahead)
    least, holder = fewest(in_flight, range(len(in_flight))), list(cached).index(max(cached))
    return holder if in_flight[holder] <= in_flight[least] + most_ahead else least


def _drawn_if_unknown(way, in_flight, cached, drawn, most_ahead):
    known = way != "prefix" or max(cached) > 0
    return replica(way if known else "two", in_flight, cached, drawn, most_ahead)


def _zero_is_no_limit(way, in_flight, cached, drawn, most_ahead):
    return replica(way, in_flight, cached, drawn, most_ahead, bound=most_ahead > 0)


def _ahead_of_the_mean(way, in_flight, cached, drawn, most_ahead):
    holder = replica(way, in_flight, cached, drawn, most_ahead, bound=False)
    ahead = in_flight[holder] - sum(in_flight) / len(in_flight)
    return holder if way != "prefix" or ahead <= most_ahead else fewest(in_flight, range(len(in_flight)))


def _number_in_flight(way, in_flight, cached, drawn, most_ahead):
    return in_flight[replica(way, in_flight, cached, drawn, most_ahead)]


SLIPS = (
    Slip(answer=_number_in_flight, hint=t(
        "this is how many requests are in flight there: return the index of the replica, counted from 0 (section 6.5)",
        "esto es cuántas peticiones hay en vuelo allí: devuelve la posición de la réplica, contando desde 0 (sección 6.5)",
    )),
    Slip(answer=lambda *args: replica(*args, last=True), hint=t(
        "in a tie, take the lowest index (section 6.5)",
        "entre réplicas iguales, toma la posición menor (sección 6.5)",
    )),
    Slip(answer=_max_of_two, hint=t(
        "of the two replicas that were drawn, take the one with fewer requests in flight (section 6.5)",
        "de las dos réplicas sorteadas, toma la que tenga menos peticiones en vuelo (sección 6.5)",
    )),
    Slip(answer=_among_all, hint=t(
        "the way \"two\" asks only the two replicas in `drawn`, not all of them (section 6.5)",
        "con \"two\" se pregunta solo a las dos réplicas de `drawn`, no a todas (sección 6.5)",
    )),
    Slip(answer=_place_in_drawn, hint=t(
        "this is the place in `drawn` (0 or 1): return the index of the replica that stands there, drawn[0] or drawn[1] (section 6.5)",
        "esto es el lugar en `drawn` (0 o 1): devuelve la posición de la réplica que está ahí, drawn[0] o drawn[1] (sección 6.5)",
    )),
    Slip(answer=_drawn_if_unknown, hint=t(
        "the two in `drawn` are only for the way \"two\": if no replica has the prompt, all hold the same amount of it, 0 "
        "tokens: take the one with the fewest in flight (section 6.5)",
        "las dos de `drawn` son solo para \"two\": si ninguna réplica tiene el prompt, todas guardan lo mismo, 0 tokens, y "
        "toca la de menos peticiones en vuelo (sección 6.5)",
    )),
    Slip(answer=_ahead_of_the_mean, hint=t(
        "most_ahead counts from the least busy replica, not from the mean of all (section 6.5)",
        "most_ahead se cuenta desde la réplica menos ocupada, no desde la media de todas (sección 6.5)",
    )),
    Slip(answer=_zero_is_no_limit, hint=t(
        "most_ahead = 0 is a limit, though 0 counts as false: then the holder may have no more in flight than the least busy "
        "(section 6.5)",
        "most_ahead = 0 es un límite, aunque 0 cuente como falso: la que tiene el prompt no puede tener más en vuelo que la menos "
        "ocupada (sección 6.5)",
    )),
    Slip(answer=lambda *args: replica(*args, bound=False), hint=t(
        "affinity without a limit: every request with the popular prefix goes to one replica. If it has over most_ahead "
        "more requests than the least busy one, take the least busy one (section 6.5)",
        "afinidad sin límite: todas las peticiones con el comienzo popular van a una réplica. Si tiene más de most_ahead "
        "peticiones por encima de la menos ocupada, toma la menos ocupada (sección 6.5)",
    )),
    Slip(answer=lambda *args: replica(*args, strict=True), hint=t(
        "exactly most_ahead more is still allowed: take the least busy only if it is over most_ahead (section 6.5)",
        "exactamente most_ahead más aún se permite: toma la menos ocupada solo si son más de most_ahead "
        "(sección 6.5)",
    )),
    Slip(answer=_first_holder, hint=t(
        "several replicas may hold the same amount of the prompt: of these, take the one with the fewest requests in flight "
        "(section 6.5)",
        "varias réplicas pueden guardar la misma parte del prompt: de ellas, toma la de menos peticiones en vuelo (sección "
        "6.5)",
    )),
    Slip(answer=lambda *args: replica(*args, partial=True), hint=t(
        "only the replicas that hold the most of the prompt count, not all that hold some of it (section 6.5)",
        "solo cuentan las que más guardan del prompt, no todas las que guardan algo (sección 6.5)",
    )),
)
def _among(seen: slice):
    def answer(way, in_flight, *rest):
        return fewest(in_flight, range(len(in_flight))[seen]) if way == "least" else replica(way, in_flight, *rest)

    return answer


SLIPS += tuple(Slip(answer=_among(seen), hint=t(
    "one replica is never chosen: look at all of them, from 0 to len(in_flight) − 1 (section 6.5)",
    "una réplica no se elige nunca: míralas todas, de la 0 a la len(in_flight) − 1 (sección 6.5)",
)) for seen in (slice(-1), slice(1, None)))
ROUTE = Definition(function="route", arguments=("way", "in_flight", "cached_tokens", "drawn", "most_ahead"), truth=replica,
                   slips=SLIPS)


def drawn_states(seed: int, way: str, count: int):
    """(way, in flight, cached tokens, two places, most ahead): with equals, with none that knows the prompt, and at the bound."""
    rng = random.Random(f"{seed} {way}")
    for _ in range(count):
        size = rng.choice((2, 3, 8))
        in_flight = [rng.randint(0, rng.choice((2, 9))) for _ in range(size)]
        cached = [rng.choice((0, 0, 40, 200)) for _ in range(size)] if rng.random() < 0.8 else [0] * size
        drawn = rng.sample(range(size), 2)
        apart = max(in_flight) - min(in_flight)
        yield way, in_flight, cached, drawn, rng.choice((0, 1, 3, 8, apart, max(0, apart - 1)))


def expect_route(student, way: str, hint) -> None:
    def with_the_call(*args):
        return t(f"route{args}: ", f"route{args}: ").followed_by(hint)

    expect_defined(student, ROUTE, list(drawn_states(student.seed, way, 80)), hint=with_the_call)


@check("6.9", points=1, en="the fewest in flight", es="la de menos peticiones en vuelo")
def test_least(student):
    expect_route(student, "least", t(
        "(least): return the index of the smallest number in in_flight, the first one in a tie (section 6.5)",
        "(least): devuelve la posición del menor número de in_flight, la primera entre iguales (sección 6.5)",
    ))


@check("6.9", points=1, en="the better of two", es="la mejor de dos")
def test_two(student):
    expect_route(student, "two", t(
        "(two): of the two replicas in `drawn`, the one with fewer in flight; in a tie, the lower index, whichever was drawn "
        "first (section 6.5)",
        "(two): de las dos posiciones de `drawn`, la que tiene menos en vuelo; entre iguales, la menor, salga antes la que "
        "salga (sección 6.5)",
    ))


@check("6.9", points=2, en="the replica that has the prefix, within a limit",
       es="la réplica que tiene el comienzo, con un límite")
def test_prefix(student):
    expect_route(student, "prefix", t(
        "(prefix): of the replicas with the most cached tokens, take the one with the fewest requests in flight; if it has over "
        "most_ahead more than the least busy replica, take that one instead. If no replica has the prompt, all hold the "
        "same amount of it: 0 (section 6.5)",
        "(prefix): de las réplicas con más tokens en caché, toma la de menos peticiones en vuelo; si supera en más de "
        "most_ahead a la menos ocupada de todas, toma esta. Si ninguna réplica tiene el prompt, todas guardan lo mismo: 0 "
        "(sección 6.5)",
    ))


@lru_cache(maxsize=4)
def by_fewest(seed: int):
    """A fleet under instructions of which one is most popular, routed by the fewest in flight; the requests and its run."""
    requests = fleet_of_prefixes(700, rate_per_s=700, popularity=1.0, seed=graded_seed(seed))
    return requests, serve_prefixes(requests, ROUTERS["least"](0), REPLICAS)


@check("6.9", points=2, en="in a fleet: more hits, a lower p95", es="en una flota: más aciertos, un p95 menor")
def test_fleet(student):
    requests, fewest_run = by_fewest(student.seed)
    states = []

    def ask(in_flight, cached):
        states.append(None)
        place = student.call("route", "prefix", in_flight, cached, [0, 1], AHEAD, again=len(states) > 1)
        expect(type(place) is int and 0 <= place < REPLICAS, expected=t("an index from 0 to 7", "una posición de 0 a 7"), got=place,
               hint=t("return the index of a replica in in_flight (section 6.5)",
                      "devuelve la posición de una réplica en in_flight (sección 6.5)"))
        return place

    run = serve_prefixes(requests, ask, REPLICAS)
    p95, before = (1e3 * percentile(each.ttft_s, 95) for each in (run, fewest_run))
    student.measurements |= {"prefix_ttft_p95_ms": p95, "least_ttft_p95_ms": before, "prefix_hit_percent": run.hit_percent}
    expect(run.hit_percent > fewest_run.hit_percent + 15 and p95 < before, got=f"{run.hit_percent:.0f} %, {p95:.1f} ms",
           expected=t(f"more than {fewest_run.hit_percent + 15:.0f} % of prompt tokens cached, TTFT p95 below {before:.1f} ms",
                      f"más del {fewest_run.hit_percent + 15:.0f} % de los tokens de prompt en caché, p95 de TTFT menor que {before:.1f} ms"),
           hint=t(f"(700 requests that share prefixes of {PREFIX_TOKENS} tokens): send each request to the replica that has "
                  "its prefix, unless it is far busier (section 6.5)",
                  f"(700 peticiones que comparten comienzos de {PREFIX_TOKENS} tokens): envía cada petición a la réplica que "
                  "tiene su comienzo, salvo que esté mucho más ocupada (sección 6.5)"))
