"""Exercise 6.8: how many machines for prefill and how many for decode, on paper and replayed."""

from dataclasses import asdict
from itertools import permutations

from tests.grader.check import check
from tests.grader.definition import Definition, Slip, as_row, expect_defined, near_numbers
from tests.grader.outcomes import expect, t
from tests.lab06.balance import CASES, COST, SLOTS, best_split, drawn_fleets, even_fleets, lengths_of, replayed_per_s

BAR_PERCENT = 5.0


def _with(**otherwise):
    return lambda *args: best_split(*args, **otherwise)


def _without(which: str, name: str):
    """One coefficient is left out."""
    def answer(num_machines, lengths, cost, link, in_flight):
        given = {"cost": cost, "link": link}
        given[which] = given[which] | {name: 0}
        return best_split(num_machines, lengths, given["cost"], given["link"], in_flight)

    return answer


def _turned(*args):
    num_prefill, num_decode, per_s = best_split(*args)
    return num_decode, num_prefill, per_s


def _shared(*names: str):
    """Divides these parts of a decode step among the requests in it."""
    def answer(num_machines, lengths, cost, link, in_flight):
        shared = cost | {name: cost[name] / in_flight for name in names}
        return best_split(num_machines, lengths, shared, link, in_flight)

    return answer


def _paid(name: str, times):
    """This part of a decode step is paid several times over."""
    def answer(num_machines, lengths, cost, link, in_flight):
        return best_split(num_machines, lengths, cost | {name: cost[name] * times(lengths, in_flight)}, link, in_flight)

    return answer


def _mean_decodes(lengths, _in_flight):
    return sum(steps - 1 for _, steps in lengths) / len(lengths)


def _with_no_link(num_machines, lengths, cost, link, in_flight):
    return best_split(num_machines, lengths, cost, dict.fromkeys(link, 0), in_flight)


def _swapped_in(which: str, name: str, other: str):
    """One coefficient in the place of another, as after copying a line."""
    def answer(num_machines, lengths, cost, link, in_flight):
        given = {"cost": cost, "link": link}
        given[which] = given[which] | {name: given[which][other]}
        return best_split(num_machines, lengths, given["cost"], given["link"], in_flight)

    return answer


