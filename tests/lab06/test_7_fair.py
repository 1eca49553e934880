"""Exercise 6.7: virtual token counters. Whose turn it is, and by how much two clients' service may differ."""

from functools import lru_cache

from minigpt.analysis import metrics
from minigpt.analysis.service import largest_difference, service_over_time
from minigpt.runtime.clock import VirtualClock
from minigpt.schedulers.lines import OUTPUT_WEIGHT, PROMPT_WEIGHT
from minigpt.workloads.clients import FLOODER, QUIET, client_of, flood
from tests.grader.check import check
from tests.grader.outcomes import Text, expect, t, wrong
from tests.grader.seeds import graded_seed
from tests.lab05.block_stories import expect_no_exception, said
from tests.lab06.turns import all_pairs, due_turns, story

SEATS = 8
MISTAKES = {
    "prompts for nothing": t(
        "prompts count as well: admit adds prompt_weight for each token of the prompt (section 6.4)",
        "los prompts también cuentan: admit suma prompt_weight por cada token del prompt (sección 6.4)",
    ),
    "output for nothing": t(
        "output counts as well, as it comes: count_token adds output_weight (section 6.4)",
        "la salida también cuenta, según llega: count_token suma output_weight (sección 6.4)",
    ),
    "weights exchanged": t(
        "a token of an answer counts output_weight, not prompt_weight (section 6.4)",
        "un token de una respuesta cuenta output_weight, no prompt_weight (sección 6.4)",
    ),
    "a request is a request": t(
        "this counts requests; a long one is more service than a short one: count its tokens (section 6.4)",
        "esto cuenta peticiones; una larga es más servicio que una corta: cuenta sus tokens (sección 6.4)",
    ),
    "those who do not wait, too": t(
        "only a client with a request in the line can be next (section 6.4)",
        "solo le puede tocar a un cliente con alguna petición en la fila (sección 6.4)",
    ),
    "ties in order of arrival": t(
        "at equal counters the first name is next (section 6.4)", "con contadores iguales, le toca al primer nombre (sección 6.4)",
    ),
    "never lifts": t(
        "a client who was away comes back with a low counter and has the server to itself: lift it, when it comes to the "
        "line with nothing in it, to the lowest of those who wait (section 6.4)",
        "un cliente que estuvo fuera vuelve con un contador bajo y se queda con el servidor: elévalo, cuando llega a la "
        "fila sin nada en ella, hasta el más bajo de los que esperan (sección 6.4)",
    ),
    "nobody there, no lift": t(
        "with nobody in the line the counter is lifted as well: to that of the client who left it last (section 6.4)",
        "sin nadie en la fila el contador también se eleva: hasta el del último cliente que salió de ella (sección 6.4)",
    ),
    "lifts to the lowest of all": t(
        "with nobody in the line the one who left it last counts, not the lowest of all who ever came (section 6.4)",
        "sin nadie en la fila cuenta quien salió el último, no el más bajo de todos los que vinieron alguna vez (sección 6.4)",
    ),
    "lifts to the highest": t(
        "lift to the lowest counter of those who wait: at the highest it would have to wait for all of them (section 6.4)",
        "eleva hasta el contador más bajo de los que esperan: con el más alto tendría que esperar a todos (sección 6.4)",
    ),
    "lowers too": t(
        "a counter is never lowered: who has had more than those who wait keeps its counter. Take the maximum (section 6.4)",
        "un contador no se baja nunca: quien recibió más que los que esperan conserva el suyo. Toma el máximo (sección 6.4)",
    ),
    "lifts at every arrival": t(
        "lift only a client who has nothing in the line yet: one who waits already has its place (section 6.4)",
        "eleva solo a un cliente que aún no tiene nada en la fila: el que ya espera tiene su lugar (sección 6.4)",
    ),
}
NAMES = t("next_client returns the name of a client who waits (section 6.4)",
          "next_client devuelve el nombre de un cliente que espera (sección 6.4)")


def expect_turns(student, weights, calls) -> None:
    """Fail the check at the first turn that is not due, with the hint of the mistake that explains all turns."""
    told = student.play("TokenCounters", list(weights), calls)
    for call, each in zip(calls, told):
        expect_no_exception(call, each)
    got = [each["result"] for (name, *_), each in zip(calls, told) if name == "next_client"]
    due = due_turns(weights, calls)
    if got == due:
        return
    place = next(i for i, pair in enumerate(zip(got, due)) if pair[0] != pair[1])
    hint = next((hint for name, hint in MISTAKES.items() if due_turns(weights, calls, name) == got), NAMES)
    raise wrong(expected=before(calls, place, due[place]), got=got[place], hint=hint)


def before(calls, place: int, due: str) -> Text:
    """What is due at a turn, and the last calls that led to it."""
    at = [i for i, (name, *_) in enumerate(calls) if name == "next_client"][place]
    last = (", ".join(said(call) for call in calls[max(0, at - 6) : at]))
    dots = "… " if at > 6 else ""
    return t(f"{due}, after {dots}{last}", f"{due}, tras {dots}{last}")