USED = {"cost": tuple(COST), "link": ("per_request_ns", "per_token_ns")}
SLIPS = (
    Slip(answer=_with(less=0), hint=t(
        "the first of a request's n steps is the prefill, on another machine: n − 1 are left for decode (section 6.5)",
        "el primero de los n pasos de una petición es el prellenado, en otra máquina: quedan n − 1 de decode (sección 6.5)",
    )),
    Slip(answer=_with(share=False), hint=t(
        "all requests in flight share one step: divide its fixed part, step_overhead, by in_flight (section 6.5)",
        "todas las peticiones en vuelo comparten un paso: divide su parte fija, step_overhead, entre in_flight (sección 6.5)",
    )),
    Slip(answer=_with(context=False), hint=t(
        "the context is missing: add per_context_token for each token that the decode steps attend to, mean_attended(lengths) "
        "per request (section 6.5)",
        "falta el contexto: suma per_context_token por cada token al que atienden los pasos de decode, mean_attended(lengths) "
        "por petición (sección 6.5)",
    )),
    Slip(answer=_with(slower=lambda compute, send: compute + send), hint=t(
        "the link sends while the next prompt is computed: the slower of the two counts, not their sum (section 6.5)",
        "el enlace envía mientras se calcula el prompt siguiente: cuenta lo más lento de los dos, no la suma (sección 6.5)",
    )),
    Slip(answer=_with_no_link, hint=t(
        "the link is missing: if sending K and V takes longer than computing them, the link decides (section 6.5)",
        "falta el enlace: si enviar K y V tarda más que calcularlas, decide el enlace (sección 6.5)",
    )),
    Slip(answer=_with(join=lambda prefill, decode: prefill + decode), hint=t(
        "every request passes through both kinds: the slower kind decides, so take min, not the sum (section 6.5)",
        "toda petición pasa por los dos tipos: decide el más lento, así que toma min, no la suma (sección 6.5)",
    )),
    Slip(answer=lambda num_machines, *_: (1, num_machines - 1, 0), hint=t(
        "the rate is cut to 0, and with it every division looks the same: a machine completes far less than one request per "
        "nanosecond, so divide with /, not //, and do not round (section 6.5)",
        "la tasa queda en 0, y así todos los repartos parecen iguales: una máquina completa mucho menos de una petición por "
        "nanosegundo; divide con /, no con //, y no redondees (sección 6.5)",
    )),
    Slip(answer=_with(join=max), hint=t(
        "every request passes through both kinds: the slower kind decides, so take min, not max (section 6.5)",
        "toda petición pasa por los dos tipos: decide el más lento, así que toma min, no max (sección 6.5)",
    )),
    Slip(answer=_turned, hint=t(
        "the order is (prefill machines, decode machines, requests per second) (section 6.5)",
        "el orden es (máquinas de prefill, máquinas de decode, peticiones por segundo) (sección 6.5)",
    )),
    Slip(answer=_without("cost", "prefill_overhead_ns"), hint=t(
        "each prefill pass has a fixed part too: prefill_overhead_ns, once per prompt (section 6.5)",
        "cada pasada de prefill tiene también una parte fija: prefill_overhead_ns, una vez por prompt (sección 6.5)",
    )),
    *(Slip(answer=_without(which, name), hint=t(
        f"{which}['{name}'] is missing: {en} (section 6.5)", f"falta {which}['{name}']: {es} (sección 6.5)",
    )) for which, name, en, es in (
        ("cost", "per_prefill_token_ns", "each token of a prompt costs its machine that much",
         "cada token de un prompt le cuesta eso a su máquina"),
        ("cost", "per_sequence_ns", "each request in a decode step costs that much",
         "cada petición de un paso de decode cuesta eso"),
        ("link", "per_token_ns", "the keys and values of each token of a prompt are sent",
         "se envían las K y V de cada token del prompt"),
    )),
    *(Slip(answer=_swapped_in(which, name, other), hint=t(
        f"{which}['{other}'] stands where {which}['{name}'] belongs (section 6.5)",
        f"{which}['{other}'] ocupa el lugar de {which}['{name}'] (sección 6.5)",
    )) for which, names in USED.items() for name, other in permutations(names, 2)),
    Slip(answer=_without("link", "per_request_ns"), hint=t(
        "the link has a fixed part too: per_request_ns (section 6.5)",
        "el enlace tiene también una parte fija: per_request_ns (sección 6.5)",
    )),
    *(Slip(answer=answer, hint=t(
        "only step_overhead_ns is shared by all in flight: per_sequence_ns and per_context_token_ns are paid for each of them "
        "(section 6.5)",
        "solo step_overhead_ns se reparte entre todas las que hay en vuelo: per_sequence_ns y per_context_token_ns se pagan por cada "
        "una (sección 6.5)",
    )) for answer in (
        _shared("per_sequence_ns", "per_context_token_ns"), _shared("per_context_token_ns"), _shared("per_sequence_ns"))),
    *(Slip(answer=_paid(name, lambda _, in_flight: in_flight), hint=t(
        f"what counts is the cost of one request: {name} is not multiplied by in_flight (section 6.5)",
        f"cuenta lo que cuesta una petición: {name} no se multiplica por in_flight (sección 6.5)",
    )) for name in ("per_sequence_ns", "per_context_token_ns")),
    Slip(answer=_paid("per_context_token_ns", _mean_decodes), hint=t(
        "mean_attended(lengths) already adds up all decode steps of a request: do not multiply it by their number (section 6.5)",
        "mean_attended(lengths) ya suma todos los pasos de decode de una petición: no la multipliques por su número (sección 6.5)",
    )),
    Slip(answer=_with(prefers=-1), hint=t(
        "two divisions complete equally many requests: take the one with fewer prefill machines (section 6.5)",
        "dos repartos completan lo mismo: entre iguales, el que tiene menos máquinas de prefill (sección 6.5)",
    )),
    *(Slip(answer=_with(unit=unit), hint=t(
        "the coefficients are in nanoseconds: a second has 10⁹ of them (section 6.5)",
        "los coeficientes están en nanosegundos: un segundo tiene 10⁹ (sección 6.5)",
    )) for unit in (1, 1e3, 1e6)),
)