@check("6.7", points=2, en="tokens are counted, whose turn it is follows", es="se cuentan los tokens, y de ahí sale el turno")
def test_counts(student):
    everybody = [("arrive", client) for client in "DCBA" for _ in range(40)]
    for seed in range(6):
        # Nobody ever leaves the line: so what is lifted when does not matter here.
        weights, calls = story(seed, empties=False)
        joined = [call for call in calls if call[0] != "arrive"]
        expect_turns(student, weights, _with_due_turns(weights, [*everybody, *joined]))


def _with_due_turns(weights, calls) -> list:
    """The same calls, each admission of the client whose turn it then is, and tokens for those who have been admitted."""
    found, last = [], "A"
    for name, *args in calls:
        if name == "admit":
            last = due_turns(weights, found)[-1]
            args[0] = last
        found.append((name, last) if name == "count_token" else (name, *args))
    return found


@check("6.7", points=2, en="who was away has no claim", es="quien estuvo fuera no trae derechos")
def test_lifts(student):
    # B has been served while A was away. Then both want much: they take turns, and A has no claim to all that it missed.
    away = [("arrive", "A"), ("next_client",), ("admit", "A", 1)]
    served = [call for _ in range(5) for call in (("arrive", "B"), ("next_client",), ("admit", "B", 100))]
    both = [("arrive", "B")] * 4 + [("arrive", "A")] * 4
    turns, weights = [*away, *served, *both], (1, 2)
    for _ in range(6):
        turns.append(("next_client",))
        turns.append(("admit", due_turns(weights, turns)[-1], 10))
    expect_turns(student, weights, turns)
    for seed in range(40):
        expect_turns(student, *story(seed))


@check("6.7", points=1, en="two servers, two sets of counters", es="dos servidores, dos juegos de contadores", negative=True)
def test_own_counters(student):
    for seed in (3, 3, 4):
        weights, calls = story(seed)
        expect_turns(student, weights, calls)


@lru_cache(maxsize=4)
def flooded(seed: int):
    """A flood, and clients who all want more than there is: tight pools and roomy ones."""
    return flood(160, seed=graded_seed(seed), start_s=0.2, end_s=0.7), flood(300, seed=graded_seed(seed), quiet_per_s=200.0, start_s=0, end_s=1)


def run_fair(student, requests, *, again: bool = False):
    host = student.paged_server(requests, clock=VirtualClock(), max_inflight=SEATS)
    student.call_on(host, "fair_loop", client_of(requests), again=again)
    return host.server.log.closed_at(host.server.clock.now_ns)


def most_apart(requests) -> float:
    """2U of the paper: U = max(w_p · longest prompt, w_q · tokens that a running batch can hold)."""
    longest_prompt = max(len(item.prompt_token_ids) for item in requests.items)
    held = SEATS * max(len(item.prompt_token_ids) + item.max_tokens for item in requests.items)
    return 2 * max(PROMPT_WEIGHT * longest_prompt, OUTPUT_WEIGHT * held)


def p95_ms(log, clients) -> float:
    latencies = [(record.finish_ns - record.arrival_ns) / 1e6 for record in log.requests.values()
                 if record.item.kind in clients and record.finish_ns is not None]
    return metrics.percentile(latencies, 95)


@check("6.7", points=2, en="a flood is its client's own problem", es="una avalancha es problema de su cliente")
def test_flood(student):
    requests, greedy = flooded(student.seed)
    log = run_fair(student, requests)
    quiet, flooder = p95_ms(log, QUIET), p95_ms(log, FLOODER)
    student.measurements |= {"quiet_p95_ms": quiet, "flooder_p95_ms": flooder}
    expect(quiet < flooder / 3, expected=t("p95 of B, C and D below a third of A's", "p95 de B, C y D menor que un tercio del de A"),
           got=f"{quiet:.0f} / {flooder:.0f} ms", hint=t(
        "(A sends 600 a second for half a second): B, C and D ask for less than their share, and should hardly notice "
        "(section 6.4)",
        "(A envía 600 por segundo durante medio segundo): B, C y D piden menos de lo que les toca, y apenas deberían "
        "notarlo (sección 6.4)",
    ))
    for each, served in ((requests, log), (greedy, run_fair(student, greedy, again=True))):
        expect_bounded(each, served)


def expect_bounded(requests, log) -> None:
    moments = service_over_time(log, client_of(requests), prompt_weight=PROMPT_WEIGHT, output_weight=OUTPUT_WEIGHT)
    bound = most_apart(requests)
    apart = max(largest_difference(moments, *pair) for pair in all_pairs({item.kind for item in requests.items}))
    expect(apart <= bound, expected=f"≤ 2U = {bound:g}", got=f"{apart:g}", hint=t(
        "(the most by which the service of two clients differed over a time in which both had requests waiting): the paper "
        "proves that 2U bounds it if the lowest counter is always next (section 6.4)",
        "(lo máximo en que difirió el servicio de dos clientes durante un tiempo en que ambos tenían peticiones en espera): "
        "el artículo demuestra que 2U lo acota si siempre le toca al contador más bajo (sección 6.4)",
    ))