def shown(answer) -> str:
    num_prefill, num_decode, per_s = as_row(answer)
    return f"({num_prefill}, {num_decode}, {per_s:.6g})"


def is_near(got, wanted) -> bool:
    got = as_row(got)
    is_triple = isinstance(got, (list, tuple)) and len(got) == 3
    return is_triple and list(got[:2]) == list(wanted[:2]) and near_numbers(1e-6)(got[2], wanted[2])


SPLIT = Definition(
    function="split_machines", arguments=("num_machines", "lengths", "cost", "link", "in_flight"), truth=best_split,
    near=is_near, shown=shown, slips=SLIPS,
)
DEFINED = t(
    "(prefill machines, decode machines, requests per second): N machines are divided into p and N − p, each at least 1; the "
    "docstring says what a request costs each kind; the slower kind decides; take the best p (section 6.5)",
    "(máquinas de prefill, máquinas de decode, peticiones por segundo): N máquinas se reparten en p y N − p, al menos 1 cada "
    "una; el docstring dice lo que una petición le cuesta a cada tipo; decide el tipo "
    "más lento; toma el mejor p (sección 6.5)",
)


@check("6.8", points=3, en="what a request costs each kind, and the best division",
       es="lo que una petición cuesta a cada tipo, y el mejor reparto")
def test_best_division(student):
    expect_defined(student, SPLIT, [*drawn_fleets(student.seed, 60), *even_fleets()], hint=DEFINED)


@check("6.8", points=1, en="a slow link counts", es="un enlace lento cuenta")
def test_slow_link(student):
    expect_defined(student, SPLIT, list(drawn_fleets(student.seed + 1, 40, slow_link=True)), hint=DEFINED)


@check("6.8", points=2, en="matches the replay, and no other division does better",
       es="coincide con la reproducción, y ningún otro reparto lo hace mejor")
def test_replayed(student):
    errors = []
    for name, num_machines, link in CASES:
        got = as_row(student.call("split_machines", num_machines, list(lengths_of(name)), COST, asdict(link), SLOTS, again=bool(errors)))
        what = f"{name}, {num_machines} ({link.per_token_ns} ns)"
        is_split = isinstance(got, (list, tuple)) and len(got) == 3 and [type(part) for part in got[:2]] == [int, int]
        expect(is_split and min(got[:2]) >= 1 and sum(got[:2]) == num_machines and type(got[2]) in (int, float),
               expected=t("(prefill, decode, requests per second)", "(prefill, decode, peticiones por segundo)"), got=got, hint=DEFINED)
        replays = {p: replayed_per_s(name, p, num_machines - p, link) for p in range(1, num_machines)}
        best = max(replays, key=replays.get)
        expect(got[0] == best, expected=f"{best} + {num_machines - best}", got=f"{got[0]} + {got[1]}", hint=t(
            f"({what}; replayed, {replays[best]:.0f} requests per second against {replays[got[0]]:.0f}): what limits this "
            "fleet, prefill, link or decode? (section 6.5)",
            f"({what}; en la reproducción, {replays[best]:.0f} peticiones por segundo frente a {replays[got[0]]:.0f}): "
            "¿qué limita esta flota: prefill, enlace o decode? (sección 6.5)",
        ))
        errors.append(100 * (got[2] / replays[best] - 1))
        expect(abs(errors[-1]) <= BAR_PERCENT, expected=f"{replays[best]:.0f} ± 5 %", got=f"{got[2]:.0f} ({errors[-1]:+.1f} %)", hint=t(
            f"({what}; requests per second of a fleet whose queue is never empty): count what one request costs each kind "
            "(section 6.5)",
            f"({what}; peticiones por segundo de una flota cuya cola nunca se vacía): cuenta lo que cuesta una petición a "
            "cada tipo (sección 6.5)",
        ))
    student.measurements["split_error_percent"] = max(errors, key=abs)
